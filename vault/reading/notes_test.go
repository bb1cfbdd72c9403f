package reading_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	_ "hence/internal/repeattest"
	"hence/projection/projectiontest"
	"hence/vault"
	"hence/vault/reading"
)

func (f folder) list(a reading.ListNotesArgs) reading.ListNotesResult {
	f.T.Helper()
	result, err := f.reader().ListNotes(f.T.Context(), a)
	if err != nil {
		f.T.Fatalf("ListNotes(%+v): %v", a, err)
	}
	return result
}

func paths(notes []reading.NoteSummary) []string {
	all := []string{}
	for _, n := range notes {
		all = append(all, n.Path)
	}
	return all
}

func TestListNotes(t *testing.T) {
	f := newFolder(t, map[string]string{
		"a.md": "---\ntags: [t/x]\nkind: log\nn: 1\nflag: true\nlist: [1, two]\nnone:\n---\n", "sub/b.md": "#T", "sub/deep/c.md": "---\nkind: plan\nn: 1.0\n---\n#other",
		"subtle.md": "x", "sub.md": "y", "Ca\u0301fe/d.md": "z", "sub/p.png": "", "board.canvas": `{"nodes":[]}`,
	})
	f.Imports()
	for name, c := range map[string]struct {
		args reading.ListNotesArgs
		want []string
	}{
		"All":           {reading.ListNotesArgs{}, []string{"Ca\u0301fe/d.md", "a.md", "sub.md", "sub/b.md", "sub/deep/c.md", "subtle.md"}},
		"Under":         {reading.ListNotesArgs{Under: "sub"}, []string{"sub/b.md", "sub/deep/c.md"}},
		"UnderSlash":    {reading.ListNotesArgs{Under: "sub/"}, []string{"sub/b.md", "sub/deep/c.md"}},
		"UnderURI":      {reading.ListNotesArgs{Under: "obsidian-fs://v/sub/deep"}, []string{"sub/deep/c.md"}},
		"UnderComposed": {reading.ListNotesArgs{Under: "C\u00e1fe"}, []string{"Ca\u0301fe/d.md"}},
		"UnderRoot":     {reading.ListNotesArgs{Under: ".", Tags: []string{"other"}}, []string{"sub/deep/c.md"}},
		"UnderNothing":  {reading.ListNotesArgs{Under: "su"}, []string{}},
		"Tag":           {reading.ListNotesArgs{Tags: []string{"#t"}}, []string{"a.md", "sub/b.md"}},
		"NestedTag":     {reading.ListNotesArgs{Tags: []string{"t/x"}}, []string{"a.md"}},
		"Tags":          {reading.ListNotesArgs{Tags: []string{"t", "other"}}, []string{}},
		"Property":      {reading.ListNotesArgs{Properties: map[string]any{"kind": "log"}}, []string{"a.md"}},
		"Number":        {reading.ListNotesArgs{Properties: map[string]any{"n": 1.0}}, []string{"a.md", "sub/deep/c.md"}},
		"NumberAsText":  {reading.ListNotesArgs{Properties: map[string]any{"n": "1"}}, []string{}},
		"Bool":          {reading.ListNotesArgs{Properties: map[string]any{"flag": true}}, []string{"a.md"}},
		"BoolAsNumber":  {reading.ListNotesArgs{Properties: map[string]any{"flag": 1}}, []string{}},
		"InList":        {reading.ListNotesArgs{Properties: map[string]any{"list": 1}}, []string{"a.md"}},
		"TrueInList":    {reading.ListNotesArgs{Properties: map[string]any{"list": true}}, []string{}},
		"WholeList":     {reading.ListNotesArgs{Properties: map[string]any{"list": []any{1, "two"}}}, []string{"a.md"}},
		"Null":          {reading.ListNotesArgs{Properties: map[string]any{"none": nil}}, []string{"a.md"}},
		"Vault":         {reading.ListNotesArgs{Vault: "v", Under: "sub/deep"}, []string{"sub/deep/c.md"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := f.list(c.args)
			if diff := cmp.Diff(c.want, paths(got.Notes)); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			if got.TotalCount != len(c.want) || got.ReturnedCount != len(c.want) || got.Truncated || got.Next != "" {
				t.Errorf("counts: %+v", got)
			}
		})
	}
	one := f.list(reading.ListNotesArgs{Under: "sub/deep"}).Notes[0]
	if one.Title != "c" || one.Vault != "v" || one.Size == 0 || !strings.HasSuffix(one.Modified, "Z") || !slices.Equal(one.Tags, []string{"other"}) {
		t.Errorf("a note of the list: %+v", one)
	}
	for name, a := range map[string]reading.ListNotesArgs{
		"Cursor": {Cursor: "x"}, "CursorOfAnother": {Cursor: "eyJsIjoiZ2V0X3RhZ3MiLCJrIjoiYSJ9"}, "Limit": {Limit: 501}, "Tag": {Tags: []string{" "}},
	} {
		if _, err := f.reader().ListNotes(t.Context(), a); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %v, want invalid_argument", name, err)
		}
	}
	if _, err := f.reader().ListNotes(t.Context(), reading.ListNotesArgs{Under: "../x"}); fault.CodeOf(err) != fault.OutsideVault {
		t.Errorf("%v, want outside_vault", err)
	}
	if _, err := f.reader().ListNotes(t.Context(), reading.ListNotesArgs{Vault: "w"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("%v, want not_found", err)
	}
}

// Pages of any size return every note once; so do pages of the notes with a tag, of all tags,
// and of backlinks.
func TestPages_GiveEverythingOnce(t *testing.T) {
	dbtest.CheckTimes(t, 15)
	f := newFolder(t, nil)
	want := []string{}
	for n := range 23 {
		path := fmt.Sprintf("%c/%02d.md", 'a'+rune(n%3), n)
		f.Write(path, fmt.Sprintf("[[target]] and Target again #all/t%d\n\n[[target|shown]] twice", n))
		want = append(want, path)
	}
	f.Write("target.md", "---\nmentions: true\n---\nthough all say the word")
	f.Imports()
	slices.Sort(want)
	every := append(slices.Clone(want), "target.md")
	next := f.list(reading.ListNotesArgs{Limit: 2}).Next
	if got, err := f.reader().ListNotes(t.Context(), reading.ListNotesArgs{Under: "c", Cursor: next}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("notes by the cursor of another list: %+v, %v", got, err)
	}
	if got, err := f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: "target", Limit: 2}); err != nil {
		t.Error(err)
	} else if got, err = f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: want[0], Cursor: got.Next}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("backlinks by the cursor of another note: %+v, %v", got, err)
	}
	rapid.Check(t, func(r *rapid.T) {
		limit := rapid.IntRange(1, 30).Draw(r, "limit")
		notes, tagged, tags, links, mentions := []string{}, []string{}, []string{}, []string{}, []string{}
		follow := func(page func(cursor string) (truncated bool, returned int, next string)) {
			cursor := ""
			for more := true; more; {
				truncated, returned, next := page(cursor)
				if returned > limit || truncated != (next != "") || truncated && returned < limit {
					r.Fatalf("a page of %d, limit %d, truncated %v, next %q", returned, limit, truncated, next)
				}
				more, cursor = truncated, next
			}
		}
		follow(func(cursor string) (bool, int, string) {
			p := f.list(reading.ListNotesArgs{Limit: limit, Cursor: cursor})
			notes = append(notes, paths(p.Notes)...)
			return p.Truncated, p.ReturnedCount, p.Next
		})
		follow(func(cursor string) (bool, int, string) {
			p := f.tags(reading.TagsArgs{Tag: "all", Limit: limit, Cursor: cursor})
			tagged = append(tagged, paths(p.Notes)...)
			return p.Truncated, p.ReturnedCount, p.Next
		})
		follow(func(cursor string) (bool, int, string) {
			p := f.tags(reading.TagsArgs{Limit: limit, Cursor: cursor})
			for _, tag := range p.Tags {
				tags = append(tags, tag.Tag)
			}
			return p.Truncated, p.ReturnedCount, p.Next
		})
		follow(func(cursor string) (bool, int, string) {
			p, err := f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: "target", Limit: limit, Cursor: cursor})
			if err != nil {
				r.Fatal(err)
			}
			for _, b := range p.Linked {
				links = append(links, fmt.Sprint(b.Path, b.LineNumber))
			}
			for _, m := range p.Unlinked {
				mentions = append(mentions, m.Path)
			}
			return p.Truncated, p.ReturnedCount, p.Next
		})
		wantLinks := []string{}
		for _, path := range want {
			wantLinks = append(wantLinks, path+"1", path+"3")
		}
		for name, d := range map[string]string{
			"notes": cmp.Diff(every, notes), "notes of a tag": cmp.Diff(want, tagged), "links": cmp.Diff(wantLinks, links), "mentions": cmp.Diff(want, mentions),
		} {
			if d != "" {
				r.Fatalf("%s (-want +got):\n%s", name, d)
			}
		}
		if len(tags) != 24 || tags[0] != "all" || !slices.IsSorted(tags) {
			r.Fatalf("tags: %q", tags)
		}
	})
}

func (f folder) tags(a reading.TagsArgs) reading.TagsResult {
	f.T.Helper()
	result, err := f.reader().Tags(f.T.Context(), a)
	if err != nil {
		f.T.Fatalf("Tags(%+v): %v", a, err)
	}
	return result
}

func TestTagsAreCountedHoweverTheirAccentsAreWritten(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "#gro\u0308\u00dfe", "b.md": "#gr\u00f6\u00dfe/x", "c.md": "---\ntags: [gro\u0308\u00dfe]\n---\n"})
	f.Imports()
	for _, tag := range []string{"gr\u00f6\u00dfe", "gro\u0308\u00dfe"} {
		got, err := f.reader().Tags(t.Context(), reading.TagsArgs{Tag: tag})
		if err != nil || len(got.Notes) != 3 || len(got.Tags) != 2 || got.Tags[0].Tag != "gr\u00f6\u00dfe" || got.Tags[0].Count != 3 {
			t.Errorf("%q: %+v, %v", tag, got, err)
		}
	}
}

// Tags are in the order of their counts, and those of one count in that of their names, on
// every page.
func TestTags_ByCount(t *testing.T) {
	f := newFolder(t, map[string]string{
		"a.md": "#one #zebra #mid/x #beta", "b.md": "#zebra #mid/y #beta", "c.md": "#zebra #mid #alpha", "d.md": "#mid/x",
	})
	f.Imports()
	want := []string{"mid 4", "zebra 3", "beta 2", "mid/x 2", "alpha 1", "mid/y 1", "one 1"}
	for _, limit := range []int{1, 2, 3, 50} {
		got, cursor := []string{}, ""
		for {
			page := f.tags(reading.TagsArgs{Limit: limit, Cursor: cursor})
			for _, c := range page.Tags {
				got = append(got, fmt.Sprint(c.Tag, " ", c.Count))
			}
			if cursor = page.Next; cursor == "" {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("pages of %d (-want +got):\n%s", limit, diff)
		}
	}
}

func TestTags(t *testing.T) {
	f := newFolder(t, map[string]string{
		"a.md": "#Area/sea #area/sea/deep", "b.md": "---\ntags: [area, area-51]\n---\n#AREA/land", "c.md": "none",
	})
	f.Imports()
	got := f.tags(reading.TagsArgs{})
	counts := []string{}
	for _, c := range got.Tags {
		counts = append(counts, fmt.Sprint(c.Tag, " ", c.Count))
	}
	if diff := cmp.Diff([]string{"Area 2", "AREA/land 1", "Area/sea 1", "area/sea/deep 1", "area-51 1"}, counts); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	if len(got.Notes) != 0 || got.Notes == nil || got.TotalCount != 5 {
		t.Errorf("tags: %+v", got)
	}
	one := f.tags(reading.TagsArgs{Tag: "#area/SEA"})
	if diff := cmp.Diff([]string{"a.md"}, paths(one.Notes)); diff != "" || len(one.Tags) != 2 || one.Tags[0].Tag != "Area/sea" || one.TotalCount != 1 {
		t.Errorf("%+v (-want +got):\n%s", one, diff)
	}
	if none := f.tags(reading.TagsArgs{Tag: "ar"}); len(none.Tags)+len(none.Notes) != 0 || none.Tags == nil {
		t.Errorf("a tag that is not there: %+v", none)
	}
}

func TestBacklinks(t *testing.T) {
	f := newFolder(t, map[string]string{
		"x.md":     "---\naliases: [the ledger]\n---\nsee [[x]] and [[a]]",
		"a.md":     "---\nup: \"[[x]]\"\n---\n\nsee [[x#Part|the part]] or ![[x]]\nand the ledger, or another",
		"sub/b.md": "blocks:: [[../x]]\n[shown](../x.md)",
		"other.md": "[[a]]",
	})
	f.Imports()
	got, err := f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: "x.md"})
	if err != nil {
		t.Fatal(err)
	}
	want := reading.BacklinksResult{
		Vault: "v", Path: "x.md", Direction: "incoming", LinkedCount: 5, UnlinkedCount: 1, ReturnedCount: 6,
		Linked: []reading.Backlink{
			{Path: "a.md", LineNumber: 2, DisplayText: "x", Context: "[[x]]", Type: "part-of", Rel: "up", Direction: "in"},
			{Path: "a.md", LineNumber: 5, DisplayText: "the part", Context: "see [[x#Part|the part]] or ![[x]]", Type: "links-to", Direction: "in"},
			{Path: "a.md", LineNumber: 5, DisplayText: "x", Context: "see [[x#Part|the part]] or ![[x]]", Type: "embeds", Direction: "in"},
			{Path: "sub/b.md", LineNumber: 1, DisplayText: "../x", Context: "blocks:: [[../x]]", Type: "depends-on", Rel: "blocks", Direction: "out"},
			{Path: "sub/b.md", LineNumber: 2, DisplayText: "shown", Context: "[shown](../x.md)", Type: "links-to", Direction: "in"},
		},
		Unlinked: []reading.Mention{
			{Path: "a.md", LineNumber: 6, Context: "and the ledger, or another"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	no := false
	linked, err := f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: "x", Unlinked: &no})
	if err != nil || len(linked.Unlinked) != 0 || linked.UnlinkedCount != 0 || linked.LinkedCount != 5 || linked.Unlinked == nil {
		t.Errorf("without mentions: %+v, %v", linked, err)
	}
	if none, err := f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: "sub/b"}); err != nil || none.Linked == nil || none.ReturnedCount != 0 {
		t.Errorf("without backlinks: %+v, %v", none, err)
	}
}

// Whatever import leaves out of the quiet list: who asks about one note sees where it is named.
func TestBacklinks_LooksForEveryNameOfTheNote(t *testing.T) {
	files := map[string]string{
		"run.md": "---\naliases: [Go, the long run, shared]\n---\nrun", "twin.md": "---\naliases: [shared]\n---\nx", "muted.md": "x", "picture.png": "",
		"sub/n.md": "---\nk: run\n---\nTo Go, we run\na run, a Run [[muted|run]] `run`\n# The long run\nshared\n---\nrunning, muted\n",
		"fence.md": "---\n\n---\nmuted\n", "rule.md": "text\n---\nmuted\n", "zz.md": "---\r\nk: 1\r\n---\r\n\r\n\r\n## Muted\r\nx\r\n",
	}
	for i := range 60 {
		files[fmt.Sprintf("a%02d.md", i)] = "we run"
	}
	f := newFolder(t, files)
	f.Write(".hence.yaml", "mute: [muted]\n")
	f.Imports()
	for path, want := range map[string][]string{
		"run.md":      {"sub/n.md:4", "sub/n.md:4", "sub/n.md:5", "sub/n.md:6", "sub/n.md:6"},
		"muted.md":    {"fence.md:4", "rule.md:3", "sub/n.md:9", "zz.md:6"},
		"twin.md":     {},
		"picture.png": {},
	} {
		got, err := f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: path, Limit: 500})
		if err != nil {
			t.Fatal(err)
		}
		places := []string{}
		for _, m := range got.Unlinked {
			if strings.HasPrefix(m.Path, "a") {
				continue
			}
			places = append(places, fmt.Sprint(m.Path, ":", m.LineNumber))
		}
		if diff := cmp.Diff(want, places); diff != "" || got.UnlinkedCount != len(got.Unlinked) || path == "run.md" && got.UnlinkedCount != 65 {
			t.Errorf("%s: named %d times (-want +got):\n%s", path, got.UnlinkedCount, diff)
		}
	}
	var paged []reading.Mention
	for cursor := ""; ; {
		page, err := f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: "run", Limit: 7, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		if paged, cursor = append(paged, page.Unlinked...), page.Next; !page.Truncated {
			break
		}
	}
	if len(paged) != 65 {
		t.Errorf("page by page: %d", len(paged))
	}
}

// Outgoing links of a note, in the order of lines.
func TestBacklinks_Outgoing(t *testing.T) {
	f := newFolder(t, map[string]string{
		"x.md":     "---\naliases: [the ledger]\n---\ntext",
		"sub/a.md": "---\nup: \"[[x]]\"\n---\n\nsee [[Nowhere#Part|none]], [[x#Part|the part]], ![[p.png]]\nand the ledger\n[[#Here]]\nblocks:: [[b]]\n\n[gone](gone.md)",
		"b.md":     "depends-on:: [[c]]", "c.md": "depends-on:: [[b]]", "p.png": "",
	})
	f.Imports()
	got, err := f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: "a", Direction: "outgoing"})
	if err != nil {
		t.Fatal(err)
	}
	line := "see [[Nowhere#Part|none]], [[x#Part|the part]], ![[p.png]]"
	want := reading.BacklinksResult{
		Vault: "v", Path: "sub/a.md", Direction: "outgoing", LinkedCount: 7, UnlinkedCount: 1, ReturnedCount: 8,
		Linked: []reading.Backlink{
			{Path: "x.md", LineNumber: 2, Target: "x", DisplayText: "x", Context: "[[x]]", Type: "part-of", Rel: "up", Direction: "out"},
			{Path: "", Dangling: true, LineNumber: 5, Target: "Nowhere#Part", DisplayText: "none", Context: line, Type: "links-to", Direction: "out"},
			{Path: "x.md", LineNumber: 5, Target: "x#Part", DisplayText: "the part", Context: line, Type: "links-to", Direction: "out"},
			{Path: "p.png", LineNumber: 5, Target: "p.png", DisplayText: "p.png", Context: line, Type: "embeds", Direction: "out"},
			{Path: "sub/a.md", LineNumber: 7, Target: "#Here", DisplayText: "#Here", Context: "[[#Here]]", Type: "links-to", Direction: "out"},
			{Path: "b.md", LineNumber: 8, Target: "b", DisplayText: "b", Context: "blocks:: [[b]]", Type: "depends-on", Rel: "blocks", Direction: "in"},
			{Path: "", Dangling: true, LineNumber: 10, Target: "gone.md", DisplayText: "gone", Context: "[gone](gone.md)", Type: "links-to", Direction: "out"},
		},
		Unlinked: []reading.Mention{{Path: "x.md", LineNumber: 6, Context: "and the ledger"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var paged reading.BacklinksResult
	for cursor := ""; ; cursor = paged.Next {
		page, err := f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: "a", Direction: "outgoing", Limit: 1, Cursor: cursor})
		if err != nil || page.ReturnedCount != 1 {
			t.Fatalf("a page of one: %+v, %v", page, err)
		}
		paged.Linked, paged.Unlinked, paged.Next = append(paged.Linked, page.Linked...), append(paged.Unlinked, page.Unlinked...), page.Next
		if !page.Truncated {
			break
		}
	}
	if diff := cmp.Diff(want.Linked, paged.Linked); diff != "" || !cmp.Equal(want.Unlinked, paged.Unlinked) {
		t.Errorf("page by page (-want +got):\n%s", diff)
	}
	first, err := f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: "a", Direction: "outgoing", Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: "a", Cursor: first.Next}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("a cursor of the other direction: %v, want invalid_argument", err)
	}
	for path, leadsTo := range map[string]string{"b": "c.md", "c": "b.md"} {
		got, err := f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: path, Direction: "outgoing"})
		if err != nil || len(got.Linked) != 1 || got.Linked[0].Path != leadsTo || got.Linked[0].Dangling {
			t.Errorf("from %s, of which one is refused: %+v, %v", path, got.Linked, err)
		}
	}
}

// A link without an edge, because the edge would close a cycle, is a backlink too.
func TestBacklinks_Refused(t *testing.T) {
	f := newFolder(t, map[string]string{
		"a.md": "depends-on:: [[b]]", "b.md": "depends-on:: [[a]]", "c.md": "supersedes:: [[b]]", "d.md": "supersedes:: [[b]]",
	})
	f.Imports()
	refused := map[string]string{}
	for _, path := range []string{"a", "b"} {
		got, err := f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range got.Linked {
			refused[b.Path+" → "+path] = b.Refused
		}
	}
	if diff := cmp.Diff(map[string]string{"a.md → b": "", "b.md → a": "cycle", "c.md → b": "", "d.md → b": "successor"}, refused); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBacklinks_NamesOfFiles(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "![[p.png]]", "p.png": "", "same.md": "1", "one/deep.md": "x"})
	g := newFolder(t, map[string]string{"same.md": "2"})
	g.Importer.DB = f.Importer.DB
	f.Imports()
	if _, err := g.Importer.Import(t.Context(), vault.ImportArgs{Dir: g.Dir, Name: "w"}); err != nil {
		t.Fatal(err)
	}
	dbtest.Script(t, f.Importer.DB.Path(), `insert into memories (title, content) values ('A memory', 'x')`)
	for name, c := range map[string]struct {
		vault, path string
		code        fault.Code
		want        string
	}{
		"File": {"", "p.png", "", "p.png"}, "Title": {"", "deep", "", "one/deep.md"}, "ID": {"", f.ID("a.md"), "", "a.md"}, "URI": {"", "obsidian-fs://w/same", "", "same.md"},
		"Named": {"v", "same", "", "same.md"}, "Ambiguous": {"", "same", fault.Ambiguous, ""}, "Missing": {"", "nothing", fault.NotFound, ""},
		"Memory": {"", "A memory", fault.NotFound, ""}, "InNoVault": {"nowhere", "a", fault.NotFound, ""}, "Outside": {"", "../a", fault.OutsideVault, ""},
	} {
		got, err := f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: c.path, Vault: c.vault})
		if got.Path != c.want || fault.CodeOf(err) != c.code {
			t.Errorf("%s: %q, %v; want %q, %q", name, got.Path, err, c.want, c.code)
		}
	}
}

// A caller of one namespace cannot read a vault of another namespace.
func TestReading_StaysInItsNamespace(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "#theirs [[b]]", "b.md": "x"})
	g := newFolder(t, map[string]string{"c.md": "#ours [[a]]"})
	g.Importer.DB = f.Importer.DB
	if _, err := f.Importer.Import(t.Context(), vault.ImportArgs{Dir: f.Dir, Name: "theirs", Namespace: "theirs"}); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Importer.Import(t.Context(), vault.ImportArgs{Dir: g.Dir, Name: "ours", Namespace: "ours"}); err != nil {
		t.Fatal(err)
	}
	g.Importer.Caller = ref.Caller{Actor: "claude", Namespace: "ours", Confined: true}
	if diff := cmp.Diff([]string{"c.md"}, paths(g.list(reading.ListNotesArgs{}).Notes)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if tags := g.tags(reading.TagsArgs{}).Tags; len(tags) != 1 || tags[0].Tag != "ours" {
		t.Errorf("tags: %+v", tags)
	}
	for _, path := range []string{"a", "obsidian-fs://theirs/a.md", f.idIn("theirs", "a.md")} {
		_, read := g.reader().ReadNote(t.Context(), reading.ReadNoteArgs{Path: path})
		_, links := g.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: path})
		if fault.CodeOf(read) != fault.NotFound || fault.CodeOf(links) != fault.NotFound {
			t.Errorf("%s: %v and %v, want not_found", path, read, links)
		}
	}
	if _, err := g.Importer.Reimport(t.Context(), vault.ReimportArgs{Name: "theirs"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("Reimport: %v, want not_found", err)
	}
	if report, err := g.Importer.Reimport(t.Context(), vault.ReimportArgs{}); err != nil || report.Vault != "ours" {
		t.Errorf("Reimport: %+v, %v", report, err)
	}
}

func (f folder) idIn(name, path string) string {
	f.T.Helper()
	ids := projectiontest.Rows(f.T, f.Importer.DB, `select id from memories where uri = ?`, "obsidian-fs://"+name+"/"+path)
	if len(ids) != 1 {
		f.T.Fatalf("%d memories are %s", len(ids), path)
	}
	return ids[0]
}
