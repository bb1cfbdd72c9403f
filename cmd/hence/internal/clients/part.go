package clients

import (
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"hence/internal/fault"
)

// Wish says what the files of the clients must contain.
type Wish struct {
	Server   Server            // with the full path of the program
	Name     string            // by which a project's files start the server; "": as Server has it
	Program  string            // this program, as a shell reads it
	Flags    string            // its flags for a hook, as a shell reads them; may be ""
	User     bool              // for all of the user's projects, instead of one
	Optional map[Optional]bool // whether each kind must be there; a kind without a value stays as it is
}

// The kinds of parts.
const (
	serverPart = "server"
	hooksPart  = "hooks"
	blockPart  = "instructions"
)

// part is one thing that Hence writes into a file.
type part struct {
	client, what string
	put          func(text string) (string, error) // adds it, or changes it to what it must be
	cut          func(text string) (string, error) // removes it
	isForeign    func(text string) bool            // it is there, and init did not write it; nil: never
	holders      [][]string                        // paths of objects and lists that put makes if they are missing, outer ones first
}

// target is a file and the parts that belong in it.
type target struct {
	file string // its path, which may be a symbolic link
	format
	parts   []part
	mark    string   // the byte order mark of the file
	folders []string // were made for the file, which was removed
	needing []string // the other owners that still need the parts
}

type format int

const (
	asJSON format = iota
	asTOML
	asText
)

// targets returns the files of clients, in the order of the clients.
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
		if c.TOML {
			f = asTOML
		}
		server := w.Server
		if w.Name != "" && !c.hasUserFile(w.User) {
			// A project's settings are often shared, so they have the name. The user's have
			// the full path, because desktop programs do not know the PATH of a shell.
			server.Command = w.Name
		}
		add(c.server(p, w.User), f, c.serverPart(server))
		if c.Hooks != nil {
			file := c.Hooks.Project
			if w.User {
				file = c.Hooks.User
			}
			add(p.path(file), asJSON, c.hookParts(w)...)
		}
		told := instructions.part(c.Name)
		switch {
		case c.ReadsInstructions && !w.User:
			add(instructionsFile(p), asText, told)
		case w.User && c.UserInstructions != "":
			add(p.path(c.UserInstructions), asText, told)
		}
	}
	return chosen
}

func (c Client) serverPart(s Server) part {
	path := append(slices.Clone(c.Path), name)
	result := part{client: c.Name, what: serverPart, isForeign: c.isForeign, put: func(text string) (string, error) {
		changed, err := c.Put([]byte(text), s)
		return string(changed), err
	}}
	if c.TOML {
		result.cut = func(text string) (string, error) { return cutTOML(text, path) }
		return result
	}
	result.cut = func(text string) (string, error) { return cutJSON(text, path) }
	for i := range c.Path {
		result.holders = append(result.holders, c.Path[:i+1])
	}
	return result
}

func (c Client) hookParts(w Wish) []part {
	parts := []part{}
	if c.Hooks.Version > 0 {
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
				return setJSON(text, path, strconv.Itoa(c.Hooks.Version))
			},
			cut: func(text string) (string, error) { return text, nil }, // other hooks need it
		})
	}
	for _, e := range c.Hooks.Events {
		path, who := []string{"hooks", e.Event}, e.who(c.Name)
		hookPart := part{client: c.Name, what: hooksPart, holders: [][]string{path[:1], path}}
		hookPart.cut = func(text string) (string, error) { return cutHook(text, path, who) }
		hookPart.put = func(text string) (string, error) {
			if e.When != "" && !isWanted(w, e.When, hasHook(text, path, who)) {
				less, err := hookPart.cut(text)
				if err != nil || less == text {
					return less, err
				}
				return cutEmpty(less, path)
			}
			line := w.Program + " hook " + e.Event + " --client " + who
			if e.HasPromptsFlag && !isWanted(w, Prompts, hasHook(text, path, who) && !strings.Contains(text, noPrompts)) {
				line += noPrompts
			}
			if w.Flags != "" {
				line += " " + w.Flags
			}
			if e.Refuses {
				line += orNothing
			}
			if c.Hooks.Flat {
				return putHook(text, path, who, line, command{Command: line, Timeout: c.Hooks.Timeout})
			}
			return putHook(text, path, who, line, group{e.Matcher, []command{{Type: "command", Command: line, Timeout: c.Hooks.Timeout}}})
		}
		parts = append(parts, hookPart)
	}
	return parts
}

// noPrompts is the flag with which a hook does not answer prompts.
const noPrompts = " --prompts=false"

// isWanted reports whether a kind of hook must be there; by default it stays as it is.
func isWanted(w Wish, kind Optional, isThere bool) bool {
	if wanted, ok := w.Optional[kind]; ok {
		return wanted
	}
	return isThere
}

// name identifies the part among those of a file.
func (p part) name() string { return p.what + " " + p.client }

// isIn reports whether a text has the part.
func (p part) isIn(text string) bool {
	after, err := p.cut(text)
	return err == nil && after != text
}

// had returns the names of the parts that a text has. A removal leaves those that a file had
// before init wrote to it.
func (t *target) had(text string) (names []string) {
	for _, p := range t.parts {
		if p.isIn(text) {
			names = append(names, p.name())
		}
	}
	return names
}

// foreign returns the names of the parts that a text has in a form in which init does not write
// them.
func (t *target) foreign(text string) (names []string) {
	for _, p := range t.parts {
		if p.isForeign != nil && p.isForeign(text) {
			names = append(names, p.name())
		}
	}
	return names
}

// write returns a text with all parts, each change, and the holders that it made.
func (t *target) write(text string) (after string, hunks []hunk, newHolders [][]string, err error) {
	for _, p := range t.parts {
		before := text
		if text, err = p.put(before); err != nil {
			return "", nil, nil, err
		}
		if text != before {
			hunks = append(hunks, difference(before, text))
			for _, holder := range p.holders {
				if !hasValue(before, holder) && hasValue(text, holder) {
					newHolders = append(newHolders, holder)
				}
			}
		}
	}
	return text, hunks, newHolders, t.check(text, text)
}

// erase returns a text without all parts but some, and without those of the made holders that
// are empty now.
func (t *target) erase(text string, holders [][]string, except []string) (after string, err error) {
	after = text
	if strings.TrimSpace(text) == "" {
		return text, nil
	}
	for _, p := range slices.Backward(t.parts) {
		if slices.Contains(except, p.name()) {
			continue
		}
		if after, err = p.cut(after); err != nil {
			return "", err
		}
	}
	if t.format == asJSON {
		for _, holder := range slices.Backward(holders) {
			if after, err = cutEmpty(after, holder); err != nil {
				return "", err
			}
		}
	}
	return after, t.check(text, after)
}

// hasAnyPart reports whether a text contains any of the target's parts.
func (t *target) hasAnyPart(text string) bool { return len(t.had(text)) > 0 }

// hasValue reports whether a JSON text has a value at a path.
func hasValue(text string, path []string) bool {
	document, err := parseJSON(text)
	if err != nil {
		return false
	}
	_, missing, err := walk(&document, path)
	return err == nil && len(missing) == 0
}

// check fails with invalid_argument if a change makes a valid file invalid.
func (t *target) check(before, after string) error {
	if t.parse(before) != nil || t.parse(after) == nil {
		return nil
	}
	return fault.New(fault.InvalidArgument, "%s cannot be changed safely; remove the entry %s by hand", t.file, name)
}

// parse fails if a text does not have the format of the file.
func (t *target) parse(text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	switch t.format {
	case asJSON:
		_, err := parseJSON(text)
		return err
	case asTOML:
		return toml.Unmarshal([]byte(text), &map[string]any{})
	}
	return nil
}
