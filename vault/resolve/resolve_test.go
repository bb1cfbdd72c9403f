package resolve_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/vault/note"
	"hence/vault/resolve"
)

// rule is one case of the resolution of links: want has the files that the links of text mean
// in the file source, in order, with "-" for a dangling link.
type rule struct {
	name   string
	files  string // separated by blanks; '_' stands for a blank in a name
	source string
	text   string
	want   string
}

var (
	orchard = "Oak.md zzzz/Oak.md a/b/Oak.md elm.md"
	grove   = "zzzz/Oak.md a/b/Oak.md elm.md"
	forest  = "zzzz/Oak.md a/b/Oak.md elm.md b/Oak.md aaaaaaaa/Oak.md"
)

// The cases that were observed in Obsidian, with other file names.
var rules = []rule{
	{"a file at the root answers to its name", orchard, "log.md", "[[Oak]]", "Oak.md"},
	{"the exact path goes before the source's folder", orchard, "a/b/log.md", "[[Oak]]", "Oak.md"},
	{"the end of a path is enough", orchard, "log.md", "[[b/Oak]]", "a/b/Oak.md"},
	{"two dots lead to the folder above", orchard, "a/log.md", "[[../elm]]", "elm.md"},
	{"the shortest path has the fewest characters, not folders", grove, "log.md", "[[Oak]]", "a/b/Oak.md"},
	{"a file beside the source goes before a shorter path", grove, "zzzz/log.md", "[[Oak]]", "zzzz/Oak.md"},
	{"of many the shortest path", forest, "log.md", "[[Oak]]", "b/Oak.md"},
	{"of many still the one beside the source", forest, "zzzz/log.md", "[[Oak]]", "zzzz/Oak.md"},
	{"the folders above the source count for nothing", forest, "zzzz/deep/log.md", "[[Oak]]", "b/Oak.md"},
	{"the exact path goes before the end of a path beside the source", forest, "a/b/log.md", "[[b/Oak]]", "b/Oak.md"},
	{"paths of one length: the first by bytes", "tt/Ash.md ss/Ash.md", "log.md", "[[Ash]]", "ss/Ash.md"},
	{"upper and lower case are the same", "Yew.md", "log.md", "[[yew]] [[YEW]]", "Yew.md Yew.md"},
	{"the extension too, in any case", "Fir.md", "log.md", "[[Fir.MD]]", "Fir.md"},
	{"an alias is not a name", "Real.md", "log.md", "[[Nick]] [[nick]] [[Real|Nick]]", "- - Real.md"},
	{"a heading alone means the note itself", "", "log.md", "# H\n[[#H]]", "log.md"},
	{"a URL in a wikilink is a name", "", "log.md", "[[https://a.example]]", "-"},
	{"a bracket in a name", "R]ound.md", "log.md", "[[R]ound]]", "R]ound.md"},
	{"no link over a line's end", "Two.md", "log.md", "[[Two\nLines]]", ""},
	{"the inner of two", "Core.md", "log.md", "[[Shell [[Core]] x]]", "Core.md"},
	{"Obsidian's comments hide nothing", "Veil.md", "log.md", "%%[[Veil]]%%\n%%\n[[Veil]]\n%%", "Veil.md Veil.md"},
	{"HTML's comments do", "w.md", "log.md", "<!-- [[w]] #t -->", ""},
	{"code does", "w.md", "log.md", "`[[w]]`\n\n```\n[[w]]\n```\n", ""},
	{"escaped brackets are not a link", "", "log.md", `\[\[#Esc Links\]\]`, ""},
	{"a markdown link is looked up in the whole vault", "Below/My_Oak.md", "log.md", "[y](My%20Oak.md)", "Below/My_Oak.md"},
	{"from the root as from beside the source", "Below/My_Oak.md", "Below/log.md", "[x](Below/My%20Oak.md) [y](My%20Oak.md)", "Below/My_Oak.md Below/My_Oak.md"},
	{"a markdown link with a blank is none", "Below/My_Oak.md", "log.md", "[w](Below/My Oak.md)", ""},
	{"a markdown link needs no extension", "Deep/k.md", "log.md", "[k](k) [k](k.md#h) [s](#h)", "Deep/k.md Deep/k.md log.md"},
	{"a file that is not a note needs its extension", "At/g.pdf", "log.md", "[[g.pdf]] [g](g.pdf) [[g]]", "At/g.pdf At/g.pdf -"},
	{"empty links are none", "w.md", "log.md", "[]() [a]() [[]]", ""},
	{"a leading | is part of the name", "", "log.md", "[[|]] [[|nick]] [[|#nick]]", "- - -"},
	{"the name ends at the first #", "p/w.md", "log.md", "[[pa#th/path/w]]", "-"},
	{"headings, blocks and a display", "v.md", "log.md", "[[v#h#sub]] [[v#^blk|t]] [[#h#sub||x]]", "v.md v.md log.md"},
	{"an escaped | in a table", "Plain.md F.jpg", "log.md", "| a | b |\n|--|--|\n| [[Plain\\|m]] | ![[F.jpg\\|200]] |", "Plain.md F.jpg"},
	{"blanks around the name", "bar.md", "log.md", "[[ bar ]] [[bar |t]] [[ bar#^abc ]]", "bar.md bar.md bar.md"},
	{"a leading slash means the path from the root, no other", "n/w.md z/n/w.md", "q/log.md", "[[/n/w]] [b](/n/w.md) [[/w]]", "n/w.md n/w.md -"},
	{"a leading dot means the path from the source, no other", "A/Goal.md B/Goal.md", "B/log.md", "[r](./Goal.md) [[Goal]] [[./Missing]]", "B/Goal.md B/Goal.md -"},
	{"whole properties are links", "w.md v.md", "log.md", "---\nup: \"[[w]]\"\nrel:\n  - \"[[w|W]]\"\n  - \"[[v#h]]\"\nself: \"[[#h]]\"\n---\n", "w.md w.md v.md log.md"},
	{"without quotes they are none", "w.md", "log.md", "---\nup: [[w]]\n---\n", ""},
	{"links amid a property's text are none", "w.md", "log.md", "---\nt: \"see [[w]] now\"\nm: \"[w](w.md)\"\n---\n", ""},
	{"a name with a dot, and one that a canvas shares", "v2.1.md e.canvas e.md", "log.md", "[[v2.1]] [[e]] [[e.canvas]]", "v2.1.md e.md e.canvas"},
	{"composed and decomposed letters are the same", "Cafe\u0301.md Th\u00e9.md", "log.md", "[[Caf\u00e9]] [[The\u0301]]", "Cafe\u0301.md Th\u00e9.md"},
	{"a file below the source's folder goes before a shorter path", "zzzz/sub/Oak.md b/Oak.md", "zzzz/log.md", "[[Oak]]", "zzzz/sub/Oak.md"},
	{"parentheses in a markdown link", "Od!d_(name)_1.md", "log.md", "[a](Od!d%20(name)%201.md)", "Od!d_(name)_1.md"},
	{"hidden folders hold nothing", ".obsidian/w.md .trash/w.md a/.b/w.md", "log.md", "[[w]]", "-"},

	// More cases, which were not observed.
	{"the end of a path ends at a slash", "ab/Oak.md", "log.md", "[[b/Oak]]", "-"},
	{"two dots out of the vault lead nowhere", "elm.md", "a/log.md", "[[../../elm]]", "-"},
	{"one dot from the root", "elm.md a/elm.md", "log.md", "[[./elm]]", "elm.md"},
	{"a no-break space is a blank", "My_Oak.md", "log.md", "[[My\u00a0Oak]]", "My_Oak.md"},
	{"a folder is not a file", "a/Oak.md", "log.md", "[[a]] [[a/]]", "- -"},
	{"names that differ by case: the one as spelled", "Oak.md oak.md", "log.md", "[[oak]] [[Oak]] [[OAK]]", "oak.md Oak.md Oak.md"},
	{"a name that ends in .md twice", "e.md.md", "log.md", "[[e.md]]", "e.md.md"},
}

func TestRulesOfResolution(t *testing.T) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			files := append(names(r.files), r.source)
			for range 5 { // in any order
				rand.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
				x := resolve.New(files)
				x.Aliases("Real.md", []string{"Nick"})
				var got []string
				for _, l := range note.Parse([]byte(r.text)).Links {
					if l.Lenient != note.Faithful {
						continue
					}
					path := faithful(x, r.source, l.Target)
					if path == "" {
						path = "-"
					}
					got = append(got, path)
				}
				if diff := cmp.Diff(names(r.want), got); diff != "" {
					t.Fatalf("%q in %s (-want +got):\n%s", r.text, r.source, diff)
				}
			}
		})
	}
}

func names(list string) []string {
	var names []string
	for _, name := range strings.Fields(list) {
		names = append(names, strings.ReplaceAll(name, "_", " "))
	}
	return names
}

func TestHowALinkFoundItsFile(t *testing.T) {
	x := resolve.New([]string{"Oak.md", "a/Oak.md", "a/b/Oak.md", "c/Ash.md", "dd/Ash.md", "e/Elm.md"})
	x.Aliases("e/Elm.md", []string{"Tree", " tree ", "Ash"})
	x.Aliases("Oak.md", []string{"Tree"})
	for _, c := range []struct {
		source, target string
		want           resolve.Result
	}{
		{"a/log.md", "", resolve.Result{Path: "a/log.md", By: resolve.BySelf}},
		{"", "", resolve.Result{}},
		{"a/log.md", "oak", resolve.Result{Path: "Oak.md", By: resolve.ByPath, Candidates: []string{"a/Oak.md", "a/b/Oak.md"}}},
		{"log.md", "b/Oak", resolve.Result{Path: "a/b/Oak.md", By: resolve.BySuffix}},
		{"log.md", "/a/Oak.md", resolve.Result{Path: "a/Oak.md", By: resolve.ByPath}},
		{"a/log.md", "./Oak", resolve.Result{Path: "a/Oak.md", By: resolve.ByRelative}},
		{"log.md", "Ash", resolve.Result{Path: "c/Ash.md", By: resolve.ByName, Candidates: []string{"dd/Ash.md"}}},
		{"e/log.md", "TREE", resolve.Result{Path: "e/Elm.md", By: resolve.ByAlias, Candidates: []string{"Oak.md"}}},
		{"log.md", "Tree", resolve.Result{Path: "Oak.md", By: resolve.ByAlias, Candidates: []string{"e/Elm.md"}}},
		{"log.md", "./Tree", resolve.Result{}},
		{"log.md", "/Tree", resolve.Result{}},
		{"log.md", "Yew", resolve.Result{}},
	} {
		if diff := cmp.Diff(c.want, x.Resolve(c.source, c.target)); diff != "" {
			t.Errorf("%q in %q (-want +got):\n%s", c.target, c.source, diff)
		}
	}
}

func TestIndexFollowsTheVault(t *testing.T) {
	x := resolve.New([]string{"a/Oak.md"})
	is := func(target, want string) {
		t.Helper()
		if got := x.Resolve("log.md", target).Path; got != want {
			t.Errorf("%q means %q, want %q", target, got, want)
		}
	}
	is("Oak", "a/Oak.md")
	x.Add("Oak.md")
	x.Add("Oak.md")
	is("Oak", "Oak.md")
	x.Aliases("Oak.md", []string{"Tree"})
	is("tree", "Oak.md")
	x.Aliases("Oak.md", []string{"Wood"})
	is("tree", "")
	is("wood", "Oak.md")
	x.Remove("Oak.md")
	x.Remove("Oak.md")
	is("Oak", "a/Oak.md")
	is("wood", "")
	x.Remove("a/Oak.md")
	is("Oak", "")
	x.Aliases("none.md", []string{"Gone"})
	is("Gone", "")
	x.Add(".hidden/Oak.md")
	if x.Len() != 0 || x.Has(".hidden/Oak.md") {
		t.Errorf("%d files are left", x.Len())
	}
}

func TestCandidatesAreBounded(t *testing.T) {
	x := resolve.New(nil)
	for i := range 100 {
		x.Add(fmt.Sprintf("%02d/index.md", i))
	}
	r := x.Resolve("log.md", "index")
	if r.Path != "00/index.md" || len(r.Candidates) != resolve.MaxCandidates || r.Candidates[0] != "01/index.md" {
		t.Errorf("%+v", r)
	}
	if !slices.IsSorted(r.Candidates) {
		t.Errorf("candidates out of order: %q", r.Candidates)
	}
}

func TestKeys(t *testing.T) {
	for text, want := range map[string]string{
		"Oak":         "oak",
		"a/b/Oak.md":  "oak",
		"../OAK":      "oak",
		" Oak.MD ":    "oak",
		"Cafe\u0301":  "caf\u00e9",
		"f.pdf":       "f.pdf",
		"v1.2":        "v1.2",
		"e.md.md":     "e",
		"My\u00a0Oak": "my oak",
		"a/":          "",
		"":            "",
	} {
		if got := resolve.Key(text); got != want {
			t.Errorf("the key of %q is %q, want %q", text, got, want)
		}
	}
}

// For the race detector: concurrent lookups do not change shared data.
func TestLookupsRunSideBySide(t *testing.T) {
	x := resolve.New([]string{"Oak.md", "a/Oak.md", "b/Ash.md", "c/Ash.md"})
	x.Aliases("b/Ash.md", []string{"Tree"})
	x.Aliases("a/Oak.md", []string{"Tree"})
	var group sync.WaitGroup
	for _, source := range []string{"a/log.md", "b/log.md", "log.md"} {
		group.Go(func() {
			for range 100 {
				for _, target := range []string{"Tree", "Oak", "Ash", "./Ash", "none"} {
					x.Resolve(source, target)
				}
			}
		})
	}
	group.Wait()
	if r := x.Resolve("b/log.md", "Tree"); r.Path != "b/Ash.md" {
		t.Errorf("%+v", r)
	}
}

func BenchmarkResolve(b *testing.B) {
	var files []string
	for i := range 10_000 {
		files = append(files, fmt.Sprintf("folder %d/note %d.md", i%100, i))
	}
	x := resolve.New(files)
	for i := 0; b.Loop(); i++ {
		if x.Resolve("folder 1/log.md", fmt.Sprintf("Note %d", i%10_000)).By != resolve.ByName {
			b.Fatal("not found")
		}
	}
}
