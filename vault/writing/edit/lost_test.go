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

// One note is written writesOfOne times, one after the other. Of these about
// writesTaken change something: some are refused, some find it so already, and a
// note may lose its frontmatter.
const writesOfOne, writesTaken = 30, 16

// countWrites makes rapid do at least as many writes as HENCE_WRITES says, else
// five hundred, unless the command line says.
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
	if err := checks.Value.Set(strconv.Itoa(writes/writesTaken + 1)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = checks.Value.Set(checks.DefValue) })
}

// Whatever frontmatter says, a write leaves all text outside the property that it
// changes as it was, or is refused.
func TestNoWriteLosesText(t *testing.T) {
	countWrites(t)
	var tally tally
	rapid.Check(t, func(t *rapid.T) {
		tally = tally.add(rewrite(t, drawNote(t), true))
	})
	t.Log(tally)
	if tally.taken < tally.refused {
		t.Errorf("%v: the test shows little", tally)
	}
}

// The same of the frontmatter that people wrote.
func TestNoWriteLosesTextOfRealNotes(t *testing.T) {
	notes := realNotes(t)
	checks := flag.Lookup("rapid.checks").Value
	was := checks.String()
	_ = checks.Set("1")
	t.Cleanup(func() { _ = checks.Set(was) })
	var tally tally
	for _, source := range notes {
		rapid.Check(t, func(t *rapid.T) {
			tally = tally.add(rewrite(t, source, false))
		})
	}
	t.Logf("%d notes: %v", len(notes), tally)
	if tally.taken < 9*tally.refused {
		t.Errorf("%v: the test shows little", tally)
	}
}

// realNotes are notes of the vaults that stand beside the project, a hundredth of
// them with frontmatter unless many writes are asked for.
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
		if w, ok := takeApart(string(source)); ok {
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
type tally struct{ taken, refused int }

func (a tally) add(b tally) tally { return tally{a.taken + b.taken, a.refused + b.refused} }

func (a tally) String() string { return fmt.Sprintf("%d writes, %d refused", a.taken, a.refused) }

// written is a note in pieces: what stands before its properties, these with
// what stands between them, and the last fence with the text below.
type written struct {
	head   string
	pieces []piece
	tail   string
}

func (w written) block() string {
	var b strings.Builder
	for _, p := range w.pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

func (w written) source() string { return w.head + w.block() + w.tail }

// last is the place of the property that counts of those with a name, or -1.
func (w written) last(name string) int {
	for i, p := range slices.Backward(w.pieces) {
		if p.name == name {
			return i
		}
	}
	return -1
}

// join makes one piece of a property and all up to a piece below it, and returns
// its place.
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

// takeApart finds the pieces of a note whose properties start lines, and whose
// other lines are indented, items of lists, blank or comments.
func takeApart(source string) (w written, ok bool) {
	source, marked := strings.CutPrefix(source, "\uFEFF")
	lines := strings.SplitAfter(source, "\n")
	fence := func(line string) bool { return strings.TrimRight(line, " \t\r\n") == "---" }
	if len(lines) < 3 || !fence(lines[0]) {
		return w, false
	}
	end := 1 + slices.IndexFunc(lines[1:], fence)
	if end == 0 {
		return w, false
	}
	if w.head, w.tail = lines[0], strings.Join(lines[end:], ""); marked {
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
		// The line goes on with the property above, and what lies between is in it.
		w.pieces[w.join(len(w.pieces)-1)].text += line
	}
	return w, !strings.ContainsAny(w.block(), "\u0085\u2028\u2029") && !regexp.MustCompile(`\r[^\n]`).MatchString(w.block())
}

// keyOf is the name that a key in frontmatter gives.
func keyOf(key string) string {
	var name string
	if err := yaml.Unmarshal([]byte(key), &name); err != nil {
		return strings.TrimSpace(key)
	}
	return name
}

// tricky is what a write may be refused for that is right otherwise: values that
// others use, blank lines that count, keys and lines that start oddly.
var tricky = regexp.MustCompile("[&*!]|<<|[|>]\\d?\\+|(?m:^ *- \\? |^ *\\?)|\r[^\n]|\u0085|\u2028|\u2029")

// rewrite sets and removes properties of a note, and looks at the note after each
// write.
func rewrite(t *rapid.T, w written, generated bool) (done tally) {
	if source := w.source(); !w.settle() {
		if got, err := edit.Set([]byte(source), values{"a": "z"}, nil); err == nil && string(got) != source {
			t.Fatalf("YAML reads otherwise, or not at all, and it was written:\n%q\n%q", source, got)
		}
		return tally{0, 1}
	}
	for range writesOfOne {
		source := w.source()
		name := rapid.OneOf(rapid.SampledFrom(append(w.names(), names...)), rapid.SampledFrom(oddNames)).Draw(t, "name")
		want, remove := value.Draw(t, "value"), rapid.IntRange(0, 4).Draw(t, "remove?") == 0
		set, gone := values{name: want}, []string(nil)
		if remove {
			set, gone = nil, []string{name}
		}
		got, err := edit.Set([]byte(source), set, gone)
		if err != nil {
			var refused *edit.YAMLError
			if !errors.As(err, &refused) {
				t.Fatalf("%v is not a YAMLError", err)
			}
			// A comment that stays where a property goes may fall to a text above it.
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
		done.taken++
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

// names are those of the properties.
func (w written) names() (all []string) {
	for _, p := range w.pieces {
		if p.name != "" {
			all = append(all, p.name)
		}
	}
	return all
}

// changed takes a note apart after a write, if everything but the property that
// was written is what it was, and the comments in that are all there.
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
	at, comments := w.last(name), ""
	if at >= 0 {
		comments = w.comments(at)
	} else {
		at = len(after.pieces)
		after.pieces = append(after.pieces, piece{name, ""})
	}
	before, behind := written{w.head, after.pieces[:at], ""}.source(), written{"", after.pieces[at+1:], w.tail}.source()
	if len(got) < len(before)+len(behind) || !strings.HasPrefix(got, before) || !strings.HasSuffix(got, behind) {
		return after, false
	}
	after.pieces[at].text = got[len(before) : len(got)-len(behind)]
	ok = after.comments(at) == comments
	after.pieces = slices.Concat(after.pieces[:at], after.parted(at), after.pieces[at+1:])
	return after, ok
}

var yamlLines = regexp.MustCompile("[^\r\n\u0085\u2028\u2029]*(\r\n|[\r\n\u0085\u2028\u2029]|$)")

// comments are the comments on lines of their own in a piece. A line that starts
// with "#" is a comment where a change of it changes no value.
func (w written) comments(piece int) (comments string) {
	if !strings.Contains(w.pieces[piece].text, "#") {
		return ""
	}
	block := w.block()
	at, is := len(written{pieces: w.pieces[:piece]}.block()), nodes(block)
	for _, line := range yamlLines.FindAllString(w.pieces[piece].text, -1) {
		if bare := strings.TrimLeft(line, " \t"); strings.HasPrefix(bare, "#") {
			hash := at + len(line) - len(bare) + 1
			if nodes(block[:hash]+"x"+block[hash:]) == is {
				comments += line
			}
		}
		at += len(line)
	}
	return comments
}

// settle gives lines that look like comments between properties, and are text of
// the one above, to that one. It says whether YAML reads the block, and ends it
// where it ends.
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
		w.pieces = slices.Concat(w.pieces[:i], w.parted(i), w.pieces[i+1:])
	}
	return true
}

// parted is a piece, and the blank lines and comments that end a property in one
// of their own.
func (w written) parted(i int) []piece {
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

// onlyComments are the lines of a text that start with "#".
func onlyComments(text string) (comments string) {
	for _, line := range yamlLines.FindAllString(text, -1) {
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") {
			comments += line
		}
	}
	return comments
}

var documentMark = regexp.MustCompile("(^|[\r\n\u0085\u2028\u2029])(---|\\.\\.\\.)([ \t\r\n\u0085\u2028\u2029]|$)")

// oneDocument is the second reading: YAML finds one document in the block, and
// ends it at the last fence where it is given that and a document after it.
func oneDocument(block string) bool {
	if documentMark.MatchString(block) {
		return false
	}
	alone, err := documents(block)
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
	both, err := documents("---\n" + block + "---\nafter: it\n")
	if err != nil || len(both) != 2 || both[1].Content[0].Content[0].Value != "after" {
		return false
	}
	return root.Tag == "!!null" && both[0].Content[0].Tag == "!!null" || flat(&root) == flat(both[0].Content[0])
}

// documents are the YAML documents in a text. The package panics on a few.
func documents(text string) (all []*yaml.Node, err error) {
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

// nodes is all that YAML reads in a text but for comments.
func nodes(text string) string {
	all, err := documents(text)
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

// checkValues reads a note after a write: as Hence does, and the block by YAML.
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
