// Package clients edits the configuration of MCP clients: where it is, what the
// entry for a server looks like, and how to add it without changing the rest.
package clients

import (
	"slices"
	"strings"

	"hence/internal/fault"
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

	user, project func(p Places) string // the file with the servers; nil: there is none
	inProject     bool                  // hence setup writes the project's file, not the user's
	path          []string              // the names that lead to the object with the servers
	typed         bool                  // the entry has the type stdio
	joined        bool                  // the entry has the command and its arguments in one list
	toml          bool                  // the file is TOML, else JSON with comments

	hooks             *hooksOf                // nil: no hook of the client reaches the model
	readsInstructions bool                    // it has no hooks, and reads a project's AGENTS.md or CLAUDE.md
	userInstructions  func(p Places) string   // the file of instructions of the user; nil: none
	programs          []string                // their presence shows that the client is installed
	traces            func(p Places) []string // files and folders that show that it is configured
}

// Names returns the names of all clients.
func Names() []string {
	names := []string{}
	for _, c := range all {
		names = append(names, c.Name)
	}
	return names
}

// All returns all clients.
func All() []Client { return slices.Clone(all) }

// Find returns the client with a name.
func Find(name string) (Client, error) {
	i := slices.IndexFunc(all, func(c Client) bool { return c.Name == name })
	if i < 0 {
		return Client{}, fault.New(fault.InvalidArgument, "there is no client %q; the clients are %s", name, strings.Join(Names(), ", "))
	}
	return all[i], nil
}

// File returns the path of the configuration that hence setup writes.
func (c Client) File(p Places) string { return c.server(p, !c.inProject) }

// server returns the path of the configuration for the user or for a project. If the client
// has only one of them, it returns that.
func (c Client) server(p Places, user bool) string {
	if c.hasUserFile(user) {
		return c.user(p)
	}
	return c.project(p)
}

// hasUserFile reports whether the path that server returns is a file of the user's.
func (c Client) hasUserFile(user bool) bool { return user && c.user != nil || c.project == nil }

// field is one line of an entry.
type field struct {
	name  string
	value any
}

func (c Client) fields(s Server) []field {
	if c.joined {
		return []field{{"type", "local"}, {"command", append([]string{s.Command}, s.Args...)}, {"enabled", true}}
	}
	fields := []field{{"command", s.Command}, {"args", s.Args}}
	if c.typed {
		fields = append([]field{{"type", "stdio"}}, fields...)
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
	fields, path := c.fieldsIn(text, s), append(slices.Clone(c.path), name)
	if len(fields) == 0 {
		return content, nil
	}
	put := putJSON
	if c.toml {
		put = putTOML
	}
	changed, err := put([]byte(text), path, fields)
	return append([]byte(mark), changed...), err
}
