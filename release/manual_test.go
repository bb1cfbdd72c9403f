package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A page says what the help of its command does, and the page of the program what is true of
// all commands.
func TestManualPages(t *testing.T) {
	helps := map[string]string{
		"":          "Hence keeps memories.\n\nUsage:\n  hence [flags]\n\nMemory:\n  store        Remember something\n  help         Help about any command\n\nSetup:\n  token        Manage access\n\nFlags:\n      --db file   the store\n\nUse \"hence [command] --help\" for more.",
		"store":     "Stores a memory:\n\n  static:FOLDER         a model\n\nUsage:\n  hence store [TEXT] [flags]\n\nExamples:\n  hence store 'a \\ b'\n\nFlags:\n      --importance number   how much it matters",
		"token":     "Tokens.\n\nUsage:\n  hence token [command]\n\nAvailable Commands:\n  map         Say what tokens give",
		"token map": ".map is a row\n\nUsage:\n  hence token map CLAIM VALUE",
	}
	ask := func(words ...string) (string, error) { return helps[strings.Join(words, " ")], nil }
	files := map[string]string{}
	if err := addPages(files, ask, "", "a memory store", "1.2.3", time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	if len(files) != len(helps) {
		t.Errorf("%d pages for %d commands", len(files), len(helps))
	}
	reference, err := os.ReadFile(filepath.Join("..", "docs", "commands.md"))
	if err != nil {
		t.Fatal(err)
	}
	files["man/man1/hence.1"] += tablesOf(string(reference))
	for name, patterns := range map[string][]string{
		"hence":           {`^\.SH SEE ALSO\nhence\\-store\(1\), hence\\-token\(1\)$`, `^\.SH EXIT STATUS$`, `^\\fB6\\fP$`, `^\\fBHENCE_DB\\fP$`, `%LocalAppData%\\ehence\\ehence\.db`, `(?s)^\.SH FILES\n.*\.hence\.yaml`},
		"hence-store":     {`^\.TH "HENCE-STORE" "1" "Jan 2026" "Hence 1\.2\.3" "Hence"$`, `^hence\\-store \\- Remember something$`, `^  static:FOLDER         a model$`, `hence store 'a \\e b'`, `^\.SH OPTIONS\n\.nf\n +\\-\\-importance number`},
		"hence-token-map": {`^\\&\.map is a row$`, `^\.SH SEE ALSO\nhence\\-token\(1\)$`},
	} {
		page := files["man/man1/"+name+".1"]
		for _, pattern := range patterns {
			if !regexp.MustCompile(`(?m)` + pattern).MatchString(page) {
				t.Errorf("%s has no %s:\n%s", name, pattern, page)
			}
		}
	}
}
