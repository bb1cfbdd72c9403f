//go:build unix

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheManualNamesTheVariables that the program reads: those that stand in its source,
// but for what its launcher and its tests tell it.
func TestTheManualNamesTheVariables(t *testing.T) {
	name := regexp.MustCompile(`"(HENCE_[A-Z_]*[A-Z])"`)
	listed := []string{}
	for _, v := range variables {
		listed = append(listed, strings.Split(v.name, ", ")...)
	}
	read := []string{}
	for _, folder := range []string{".", "../../internal", "../../tools", "../../memory"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(filepath.Dir(path), "test") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, match := range name.FindAllStringSubmatch(string(text), -1) {
				if read = append(read, match[1]); !strings.HasPrefix(match[1], "HENCE_LAUNCHE") && !slices.Contains(listed, match[1]) {
					t.Errorf("%s reads %s, which the manual does not name", path, match[1])
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Contains(read, "HENCE_DB") || !slices.Contains(read, "HENCE_RQLITE_CA") {
		t.Errorf("found only %v", read)
	}
}

// TestEachShellGetsItsCompletions, which packages hold beside the manual.
func TestEachShellGetsItsCompletions(t *testing.T) {
	for shell, sign := range map[string]string{
		"bash": "__start_hence", "zsh": "#compdef hence\n", "fish": "complete -c hence ", "powershell": "Register-ArgumentCompleter -CommandName 'hence'",
	} {
		script, err := exec.Command(program(t), "completion", shell).Output()
		if err != nil || !strings.Contains(string(script), sign) {
			t.Errorf("%s: %v: it has no %q:\n%.300s", shell, err, sign, script)
		}
	}
}
