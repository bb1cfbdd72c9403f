package syntax_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hence/code/syntax"
)

// tag is a declaration in the output of universal-ctags.
type tag struct {
	Name, Path, Language, Kind, ScopeKind string
	Line                                  int
}

// tagKinds are the kinds of functions, methods and types, by the language of ctags.
var tagKinds = map[string][2]string{
	"TypeScript": {"typescript", "class enum function interface method generator"},
	"JavaScript": {"javascript", "class function method generator"},
	"Python":     {"python", "class function member"},
	"Rust":       {"rust", "function method struct enum interface typedef"},
	"Java":       {"java", "class interface enum method"},
	"C":          {"c", "function struct union enum typedef"},
}

// BenchmarkDeclarations counts the functions, methods and types that universal-ctags finds in
// the folders of HENCE_CTAGS, and those of them that Read finds too, by name and line.
// HENCE_CTAGS_SHOW=20 prints the first 20 that Read does not find.
func BenchmarkDeclarations(b *testing.B) {
	folders := filepath.SplitList(os.Getenv("HENCE_CTAGS"))
	if len(folders) == 0 {
		b.Skip("HENCE_CTAGS names no folders")
	}
	for _, folder := range folders {
		tags := ctags(b, folder)
		for language := range tagKinds {
			if len(tags[language]) == 0 {
				continue
			}
			b.Run(filepath.Base(folder)+"/"+language, func(b *testing.B) {
				for b.Loop() {
					compareTags(b, tags[language])
				}
			})
		}
	}
}

func ctags(b *testing.B, folder string) map[string][]tag {
	out, err := exec.Command("ctags", "-R", "--output-format=json", "--fields=+nKlZ", "--extras=-F", "-f", "-", folder).Output()
	if err != nil {
		b.Fatal(err)
	}
	all := map[string][]tag{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one tag
		if json.Unmarshal(lines.Bytes(), &one) != nil {
			continue
		}
		kinds := tagKinds[one.Language]
		if strings.Contains(" "+kinds[1]+" ", " "+one.Kind+" ") && !strings.HasPrefix(one.Name, "__anon") && !strings.HasPrefix(one.Name, "Anonymous") && one.Name != "" {
			all[one.Language] = append(all[one.Language], one)
		}
	}
	return all
}

// compareTags reads the files of tags and compares. It leaves out files that Read treats as
// generated.
func compareTags(b *testing.B, tags []tag) {
	type spot struct {
		path, name string
		line       int
	}
	known, excluded := map[spot]bool{}, map[string]bool{}
	for _, one := range tags {
		if _, read := excluded[one.Path]; read {
			continue
		}
		text, err := os.ReadFile(one.Path)
		if err != nil {
			b.Fatal(err)
		}
		file, places := syntax.Read(one.Path, text)
		excluded[one.Path] = file.Generated || places == nil
		if excluded[one.Path] {
			continue
		}
		for name, spots := range places.Spots {
			name, _, _ = strings.Cut(name, "~")
			for _, s := range spots {
				known[spot{one.Path, strings.TrimPrefix(name[strings.LastIndexByte(name, '.')+1:], "#"), s.Line}] = true
				known[spot{one.Path, string(text[s.Start:s.End]), s.Line}] = true
			}
		}
	}
	all, right := 0, 0
	var limit int
	_, _ = fmt.Sscan(os.Getenv("HENCE_CTAGS_SHOW"), &limit)
	for _, one := range tags {
		if excluded[one.Path] || notDeclared(one) {
			continue
		}
		all++
		name := one.Name[strings.LastIndexAny(one.Name, ".:")+1:]
		near := false
		for line := one.Line - 2; line <= one.Line+2; line++ { // ctags may name the line of the body
			near = near || known[spot{one.Path, one.Name, line}] || known[spot{one.Path, name, line}]
		}
		if near {
			right++
		} else if limit > 0 {
			limit--
			fmt.Printf("%s:%d %s %s\n", one.Path, one.Line, one.Kind, one.Name)
		}
	}
	b.ReportMetric(float64(right)/float64(max(1, all)), "found")
	b.ReportMetric(float64(all), "tags")
}

// notDeclared reports whether a tag is not a declaration: ctags treats "if (" as a method,
// "new (" of an interface as a method new, an object as a class, and a function value within
// another function as a function.
func notDeclared(one tag) bool {
	switch one.Name {
	case "if", "for", "while", "switch", "catch", "return", "new", "function":
		return one.Language == "TypeScript" || one.Language == "JavaScript"
	}
	if one.Language != "JavaScript" {
		return false
	}
	text, err := os.ReadFile(one.Path)
	if err != nil {
		return false
	}
	line := ""
	if lines := strings.Split(string(text), "\n"); one.Line <= len(lines) {
		line = strings.TrimSpace(lines[one.Line-1])
	}
	switch one.ScopeKind {
	case "function", "method", "generator":
		return !strings.HasPrefix(strings.TrimPrefix(line, "async "), "function") && !strings.HasPrefix(line, "class")
	}
	return one.Kind == "class" && (one.Name == "exports" || !strings.Contains(line, "class") && !strings.Contains(line, "function"))
}
