package main

import (
	"errors"
	"testing"
)

func TestDataDir(t *testing.T) {
	for _, test := range []struct {
		name, system string
		env          map[string]string
		want         string
	}{
		{"Linux", "linux", nil, "/home/ada/.local/share"},
		{"XDG", "linux", map[string]string{"XDG_DATA_HOME": "/data"}, "/data"},
		{"relative XDG is ignored", "linux", map[string]string{"XDG_DATA_HOME": "data"}, "/home/ada/.local/share"},
		{"macOS", "darwin", map[string]string{"XDG_DATA_HOME": "/data"}, "/home/ada/Library/Application Support"},
		{"Windows", "windows", map[string]string{"LocalAppData": `C:\Local`}, `C:\Local`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := dataDir(test.system, func(name string) string { return test.env[name] },
				func() (string, error) { return "/home/ada", nil })
			if err != nil || got != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

func TestDataDir_ErrNoHome(t *testing.T) {
	lost := errors.New("no home")
	_, err := dataDir("linux", func(string) string { return "" }, func() (string, error) { return "", lost })
	if !errors.Is(err, lost) {
		t.Errorf("got %v, want %v", err, lost)
	}
}
