package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
)

// Each command that a text of the program names is one that there is, with its flags.
func TestTextsNameCommandsThatThereAre(t *testing.T) {
	dbtest.SkipUnderRace(t)
	const root = "../.."
	// What else follows the name of the program in a sentence.
	prose := []string{"and", "calls", "command", "id", "in", "is", "lost", "on", "puts", "there", "within"}
	command, flag := regexp.MustCompile(`(?:^|[^\w./-])hence ([a-z]+)([^;:,.)\n]*)`), regexp.MustCompile(` --([a-z][a-z-]*)`)
	program, named := new(session).root(), 0
	check := func(at, text string) {
		for _, found := range command.FindAllStringSubmatch(text, -1) {
			if named++; slices.Contains(prose, found[1]) {
				continue
			}
			c, _, err := program.Find(append([]string{found[1]}, strings.Fields(found[2])...))
			if err != nil || c == program {
				t.Errorf("%s names hence %s, which is not a command: %q", at, found[1], text)
				continue
			}
			for _, one := range flag.FindAllStringSubmatch(found[2], -1) {
				if one[1] != "help" && c.Flags().Lookup(one[1]) == nil && c.InheritedFlags().Lookup(one[1]) == nil {
					t.Errorf("%s names a flag that hence %s does not have, --%s: %q", at, c.Name(), one[1], text)
				}
			}
		}
	}
	err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && (file != root && strings.HasPrefix(e.Name(), ".") || slices.Contains([]string{"testdata", "node_modules", "bench", "release"}, e.Name())) {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil {
					check(files.Position(literal.Pos()).String(), text)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || named < 100 {
		t.Errorf("%d commands are named; %v", named, err)
	}
}
