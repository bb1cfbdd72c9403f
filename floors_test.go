package hence_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors are the rooms of the house from the ground up. A room imports only
// from floors below its own; rooms of one floor do not know each other.
var floors = [][]string{
	{"hence/internal/jsonschema", "hence/internal/lists", "hence/internal/pattern", "hence/internal/pause", "hence/internal/plural", "hence/internal/prose"},
	{path.Clean(house), "hence/internal/fault", "hence/internal/secret", "hence/projection/tokens", "hence/internal/script", "hence/internal/spelling"},
	{"hence/internal/db/remote", "hence/memory/recall/lexicon"},
	{"hence/internal/args", "hence/internal/budget", "hence/internal/components", "hence/internal/db", "hence/internal/lines", "hence/memory/embed", "hence/code/symbol", "hence/projection/folder/ignore", "hence/vault/mention", "hence/vault/note", "hence/vault/resolve", "hence/memory/statement"},
	{"hence/code/golang", "hence/code/suite", "hence/internal/node", "hence/internal/permit", "hence/internal/ref", "hence/vault/writing/edit", "hence/code/syntax"},
	{"hence/internal/receipts", "hence/memory/record"},
	{"hence/edges", "hence/memory/recall/vectors", "hence/code/bind"},
	{"hence/edges/acyclic", "hence/edges/belief", "hence/edges/walk/community"},
	{"hence/edges/walk"},
	{"hence/memory"},
	{"hence/memory/journal"},
	{"hence/memory/recall/question", "hence/memory/review"},
	{"hence/memory/recall/rank"},
	{"hence/memory/recall/answer"},
	{"hence/memory/recall/near"},
	{"hence/memory/recall", "hence/memory/use", "hence/memory/exchange/lines", "hence/memory/doctor", "hence/memory/sources"},
	{"hence/memory/exchange/merge", "hence/memory/exchange/notes", "hence/memory/exchange/transcripts"},
	{"hence/memory/exchange/team"},
	{"hence/memory/briefing", "hence/memory/replay", "hence/memory/erase", "hence/memory/tidy", "hence/code/checkout", "hence/projection/folder"},
	{"hence/projection/undolog"},
	{"hence/projection"},
	{"hence/code", "hence/vault"},
	{"hence/agents", "hence/code/moment", "hence/code/reading", "hence/code/writing", "hence/vault/reading", "hence/vault/writing"},
	{"hence/tools/httpserve/token", "hence/tools/httpserve/oauth", "hence/tools/show", "hence/tools/skills", "hence/tools/wire"},
	{"hence/tools"},
	{"hence/tools/explore", "hence/tools/stdio"},
	{"hence/tools/httpserve", "hence/cmd/hence/internal/clients", "hence/cmd/hence/internal/early", "hence/cmd/hence/internal/flags", "hence/cmd/hence/internal/hooks", "hence/cmd/hence/internal/screen"},
	{"hence/cmd/hence", "hence/bench", "hence/bench/same", "hence/bench/ripple", "hence/release", "hence/release/model"},
}

// house is the module. A release publishes it under another name, which replaces this one
// here as it does in imports.
const house = "hence/"

// apart are the rooms that stand on nothing of the project's but on pattern, which is one line.
var apart = []string{"hence/projection/tokens", "hence/projection/folder/ignore", "hence/vault/note", "hence/vault/resolve", "hence/edges/walk/community", "hence/internal/components", "hence/internal/lines", "hence/internal/prose", "hence/internal/script", "hence/internal/spelling", "hence/bench", "hence/bench/same", "hence/bench/ripple", "hence/release", "hence/release/model"}

func TestRoomsImportOnlyFromTheFloorsBelow(t *testing.T) {
	floorOf := map[string]int{}
	for n, rooms := range floors {
		for _, room := range rooms {
			floorOf[room] = n
		}
	}
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || file == "dist") { // of the explorer's page, and of a release
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		room := path.Join(house, filepath.ToSlash(filepath.Dir(file)))
		if strings.HasSuffix(room, "test") { // helpers of tests, such as internal/db/dbtest
			return nil
		}
		floor, ok := floorOf[room]
		if !ok {
			t.Errorf("%s stands on no floor; give it one in this test and in ARCHITECTURE.md", room)
			return nil
		}
		seen[room] = true
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if !strings.HasPrefix(imported+"/", house) {
				continue
			}
			if slices.Contains(apart, room) && imported != "hence/internal/pattern" {
				t.Errorf("%s imports %s, and stands on nothing", file, imported)
			}
			// Other rooms reach projection through the rooms that read the files, and it
			// knows none of these.
			if imported == "hence/projection" && room != "hence/agents" && !strings.HasPrefix(room, "hence/vault") && !strings.HasPrefix(room, "hence/code") || room == "hence/projection" && (strings.HasPrefix(imported, "hence/vault") || strings.HasPrefix(imported, "hence/code")) {
				t.Errorf("%s imports %s, and a format stands between them", file, imported)
			}
			below, ok := floorOf[imported]
			if !ok || below >= floor {
				t.Errorf("%s imports %s, which is not on a floor below", file, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for room := range floorOf {
		if !seen[room] {
			t.Errorf("there is no %s any more; take it off its floor", room)
		}
	}
}
