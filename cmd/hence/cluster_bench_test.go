package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hence/edges"
	"hence/edges/walk"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/node/nodetest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
	"hence/vault"
)

// The sizes of what is measured on a cluster and beside it on a plain file.
const (
	clusterMemories = 1000 // that every store holds, each with two edges
	clusterCalls    = 300  // of each kind, per store
	clusterNotes    = 1000 // of the vault that is imported
	clusterImports  = 3    // the fastest counts
)

// contender is a store that is measured: a plain file, or that of a cluster beside one
// of its nodes.
type contender struct {
	name string
	view ref.View
	took map[string][]time.Duration
}

// BenchmarkCluster measures calls of the domain on a plain file, beside the leader of a
// cluster of three nodes on this machine, and beside a follower, in turn:
//
//	HENCE_TEST_RQLITED=rqlited go test ./cmd/hence -run '^$' -bench Cluster -benchtime 1x
func BenchmarkCluster(b *testing.B) {
	cluster := nodetest.Start(b, 3)
	for b.Loop() { // once; the calls are counted here
		leader := slices.Index(cluster.Nodes, cluster.Leader())
		all := []*contender{
			newContender(b, "Plain", filepath.Join(dbtest.Folder(b), "plain.db")),
			newContender(b, "Leader", cluster.Store(leader)),
			newContender(b, "Follower", cluster.Store((leader+1)%3)),
		}
		// The stores are equal: that of the cluster is filled beside its leader.
		for _, c := range all[:2] {
			c.fill(b)
		}
		all[2].await(b, all[1])
		for i := range clusterCalls {
			for _, c := range all {
				c.measure(b, i)
			}
			if err := all[0].store(b, "beside", i); err != nil { // the cluster got two
				b.Fatal(err)
			}
		}
		vault := benchVault(b)
		for i := range clusterImports {
			for _, c := range all {
				c.importVault(b, vault, fmt.Sprint(c.name, i))
			}
		}
		if now := slices.Index(cluster.Nodes, cluster.Leader()); now != leader {
			b.Fatal("the leader has changed, so that the figures are not those of one; measure again")
		}
		for _, c := range all {
			c.report(b)
		}
	}
	b.ReportMetric(0, "ns/op")
}

func newContender(b *testing.B, name, store string) *contender {
	d, err := db.Open(b.Context(), store, db.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := d.Close(); err != nil {
			b.Error(err)
		}
	})
	return &contender{name, ref.View{DB: d, Caller: ref.Caller{Actor: "bench", Origin: "agent"}}, map[string][]time.Duration{}}
}

func must[R any](r R, err error) func(b *testing.B) R {
	return func(b *testing.B) R {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
}

func benchTitle(i int) string { return fmt.Sprintf("memory %d", i) }

// fill stores memories that rest on earlier ones.
func (c *contender) fill(b *testing.B) {
	ctx := b.Context()
	for i := range clusterMemories {
		title := benchTitle(i)
		must(memory.Store(c.view).Remember(ctx, memory.StoreArgs{Title: &title, Content: benchText(i), Dedup: "off"}, nil))(b)
		for _, to := range []int{i / 2, i / 3} {
			if to < i {
				must(edges.Graph(c.view).Link(ctx, edges.LinkArgs{From: title, To: benchTitle(to), Type: "depends-on"}))(b)
			}
		}
	}
}

// benchText is a text with a word of its own among those that all have.
func benchText(i int) string {
	return fmt.Sprintf("What is known about harbour%d: the ferry of pier %d leaves at nine, and the crane of quay %d lifts %d tons.", i, i%17, i%29, i%13)
}

// await waits until a store beside another node holds as much.
func (c *contender) await(b *testing.B, as *contender) {
	const count = `select count(*) from edges`
	want := dbtest.Texts(b, as.view.DB, count)[0]
	for end := time.Now().Add(time.Minute); dbtest.Texts(b, c.view.DB, count)[0] != want; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			b.Fatal("the follower does not catch up")
		}
	}
}

func (c *contender) store(b *testing.B, word string, i int) error {
	_, err := memory.Store(c.view).Remember(b.Context(), memory.StoreArgs{Content: fmt.Sprintf("%s measured %d: %s", word, i, benchText(i)), Dedup: "off"}, nil)
	return err
}

// measure makes one call of each kind.
func (c *contender) measure(b *testing.B, i int) {
	ctx, v := b.Context(), c.view
	title := benchTitle(i * 7 % clusterMemories)
	for _, kind := range []struct {
		name string
		call func() error
	}{
		{"store", func() error { return c.store(b, c.name, i) }},
		{"get", func() error { _, err := memory.Store(v).Open(ctx, memory.GetArgs{ID: title}); return err }},
		{"search", func() error {
			_, err := recall.Searcher(v).Search(ctx, recall.SearchArgs{Query: fmt.Sprintf("harbour%d crane", i*7%clusterMemories)})
			return err
		}},
		{"path", func() error {
			_, err := walk.Graph(v).Path(ctx, walk.PathArgs{From: title, To: benchTitle(1), MaxHops: 10})
			return err
		}},
		{"trace", func() error {
			_, err := walk.Graph(v).Trace(ctx, walk.TraceArgs{ID: title, Direction: "upstream"})
			return err
		}},
	} {
		began := time.Now()
		if err := kind.call(); err != nil {
			b.Fatal(err)
		}
		c.took[kind.name] = append(c.took[kind.name], time.Since(began))
	}
}

// benchVault writes notes with links.
func benchVault(b *testing.B) string {
	folder := dbtest.Folder(b)
	for n := range clusterNotes {
		var text strings.Builder
		fmt.Fprintf(&text, "---\ntags: [t%d]\ndepends-on: \"[[n%d]]\"\n---\n# Note %d\n\n", n%7, n/2, n)
		for p := range 6 {
			fmt.Fprintf(&text, "%s See [[n%d]] and [[n%d]].\n\n", benchText(n*7+p), (n+p*31)%clusterNotes, (n*3+p)%clusterNotes)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("n%d.md", n)), []byte(text.String()), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return folder
}

// importVault imports a vault, and forgets it again.
func (c *contender) importVault(b *testing.B, folder, name string) {
	i := vault.Importer{DB: c.view.DB, Caller: ref.Caller{Actor: "bench"}}
	began := time.Now()
	report := must(i.Import(b.Context(), vault.ImportArgs{Dir: folder, Name: name}))(b)
	c.took["import"] = append(c.took["import"], time.Since(began))
	if report.Added != clusterNotes {
		b.Fatalf("%d notes were imported", report.Added)
	}
	must(i.ForgetVault(b.Context(), vault.ForgetVaultArgs{Vault: name, Purge: true}))(b)
}

// report reports the median and the 99th percentile of each kind of call, and the fastest
// import.
func (c *contender) report(b *testing.B) {
	for kind, took := range c.took {
		slices.Sort(took)
		if kind == "import" {
			b.ReportMetric(float64(took[0].Milliseconds()), c.name+"-import-ms")
			continue
		}
		b.ReportMetric(float64(took[len(took)/2].Microseconds()), c.name+"-"+kind+"-p50-µs")
		b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), c.name+"-"+kind+"-p99-µs")
	}
}
