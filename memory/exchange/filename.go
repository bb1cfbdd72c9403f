package exchange

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"hence/internal/ref"
	"hence/vault/note"
)

// files are the names of notes, without .md. No two are the same on a disk
// that does not tell capital letters.
type files struct {
	names map[string]string // by id, of what is written
	links map[string]string // by id, what a link to it says
	taken map[string]bool
}

func newFiles() *files {
	return &files{names: map[string]string{}, links: map[string]string{}, taken: map[string]bool{}}
}

const (
	longestName = 120 // bytes
	idTail      = 8
)

// give names a memory's note after its title. One whose name is taken gets the
// end of its id behind it.
func (f *files) give(id, title string) {
	name := fileName(title)
	for tail := idTail; f.taken[strings.ToLower(name)]; tail++ {
		name = fileName(title) + " " + fileName(id[max(0, len(id)-tail):])
		if tail > len(id) {
			name += strings.Repeat("_", tail-len(id))
		}
	}
	f.taken[strings.ToLower(name)] = true
	f.names[id], f.links[id] = name, name
}

// device are names that Windows keeps for itself.
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$`)

// fileName makes a name of a title that every file system takes and that a
// link of Obsidian can hold.
func fileName(title string) string {
	clean := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`[]#^|\/:*?"<>%`, r) || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(title, " "))
	clean = strings.Join(strings.Fields(clean), " ")
	for len(clean) > longestName {
		_, size := utf8.DecodeLastRuneInString(clean)
		clean = clean[:len(clean)-size]
	}
	clean = strings.Trim(clean, ". ")
	clean = strings.TrimSuffix(strings.TrimSuffix(clean, ".md"), ".MD")
	switch {
	case clean == "":
		return "untitled"
	case device.MatchString(clean):
		return "_" + clean
	}
	return clean
}

// notePath is the path of a vault's note as a link says it.
func notePath(uri string) string {
	_, path, ok := ref.SplitNoteURI(uri)
	if !ok {
		return uri
	}
	return strings.TrimSuffix(path, ".md")
}

// reserved are properties that mean something else already.
var reserved = []string{
	"tags", "tag", "aliases", "alias", "cssclasses", "status", "kind", "created", "date", "updated", "modified", "hence-id", note.OwnProperties,
}

// sayable reports whether a word can be the name of a property.
func sayable(word string) bool {
	return strings.TrimSpace(word) == word && !strings.ContainsAny(word, ".:[]{}#&*!|>'\"%@`,\n\r\t") &&
		!slices.Contains(reserved, fold(word)) && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// fold is the form in which the vault's settings compare words.
func fold(word string) string {
	return strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(strings.TrimSpace(word)))
}

// properties are a note's frontmatter, in order.
type properties struct {
	node yaml.Node
	at   map[string]bool // the folded names that are there
	err  error
}

// set adds a property unless one of that name is there.
func (p *properties) set(name string, value any) {
	if p.at[fold(name)] {
		return
	}
	p.at[fold(name)] = true
	var key, node yaml.Node
	key.SetString(name)
	if err := node.Encode(value); err != nil && p.err == nil {
		p.err = err
	}
	p.node.Kind = yaml.MappingNode
	p.node.Content = append(p.node.Content, &key, &node)
}

func (p *properties) setSome(name string, list []string) {
	if len(list) > 0 {
		p.set(name, list)
	}
}

// free is a word for an edge that no property of the memory's own takes: the
// author's, or another of the same meaning.
func (p *properties) free(d declared) string {
	same, inverse := d.kind.Words()
	if d.backward && len(inverse) > 0 {
		same = inverse
	}
	for _, word := range append([]string{d.word}, same...) {
		if !p.at[fold(word)] {
			return word
		}
	}
	return d.word + " (edge)"
}
