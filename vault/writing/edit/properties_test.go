package edit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/vault/note"
	"hence/vault/writing/edit"
)

type values = map[string]any

func TestSetKeepsWhatItDoesNotTouch(t *testing.T) {
	for _, c := range []struct {
		name, source string
		set          values
		remove       []string
		want         string
	}{
		{"AValueAndTheCommentAfterIt", "---\na: 1 # one\n# two\nb: x   # why\nc: 3\n---\nbody", values{"b": "y"}, nil,
			"---\na: 1 # one\n# two\nb: y   # why\nc: 3\n---\nbody"},
		{"TheWayATextIsQuoted", "---\na: \"x\"\nb: 'x'\nc: x\n---\n", values{"a": "y z", "b": "it's", "c": "z"}, nil,
			"---\na: \"y z\"\nb: 'it''s'\nc: z\n---\n"},
		{"WhatIsTheSameAlready", "---\na: [ x,y ]\nb:   1.50\nc: !!str 5\n---\n", values{"a": []any{"x", "y"}, "b": 1.5, "c": "5"}, nil,
			"---\na: [ x,y ]\nb:   1.50\nc: !!str 5\n---\n"},
		{"NewOnesAtTheEnd", "---\nz: 1\n# end\n---\nbody", values{"b": true, "a": nil}, nil,
			"---\nz: 1\n# end\na: null\nb: true\n---\nbody"},
		{"ALinkIsQuoted", "---\nup: x\n---\n", values{"up": "[[Home]]", "next": []any{"[[A]]", "b"}}, nil,
			"---\nup: \"[[Home]]\"\nnext:\n  - \"[[A]]\"\n  - b\n---\n"},
		{"MakesFrontmatter", "# Title\n", values{"a": "b"}, nil, "---\na: b\n---\n# Title\n"},
		{"MakesFrontmatterInAnEmptyNote", "", values{"a": "b"}, nil, "---\na: b\n---\n"},
		{"MakesFrontmatterAfterAMarkWithItsLineEnds", "\uFEFFx\r\ny\r\n", values{"a": "b"}, nil, "\uFEFF---\r\na: b\r\n---\r\nx\r\ny\r\n"},
		{"KeepsLineEnds", "---\r\na: 1\r\nb: [x]\r\n---\r\nbody\r\n", values{"b": []any{"y"}, "c": []any{"z"}}, nil,
			"---\r\na: 1\r\nb: [y]\r\nc:\r\n  - z\r\n---\r\nbody\r\n"},
		{"RemovesAndKeepsComments", "---\n# of a\na: 1\nb:\n  - x\n  # in b\n\nc: 3\n---\n", nil, []string{"b", "nothing"},
			"---\n# of a\na: 1\n  # in b\n\nc: 3\n---\n"},
		{"TakesEmptyFrontmatterAway", "---\na: 1\n---\nbody", nil, []string{"a"}, "body"},
		{"ButNotTheCommentsInIt", "---\n# keep\na: 1\n---\nbody", nil, []string{"a"}, "---\n# keep\n---\nbody"},
		{"NorWhereTheTextWouldBecomeFrontmatter", "---\na: 1\n---\n---\nb: 2\n---\n", nil, []string{"a"}, "---\n---\n---\nb: 2\n---\n"},
		{"LeavesEmptyFrontmatterThatWasThere", "---\n---\nbody", nil, []string{"a"}, "---\n---\nbody"},
		{"FillsEmptyFrontmatter", "---\n---\nbody", values{"a": "b"}, nil, "---\na: b\n---\nbody"},
		{"AddsToAListAndKeepsItsItems", "---\ntags:\n- a # first\n# of c\n- \"c\"\nz: 1\n---\n", values{"tags": []any{"a", "b", "c", "d"}}, nil,
			"---\ntags:\n- a # first\n# of c\n- b\n- \"c\"\n- d\nz: 1\n---\n"},
		{"TakesFromAListAndKeepsItsComments", "---\ntags: # mine\n    - a\n    - b # gone\n    # of c\n    - c\n---\n", values{"tags": []any{"a", "c"}}, nil,
			"---\ntags: # mine\n    - a\n    # of c\n    - c\n---\n"},
		{"AListBecomesAText", "---\na: # why\n  - x\n  - y\nb: 1\n---\n", values{"a": "z"}, nil, "---\na: z # why\nb: 1\n---\n"},
		{"AndKeepsTheCommentsInIt", "---\na: # why\n  # of x\n  - x # gone\n# of y\n\n  - y\n  # end\nb: 1\n---\n", values{"a": "z"}, nil,
			"---\na: z # why\n  # of x\n# of y\n  # end\nb: 1\n---\n"},
		{"SoDoesAMapping", "---\na:\n  x: 1 # gone\n  # of y\n  y:\n    # of z\n    z: 2\nb: 1\n---\n", values{"a": 3}, nil,
			"---\na: 3\n  # of y\n    # of z\nb: 1\n---\n"},
		{"AndAListWithinBrackets", "---\na: [x, # gone\n  # of y\n  y]\n---\n", values{"a": nil}, nil, "---\na: null\n  # of y\n---\n"},
		{"WhatStartsLikeACommentInATextIsNone", "---\na: |\n    # one\n    two\n  # three\nb: \"x\n  # y\"\n---\n", values{"a": "z", "b": "w"}, nil,
			"---\na: z\n  # three\nb: \"w\"\n---\n"},
		{"ACommentThatANewBlockWouldTake", "---\na: |\n    one\n    two\n  # three\nb: 1\n---\n", values{"a": "uno\ndos\n"}, nil,
			"---\na: \"uno\\ndos\\n\"\n  # three\nb: 1\n---\n"},
		{"CommentsOfItemsThatGo", "---\na:\n- k: v\n  # of l\n  l: w\n- x\n---\n", values{"a": []any{"x", "y"}}, nil, "---\na:\n  # of l\n- x\n- y\n---\n"},
		{"CommentsOfAPropertyThatGoes", "---\na: 1\nb:\n  - x\n  # of y\n  - y\nc: 3\n---\n", nil, []string{"b"}, "---\na: 1\n  # of y\nc: 3\n---\n"},
		{"LinesThatYAMLCountsAndAnEditorDoesNot", "---\na: \"x\u2028y\"\nb: [1,\n  2]\r# c\r\nd: 3\n---\n", values{"b": 2}, nil,
			"---\na: \"x\u2028y\"\nb: 2\n# c\r\nd: 3\n---\n"},
		{"ATextBecomesAList", "---\na: x # why\nb: 1\n---\n", values{"a": []any{"y", "z"}}, nil, "---\na: # why\n  - y\n  - z\nb: 1\n---\n"},
		{"AListWithinBracketsStaysOne", "---\na: [x, \"y\"] # why\n---\n", values{"a": []any{"x", "z, y"}}, nil, "---\na: [x, \"z, y\"] # why\n---\n"},
		{"AListOverSeveralLines", "---\na: [x,\n  y] # why\nb: 1\n---\n", values{"a": []any{"z"}}, nil, "---\na: [z] # why\nb: 1\n---\n"},
		{"ABlockStaysOne", "---\na: |\n  one\n  # two\n\n  three\nb: 1\n---\n", values{"a": "uno\n\n# dos\n"}, nil, "---\na: |\n  uno\n\n  # dos\nb: 1\n---\n"},
		{"TheLastOfTwoCounts", "---\na: 1\na: 2\n---\n", values{"a": 3}, nil, "---\na: 1\na: 3\n---\n"},
		{"BothOfTwoGo", "---\na: 1\nb: 0\na: 2\n---\n", nil, []string{"a"}, "---\nb: 0\n---\n"},
		{"QuotedAndOddKeys", "---\n\"a: b\": 1\n'c''d': 2\ne:f: 3\n---\n", values{"a: b": "x", "c'd": "y", "e:f": "z"}, nil,
			"---\n\"a: b\": x\n'c''d': y\ne:f: z\n---\n"},
		{"IndentedProperties", "---\n  a: 1\n  b: 2\n---\n", values{"b": 3, "c": []any{"x"}}, nil, "---\n  a: 1\n  b: 3\n  c:\n    - x\n---\n"},
		{"ObjectsWithinObjects", "---\na: 1\n---\n", values{"m": values{"x": values{"y": []any{1.0, values{"k": "v"}}}, "e": values{}}}, nil,
			"---\na: 1\nm:\n  e: {}\n  x:\n    y:\n      - 1\n      - {\"k\": v}\n---\n"},
		{"PropertiesOfAPropertyThatStay", "---\nm: # mine\n  # why z\n  z: 1 # note z\n  # why a\n  a: \"two\"\n  l:\n  - 'x' # first\n  gone: 1\nother: 1\n---\n",
			values{"m": values{"z": 2, "a": "two", "l": []any{"x", "y"}, "q": "new", "n": values{"k": 1}}}, nil,
			"---\nm: # mine\n  # why z\n  z: 2 # note z\n  # why a\n  a: \"two\"\n  l:\n  - 'x' # first\n  - 'y'\n  n:\n    k: 1\n  q: new\nother: 1\n---\n"},
		{"AndOfThose", "---\r\nm:\r\n    n:\r\n        # in n\r\n        k: 'v'\r\n        j: 1\r\n    o: x\r\n---\r\n",
			values{"m": values{"n": values{"k": "w", "j": 1}, "o": "x"}}, nil,
			"---\r\nm:\r\n    n:\r\n        # in n\r\n        k: 'w'\r\n        j: 1\r\n    o: x\r\n---\r\n"},
		{"PropertiesWithinBracesStayThere", "---\nm: {b: 1, a: x} # why\n---\n", values{"m": values{"b": 2, "a": "x"}}, nil,
			"---\nm: {\"a\": x, \"b\": 2} # why\n---\n"},
		{"PropertiesThatAMergeBrings", "---\na: &x {k: 1}\nm:\n  <<: *x\n  l: 2\n---\n", values{"m": values{"k": 1, "l": 3}}, nil,
			"---\na: &x {k: 1}\nm:\n  k: 1\n  l: 3\n---\n"},
		{"TextsThatLookLikeSomethingElse", "", values{"a": "yes", "b": "true", "c": "12", "d": "2026-01-01", "e": "", "f": "- x", "g": "null"}, nil,
			"---\na: yes\nb: \"true\"\nc: \"12\"\nd: 2026-01-01\ne: \"\"\nf: \"- x\"\ng: \"null\"\n---\n"},
		{"TextsThatAreNumbersToYAMLButNotToJSON", "---\n.nan: x\n---\n", values{"a": ".inf", "b": "-.inf", "c": ".nan", "d": []any{"+.INF", ".NaN", ".nano"}, "e": "1e999", "f": "0x1FFFFFFFFFFFFFFFF", "-.Inf": "0o7777777777777777777777777"}, nil,
			"---\n.nan: x\n\"-.Inf\": \"0o7777777777777777777777777\"\na: \".inf\"\nb: \"-.inf\"\nc: \".nan\"\nd:\n  - \"+.INF\"\n  - \".NaN\"\n  - .nano\ne: \"1e999\"\nf: \"0x1FFFFFFFFFFFFFFFF\"\n---\n"},
		{"WhatIsNotClosedIsText", "---\na: 1\n", values{"b": 2}, nil, "---\nb: 2\n---\n---\na: 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := edit.Set([]byte(c.source), c.set, c.remove)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("Set (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSetRefusesWhatItCannotKeep(t *testing.T) {
	for _, c := range []struct {
		name, source string
		set          values
		remove       []string
		line         int
	}{
		{"BrokenYAML", "---\na: 1\nb: c: d\n---\n", values{"a": 2}, nil, 3},
		{"NoList", "---\njust text\n---\n", values{"a": 2}, nil, 2},
		{"Braces", "---\n{a: 1}\n---\n", values{"b": 2}, nil, 2},
		{"AnAnchorThatOthersNeed", "---\na: &x 1\nb: *x\n---\n", values{"a": 2}, nil, 2},
		{"AnAnchorThatOthersNeedGoes", "---\na: &x 1\nb: *x\n---\n", nil, []string{"a"}, 2},
		{"WhatAMergeBrings", "---\na: &x {k: 1}\n<<: *x\n---\n", nil, []string{"k"}, 2},
		{"ACommentThatWouldFallToATextThatDoesNotCount", "---\na: |\n one\nb:\n  # inner\n  c: 1\na: 2\n---\n", nil, []string{"b"}, 4},
		{"ABlankLineThatWouldFallToOne", "---\na: |+\n one\nb: 1\n\na: 2\n---\n", nil, []string{"b"}, 4},
		{"AfterTheEnd", "---\na: 1\n...\n---\n", values{"b": 2}, nil, 3},
		{"TextAfterADocumentEnd", "---\ntitle: R\n...\n\n# One\n\nText [[B]].\n\n---\n\nTwo.\n", values{"title": "x"}, nil, 3},
		{"TextAfterADocumentEndGoes", "---\ntitle: R\n...\n\n# One\n\nText [[B]].\n\n---\n\nTwo.\n", nil, []string{"title"}, 3},
		{"ASecondDocument", "---\na: 1\nb:\n  - x # one\n# about c\n--- # second\nc: 3\n---\nbody\n", values{"b": []any{"y"}}, nil, 6},
		{"ADirectiveAfterAFoldedText", "---\na: >\n  one\n  two\n%YAML 1.2\n---\nbody\n", values{"a": "x"}, nil, 4},
		{"ADirectiveAfterAPlainText", "---\na: one\n  two\n%YAML 1.2\n---\nbody\n", values{"a": "x"}, nil, 3},
		{"LessIndentationThanAbove", "---\n  a: 1\nb: 2\n---\n", values{"a": 3}, nil, 3},
		{"ALineThatYAMLCountsAndAnEditorDoesNot", "---\na: b\rb: 2\u2028...\nc: 1\n---\n", values{"b": 3}, nil, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := edit.Set([]byte(c.source), c.set, c.remove)
			var broken *edit.YAMLError
			if !errors.As(err, &broken) || broken.Line != c.line {
				t.Errorf("Set = %q, %v; want a YAMLError of line %d", got, err, c.line)
			}
		})
	}
}

// piece is a part of generated frontmatter, of whole lines. Only a property has a name.
type piece struct{ name, text string }

var (
	names  = []string{"a", "tags", "up", "x y", "Ü", "a.b", "k-1"}
	shapes = []string{
		"%s: 1\n", "%s: text # why\n", "%s: \"quoted # not\" # why\n", "%s: 'it''s'\n", "%s:\n", "%s: # empty\n",
		"%s: [a, \"b\"] # flow\n", "%s: [a,\n  b]\n", "%s:\n- a\n- b # two\n# three\n- c\n", "%s:\n  - a\n\n  - [x, y]\n  - k: v\n    l: w\n",
		"%s:\n  m: 1\n  # inner\n  n: [2]\n", "%s: # map\n    b: # deep\n      # deeper\n      m: 'x' # why\n\n    a:\n    - b\n    n: |\n      one\n", "%s: |\n  one\n   # two\n\n  three\n", "%s: >-\n  folded\n  text\n", "%s: plain\n  on two\n",
		"%s: \"double\n  on two\" # c\n", "%s: {a: 1, b: [2]}\n", "\"%s\": x\n", "'%s' : y\n", "%s: \"[[X]]\"\n", "%s: [[X]]\n", "%s: 2026-01-01T10:00\n",
	}
	between = []string{"", "", "", "# comment\n", "\n", "  # indented\n", "#\n\n"}
)

func drawPieces(t *rapid.T) (pieces []piece) {
	block := false
	gap := func(after string) piece {
		text := rapid.SampledFrom(between).Draw(t, "between")
		if block = block || strings.Contains(after, ": |") || strings.Contains(after, ": >"); block {
			text = strings.TrimLeft(text, " ") // if it is indented, it is text of the block, or may become it
		}
		return piece{"", text}
	}
	pieces = append(pieces, gap(""))
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 4, rapid.ID).Draw(t, "names") {
		shape := rapid.SampledFrom(shapes).Draw(t, "shape")
		pieces = append(pieces, piece{name, fmt.Sprintf(shape, name)}, gap(shape))
	}
	return pieces
}

var value = rapid.Custom(func(t *rapid.T) any { return drawValue(t, 3) })

// drawValue draws any JSON value, in the form of arguments: a whole number is an int64, which
// has no negative zero.
func drawValue(t *rapid.T, depth int) any {
	kinds := 7
	if depth == 0 {
		kinds = 5
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		number := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, -1, 10, 1.5, 1e21, 1 << 60, 0.1})).Draw(t, "number")
		if whole := int64(number); float64(whole) == number {
			return whole + rapid.Int64Range(-1, 1).Draw(t, "near")
		}
		return number
	case 3:
		return rapid.String().Draw(t, "string")
	case 4:
		return rapid.SampledFrom([]string{"a", "b", "[[X]]", "a: b", "x #y", "- x", "yes", "~", "null", "1e3", "0x1F", "2026-01-01", "it's", `"q"`, "a\nb", "a\nb\n", "\n", " a", "---", "...", "{x}", "a,b", "<<", "%x", "@x", "\u00a0", "\u2028", "\x00", "👨‍👩‍👧", "&x", "*x", "!x", "|", ">"}).Draw(t, "text")
	case 5:
		list := []any{}
		for range rapid.IntRange(0, 4).Draw(t, "items") {
			list = append(list, drawValue(t, depth-1))
		}
		return list
	}
	m := values{}
	for range rapid.IntRange(0, 3).Draw(t, "fields") {
		m[rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"a", "b", "m", "n", "1", "true", "<<", "", "?", "a: b"})).Draw(t, "key")] = drawValue(t, depth-1)
	}
	return m
}

// asJSON returns the JSON of a value, in one form for equal values.
func asJSON(t rapid.TB, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		t.Fatal(err)
	}
	text, _ = json.Marshal(plain)
	return strings.ReplaceAll(string(text), "-0", "0")
}

// After Set, the property has its value, and every other line is unchanged.
func TestSetGivesTheValueAndLeavesEveryOtherLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := drawPieces(t)
		end := rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "line end")
		mark := rapid.SampledFrom([]string{"", "", "\uFEFF"}).Draw(t, "mark")
		lines := func(pieces []piece) string {
			var b strings.Builder
			for _, p := range pieces {
				b.WriteString(p.text)
			}
			return strings.ReplaceAll(b.String(), "\n", end)
		}
		body := strings.ReplaceAll("# Title\n\n[[Link]] text\n", "\n", end)
		head := mark + "---" + end
		source := []byte(head + lines(pieces) + "---" + end + body)
		before := note.Parse(source)
		for _, w := range before.Warnings {
			if strings.Contains(w.Text, "YAML") {
				t.Fatalf("the test's frontmatter is broken: %+v\n%s", w, source)
			}
		}
		name := rapid.OneOf(rapid.SampledFrom(names), rapid.StringN(1, 20, -1)).Draw(t, "name")
		want := value.Draw(t, "value")
		index := slices.IndexFunc(pieces, func(p piece) bool { return p.name == name })
		remove := index >= 0 && rapid.IntRange(0, 3).Draw(t, "remove?") == 0

		set, removed := values{name: want}, []string(nil)
		if remove {
			set, removed = nil, []string{name}
		}
		got, err := edit.Set(source, set, removed)
		if err != nil {
			t.Fatalf("Set(%q, %q): %v\n%s", name, want, err, source)
		}
		// The properties of the new text.
		after := note.Parse(got)
		all := maps.Clone(before.Properties)
		if all == nil {
			all = values{}
		}
		if all[name] = want; remove {
			delete(all, name)
		}
		read := after.Properties
		if read == nil {
			read = values{}
		}
		if diff := cmp.Diff(asJSON(t, all), asJSON(t, read)); diff != "" {
			t.Fatalf("the properties (-want +got):\n%s\nof:\n%s", diff, got)
		}
		// The other text.
		if !strings.HasSuffix(string(got), body) || !strings.HasPrefix(string(got), mark) {
			t.Fatalf("the body has changed:\n%q", got)
		}
		if after.Frontmatter.Last == 0 {
			if strings.TrimSpace(lines(slices.DeleteFunc(slices.Clone(pieces), func(p piece) bool { return p.name == name }))) != "" {
				t.Fatalf("the frontmatter is gone:\n%s", got)
			}
			return
		}
		prefix, suffix := head+lines(pieces), "---"+end+body
		if index >= 0 {
			prefix, suffix = head+lines(pieces[:index]), lines(pieces[index+1:])+suffix
		}
		if !strings.HasPrefix(string(got), prefix) || !strings.HasSuffix(string(got), suffix) {
			t.Fatalf("other lines have changed: want\n%q…\n…%q\ngot\n%q", prefix, suffix, got)
		}
		// A second Set changes nothing.
		again, err := edit.Set(got, set, removed)
		if err != nil || string(again) != string(got) {
			t.Fatalf("again: %q, %v", again, err)
		}
	})
}
