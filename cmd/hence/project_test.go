package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A repository is found by its common folder, whatever its .git is.
func TestRepositoryName(t *testing.T) {
	root := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	repository := func(folder string) {
		t.Helper()
		write(folder+"/HEAD", "ref: refs/heads/main\n")
		for _, inside := range []string{"objects", "refs"} {
			if err := os.MkdirAll(filepath.Join(root, folder, inside), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	repository("my ship/.git")
	repository("bare.git")
	repository("my ship/.git/modules/sub")
	write("my ship/sub/.git", "gitdir: ../.git/modules/sub\n")
	write("my ship/.git/worktrees/w/commondir", "../..\n")
	write("w/.git", "gitdir: "+filepath.Join(root, "my ship/.git/worktrees/w")+"\n")
	write("w/deep/file", "")
	write("of-bare/.git", "gitdir: ../bare.git/worktrees/of-bare")
	write("bare.git/worktrees/of-bare/commondir", "../..")
	write("broken/.git", "gitdir: nowhere")
	write("text/.git", "not a link")
	for folder, want := range map[string]string{
		"my ship": "my-ship", "my ship/.git": "my-ship", "w": "my-ship", "w/deep": "my-ship", "my ship/sub": "sub",
		"bare.git": "bare", "of-bare": "bare", "broken": "", "text": "", ".": "",
	} {
		if got := repositoryName(filepath.Join(root, folder)); got != want {
			t.Errorf("%s: %q, want %q", folder, got, want)
		}
	}
}
