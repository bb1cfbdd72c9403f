package near

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/recall/question"
)

func TestCommandParts(t *testing.T) {
	for command, want := range map[string][][]string{
		"make export ZSTD=1":                        {{"make", "export", "zstd", "1"}},
		"ZSTD=1 make export":                        {{"make", "export", "zstd", "1"}},
		"cd /srv/app && ./bin/deploy --dry-run | x": {{"cd"}, {"deploy", "dry", "run"}, {"x"}},
		`git commit -m "fix the pool of workers"`:   {{"git", "commit", "m"}},
		"cat <<EOF\nmany words here\nEOF":           {{"cat"}},
		"go test ./...":                             {{"go", "test"}},
		"mv pool.go worker.go -v --a.b":             {{"mv", "v", "a", "b"}},
		"":                                          nil,
	} {
		if diff := cmp.Diff(want, commandParts(command)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", command, diff)
		}
	}
}

func TestCommanded(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `
insert into memories (key, title, content) values
  (1, 'Export', 'make export ZSTD=1 fails on the build machine.'),
  (2, 'Slow status', 'On the big disk `+"`git status`"+` takes a minute; use -uno.'),
  (3, 'Race', 'Run `+"`go test -race ./...`"+` before saying done.'),
  (4, 'Sales', 'We make an export of the sales, and status reports go to Ada.'),
  (5, 'Hook', 'git push --no-verify is not allowed here.'),
  (6, 'Certificates', 'x509: certificate signed by unknown authority means that the proxy is on.'),
  (8, 'Force', 'Never `+"`git push --force`"+`: it broke release 4.'),
  (7, 'Old export', 'make export ZSTD=1 was slow.')`)
	dbtest.Script(t, d.Path(), `insert into edges (from_key, to_key, kind) values (1, 7, 'supersedes')`)
	for _, c := range []struct {
		command, failure string
		want             []int64
	}{
		{"make export ZSTD=1", "", []int64{1}},
		{"make export", "", []int64{1}},
		{"git status", "", []int64{2}},
		{"git status --short", "", nil},
		{"git push --no-verify origin main", "", []int64{5}},
		{"git push", "", nil},
		{"git push --force", "", []int64{8}},
		{"git push origin main --force", "", []int64{8}},
		{"git push origin main", "", nil},
		{"go test -race -run TestPool ./db", "", []int64{3}},
		{"go test ./...", "", nil},
		{"ls", "", nil},
		{"ls -la /tmp/export", "", nil},
		{`git commit -m "make export of sales"`, "", nil},
		{"curl https://example.com", "curl: (60) x509: certificate signed by unknown authority", []int64{6}},
		{"curl https://example.com", "", nil},
		{"go vet ./...", "undefined: status", nil},
		{"", "", nil},
	} {
		err := d.Read(t.Context(), func(r *db.Reader) error {
			hits, err := Commanded(t.Context(), r, ref.Caller{}, question.Filter{Status: "current", Times: edges.Today()}, c.command, c.failure, nil)
			var got []int64
			for _, hit := range hits {
				got = append(got, hit.Memory)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%q %q (-want +got):\n%s", c.command, c.failure, diff)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
