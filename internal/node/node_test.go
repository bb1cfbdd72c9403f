package node

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hence/internal/fault"
)

func TestParseVersion(t *testing.T) {
	for _, c := range []struct{ name, said, version, engine, refused string }{
		{"Release", "rqlited v8.36.3 linux amd64 go1.23.4 sqlite3.47.1 (commit 1f3b, branch master, compiler gc)", "8.36.3", "3.47.1", ""},
		{"Oldest", "rqlited v8.26.0 linux amd64 go1.22.5 sqlite3.45.1 (commit 1f3b)", "8.26.0", "3.45.1", ""},
		{"Npm", "rqlited 8 linux amd64 go1.22.5 sqlite3.45.1 (commit unknown, branch unknown, compiler gc)", "8", "3.45.1", ""},
		{"Newer", "rqlited 10 linux amd64 go1.26.8 sqlite3.53.3 (commit unknown, compiler gc)", "10", "3.53.3", ""},
		{"TooOld", "rqlited v8.25.1 linux amd64 go1.22.5 sqlite3.45.1 (commit 1f3b)", "", "", "at least 8.26"},
		{"TooOldWithoutMinor", "rqlited 8 linux amd64 go1.21.5 sqlite3.44.0 (commit unknown)", "", "", "at least 8.26"},
		{"Major7", "rqlited v7.99.0 linux amd64 go1.21.5 sqlite3.46.0 (commit unknown)", "", "", "at least 8.26"},
		{"Another", "etcd Version: 3.5.0", "", "", "does not print a version"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := parseVersion(c.said)
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("got %+v, %v; want it refused: %s", p, err, c.refused)
				}
				return
			}
			if err != nil || p.Version != c.version || p.Engine != c.engine {
				t.Errorf("got %+v, %v", p, err)
			}
		})
	}
}

func TestArguments(t *testing.T) {
	newest := Program{flags: map[string]bool{"fk": true, commitTimeout: true, "auto-optimize-int": true, "raft-snap-int": true}}
	oldest := Program{flags: map[string]bool{"fk": true, "raft-snap-int": true}}
	local := Options{Folder: "/data/n1", HTTP: "127.0.0.1:4001", Raft: "127.0.0.1:4002"}
	with := func(change func(o *Options)) Options {
		o := local
		change(&o)
		return o
	}
	remote := with(func(o *Options) {
		o.HTTP, o.Raft, o.CA, o.Cert, o.Key = "10.0.0.1:4001", "10.0.0.1:4002", "ca.pem", "n1.pem", "n1.key"
	})
	for _, c := range []struct {
		name    string
		program Program
		o       Options
		joined  bool
		want    string // the arguments, or
		refused string // a part of the refusal
	}{
		{"One", newest, local, false, "-fk=true -raft-commit-timeout=5ms -auto-optimize-int=0h -raft-snap-int=2s -http-addr=127.0.0.1:4001 -raft-addr=127.0.0.1:4002 /data/n1", ""},
		{"OldestKnowsFewer", oldest, local, false, "-fk=true -raft-snap-int=2s -http-addr=127.0.0.1:4001 -raft-addr=127.0.0.1:4002 /data/n1", ""},
		{"Makes", oldest, with(func(o *Options) { o.Nodes = []string{"127.0.0.1:4002", "127.0.0.1:4004", "127.0.0.1:4006"} }), false,
			"-fk=true -raft-snap-int=2s -http-addr=127.0.0.1:4001 -raft-addr=127.0.0.1:4002 -join=127.0.0.1:4002,127.0.0.1:4004,127.0.0.1:4006 -bootstrap-expect=3 /data/n1", ""},
		{"Joins", oldest, with(func(o *Options) { o.Nodes = []string{"127.0.0.1:4004"} }), false,
			"-fk=true -raft-snap-int=2s -http-addr=127.0.0.1:4001 -raft-addr=127.0.0.1:4002 -join=127.0.0.1:4004 /data/n1", ""},
		{"HasJoined", oldest, with(func(o *Options) { o.Nodes = []string{"127.0.0.1:4004"} }), true,
			"-fk=true -raft-snap-int=2s -http-addr=127.0.0.1:4001 -raft-addr=127.0.0.1:4002 /data/n1", ""},
		{"Certificates", oldest, remote, false,
			"-fk=true -raft-snap-int=2s -http-addr=10.0.0.1:4001 -raft-addr=10.0.0.1:4002 -http-cert=n1.pem -http-key=n1.key -http-ca-cert=ca.pem -http-verify-client=true -node-cert=n1.pem -node-key=n1.key -node-ca-cert=ca.pem -node-verify-client=true /data/n1", ""},
		{"Users", oldest, func() Options { o := remote; o.Auth, o.As = "users.json", "hence"; return o }(), false,
			"-fk=true -raft-snap-int=2s -http-addr=10.0.0.1:4001 -raft-addr=10.0.0.1:4002 -http-cert=n1.pem -http-key=n1.key -node-cert=n1.pem -node-key=n1.key -node-ca-cert=ca.pem -node-verify-client=true -auth=users.json -join-as=hence /data/n1", ""},
		{"OpenHTTP", oldest, with(func(o *Options) { o.HTTP = "10.0.0.1:4001" }), false, "", "--http 10.0.0.1:4001 is open to other machines"},
		{"OpenRaft", oldest, with(func(o *Options) { o.Raft = "10.0.0.1:4002" }), false, "", "--raft 10.0.0.1:4002 is open to other machines"},
		{"Anywhere", oldest, with(func(o *Options) { o.Raft = "0.0.0.0:4002" }), false, "", "cannot reach a node by that address"},
		{"NoPort", oldest, with(func(o *Options) { o.HTTP = "localhost" }), false, "", "is not an address"},
		{"KeyAlone", oldest, with(func(o *Options) { o.Key = "k" }), false, "", "must be given together"},
		{"FolderInURI", oldest, with(func(o *Options) { o.Folder = "/data/x#1" }), false, "", "choose another"},
	} {
		t.Run(c.name, func(t *testing.T) {
			words, err := c.program.Arguments(c.o, c.joined)
			if c.refused != "" {
				if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("got %q, %v; want it refused: %s", words, err, c.refused)
				}
				return
			}
			if got := strings.Join(words, " "); err != nil || got != c.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

// fake creates a program that prints the version as rqlited does, and records its arguments.
func fake(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rqlited")
	script := `#!/bin/sh
case "$1" in
-version) echo "rqlited v8.36.3 linux amd64 go1.23.4 sqlite3.47.1 (commit x)"; exit;;
-help) printf '  -fk\n    \tforeign keys\n  -raft-commit-timeout duration\n' >&2; exit 2;;
esac
for folder; do :; done
echo "$@" >>"$folder/../ran"
` + body
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFind(t *testing.T) {
	p, err := Find(t.Context(), fake(t, ""))
	if err != nil || p.Version != "8.36.3" || !p.Quick() || !p.flags["fk"] || p.flags["auto-optimize-int"] {
		t.Errorf("got %+v, %v", p, err)
	}
	if _, err := Find(t.Context(), filepath.Join(t.TempDir(), "none")); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a missing program: %v", err)
	}
	failing := filepath.Join(t.TempDir(), "failing")
	if err := os.WriteFile(failing, []byte("#!/bin/sh\necho no such library >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(t.Context(), failing); fault.CodeOf(err) != fault.Unavailable || !strings.Contains(err.Error(), `failing -version fails and prints "no such library"; check`) {
		t.Errorf("a program that fails: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Find(t.Context(), ""); fault.CodeOf(err) != fault.NotFound || !strings.Contains(err.Error(), "--rqlited") {
		t.Errorf("none installed: %v", err)
	}
}

func TestRun(t *testing.T) {
	begin := func(t *testing.T, body string) (Program, Options) {
		p, err := Find(t.Context(), fake(t, body))
		if err != nil {
			t.Fatal(err)
		}
		return p, Options{Folder: filepath.Join(t.TempDir(), "n1"), HTTP: "127.0.0.1:4001", Raft: "127.0.0.1:4002", Nodes: []string{"127.0.0.1:4004"}}
	}
	ran := func(t *testing.T, o Options) string {
		text, err := os.ReadFile(filepath.Join(o.Folder, "..", "ran"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	t.Run("JoinsUntilItHasJoined", func(t *testing.T) {
		p, o := begin(t, `touch "$folder/raft.db"; exec sleep 60`)
		ready := func(context.Context) bool {
			_, err := os.Stat(filepath.Join(o.Folder, "raft.db"))
			return err == nil
		}
		for range 2 {
			ctx, cancel := context.WithCancel(t.Context())
			if err := p.Run(ctx, o, t.Output(), Events{Ready: ready, Began: cancel}); err != nil {
				t.Fatal(err)
			}
		}
		lines := strings.Split(strings.TrimSpace(ran(t, o)), "\n")
		joins := []bool{}
		for _, line := range lines {
			joins = append(joins, strings.Contains(line, "-join=127.0.0.1:4004"))
		}
		if !slices.Equal(joins, []bool{true, false}) {
			t.Errorf("it joined at its starts: %v; %q", joins, lines)
		}
	})
	t.Run("JoinsAgainIfItWasNeverReady", func(t *testing.T) {
		p, o := begin(t, `touch "$folder/raft.db"; exit 1`)
		for range 2 {
			if err := p.Run(t.Context(), o, t.Output(), Events{Ready: func(context.Context) bool { return false }}); fault.CodeOf(err) != fault.Unavailable {
				t.Fatal(err)
			}
		}
		if n := strings.Count(ran(t, o), "-join="); n != 2 {
			t.Errorf("it joined %d times, want 2", n)
		}
	})
	t.Run("OwnerOnly", func(t *testing.T) {
		p, o := begin(t, `touch "$folder/db.sqlite"; exec sleep 60`)
		if err := os.MkdirAll(o.Folder, 0o755); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		file := func(context.Context) bool {
			_, err := os.Stat(filepath.Join(o.Folder, File))
			return err == nil
		}
		if err := p.Run(ctx, o, t.Output(), Events{Ready: file, Began: cancel}); err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]os.FileMode{o.Folder: 0o700, filepath.Join(o.Folder, File): 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s is open to others: %v, %v", path, info.Mode(), err)
			}
		}
	})
}
