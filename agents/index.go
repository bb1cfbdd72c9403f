package agents

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"hence/internal/pattern"
	"hence/projection"
	"hence/projection/folder"
)

// isIndex reports whether a file is the index of its folder.
func isIndex(name string) bool {
	return path.Base(strings.TrimSuffix(name, path.Ext(name))) == "MEMORY"
}

// What names a file in an index: a link, a wiki link, or the name alone.
const (
	linkToFile = `\[[^\]\n]*\]\(<?([^)<>\n#:]+\.md)[^)\n]*\)|\[\[([^\]|#\n]+)[^\]\n]*\]\]`
	nameOfFile = `([^\s|<>\x60\[\]()*"']+\.md)\b`
	ofItem     = `(?:[-*+]|\d+[.)])[ \t]+(?:\[[ x]\][ \t]+)?`
	fewWords   = `(?:[^\s|\[<]+[ \t]+){0,4}`
	marks      = `[\pP\pS \t]*?`
)

var (
	ownName = pattern.Lazy(`(?i)\A---\r?\n(?:.*\n)*?name:[ \t]*["']?([^"'\r\n]*)`) // of a file, in its front matter
	named   = pattern.Lazy(`(?i)` + linkToFile + `|` + nameOfFile)
	// listed matches a line that lists a file: a row of a table that names it, or a line or list item that begins with it or
	// with a short title. Other sentences may name a file and yet say more, and a name alone that has capitals or a folder is
	// mostly that of a file of the project.
	listed = pattern.Lazy(`(?i)^[ \t]*(?:` + ofItem + fewWords + `(?:` + linkToFile + `)|(?:\|.*?|(?:` + ofItem + `)?(?:|\*\*[^*]+\*\*|` + fewWords + `(?:[^\s|\[<]*[:(]|[—–→]|[-=]+>?))` + marks + `)(?:` + linkToFile + `|(?-i:[^\sA-Z/|<>\x60\[\]()*"']+\.md\b)))`)
	block  = pattern.Lazy(`^(?:[-*+#|>]|\d+[.)])`)                 // its first characters
	ruler  = pattern.Lazy(`^[|:=\s-]+$`)                           // below a heading, or below the head of a table
	silent = pattern.Lazy("^(?:#.*|```.*|<!--.*|[\\pP\\pS\\s]*)$") // says nothing of its own
)

// withoutList returns the text of an index without the list items and rows that list files, with as many lines; "" if it
// says no more than headings.
func withoutList(text string) string {
	var rest strings.Builder
	var says, said, within, wasBlank bool // said: before the last line
	depth := 0
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		switch isListed := listed().MatchString(line); {
		case isListed || within && bare != "" && (indent > depth || !wasBlank && !block().MatchString(bare)):
			if isListed && (!within || indent <= depth) {
				within, depth = bare[0] != '|', indent
			}
			line = "\n"
		case ruler().MatchString(line):
			says = said && says
		default:
			said, within = says, within && bare == ""
			says = says || !silent().MatchString(bare)
		}
		wasBlank = bare == ""
		rest.WriteString(line)
	}
	if !says {
		return ""
	}
	return rest.String()
}

// Check warns of an index that the client does not read to its end, of files that it names and that are
// missing, and of files that it does not name.
func (s source) Check(f *folder.Folder, files []folder.Entry) (warnings []folder.Warning) {
	const maxLines, maxBytes = 200, 25_000 // of which Claude Code loads the first
	warnings = s.linked(f)
	for _, e := range files {
		r, _, _ := s.find(e.Path)
		text, err := f.Read(e, projection.MaxFile)
		if r.kind != byType || !isIndex(e.Path) || err != nil {
			continue
		}
		names, dir, missing, unlisted := map[string]bool{}, path.Dir(e.Path), []string{}, []string{}
		for _, found := range named().FindAllStringSubmatch(string(text), -1) {
			target, err := url.PathUnescape(found[1])
			target = path.Join(dir, target)
			names[slug(cmp.Or(found[1], found[2], found[3]))], names[slug(target)] = true, true
			if found[1] != "" && err == nil && !slices.ContainsFunc(files, func(other folder.Entry) bool { return other.Path == target }) {
				missing = append(missing, path.Base(target))
			}
		}
		lines := strings.Count(string(text), "\n")
		if lines > maxLines || len(text) > maxBytes {
			warnings = append(warnings, folder.Warning{Path: e.Path, Text: fmt.Sprintf("the index has %d lines and %d bytes; the client reads the first %d lines or %d bytes of it", lines, len(text), maxLines, maxBytes)})
		}
		for _, other := range files {
			if path.Dir(other.Path) != dir || other.Path == e.Path || names[slug(other.Path)] {
				continue
			}
			text, _ := f.Read(other, projection.MaxFile) // the import says what cannot be read
			if own := ownName().FindSubmatch(text); own == nil || !names[slug(string(own[1]))] {
				unlisted = append(unlisted, path.Base(other.Path))
			}
		}
		warnings = append(warnings, aboutFiles(e.Path, "the index names files that are missing: ", missing)...)
		warnings = append(warnings, aboutFiles(e.Path, "the index does not name: ", unlisted)...)
	}
	return warnings
}

// aboutFiles returns a warning that lists the first of some files; none for no files.
func aboutFiles(file, text string, names []string) []folder.Warning {
	const few = 5
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	names = slices.Compact(names)
	text += strings.Join(names[:min(len(names), few)], ", ")
	if more := len(names) - few; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return []folder.Warning{{Path: file, Text: text}}
}
