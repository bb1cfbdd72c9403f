package clients

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/pattern"
)

// A person may have made the entry by hand, or changed it: a store, more rights, a launcher, the
// address of a remote server, an environment. Hence changes only what it would write itself.

// read decodes a configuration.
func (c Client) read(text string) (map[string]any, error) {
	all := map[string]any{}
	if strings.TrimSpace(text) == "" {
		return all, nil
	}
	if c.TOML {
		err := toml.Unmarshal([]byte(text), &all)
		return all, err
	}
	plain, err := hujson.Standardize([]byte(text + "\n")) // a comment may stand last
	if err == nil {
		err = json.Unmarshal(plain, &all)
	}
	return all, err
}

// entry returns the fields of Hence's entry in a configuration; nil if there is none, or the
// text cannot be read.
func (c Client) entry(text string) map[string]any {
	all, err := c.read(text)
	if err != nil {
		return nil
	}
	for _, name := range append(slices.Clone(c.Path), name) {
		all, _ = all[name].(map[string]any)
	}
	return all
}

// wordsOf returns the command line of an entry.
func (c Client) wordsOf(entry map[string]any) (words []string) {
	list, _ := entry["args"].([]any)
	if c.Joined {
		list, _ = entry["command"].([]any)
	} else {
		list = append([]any{entry["command"]}, list...)
	}
	for _, word := range list {
		text, _ := word.(string)
		words = append(words, text)
	}
	return words
}

// isRemote reports whether an entry leads to a server that runs elsewhere.
func isRemote(entry map[string]any) bool {
	return slices.ContainsFunc([]string{"url", "serverUrl", "httpUrl"}, func(name string) bool { return entry[name] != nil })
}

// fieldsIn returns the fields that the entry of a configuration lacks or has otherwise than it
// should.
func (c Client) fieldsIn(text string, s Server) []field {
	there := c.entry(text)
	words := c.wordsOf(there)
	hasCommand := len(words) > 0 && words[0] != ""
	switch at := slices.Index(words, "serve"); {
	case isRemote(there), at < 0 && hasCommand && baseOf(words[0]) != name && !isLauncher(words): // a person's own
		return nil
	case hasCommand && at > 0: // it starts Hence
		ours := append([]string{s.Command}, s.Args...)
		head, ourHead := words[:at], ours[:max(slices.Index(ours, "serve"), 0)]
		switch {
		case baseOf(head[0]) == name:
			head = append(slices.Clone(ourHead), head[1:]...)
		case isLauncher(head), baseOf(head[0]) == baseOf(s.Command):
			head = ourHead
		}
		words = slices.Concat(head, []string{"serve"}, mergeFlags(words[at+1:], ours[len(ourHead)+1:]))
		s = Server{Command: words[0], Args: words[1:]}
	default:
		there = nil
	}
	return slices.DeleteFunc(c.fields(s), func(f field) bool {
		isCommand := f.name == "command" || f.name == "args"
		return there != nil && (!isCommand || reflect.DeepEqual(there[f.name], decoded(f.value)))
	})
}

// isLauncher reports whether a command line is the one with which npx starts Hence.
func isLauncher(head []string) bool { return baseOf(head[0]) == "npx" && head[len(head)-1] == name }

// baseOf returns the name of a program, whatever the system that its path is of.
func baseOf(program string) string {
	program = program[strings.LastIndexAny(program, `/\`)+1:]
	return strings.TrimSuffix(program, ".exe")
}

// flag is a flag of a command line and its value, if that is a word of its own.
type flag []string

func (f flag) name() string {
	name, _, _ := strings.Cut(f[0], "=")
	return name
}

// flagsOf returns the flags of a command line.
func flagsOf(words []string) (flags []flag) {
	for _, word := range words {
		if n := len(flags); n > 0 && !strings.HasPrefix(word, "-") {
			flags[n-1] = append(flags[n-1], word)
			continue
		}
		flags = append(flags, flag{word})
	}
	return flags
}

// mergeFlags returns the flags that are there, with the values of ours. To take the project from
// the folder is the default of init, so it replaces no name and is not added.
func mergeFlags(there, ours []string) []string {
	merged := flagsOf(there)
	for _, one := range flagsOf(ours) {
		at := slices.IndexFunc(merged, func(f flag) bool { return f.name() == one.name() })
		switch {
		case slices.Equal(one, flag{"--project", "auto"}):
		case at < 0:
			merged = append(merged, one)
		case strings.Join(merged[at], "=") != strings.Join(one, "="): // else it is spelled otherwise
			merged[at] = one
		}
	}
	return slices.Concat(merged...)
}

// isForeign reports whether a configuration has an entry that init does not write: a remote
// server, another program, or one with more flags or fields.
func (c Client) isForeign(text string) bool {
	there := c.entry(text)
	words := c.wordsOf(there)
	at := slices.Index(words, "serve")
	if there == nil || at < 1 || isRemote(there) || baseOf(words[0]) != name && !isLauncher(words[:at]) {
		return there != nil
	}
	for field, value := range there {
		isAll := c.AllTools && field == "tools" && reflect.DeepEqual(value, []any{"*"})
		if !isAll && !slices.Contains([]string{"type", "command", "args", "enabled"}, field) {
			return true
		}
	}
	return slices.ContainsFunc(flagsOf(words[at+1:]), func(f flag) bool {
		return !slices.Contains([]string{"--db", "--namespace", "--project", "--read-only", "--durable", "--actor"}, f.name())
	})
}

const byteOrderMark = "\uFEFF"

// splitMark returns a text without its byte order mark, and the mark. It refuses text in
// UTF-16, which text in UTF-8 would damage.
func splitMark(content []byte) (text, mark string, err error) {
	if bytes.HasPrefix(content, []byte("\xff\xfe")) || bytes.HasPrefix(content, []byte("\xfe\xff")) || !utf8.Valid(content) && bytes.IndexByte(content, 0) >= 0 {
		return "", "", fault.New(fault.InvalidArgument, "the file is in UTF-16; save it as UTF-8 first")
	}
	text, hasMark := strings.CutPrefix(string(content), byteOrderMark)
	if hasMark {
		mark = byteOrderMark
	}
	return text, mark, nil
}

// putTOML sets fields of a table. It appends a missing table to the file, and replaces the
// lines of these fields in an existing one.
func putTOML(text string, path []string, fields []field) (string, error) {
	changed, newline := text, lineBreak(text)
	header := "[" + strings.Join(path, ".") + "]"
	if closed := regexp.MustCompile(`(?m)^[ \t]*` + regexp.QuoteMeta(path[0]) + `[ \t]*[.=]`); closed.MatchString(changed) {
		return "", fault.New(fault.InvalidArgument, "the configuration has %s as a value, to which no table can be added; add the entry by hand", path[0])
	}
	start, end, ok := table(changed, path)
	var all map[string]any
	if err := toml.Unmarshal([]byte(text), &all); err == nil && !ok {
		if servers, _ := all[path[0]].(map[string]any); servers[path[len(path)-1]] != nil {
			return "", fault.New(fault.InvalidArgument, "the configuration has the entry otherwise than as the table %s, which alone can be changed; write it so", header)
		}
	}
	if !ok {
		if changed != "" && !strings.HasSuffix(changed, "\n") {
			changed += newline
		}
		if changed != "" {
			changed += newline
		}
		changed += header + newline
		start, end = len(changed), len(changed)
	}
	for _, f := range slices.Backward(fields) { // each new line is inserted before the others
		block, line := changed[start:end], f.name+" = "+db.JSON(f.value) // these values have the same form in TOML
		// Of a value of several lines the rest would stay; sameOtherwise refuses that.
		known := regexp.MustCompile(`(?m)^[ \t]*` + regexp.QuoteMeta(f.name) + `[ \t]*=[^\r\n]*`)
		if at := known.FindStringIndex(block); at != nil {
			block = block[:at[0]] + line + block[at[1]:]
		} else {
			block = line + newline + block
		}
		changed = changed[:start] + block + changed[end:]
		end = start + len(block)
	}
	return changed, nil
}

var headerLine = pattern.Lazy(`(?m)^[ \t]*\[`)

// headerOf returns the pattern of the beginning of a table's header, whose names may be quoted.
func headerOf(path []string) string {
	names := lists.Join(path, `[ \t]*\.[ \t]*`, func(name string) string { return `["']?` + regexp.QuoteMeta(name) + `["']?` })
	return `(?m)^[ \t]*\[[ \t]*` + names + `[ \t]*`
}

// table returns the byte offsets of the lines below the header of a table.
func table(text string, path []string) (start, end int, ok bool) {
	line := regexp.MustCompile(headerOf(path) + `\][ \t]*(#.*)?\r?$\n?`).FindStringIndex(text)
	if line == nil {
		return 0, 0, false
	}
	if next := headerLine().FindStringIndex(text[line[1]:]); next != nil {
		return line[1], line[1] + next[0], true
	}
	return line[1], len(text), true
}

// cutTOML returns a text without a table and the tables within it, and without the empty line
// before each. Comments above the next table stay.
func cutTOML(text string, path []string) (string, error) {
	header := regexp.MustCompile(headerOf(path) + `[.\]]`)
	for {
		line := header.FindStringIndex(text)
		if line == nil {
			return text, nil
		}
		before, end, newline := text[:line[0]], len(text), lineBreak(text)
		if next := headerLine().FindStringIndex(text[line[1]:]); next != nil {
			end = line[0] + len(trimTable(text[line[0]:line[1]+next[0]]))
		}
		if strings.HasSuffix(before, newline+newline) {
			before = strings.TrimSuffix(before, newline)
		}
		text = before + text[end:]
	}
}

// trimTable returns a table without the empty lines and comments at its end, which are about
// the next table.
func trimTable(table string) string {
	lines := strings.SplitAfter(table, "\n")
	for n := len(lines); n > 0; n-- {
		if line := strings.TrimSpace(lines[n-1]); line != "" && !strings.HasPrefix(line, "#") {
			return strings.Join(lines[:n], "")
		}
	}
	return table
}
