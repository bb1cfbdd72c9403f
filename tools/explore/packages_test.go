package explore

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/code"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/projection"
	"hence/projection/projectiontest"
)

func TestPackagesTellWhoUsesWhom(t *testing.T) {
	d, dir := dbtest.New(t), dbtest.Folder(t)
	for name, text := range map[string]string{
		"go.mod":           "module example.com/repo\n\ngo 1.24\n",
		"queue/queue.go":   "package queue\n\n// Drain empties it.\nfunc Drain() int { return once() + once() }\n\nfunc once() int { return 1 }\n",
		"pump/pump.go":     "package pump\n\nimport \"example.com/repo/queue\"\n\nfunc Run() int { return queue.Drain() }\n\nfunc Stop() int { return queue.Drain() }\n",
		"script/single.py": "def alone():\n    return 1\n",
	} {
		projectiontest.Write(t, dir, name, text)
	}
	into := code.Importer{DB: d, Caller: ref.Caller{Actor: "tester", Namespace: "ours"}}
	if _, err := into.Mirror().Import(t.Context(), projection.ImportArgs{Dir: dir, Name: "repo"}); err != nil {
		t.Fatal(err)
	}
	p, err := reader{DB: d, Caller: person}.Packages(t.Context(), PackagesArgs{})
	if err != nil {
		t.Fatal(err)
	}
	names, said := map[string]string{}, []string{}
	for _, one := range p.Packages {
		names[one.ID] = one.Title
		said = append(said, fmt.Sprint(one.Title, " ", one.Symbols))
	}
	for _, e := range p.Edges {
		said = append(said, fmt.Sprint(names[e.From], " ", e.Type, " ", names[e.To], " ", e.Count))
	}
	want := []string{"package pump 2", "package queue 2", "script/single.py 1", "package pump calls package queue 2", "package pump imports package queue 1"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	guest := reader{DB: d, Caller: ref.Caller{Actor: "guest", Namespace: "theirs", Confined: true}}
	if p, err := guest.Packages(t.Context(), PackagesArgs{}); err != nil || len(p.Packages)+len(p.Edges) > 0 {
		t.Errorf("a guest sees %+v, %v", p, err)
	}
}

func TestPackagesKeepThoseWithMostEdges(t *testing.T) {
	p := Packages{}
	for _, name := range []string{"a", "b", "c", "d"} {
		p.Packages = append(p.Packages, Package{Far: ref.Far{End: ref.End{Named: ref.Named{ID: name, Title: name}}}})
	}
	p.Edges = []PackageTie{{"d", "b", "calls", 3}, {"a", "b", "calls", 1}, {"d", "c", "imports", 2}}
	p.cut(3)
	if len(p.Packages) != 3 || p.Packages[0].ID != "b" || p.Packages[1].ID != "c" || p.Packages[2].ID != "d" || len(p.Edges) != 2 || p.Rest != 1 {
		t.Errorf("%+v", p)
	}
}
