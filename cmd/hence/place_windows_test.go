package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hence/projection/folder"
)

func TestTheStoreIsInTheUsersLocalData(t *testing.T) {
	t.Setenv("LocalAppData", `C:\Users\ada\AppData\Local`)
	path, err := defaultPath(os.Getenv)
	if err != nil || path != `C:\Users\ada\AppData\Local\hence\hence.db` {
		t.Errorf("%s, %v", path, err)
	}
}

func TestAWriterIsNamedWithoutADomain(t *testing.T) {
	if name := new(session).person().Actor; name == "" || strings.Contains(name, `\`) {
		t.Errorf("the writer is %q", name)
	}
}

func TestAProgramIsFoundAgainByItsPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hence.exe")
	if err := os.WriteFile(path, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if !folder.Same(path, strings.ToUpper(path)) {
		t.Error("upper and lower case are told apart")
	}
}
