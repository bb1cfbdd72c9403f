package resolve_test

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	_ "hence/internal/repeattest"
	"hence/vault/resolve"
)

// naive resolves a link by a comparison with every file. It is a second, simple
// implementation of the rules.
func naive(files []string, aliases map[string][]string, source, target string) resolve.Result {
	if target == "" {
		return resolve.Result{Path: source, By: resolve.BySelf}
	}
	only := func(want string, step resolve.By) resolve.Result {
		for _, ext := range []string{"", ".md"} {
			if matches := ranked(files, "", want, func(f string) bool { return same(f, want+ext) }); len(matches) > 0 {
				return resolve.Result{Path: matches[0], By: step}
			}
		}
		return resolve.Result{}
	}
	if strings.HasPrefix(target, "./") || strings.HasPrefix(target, "../") {
		if slices.Contains([]string{"", ".", ".."}, target[strings.LastIndex(target, "/")+1:]) {
			return resolve.Result{} // a folder
		}
		return only(path.Join(path.Dir(source), target), resolve.ByRelative)
	}
	if strings.HasPrefix(target, "/") {
		return only(strings.TrimLeft(target, "/"), resolve.ByPath)
	}
	for _, ext := range []string{"", ".md"} {
		exact := ranked(files, source, target, func(f string) bool { return same(f, target+ext) })
		ending := ranked(files, source, target, func(f string) bool {
			return strings.HasSuffix(lower(f), "/"+lower(target+ext))
		})
		step := resolve.ByName
		if strings.Contains(target, "/") {
			step = resolve.BySuffix
		}
		if len(exact) > 0 {
			step = resolve.ByPath
		}
		if all := append(exact, ending...); len(all) > 0 {
			return resolve.Result{Path: all[0], By: step, Candidates: others(all)}
		}
	}
	named := ranked(files, source, target, func(f string) bool {
		return slices.ContainsFunc(aliases[f], func(a string) bool { return same(a, target) })
	})
	if len(named) > 0 {
		return resolve.Result{Path: named[0], By: resolve.ByAlias, Candidates: others(named)}
	}
	return resolve.Result{}
}

func others(files []string) []string {
	if len(files) == 1 {
		return nil
	}
	return files[1:]
}

func lower(s string) string { return strings.ToLower(norm.NFC.String(s)) }

func same(a, b string) bool { return lower(a) == lower(b) }

func ranked(files []string, source, target string, fits func(string) bool) []string {
	var matches []string
	for _, f := range files {
		if fits(f) {
			matches = append(matches, f)
		}
	}
	rank := func(f string) (n int) {
		folder := path.Dir(source)
		if source != "" && folder != "." && !strings.HasPrefix(lower(f), lower(folder)+"/") {
			n += 1 << 20
		}
		n += 2 * len(utf16.Encode([]rune(f)))
		if !strings.HasSuffix(strings.TrimSuffix(f, ".md"), strings.TrimSuffix(target, ".md")) {
			n++
		}
		return n
	}
	slices.SortFunc(matches, func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) })
	return matches
}

var (
	segment = rapid.SampledFrom([]string{"a", "b", "A", "bb", "é", "e\u0301", "\U0001F333", "v1.2", "Note"})
	ending  = rapid.SampledFrom([]string{".md", ".md", ".md", ".MD", ".pdf", "", ".md.md"})
	file    = rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(segment, 1, 3).Draw(t, "segments"), "/") + ending.Draw(t, "ending")
	})
	target = rapid.Custom(func(t *rapid.T) string {
		start := rapid.SampledFrom([]string{"", "", "", "", "/", "./", "../", "../../"}).Draw(t, "start")
		return start + rapid.OneOf(file, rapid.SampledFrom([]string{"", ".", "..", "a/..", "Nick", "nick", "é"})).Draw(t, "rest")
	})
	vault = rapid.SliceOfNDistinct(file, 1, 25, rapid.ID[string])
)

func TestResolveAgreesWithANaiveSearchInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := vault.Draw(t, "files")
		aliases := map[string][]string{}
		for _, f := range rapid.SliceOfN(rapid.SampledFrom(files), 0, 4).Draw(t, "files with aliases") {
			aliases[f] = rapid.SliceOf(rapid.SampledFrom([]string{"Nick", "NICK", "É", "b"})).Draw(t, "aliases")
		}
		one, two := resolve.New(files), resolve.New(nil)
		// The second index gets the same files by other additions and removals.
		passing := vault.Draw(t, "passing files")
		for _, f := range rapid.Permutation(append(slices.Clone(files), passing...)).Draw(t, "order") {
			two.Add(f)
			two.Aliases(f, []string{"Nick"})
		}
		for _, f := range passing {
			if !slices.Contains(files, f) {
				two.Remove(f)
			}
		}
		for _, f := range rapid.Permutation(files).Draw(t, "order of aliases") {
			one.Aliases(f, aliases[f])
			two.Aliases(f, aliases[f])
		}
		for range 10 {
			source := rapid.OneOf(rapid.SampledFrom(files), file).Draw(t, "source")
			text := target.Draw(t, "target")
			want := naive(files, aliases, source, text)
			if diff := gocmp.Diff(want, one.Resolve(source, text)); diff != "" {
				t.Fatalf("%q in %q (-naive +index):\n%s", text, source, diff)
			}
			if diff := gocmp.Diff(want, two.Resolve(source, text)); diff != "" {
				t.Fatalf("%q in %q, grown in another order (-naive +index):\n%s", text, source, diff)
			}
		}
	})
}

// A text resolves only to a file whose path or alias has the key of the text.
func TestALinkResolvesWithinItsKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := vault.Draw(t, "files")
		x := resolve.New(files)
		for _, f := range files {
			x.Aliases(f, []string{"Nick"})
		}
		text := target.Draw(t, "target")
		r := x.Resolve("", text)
		switch key := resolve.Key(text); r.By {
		case resolve.ByNone, resolve.BySelf:
		case resolve.ByAlias:
			if key != resolve.Key("Nick") {
				t.Fatalf("%q found %q by an alias of another key", text, r.Path)
			}
		default:
			for _, f := range append([]string{r.Path}, r.Candidates...) {
				if resolve.Key(f) != key {
					t.Fatalf("%q (key %q) found %q (key %q)", text, key, f, resolve.Key(f))
				}
			}
		}
	})
}
