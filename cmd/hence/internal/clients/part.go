package clients

import (
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"

	"hence/internal/fault"
)

// Wish is what is to be in the files of the clients.
type Wish struct {
	Server   Server            // with the full path of the program
	Name     string            // by which a shell finds it; "" where it does not
	Program  string            // this program, as a shell reads it
	Flags    string            // its flags for a hook, as a shell reads them; may be ""
	User     bool              // for all of the user's projects, instead of one
	Optional map[Optional]bool // a kind that is not in it stays as it is
}

// What Hence has in files.
const (
	serverPart = "server"
	hooksPart  = "hooks"
	blockPart  = "instructions"
)

// part is one thing that Hence has in a file.
type part struct {
	client, what string
	put          func(text string) (string, error) // adds it, or changes it to what it must be
	cut          func(text string) (string, error) // removes it
	holders      [][]string                        // objects and lists that put makes where they are missing, outer ones first
}

// target is a file with what belongs in it.
type target struct {
	file string // as it is called; a link may lead elsewhere
	format
	parts   []part
	folders []string // that were made for it and are not needed any more
	needing []string // who else has asked for what is in it
}

type format int

const (
	asJSON format = iota
	asTOML
	asText
)

// targets are the files of clients, in the order of the clients.
func targets(all []Client, p Places, w Wish) []*target {
	chosen := []*target{}
	add := func(file string, f format, parts ...part) {
		i := slices.IndexFunc(chosen, func(t *target) bool { return t.file == file })
		if i < 0 {
			i = len(chosen)
			chosen = append(chosen, &target{file: file, format: f})
		}
		chosen[i].parts = append(chosen[i].parts, parts...)
	}
	for _, c := range all {
		f := asJSON
		if c.toml {
			f = asTOML
		}
		server := w.Server
		if w.Name != "" && !c.ofUser(w.User) {
			// A project's settings are often shared, so they have the name; desktop
			// programs read the user's, and know no path of a shell.
			server.Command = w.Name
		}
		add(c.server(p, w.User), f, c.serverPart(server))
		if c.hooks != nil {
			place := c.hooks.project
			if w.User {
				place = c.hooks.user
			}
			add(place(p), asJSON, c.hookParts(w)...)
		}
		told := instructions.part(c.Name)
		switch {
		case c.reads && !w.User:
			add(instructionsFile(p), asText, told)
		case w.User && c.told != nil:
			add(c.told(p), asText, told)
		}
	}
	return chosen
}

func (c Client) serverPart(s Server) part {
	path := append(slices.Clone(c.path), name)
	made := part{client: c.Name, what: serverPart, put: func(text string) (string, error) {
		changed, err := c.Put([]byte(text), s)
		return string(changed), err
	}}
	if c.toml {
		made.cut = func(text string) (string, error) { return cutTOML(text, path) }
		return made
	}
	made.cut = func(text string) (string, error) { return cutJSON(text, path) }
	for i := range c.path {
		made.holders = append(made.holders, c.path[:i+1])
	}
	return made
}

func (c Client) hookParts(w Wish) []part {
	parts := []part{}
	if c.hooks.version > 0 {
		path := []string{"version"}
		parts = append(parts, part{
			client: c.Name, what: hooksPart,
			put: func(text string) (string, error) {
				if hasValue(text, path) {
					return text, nil
				}
				if strings.TrimSpace(text) == "" {
					text = "{}\n"
				}
				return setJSON(text, path, strconv.Itoa(c.hooks.version))
			},
			cut: func(text string) (string, error) { return text, nil }, // other hooks need it
		})
	}
	for _, e := range c.hooks.events {
		path := []string{"hooks", e.event}
		made := part{client: c.Name, what: hooksPart, holders: [][]string{path[:1], path}}
		made.cut = func(text string) (string, error) { return cutHook(text, path, c.Name) }
		made.put = func(text string) (string, error) {
			if e.when != "" && !isWanted(w, e.when, hasHook(text, path, c.Name)) {
				less, err := made.cut(text)
				if err != nil || less == text {
					return less, err
				}
				return cutEmpty(less, path)
			}
			line := w.Program + " hook " + e.event + " --client " + c.Name
			if e.asks && !isWanted(w, Prompts, hasHook(text, path, c.Name) && !strings.Contains(text, noPrompts)) {
				line += noPrompts
			}
			if w.Flags != "" {
				line += " " + w.Flags
			}
			if c.hooks.form == flat {
				return putHook(text, path, c.Name, line, command{Command: line, Timeout: c.hooks.timeout})
			}
			return putHook(text, path, c.Name, line, group{e.matcher, []command{{Type: "command", Command: line, Timeout: c.hooks.timeout}}})
		}
		parts = append(parts, made)
	}
	return parts
}

// noPrompts is the flag of a hook that must be there for other reasons.
const noPrompts = " --prompts=false"

func isWanted(w Wish, kind Optional, is bool) bool {
	if says, ok := w.Optional[kind]; ok {
		return says
	}
	return is
}

// write puts all parts into a text. It returns each change, and the holders that it
// made.
func (t *target) write(text string) (after string, hunks []hunk, made [][]string, err error) {
	for _, p := range t.parts {
		before := text
		if text, err = p.put(before); err != nil {
			return "", nil, nil, err
		}
		if text != before {
			hunks = append(hunks, difference(before, text))
			for _, holder := range p.holders {
				if !hasValue(before, holder) && hasValue(text, holder) {
					made = append(made, holder)
				}
			}
		}
	}
	return text, hunks, made, t.check(text, text)
}

// erase removes all parts from a text, and the holders that were made for them and
// are empty now.
func (t *target) erase(text string, made [][]string) (after string, err error) {
	after = text
	if strings.TrimSpace(text) == "" {
		return text, nil
	}
	for _, p := range slices.Backward(t.parts) {
		if after, err = p.cut(after); err != nil {
			return "", err
		}
	}
	if t.format == asJSON {
		for _, holder := range slices.Backward(made) {
			if after, err = cutEmpty(after, holder); err != nil {
				return "", err
			}
		}
	}
	return after, t.check(text, after)
}

// present reports whether a text has any part.
func (t *target) present(text string) bool {
	for _, p := range t.parts {
		if after, err := p.cut(text); err == nil && after != text {
			return true
		}
	}
	return false
}

// hasValue reports whether a JSON text has a value at a path.
func hasValue(text string, path []string) bool {
	document, err := hujson.Parse([]byte(text))
	if err != nil {
		return false
	}
	_, missing, err := walk(&document, path)
	return err == nil && len(missing) == 0
}

// check refuses a change after which a file that could be read cannot be read.
func (t *target) check(before, after string) error {
	if t.reads(before) != nil || t.reads(after) == nil {
		return nil
	}
	return fault.New(fault.InvalidArgument, "%s cannot be changed safely; remove the entry %s by hand", t.file, name)
}

func (t *target) reads(text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	switch t.format {
	case asJSON:
		_, err := hujson.Parse([]byte(text))
		return err
	case asTOML:
		return toml.Unmarshal([]byte(text), &map[string]any{})
	}
	return nil
}
