//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"hence/internal/db/dbtest"
)

// person is somebody who reads a page and types what it shows: with a home of their own,
// the example vault as ~/notes and in examples/vault, and a folder to work in.
type person struct {
	t    *testing.T
	home string
	env  []string
}

// lastEdit is when the files of the example were edited last, on every machine.
var lastEdit = time.Date(2026, 6, 2, 8, 0, 0, 0, time.UTC)

func newPerson(t *testing.T) *person {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the pages are for a POSIX shell")
	}
	folder, err := filepath.EvalSymlinks(dbtest.Folder(t)) // as programs name the folder that they run in
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, home: filepath.Join(folder, "you")}
	for _, folder := range []string{"notes", "project/examples/vault"} {
		if err := os.CopyFS(filepath.Join(p.home, folder), os.DirFS("../../examples/vault")); err != nil {
			t.Fatal(err)
		}
	}
	err = filepath.WalkDir(p.home, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, lastEdit, lastEdit))
	})
	if err != nil {
		t.Fatal(err)
	}
	p.env = []string{
		"HOME=" + p.home, "PATH=" + filepath.Dir(program(t)) + string(os.PathListSeparator) + programs(t),
		"TMPDIR=" + t.TempDir(), "TZ=UTC", "LC_ALL=C.UTF-8", "GORACE=" + os.Getenv("GORACE"), "NO_COLOR=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_AUTHOR_NAME=you", "GIT_AUTHOR_EMAIL=you@localhost", "GIT_COMMITTER_NAME=you", "GIT_COMMITTER_EMAIL=you@localhost",
	}
	if runtime.GOOS != "linux" { // the pages show where the store is there
		p.env = append(p.env, "HENCE_DB="+filepath.Join(p.home, ".local/share/hence/hence.db"))
	}
	return p.in(filepath.Join(p.home, "project"))
}

// programs is a folder of the programs that pages call, without the clients of agents that
// this machine may have.
func programs(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range append([]string{"sh", "touch", "ln", "date", "env", "tr", "head", "gzip", "hostname", "uname"}, harmless...) {
		path, err := exec.LookPath(name)
		if err != nil {
			continue // of the shell itself, or not on this machine
		}
		if err := os.Symlink(path, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// in makes a folder the one that the next command runs in.
func (p *person) in(folder string) *person {
	if err := os.WriteFile(p.state(), []byte("cd '"+folder+"'\n"), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return p
}

// state is a script of what one command leaves to the next: folder and variables.
func (p *person) state() string { return filepath.Join(filepath.Dir(p.home), "state.sh") }

// stays are commands that run until they are stopped.
var stays = regexp.MustCompile(`\bhence (explore|serve\b.*--http|import\b.*--watch)`)

// adapted makes what a command takes from the machine harmless: ports that may be taken,
// a browser, and the short time that a hook has on a machine that is not busy.
var adapted = strings.NewReplacer(
	"127.0.0.1:7420", "127.0.0.1:0", "127.0.0.1:7421", "127.0.0.1:0", "0.0.0.0:7420", "127.0.0.1:0",
	"hence explore", "hence explore --no-browser", "hence hook ", "hence hook --within 1m ",
)

// types runs a command in a shell, and returns what it prints on both streams.
func (p *person) types(command string) (output string, code int) {
	p.t.Helper()
	script := ". '" + p.state() + "'\n{ " + adapted.Replace(command) + "\n}\ncode=$?\n" +
		"{ export -p; printf \"cd '%s'\\n\" \"$PWD\"; } > '" + p.state() + "'\nexit $code\n"
	const limit = 5 * time.Minute
	ctx, stop := context.WithTimeout(p.t.Context(), limit)
	defer stop()
	c := exec.CommandContext(ctx, "sh", "-c", script)
	c.Env, c.Dir, c.WaitDelay = p.env, p.home, limit
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	out := &untilLine{stays: stays.MatchString(command)}
	c.Stdout, c.Stderr = out, out
	if out.stays {
		out.full = func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGINT) }
	}
	err := c.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		p.t.Fatalf("%s: still running after %v\n%s", command, limit, out.text.String())
	case errors.As(err, &exit) && !out.stays:
		code = exit.ExitCode()
	case err != nil && !errors.As(err, &exit):
		p.t.Fatalf("%s: %v", command, err)
	}
	return p.readable(out.text.String()), code
}

// untilLine keeps what is written, and calls full once that has a whole line.
type untilLine struct {
	text  bytes.Buffer
	stays bool // the command runs until it is stopped
	full  func()
}

func (u *untilLine) Write(b []byte) (int, error) {
	if u.stays && bytes.HasPrefix(b, []byte("time=")) { // the log of what it does beside, sooner or later
		return len(b), nil
	}
	if u.full != nil && bytes.ContainsRune(b, '\n') {
		u.full()
		u.full = nil
	}
	return u.text.Write(b)
}

// readable is what was printed, as a page shows it: without the names of this machine, and
// without the secret of a token.
func (p *person) readable(text string) string {
	text = strings.ReplaceAll(text, p.home, "/home/you")
	text = strings.ReplaceAll(text, program(p.t), "/usr/local/bin/hence")
	if me, err := user.Current(); err == nil {
		text = strings.ReplaceAll(text, "by "+me.Username, "by you")
	}
	return aToken.ReplaceAllString(text, "hence_…")
}

var aToken = regexp.MustCompile(`\bhence_[0-9A-Z]{20,}\b`)
