package tools

import (
	"strings"
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
)

// The memory of a file comes back as long as the file exists, and a call that forgets it
// warns of that.
func TestForgettingAFileSaysThatItStays(t *testing.T) {
	d := dbtest.New(t)
	attach(t, d, "v", "", map[string]string{"A.md": "a", "B.md": "b"})
	attachCode(t, d, "repo", "", map[string]string{"go.mod": "module example.com/repo\n", "b.go": "package b\n\nfunc One() {}\n"})
	a := meetAs(t, d, ref.Caller{Actor: "ada", Origin: "person"})
	get[memory.StoreResult](a, "memory_store", `{"title": "Mine", "content": "Mine."}`)
	for arguments, want := range map[string]string{
		`{"id": "A"}`:                                "obsidian-fs://v/A.md is still there, and the memory comes back when it is edited",
		`{"id": "B", "purge": true}`:                 "obsidian-fs://v/B.md is still there, and the memory comes back with the next import, under a new id",
		`{"id": "code://repo/.#One", "purge": true}`: "code://repo/.#One is still there",
		`{"id": "Mine", "purge": true}`:              "deleted and overwritten",
	} {
		r, said := get[memory.ForgetResult](a, "memory_forget", arguments)
		if isGone := strings.Contains(want, "deleted and overwritten"); !strings.Contains(said, want) || strings.Contains(said, "deleted and overwritten") != isGone || (len(r.Warnings) == 0) != isGone {
			t.Errorf("%s: %q", arguments, said)
		}
	}
}
