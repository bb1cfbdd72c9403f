package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shortIDs are different in each store.
var shortIDs = regexp.MustCompile(`\b[0-9a-f]{8}\b`)

// TestTheReadmeIsTrue runs what the README shows at its top on the example
// vault.
func TestTheReadmeIsTrue(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n```\n")
	shown, _, _ := strings.Cut(rest, "```\n")
	commands := 0
	for block := range strings.SplitSeq(shown, "$ ") {
		command, want, _ := strings.Cut(block, "\n")
		if command == "" {
			continue
		}
		commands++
		c := exec.Command("sh", "-c", "hence import ../../examples/vault > "+os.DevNull+" && "+command)
		c.Env = append(os.Environ(), "HENCE_DB="+filepath.Join(t.TempDir(), "hence.db"))
		got, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, got)
		}
		withoutIDs := func(text string) string { return shortIDs.ReplaceAllString(strings.TrimSpace(text), "ID") }
		if diff := cmp.Diff(withoutIDs(want), withoutIDs(string(got))); diff != "" {
			t.Errorf("%s (-README +now):\n%s", command, diff)
		}
	}
	if commands != 2 {
		t.Errorf("the README shows %d commands, want 2", commands)
	}
}

// TestTheReadmeNamesEveryCommand holds the README's table of commands against
// the commands there are.
func TestTheReadmeNamesEveryCommand(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range new(session).root().Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" && !strings.Contains(string(text), "`"+c.Name()+"`") {
			t.Errorf("README.md does not name %s", c.Name())
		}
	}
}
