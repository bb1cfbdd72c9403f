// Package clients edits the configuration of MCP clients: where it is, what the
// entry for a server looks like, and how to add it without changing the rest.
package clients

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/tailscale/hujson"

	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/pattern"
)

// name is the name of Hence's entry in a configuration.
const name = "hence"

// Server is the program that a client starts.
type Server struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// Places are the folders of configuration files.
type Places struct {
	Home    string // the user's
	Config  string // os.UserConfigDir
	Project string // the current folder
	State   string // where records of what was written are kept
	Getenv  func(string) string
}

// Client is a program that starts MCP servers.
type Client struct {
	Name string
	Note string // what else the user must do; may be empty

	User      place    // the file with the servers, for the user; "": there is none
	Project   place    // and for a project
	InProject bool     `json:"in_project"` // hence setup writes the project's file, not the user's
	Path      []string // the names that lead to the object with the servers
	Typed     bool     // the entry has the type stdio
	AllTools  bool     `json:"all_tools"` // the entry names the tools that are offered: all
	Joined    bool     // the entry has the command and its arguments in one list
	TOML      bool     // the file is TOML, else JSON with comments

	Hooks             *hooksOf // nil: no hook of the client reaches the model
	ReadsInstructions bool     `json:"reads_instructions"` // it has no hooks, and reads a project's AGENTS.md or CLAUDE.md
	UserInstructions  place    `json:"user_instructions"`  // the file of instructions of the user; "": none
	Programs          []string // their presence shows that the client is installed
	Traces            []place  // files and folders that show that it is configured
}

// Names returns the names of all clients.
func Names() []string { return lists.Map(all(), func(c Client) string { return c.Name }) }

// All returns all clients.
func All() []Client { return slices.Clone(all()) }

// Find returns the client with a name.
func Find(name string) (Client, error) {
	i := slices.IndexFunc(all(), func(c Client) bool { return c.Name == name })
	if i < 0 {
		return Client{}, fault.New(fault.InvalidArgument, "there is no client %q; the clients are %s", name, strings.Join(Names(), ", "))
	}
	return all()[i], nil
}

// File returns the path of the configuration that hence setup writes.
func (c Client) File(p Places) string { return c.server(p, !c.InProject) }

// server returns the path of the configuration for the user or for a project. If the client
// has only one of them, it returns that.
func (c Client) server(p Places, user bool) string {
	if c.hasUserFile(user) {
		return p.path(c.User)
	}
	return p.path(c.Project)
}

// hasUserFile reports whether the path that server returns is a file of the user's.
func (c Client) hasUserFile(user bool) bool { return user && c.User != "" || c.Project == "" }

// field is one line of an entry.
type field struct {
	name  string
	value any
}

func (c Client) fields(s Server) []field {
	if c.Joined {
		return []field{{"type", "local"}, {"command", append([]string{s.Command}, s.Args...)}, {"enabled", true}}
	}
	fields := []field{{"command", s.Command}, {"args", s.Args}}
	if c.Typed {
		fields = append([]field{{"type", "stdio"}}, fields...)
	}
	if c.AllTools {
		fields = append(fields, field{"tools", []string{"*"}})
	}
	return fields
}

// Put adds the server to the text of a configuration. Everything else stays byte for byte:
// comments, order, other fields and flags of an existing entry.
func (c Client) Put(content []byte, s Server) ([]byte, error) {
	text, mark, err := splitMark(content)
	if err != nil {
		return nil, err
	}
	fields, path := c.fieldsIn(text, s), append(slices.Clone(c.Path), name)
	if len(fields) == 0 {
		return content, nil
	}
	put := putJSON
	if c.TOML {
		put = putTOML
	}
	changed, err := put(text, path, fields)
	if err == nil {
		err = c.sameOtherwise(text, changed, path, fields)
	}
	return []byte(mark + changed), err
}

// known are the clients.
//
//go:embed known.jsonc
var known []byte

// all are the clients that known describes.
var all = sync.OnceValue(func() (list []Client) {
	plain, err := hujson.Standardize(bytes.Clone(known))
	if err == nil {
		err = json.Unmarshal(plain, &list)
	}
	if err != nil {
		panic(err) // any test finds it
	}
	return list
})

// place is a path in known.
type place string

// variable matches a variable of the environment at the beginning of a path.
var variable = pattern.Lazy(`^\$\{(\w+)(?::-([^}]*))?\}`)

// path returns the file or folder that a place names here; "" for an unset variable alone.
func (p Places) path(at place) (path string) {
	for one := range strings.SplitSeq(string(at), "|") {
		one, inner, _ := strings.Cut(one, "//")
		isNamed := false // by a variable
		if v := variable().FindStringSubmatch(one); v != nil {
			value := p.Getenv(v[1])
			isNamed = value != ""
			if one = cmp.Or(value, v[2]) + one[len(v[0]):]; one == "" {
				continue
			}
		}
		for begin, folder := range map[string]string{"~": p.Home, ".": p.Project, "config:": p.Config, "zed:": zedHome(p)} {
			if rest, ok := strings.CutPrefix(one, begin); ok && !isNamed && (rest == "" || rest[0] == '/') {
				one = folder + rest
				break
			}
		}
		if path = filepath.Join(one, inner); isNamed || exists(one) {
			return path
		}
	}
	return path
}

func zedHome(p Places) string {
	switch runtime.GOOS {
	case "windows":
		return filepath.Join(p.Config, "Zed")
	case "darwin":
		return filepath.Join(p.Home, ".config", "zed")
	}
	return filepath.Join(p.Config, "zed")
}

func exists(path string) bool {
	if path == "" {
		return false
	}
	_, err := os.Stat(path)
	return err == nil
}
