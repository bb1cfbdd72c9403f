package clients

import (
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"hence/internal/db"
	"hence/internal/fault"
)

// putTOML sets fields of a table. It appends a missing table to the file, and replaces the
// lines of these fields in an existing one.
func putTOML(text []byte, path []string, fields []field) ([]byte, error) {
	changed, newline := string(text), lineBreak(string(text))
	header := "[" + strings.Join(path, ".") + "]"
	if closed := regexp.MustCompile(`(?m)^[ \t]*` + regexp.QuoteMeta(path[0]) + `[ \t]*[.=]`); closed.MatchString(changed) {
		return nil, fault.New(fault.InvalidArgument, "the configuration has %s as a value, to which no table can be added; add the entry by hand", path[0])
	}
	start, end, ok := table(changed, path)
	var all map[string]any
	if err := toml.Unmarshal(text, &all); err == nil && !ok {
		if servers, _ := all[path[0]].(map[string]any); servers[path[len(path)-1]] != nil {
			return nil, fault.New(fault.InvalidArgument, "the configuration has the entry otherwise than as the table %s, which alone can be changed; write it so", header)
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
	return []byte(changed), sameOtherwise(text, []byte(changed), path, fields, func(raw []byte, into *map[string]any) error {
		return toml.Unmarshal(raw, into)
	})
}

var headerLine = regexp.MustCompile(`(?m)^[ \t]*\[`)

// headerOf returns the pattern of the beginning of a table's header, whose names may be quoted.
func headerOf(path []string) string {
	names := []string{}
	for _, name := range path {
		names = append(names, `["']?`+regexp.QuoteMeta(name)+`["']?`)
	}
	return `(?m)^[ \t]*\[[ \t]*` + strings.Join(names, `[ \t]*\.[ \t]*`) + `[ \t]*`
}

// table returns the byte offsets of the lines below the header of a table.
func table(text string, path []string) (start, end int, ok bool) {
	line := regexp.MustCompile(headerOf(path) + `\][ \t]*(#.*)?\r?$\n?`).FindStringIndex(text)
	if line == nil {
		return 0, 0, false
	}
	if next := headerLine.FindStringIndex(text[line[1]:]); next != nil {
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
		if next := headerLine.FindStringIndex(text[line[1]:]); next != nil {
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
