package vault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"hence/edges"
	"hence/internal/fault"
	"hence/projection"
	"hence/projection/folder"
	"hence/projection/folder/ignore"
	"hence/vault/mention"
	"hence/vault/note"
)

// The files at a vault's root that hold its owner's settings. Both may be missing.
const (
	settingsFile = ".hence.yaml"
	ignoreFile   = ".henceignore"
	maxSettings  = 1 << 20 // bytes of either
)

// settings are the settings of a vault's owner. The zero value holds the defaults.
type settings struct {
	words      map[string]meaning // by folded word, in place of the defaults of package edges
	names      map[string]bool    // folded words whose values are names of notes, as those of nameWords
	noNames    bool               // no property's value names a note
	noMentions bool
	created    []string        // folded properties with the time when a note was written, before note.CreatedWords
	updated    []string        // the same for the time of its last change, before note.UpdatedWords
	muted      map[string]bool // names that are not searched in plain text, in the form of mention.Fold
	ignored    ignore.Patterns

	memory      ignore.Patterns // files that agents write, in place of memoryFolders
	memoryTexts []string        // the same as written; nil for memoryFolders
}

// meaning is the edge that a word (a property, an inline field, a bullet's word) gives a
// link.
type meaning struct {
	kind     edges.Kind
	backward bool
	dropped  bool // the link declares no edge
}

// drop is the value in the settings for a word whose links declare no edge.
const drop = "ignore"

// nameWords are the properties that name people or things without brackets.
var nameWords = map[string]bool{
	"assignee": true, "owner": true, "author": true, "attendees": true, "project": true,
	"related": true, "parent": true, "child": true, "superseded-by": true,
}

// Plain returns a source of notes without settings of an owner, which searches no names in plain text.
func Plain() projection.Source { return settings{noMentions: true, noNames: true} }

// readSettings reads the settings of a vault's owner, and sets the folder's rules from them.
// For a mistake it fails with invalid_argument and names file and line, because to ignore
// the setting would give the wrong edges.
func readSettings(f *folder.Folder) (s settings, err error) {
	text, err := readOwn(f, settingsFile)
	if err != nil {
		return s, err
	}
	if s, err = parseSettings(text); err != nil {
		return s, fault.New(fault.InvalidArgument, "import %s: %s:%v", f.Dir.Name(), settingsFile, err)
	}
	more, err := readOwn(f, ignoreFile)
	if err != nil {
		return s, err
	}
	s.ignored = append(s.ignored, ignore.Parse(string(more))...)
	s.Rule(f)
	return s, nil
}

// Rule sets the rules of a vault on a folder.
func (s settings) Rule(f *folder.Folder) {
	f.Excluded = func(path string, folder bool) bool {
		excluded, _ := s.ignored.Decide(path, folder)
		return excluded
	}
	f.KindOf = func(path string) (kind string, read bool) { return kindOf(path), isRead(path) }
}

// readOwn reads a settings file, nil if it does not exist.
func readOwn(f *folder.Folder, name string) ([]byte, error) {
	text, err := f.Read(folder.Entry{Path: name}, maxSettings)
	code := fault.Unavailable
	switch {
	case err == nil:
		return text, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case len(text) > maxSettings:
		code = fault.InvalidArgument
	}
	return nil, fault.Wrap(code, err, "import %s: %s cannot be read", f.Dir.Name(), name)
}

// wrong returns the error for a mistake at a node: "LINE: MISTAKE".
func wrong(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%d: %s", max(n.Line, 1), fmt.Sprintf(format, args...))
}

// parseSettings reads the text of .hence.yaml. Its errors begin with the line of the mistake.
func parseSettings(text []byte) (s settings, err error) {
	root, _, err := note.ParseYAML(text)
	if mistake, ok := errors.AsType[*note.YAMLError](err); ok {
		return settings{}, fmt.Errorf("%d: %w", 1+bytes.Count(text[:mistake.Offset], []byte("\n")), mistake)
	}
	if root == nil || root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		return settings{}, nil
	}
	err = eachPair(root, "the file", func(key, value *yaml.Node) (err error) {
		var texts []string
		switch key.Value {
		case "words":
			s.words, err = readWords(value)
		case "names":
			s.names, s.noNames, err = readNames(value)
		case "mentions":
			s.noMentions, err = isOff(value, "mentions is true or false")
		case "mute":
			texts, err = readTexts(value, "mute is a list of names that are not looked for in plain text")
			s.muted = setOf(texts, mention.Fold)
		case "ignore":
			texts, err = readTexts(value, "ignore is a list of patterns, such as templates/**")
			s.ignored = ignore.Parse(strings.Join(texts, "\n"))
		case "memory":
			texts, err = readTexts(value, "memory is a list of patterns for agents' memories, such as _memory/**")
			s.memory, s.memoryTexts = ignore.Parse(strings.Join(texts, "\n")), append([]string{}, texts...)
		case "times":
			s.created, s.updated, err = readTimes(value)
		default:
			err = wrong(key, "there is no setting %q; the settings are words, names, mentions, mute, ignore, memory, times", key.Value)
		}
		return err
	})
	if err != nil {
		return settings{}, err
	}
	return s, nil
}

// eachPair calls f with each key and value of a mapping. It fails if a key is given twice or
// is not a scalar. what names the mapping in errors.
func eachPair(n *yaml.Node, what string, f func(key, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return wrong(n, "%s must be a list of keys with values, such as key: value", what)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || seen[edges.Fold(key.Value)] {
			return wrong(key, "%q is given twice, or is not a plain word; give each key once", key.Value)
		}
		seen[edges.Fold(key.Value)] = true
		if err := f(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func readWords(n *yaml.Node) (map[string]meaning, error) {
	words := map[string]meaning{}
	return words, eachPair(n, "words", func(key, value *yaml.Node) error {
		if value.Kind != yaml.ScalarNode {
			return wrong(value, "a word means one type of edge, or %q", drop)
		}
		if edges.Fold(value.Value) == drop {
			words[edges.Fold(key.Value)] = meaning{dropped: true}
			return nil
		}
		kind, backward, err := edges.Parse(value.Value)
		if err != nil {
			return wrong(value, "%v, and %q for no edge at all", err, drop)
		}
		if kind == edges.Mentions {
			return wrong(value, "mentions are found in plain text; no word declares one")
		}
		words[edges.Fold(key.Value)] = meaning{kind: kind, backward: backward}
		return nil
	})
}

// isOff returns true for false, and false for true. shape is the error's text for any other
// value.
func isOff(n *yaml.Node, shape string) (off bool, err error) {
	var on bool
	if n.Kind != yaml.ScalarNode || n.Decode(&on) != nil {
		return false, wrong(n, "%s", shape)
	}
	return !on, nil
}

// readNames reads the list of properties that name notes; none is true for the value
// false.
func readNames(n *yaml.Node) (names map[string]bool, none bool, err error) {
	const shape = "names is a list of properties, such as reviewer, or false for none"
	if n.Kind == yaml.ScalarNode {
		none, err = isOff(n, shape)
		return nil, none, err
	}
	words, err := readTexts(n, shape)
	return setOf(words, edges.Fold), false, err
}

// readTimes reads the lists of properties with the times when a note was written and
// changed.
func readTimes(n *yaml.Node) (created, updated []string, err error) {
	err = eachPair(n, "times", func(key, value *yaml.Node) error {
		words, err := readTexts(value, "times has two lists of properties, created and updated")
		for i := range words {
			words[i] = edges.Fold(words[i])
		}
		switch key.Value {
		case "created":
			created = words
		case "updated":
			updated = words
		default:
			return wrong(key, "times has two lists of properties, created and updated, and not %q", key.Value)
		}
		return err
	})
	return created, updated, err
}

// setOf returns the set of form(text) for all texts, nil if there are none.
func setOf(texts []string, form func(string) string) (set map[string]bool) {
	for _, text := range texts {
		if set == nil {
			set = map[string]bool{}
		}
		set[form(text)] = true
	}
	return set
}

// readTexts reads a list of texts. shape is the error's text for any other value.
func readTexts(n *yaml.Node, shape string) (texts []string, err error) {
	if n.Kind != yaml.SequenceNode {
		return nil, wrong(n, "%s", shape)
	}
	for _, item := range n.Content {
		if item.Kind != yaml.ScalarNode {
			return nil, wrong(item, "%s", shape)
		}
		texts = append(texts, item.Value)
	}
	return texts, nil
}

// means returns the meaning of a word: from the settings, else the default of package
// edges. ok is false if it has none.
func (s settings) means(word string) (m meaning, ok bool) {
	if m, ok = s.words[edges.Fold(word)]; ok {
		return m, true
	}
	m.kind, m.backward, ok = edges.LookupInText(word)
	return m, ok
}

// namesNotes reports whether the values of a property are names of notes, by its whole path
// or its last part, as in byWord.
func (s settings) namesNotes(property string) bool {
	takes := func(word string) bool { return nameWords[word] || s.names[word] }
	return !s.noNames && (takes(edges.Fold(property)) || takes(edges.Fold(property[strings.LastIndexByte(property, '.')+1:])))
}

// namesCode reports whether a property's value names a symbol of source code, as in
// depends-on: code:db.Write. Only properties that mean a kind of edge can do so.
func (s settings) namesCode(value note.Link) bool {
	if !strings.HasPrefix(value.Target, projection.Elsewhere) {
		return false
	}
	site, ok := s.byWord(value.Property, "")
	return ok && site.Kind != edges.RefersTo
}

// Check warns if a folder has no note, and also if it does not look like a vault: it has
// neither Obsidian's folder .obsidian nor Hence's settings.
func (s settings) Check(f *folder.Folder, files []folder.Entry) []folder.Warning {
	if slices.ContainsFunc(files, func(e folder.Entry) bool { return IsNote(e.Path) }) {
		return nil
	}
	for _, name := range []string{".obsidian", settingsFile} {
		if _, err := f.Dir.Stat(name); err == nil {
			return []folder.Warning{{Text: "there is no note in the folder"}}
		}
	}
	return []folder.Warning{{Text: "there is no note in the folder, and it does not look like a vault: it has no .obsidian folder"}}
}

// siteVersion is the version of the code that makes memories and sites of a parsed note.
const siteVersion = 6

// Version combines note.Version, siteVersion and a hash of the settings that change the
// memories or sites of a note. When it changes, the next import reads every note again.
func (s settings) Version() int64 {
	words := map[string]string{}
	for word, m := range s.words {
		words[word] = fmt.Sprint(m)
	}
	text, err := json.Marshal([]any{words, s.noMentions, s.names, s.noNames, s.muted, s.created, s.updated, s.memoryTexts})
	if err != nil {
		panic(err) // cannot happen: these are strings and bools
	}
	sum := fnv.New32a()
	sum.Write(text)
	return (1000*note.Version+siteVersion)<<32 | int64(sum.Sum32())
}
