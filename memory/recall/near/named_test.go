package near

import "testing"

// A text names a file or a folder around it in many ways, and much that looks like it is a word.
func TestDepthIn(t *testing.T) {
	all := []string{"README.md", "cmd/app/main.go", "cmd/tool/main.go", "internal/db/pool.go", "internal/db/wait.go", "web/src/core/store.ts", "web/src/core/index.ts", "web/src/index.ts", "docs/a b.md"}
	for _, c := range []struct {
		path, text string
		want       int
	}{
		{"internal/db/pool.go", "internal/db/pool.go keeps order", namesItself},
		{"internal/db/pool.go", "Keep `pool.go` small.", namesItself},
		{"internal/db/pool.go", "See ./internal/db/pool.go:120, and no other", namesItself},
		{"internal/db/pool.go", "It lives only in pool.go.", namesItself},
		{"internal/db/pool.go", "The [pool](db/pool.go#L3) is a promise", namesItself},
		{"internal/db/pool.go", `On Windows internal\db\pool.go`, namesItself},
		{"internal/db/pool.go", `{"file":"internal\\db\\pool.go"}`, namesItself},
		{"internal/db/pool.go", "github.com/ada/app/internal/db/pool.go", namesItself},
		{"internal/db/pool.go", "@internal/db/pool.go has no clock", namesItself},
		{"internal/db/pool.go", "carpool.go is another", 0},
		{"internal/db/pool.go", "other/pool.go is another", 0},
		{"internal/db/pool.go", "pool.gob, pool.go.tmpl, the pool, a go pool", 0},
		{"internal/db/pool.go", "Nothing below internal/db/ may log", 2},
		{"internal/db/pool.go", "internal/** is ours", 1},
		{"internal/db/pool.go", "run ./internal/db/... first", 2},
		{"internal/db/pool.go", "the db package is pure", 2},
		{"internal/db/pool.go", "the directory `db`", 2},
		{"internal/db/pool.go", `{"folder":"db"}`, 2},
		{"internal/db/pool.go", "everything under internal", 1},
		{"internal/db/pool.go", "app/internal/db is frozen", 2},
		{"internal/db/pool.go", "the db is slow, and internal talk", 0},
		{"internal/db/pool.go", "lib/db/main.dart draws", 0},
		{"internal/db/pool.go", "internal/dbtest/ is for tests", 0},
		{"internal/db/pool.go", "pool/ and db.sqlite", 0},
		{"cmd/app/main.go", "main.go wires it", 0},                     // which of them?
		{"cmd/app/main.go", "the app's main.go wires it", namesItself}, // the folder says it
		{"cmd/tool/main.go", "the app's main.go wires it", 0},
		{"cmd/app/main.go", "app/main.go wires it", namesItself},
		{"web/src/core/index.ts", "core/index.ts is public", namesItself},
		{"web/src/index.ts", "core/index.ts is public", 0},
		{"README.md", "README.md is generated", namesItself},
		{"docs/a b.md", "see a b.md", namesItself},
		{"docs/a b.md", "... // \\ * ./ @ a/../.. ~", 0},
	} {
		f := File{Repository: "app", Path: c.path, All: func() ([]string, error) { return all, nil }}
		if got, err := f.depthIn(c.text); got != c.want || err != nil {
			t.Errorf("%s in %q: %d, %v, want %d", c.path, c.text, got, err, c.want)
		}
	}
}

func FuzzDepthIn(f *testing.F) {
	f.Add("a/b.go", "see ./a/b.go: and a/**")
	f.Fuzz(func(t *testing.T, path, text string) {
		file := File{Repository: "r", Path: path, All: func() ([]string, error) { return []string{path}, nil }}
		if path == "" || path[0] == '/' {
			return
		}
		if _, err := file.depthIn(text); err != nil {
			t.Fatal(err)
		}
	})
}
