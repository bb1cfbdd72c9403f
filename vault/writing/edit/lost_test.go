package edit_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	_ "hence/internal/repeattest"
	"hence/vault/note"
	"hence/vault/writing/edit"
)

// Each note is written writesPerNote times in a row. About changingWrites of them change the
// note: others are refused, or set an equal value, or the note has lost its frontmatter.
const writesPerNote, changingWrites = 30, 16

// countWrites makes rapid do at least HENCE_WRITES writes, by default 500, unless the command
// line sets rapid.checks.
func countWrites(t *testing.T) {
	t.Helper()
	writes := 500
	if text := os.Getenv("HENCE_WRITES"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("HENCE_WRITES: %v", err)
		}
		writes = n
	}
	checks := flag.Lookup("rapid.checks")
	if checks.Value.String() != checks.DefValue {
		return
	}
	if err := checks.Value.Set(strconv.Itoa(writes/changingWrites + 1)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = checks.Value.Set(checks.DefValue) })
}

// For any frontmatter, a write changes only the text of its property, or is refused.
func TestNoWriteLosesText(t *testing.T) {
	countWrites(t)
	var tally tally
	rapid.Check(t, func(t *rapid.T) {
		tally = tally.add(rewrite(t, drawNote(t), true))
	})
	t.Log(tally)
	if tally.changed < tally.refused {
		t.Errorf("%v: the test shows little", tally)
	}
}

// The same for frontmatter that people wrote.
func TestNoWriteLosesTextOfRealNotes(t *testing.T) {
	notes := realNotes(t)
	checks := flag.Lookup("rapid.checks").Value
	oldChecks := checks.String()
	_ = checks.Set("1")
	t.Cleanup(func() { _ = checks.Set(oldChecks) })
	var tally tally
	for _, source := range notes {
		rapid.Check(t, func(t *rapid.T) {
			tally = tally.add(rewrite(t, source, false))
		})
	}
	t.Logf("%d notes: %v", len(notes), tally)
	if tally.changed < 9*tally.refused {
		t.Errorf("%v: the test shows little", tally)
	}
}

// realNotes returns the notes with frontmatter of the vaults in ../shared, or one in a
// hundred of them if HENCE_WRITES is not set.
func realNotes(t *testing.T) (notes []written) {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "..", "shared", "vaults")
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".md") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if w, ok := splitNote(string(source)); ok {
			notes = append(notes, w)
		}
		return nil
	})
	if len(notes) == 0 {
		t.Skipf("there are no notes in %s", dir)
	}
	if os.Getenv("HENCE_WRITES") == "" {
		const part = 100
		for i := range len(notes) / part {
			notes[i] = notes[part*i]
		}
		notes = notes[:max(len(notes)/part, 1)]
	}
	return notes
}

// tally counts writes.
type tally struct{ changed, refused int }

func (a tally) add(b tally) tally { return tally{a.changed + b.changed, a.refused + b.refused} }

func (a tally) String() string { return fmt.Sprintf("%d writes, %d refused", a.changed, a.refused) }

// written is a note in pieces.
type written struct {
	head   string  // the first fence, and a byte order mark before it
	pieces []piece // the properties, and the texts between them
	tail   string  // the last fence, and the body
}

func (w written) block() string {
	var b strings.Builder
	for _, p := range w.pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

func (w written) source() string { return w.head + w.block() + w.tail }

// last returns the index of the last property with a name, which is the one that counts, or
// -1.
func (w written) last(name string) int {
	for i, p := range slices.Backward(w.pieces) {
		if p.name == name {
			return i
		}
	}
	return -1
}

// join joins a property and the pieces after it, up to and including last, and returns the
// index of the joined piece.
func (w *written) join(last int) int {
	first := last
	for first > 0 && w.pieces[first].name == "" {
		first--
	}
	w.pieces[first].text = written{pieces: w.pieces[first : last+1]}.block()
	w.pieces = slices.Delete(w.pieces, first+1, last+1)
	return first
}

var propertyLine = regexp.MustCompile(`^("([^"\\]|\\.)*"|'([^']|'')*'|[^\s#\-"'\[{&*!|>%@?,:\]}][^:]*)[ \t]*:(\s|$)`)

// splitNote returns the pieces of a note. ok is false if it has no frontmatter. Every
// property must start a line; all other lines must be indented, items of lists, blank or
// comments.
func splitNote(source string) (w written, ok bool) {
	source, hasMark := strings.CutPrefix(source, "\uFEFF")
	lines := strings.SplitAfter(source, "\n")
	fence := func(line string) bool { return strings.TrimRight(line, " \t\r\n") == "---" }
	if len(lines) < 3 || !fence(lines[0]) {
		return w, false
	}
	end := 1 + slices.IndexFunc(lines[1:], fence)
	if end == 0 {
		return w, false
	}
	if w.head, w.tail = lines[0], strings.Join(lines[end:], ""); hasMark {
		w.head = "\uFEFF" + w.head
	}
	for _, line := range lines[1:end] {
		name := ""
		if m := propertyLine.FindStringSubmatch(line); m != nil {
			name = keyOf(m[1])
		}
		bare := strings.TrimSpace(line)
		gap := bare == "" || strings.HasPrefix(bare, "#")
		if name != "" || gap || len(w.pieces) == 0 {
			w.pieces = append(w.pieces, piece{name, line})
			continue
		}
		// The line belongs to the property above, and so do the pieces in between.
		w.pieces[w.join(len(w.pieces)-1)].text += line
	}
	return w, !strings.ContainsAny(w.block(), "\u0085\u2028\u2029") && !regexp.MustCompile(`\r[^\n]`).MatchString(w.block())
}

// keyOf returns the name of a property from its key as written.
func keyOf(key string) string {
	var name string
	if err := yaml.Unmarshal([]byte(key), &name); err != nil {
		return strings.TrimSpace(key)
	}
	return name
}

// tricky matches valid frontmatter that Set may refuse to change: values that others use,
// blank lines that count, unusual keys and line ends.
var tricky = regexp.MustCompile("[&*!]|<<|[|>]\\d?\\+|(?m:^ *- \\? |^ *\\?)|\r[^\n]|\u0085|\u2028|\u2029")

// rewrite sets and removes properties of a note, and checks the note after each write.
func rewrite(t *rapid.T, w written, generated bool) (done tally) {
	if source := w.source(); !w.settle() {
		if got, err := edit.Set([]byte(source), values{"a": "z"}, nil); err == nil && string(got) != source {
			t.Fatalf("YAML reads otherwise, or not at all, and it was written:\n%q\n%q", source, got)
		}
		return tally{0, 1}
	}
	for range writesPerNote {
		source := w.source()
		name := rapid.OneOf(rapid.SampledFrom(append(w.names(), names...)), rapid.SampledFrom(oddNames)).Draw(t, "name")
		want, remove := value.Draw(t, "value"), rapid.IntRange(0, 4).Draw(t, "remove?") == 0
		set, removed := values{name: want}, []string(nil)
		if remove {
			set, removed = nil, []string{name}
		}
		got, err := edit.Set([]byte(source), set, removed)
		if err != nil {
			var refused *edit.YAMLError
			if !errors.As(err, &refused) {
				t.Fatalf("%v is not a YAMLError", err)
			}
			// The comment of a removed property may become part of a text above it.
			falls := remove && strings.ContainsAny(w.block(), "|>") && strings.ContainsAny(w.block(), "#")
			if generated && !falls && !tricky.MatchString(w.block()) {
				t.Fatalf("Set(%q, %#v, remove %v) is refused: %v\n%s", name, want, remove, err, source)
			}
			done.refused++
			continue
		}
		wanted := maps.Clone(note.Parse([]byte(source)).Properties)
		if wanted == nil {
			wanted = values{}
		}
		if wanted[name] = want; remove {
			delete(wanted, name)
		}
		checkValues(t, got, wanted)
		if string(got) == source {
			continue
		}
		done.changed++
		after, ok := w.changed(name, remove, string(got))
		if !ok {
			t.Fatalf("Set(%q, %#v, remove %v) has changed other text:\n%s\n----- to\n%s", name, want, remove, source, got)
		}
		if after.head == "" {
			return done // the frontmatter is gone
		}
		w = after
	}
	return done
}

// names returns the names of the properties.
func (w written) names() (all []string) {
	for _, p := range w.pieces {
		if p.name != "" {
			all = append(all, p.name)
		}
	}
	return all
}

// changed returns the pieces of a note after a write. ok is false if the write has changed
// other text than that of its property, or has lost a comment in it.
func (w written) changed(name string, remove bool, got string) (after written, ok bool) {
	after = written{w.head, slices.Clone(w.pieces), w.tail}
	if remove {
		for i, p := range w.pieces {
			if p.name == name {
				after.pieces[i] = piece{"", w.comments(i)}
			}
		}
		if strings.TrimSpace(after.block()) == "" && got != after.source() {
			_, body, _ := strings.Cut(w.tail, "\n")
			mark, _, _ := strings.Cut(w.head, "---")
			return written{}, got == mark+body
		}
		return after, got == after.source()
	}
	index, comments := w.last(name), ""
	if index >= 0 {
		comments = w.comments(index)
	} else {
		index = len(after.pieces)
		after.pieces = append(after.pieces, piece{name, ""})
	}
	before, behind := written{w.head, after.pieces[:index], ""}.source(), written{"", after.pieces[index+1:], w.tail}.source()
	if len(got) < len(before)+len(behind) || !strings.HasPrefix(got, before) || !strings.HasSuffix(got, behind) {
		return after, false
	}
	after.pieces[index].text = got[len(before) : len(got)-len(behind)]
	ok = after.comments(index) == comments
	after.pieces = slices.Concat(after.pieces[:index], after.splitPiece(index), after.pieces[index+1:])
	return after, ok
}

var yamlLines = regexp.MustCompile("[^\r\n\u0085\u2028\u2029]*(\r\n|[\r\n\u0085\u2028\u2029]|$)")

// comments returns the comment lines in a piece. A line that starts with "#" is a comment if
// a change of it changes no value.
func (w written) comments(piece int) (comments string) {
	if !strings.Contains(w.pieces[piece].text, "#") {
		return ""
	}
	block := w.block()
	offset, unchanged := len(written{pieces: w.pieces[:piece]}.block()), nodes(block)
	for _, line := range yamlLines.FindAllString(w.pieces[piece].text, -1) {
		if bare := strings.TrimLeft(line, " \t"); strings.HasPrefix(bare, "#") {
			hash := offset + len(line) - len(bare) + 1
			if nodes(block[:hash]+"x"+block[hash:]) == unchanged {
				comments += line
			}
		}
		offset += len(line)
	}
	return comments
}

// settle joins lines that look like comments between properties, but are text of the property
// above, with that property. It reports false if YAML does not read the block as one
// document.
func (w *written) settle() bool {
	if !oneDocument(w.block()) {
		return false
	}
	for i := len(w.pieces) - 1; i > 0; i-- {
		p := w.pieces[i]
		if p.name == "" && strings.Contains(p.text, "#") && w.comments(i) != onlyComments(p.text) {
			i = w.join(i) + 1
		}
	}
	for i := len(w.pieces) - 1; i >= 0; i-- {
		w.pieces = slices.Concat(w.pieces[:i], w.splitPiece(i), w.pieces[i+1:])
	}
	return true
}

// splitPiece returns a piece without the blank lines and comments at the end of a property,
// and a piece with those.
func (w written) splitPiece(i int) []piece {
	p := w.pieces[i]
	lines, comments := yamlLines.FindAllString(p.text, -1), w.comments(i)
	last := len(lines)
	for p.name != "" && last > 1 {
		line := lines[last-1]
		before, comment := strings.CutSuffix(comments, line)
		if strings.TrimSpace(line) != "" && !comment {
			break
		}
		if last--; strings.TrimSpace(line) != "" {
			comments = before
		}
	}
	parts := []piece{{p.name, strings.Join(lines[:last], "")}}
	if end := strings.Join(lines[last:], ""); end != "" {
		parts = append(parts, piece{"", end})
	}
	return parts
}

// onlyComments returns the lines of a text that start with "#".
func onlyComments(text string) (comments string) {
	for _, line := range yamlLines.FindAllString(text, -1) {
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") {
			comments += line
		}
	}
	return comments
}

var documentMark = regexp.MustCompile("(^|[\r\n\u0085\u2028\u2029])(---|\\.\\.\\.)([ \t\r\n\u0085\u2028\u2029]|$)")

// oneDocument reports whether YAML finds one document in the block, and also finds its end at
// the last fence if another document follows.
func oneDocument(block string) bool {
	if documentMark.MatchString(block) {
		return false
	}
	alone, err := parseDocuments(block)
	if err != nil || len(alone) > 1 {
		return false
	}
	root := yaml.Node{Tag: "!!null"}
	if len(alone) > 0 {
		root = *alone[0].Content[0]
	}
	if root.Tag != "!!null" && root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 {
		return false
	}
	both, err := parseDocuments("---\n" + block + "---\nafter: it\n")
	if err != nil || len(both) != 2 || both[1].Content[0].Content[0].Value != "after" {
		return false
	}
	return root.Tag == "!!null" && both[0].Content[0].Tag == "!!null" || flat(&root) == flat(both[0].Content[0])
}

// parseDocuments returns the YAML documents in a text. The YAML package panics on a few.
func parseDocuments(text string) (all []*yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	for decoder := yaml.NewDecoder(strings.NewReader(strings.ToValidUTF8(text, "\uFFFD"))); ; {
		var n yaml.Node
		if err := decoder.Decode(&n); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return all, err
		}
		all = append(all, &n)
	}
}

// nodes returns everything that YAML reads in a text, except comments.
func nodes(text string) string {
	all, err := parseDocuments(text)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, n := range all {
		b.WriteString(flat(n))
	}
	return b.String()
}

func flat(n *yaml.Node) string { return string(appendFlat(nil, n)) }

func appendFlat(b []byte, n *yaml.Node) []byte {
	b = strconv.AppendInt(b, int64(n.Kind), 10)
	for _, text := range []string{n.Tag, n.Value, n.Anchor} {
		b = strconv.AppendQuote(b, text)
	}
	b = append(b, '(')
	for _, inner := range n.Content {
		b = appendFlat(b, inner)
	}
	return append(b, ')')
}

// checkValues checks the properties of a note after a write, and the YAML of its frontmatter.
func checkValues(t *rapid.T, got []byte, want values) {
	after := note.Parse(got)
	read := after.Properties
	if read == nil {
		read = values{}
	}
	if asJSON(t, want) != asJSON(t, read) {
		t.Fatalf("reading gives %s, want %s of\n%s", asJSON(t, read), asJSON(t, want), got)
	}
	if after.Frontmatter.Last == 0 {
		return
	}
	lines := strings.SplitAfter(string(got), "\n")
	block := strings.Join(lines[1:after.Frontmatter.Last-1], "")
	if !oneDocument(block) {
		t.Fatalf("YAML and Hence disagree on where the frontmatter ends, or YAML does not read it:\n%s", got)
	}
}
