package code_test

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hence/code"
	"hence/code/golang"
	"hence/code/symbol"
	"hence/code/syntax"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/projection"
	"hence/projection/projectiontest"
	"hence/projection/tokens"
)

// commitCount is the number of commits of this repository to import, one after the other.
const commitCount = 100

// history is a clone of this repository, in which one commit after the other is checked out.
type history struct {
	*testing.B
	dir  string
	into code.Importer
	read map[string]symbol.File // by git's hash of a file and its path
}

// BenchmarkReplay imports the newest commits of this repository, one after the other. A
// memory depends on each symbol. After each commit it compares the stale memories with the
// symbols whose tokens have changed, by a simple comparison of both commits. After every
// tenth commit it compares the edges with those of an import into an empty store.
func BenchmarkReplay(b *testing.B) {
	h := &history{b, filepath.Join(b.TempDir(), "hence"), code.Importer{DB: dbtest.New(b), Caller: ref.Caller{Actor: "bench", Origin: "person"}}, map[string]symbol.File{}}
	root, err := filepath.Abs("..")
	if err != nil {
		b.Fatal(err)
	}
	h.git(root, "clone", "-q", "--no-checkout", root, h.dir)
	commits := strings.Fields(h.git(h.dir, "rev-list", "--first-parent", "--reverse", fmt.Sprintf("-n%d", commitCount+1), "HEAD"))
	if len(commits) <= commitCount {
		b.Skipf("the repository has %d commits here", len(commits))
	}
	for b.Loop() {
		var doubted, wrong, missed, quiet, loud, edges int
		before := h.checkOut(commits[0])
		h.imports()
		rests := h.rest()
		if len(rests) != len(before) {
			b.Errorf("the store has %d symbols, the files have %d", len(rests), len(before))
		}
		for i, commit := range commits[1:] {
			now := h.checkOut(commit)
			h.imports()
			want, got := changedTokens(before, now), h.doubted(rests)
			doubted += len(want)
			wrong += len(without(got, want))
			missed += len(without(want, got))
			for _, uri := range slices.Concat(without(got, want), without(want, got)) {
				b.Logf("%.8s: %s is doubted: %t", commit, uri, got[uri])
			}
			if len(want) == 0 {
				quiet++
				loud += min(1, len(got))
			}
			if (i+1)%10 == 0 {
				edges += h.differingEdges()
			}
			rests, before = h.rest(), now
		}
		b.ReportMetric(commitCount, "commits")
		b.ReportMetric(float64(doubted), "changed")
		b.ReportMetric(float64(wrong), "wrong")
		b.ReportMetric(float64(missed), "missed")
		b.ReportMetric(float64(quiet), "quiet")
		b.ReportMetric(float64(loud), "quiet-doubted")
		b.ReportMetric(float64(edges), "edges-differ")
	}
}

func without(all, others map[string]bool) (left []string) {
	for uri := range all {
		if !others[uri] {
			left = append(left, uri)
		}
	}
	return left
}

func (h *history) git(dir string, args ...string) string {
	h.Helper()
	cmd := exec.CommandContext(h.Context(), "git", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	said, err := cmd.Output()
	if err != nil {
		h.Fatalf("git %v: %v", args, err)
	}
	return string(said)
}

func (h *history) imports() {
	h.Helper()
	if _, err := h.into.Mirror().Import(h.Context(), projection.ImportArgs{Dir: h.dir, Name: "hence"}); err != nil {
		h.Fatal(err)
	}
}

// checkOut writes a commit to disk, and returns the tokens of its symbols by uri.
func (h *history) checkOut(commit string) map[string]tokens.Sum {
	h.Helper()
	h.git(h.dir, "checkout", "-q", "--force", commit)
	files, others := []symbol.File{}, []symbol.File{}
	for line := range strings.SplitSeq(strings.TrimSuffix(h.git(h.dir, "ls-tree", "-r", "-z", commit), "\x00"), "\x00") {
		about, name, _ := strings.Cut(line, "\t")
		fields := strings.Fields(about)
		if fields[0] == "120000" || path.Base(name) == "go.mod" {
			continue
		}
		known := fields[2] + " " + name
		if _, ok := h.read[known]; !ok {
			text, err := os.ReadFile(filepath.Join(h.dir, filepath.FromSlash(name)))
			if err != nil {
				h.Fatal(err)
			}
			file := symbol.File{}
			switch {
			case len(text) > 1<<20:
			case strings.HasSuffix(name, ".go"):
				file = golang.Read(name, text)
			case syntax.Language(name, text) != "":
				file, _ = syntax.Read(name, text)
			}
			h.read[known] = file
		}
		file := h.read[known]
		file.Declarations = slices.Clone(file.Declarations)
		if file.Language == "go" {
			files = append(files, file)
		} else {
			others = append(others, file)
		}
	}
	golang.Number(files)
	symbols := map[string]tokens.Sum{}
	for _, file := range append(files, others...) {
		for _, d := range file.Declarations {
			symbols["code://hence/"+string(symbol.KeyOf(file.Module, d.Name))] = d.Tokens
		}
	}
	return symbols
}

// changedTokens returns the symbols whose tokens have changed, and those that are removed and
// not renamed. A removed symbol is renamed if exactly one new symbol has the same tokens, at
// least 8 of them, and no other removed symbol has.
func changedTokens(before, now map[string]tokens.Sum) map[string]bool {
	changed := map[string]bool{}
	removed, added := map[string][]string{}, map[string]int{}
	for uri, tokens := range before {
		if after, ok := now[uri]; !ok {
			removed[tokens.Hash] = append(removed[tokens.Hash], uri)
		} else if after.Hash != tokens.Hash {
			changed[uri] = true
		}
	}
	for uri, tokens := range now {
		if _, ok := before[uri]; !ok && tokens.Count >= 8 {
			added[tokens.Hash]++
		}
	}
	for hash, uris := range removed {
		if len(uris) > 1 || added[hash] != 1 {
			for _, uri := range uris {
				changed[uri] = true
			}
		}
	}
	return changed
}

// rest makes a memory depend on each symbol as it is now. It returns the uris of the symbols
// by the ids of these memories.
func (h *history) rest() map[string]string {
	h.Helper()
	dbtest.Script(h.B, h.into.DB.Path(), `
delete from edges where declared = 'explicit' and to_key in (select key from memories where status = 'forgotten');
update edges set basis = (select content_hash from memories where key = edges.to_key)
where declared = 'explicit' and basis <> (select content_hash from memories where key = edges.to_key);
insert into memories (id, title)
select 'rests on ' || s.memory, 'rests on ' || s.memory
from symbols s
join memories m on m.key = s.memory and m.status = 'current'
where s.file is not null and not exists (select 1 from memories r where r.id = 'rests on ' || s.memory);
insert or ignore into edges (from_key, to_key, kind, basis)
select r.key, m.key, 'depends-on', m.content_hash
from symbols s
join memories m on m.key = s.memory and m.status = 'current'
join memories r on r.id = 'rests on ' || s.memory
where s.file is not null
  and not exists (select 1 from edges e where e.from_key = r.key);`)
	return h.pairs(`
select r.id, m.uri
from edges e
join memories r on r.key = e.from_key
join memories m on m.key = e.to_key
where e.declared = 'explicit'`)
}

// pairs returns the rows of a query with two columns: first → second.
func (h *history) pairs(query string) map[string]string {
	h.Helper()
	all := map[string]string{}
	for _, line := range projectiontest.Rows(h.B, h.into.DB, query) {
		one, other, _ := strings.Cut(line, " | ")
		all[one] = other
	}
	return all
}

// doubted returns the symbols, by their old uris, whose memory is stale.
func (h *history) doubted(before map[string]string) map[string]bool {
	h.Helper()
	doubted := map[string]bool{}
	for id := range h.pairs(`select distinct m.id, '' from stale_because s join memories m on m.key = s.memory`) {
		doubted[before[id]] = true
	}
	return doubted
}

// differingEdges returns the number of edges and sites in which the store differs from a new
// store that has imported only the current commit.
func (h *history) differingEdges() int {
	h.Helper()
	const query = `
select f.uri || ' ' || e.kind || ' ' || e.rel || ' ' || t.uri || ' ' || s.resolved_by || ' ' || n.uri || ' ' || s.line || ' ' || s.start_byte || '-' || s.end_byte
from sites s
join memories n on n.key = s.note
join edges e on e.key = s.edge
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key`
	fresh := *h
	fresh.into.DB = dbtest.New(h.B)
	fresh.imports()
	count := map[string]int{}
	for _, row := range projectiontest.Rows(h.B, h.into.DB, query) {
		count[row]++
	}
	for _, row := range projectiontest.Rows(h.B, fresh.into.DB, query) {
		count[row]--
	}
	differ := 0
	for row, n := range count {
		if n != 0 {
			differ++
			h.Logf("%+d %s", n, row)
		}
	}
	return differ
}
