package hence_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What one reader holds in mind at once: a function, and a package unless ARCHITECTURE.md
// says why it is larger.
const (
	functionLines = 70
	packageLines  = 3300
	packageFiles  = 18
)

func TestFunctionsAndPackagesAreSmallOrSayWhy(t *testing.T) {
	type size struct{ lines, files int }
	packages := map[string]*size{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".") {
			return filepath.SkipDir
		}
		folder := filepath.ToSlash(filepath.Dir(file))
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.HasSuffix(folder, "test") {
			return err
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if packages[folder] == nil {
			packages[folder] = &size{}
		}
		packages[folder].files++
		packages[folder].lines += files.File(parsed.Pos()).LineCount()
		for _, declared := range parsed.Decls {
			f, ok := declared.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if lines := files.Position(f.End()).Line - files.Position(f.Pos()).Line + 1; lines > functionLines {
				t.Errorf("%s: %s has %d lines, and may have %d", file, f.Name.Name, lines, functionLines)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, reasons, _ := strings.Cut(string(page), "- Packages over 3,300 lines or 18 files: ")
	reasons, _, ok := strings.Cut(reasons, ".\n")
	if !ok {
		t.Fatal("ARCHITECTURE.md does not list the large packages")
	}
	for folder, is := range packages {
		large := is.lines > packageLines || is.files > packageFiles
		if named := strings.Contains(reasons, "`"+folder+"`"); large != named {
			t.Errorf("%s has %d lines in %d files; named in ARCHITECTURE.md among the large ones: %v", folder, is.lines, is.files, named)
		}
	}
}
