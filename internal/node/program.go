// Package node runs rqlited, the program that has a copy of a store on each machine of a
// cluster, and reads the state that the nodes report.
//
// rqlited is part of https://rqlite.io. Hence sets the flags without which the copies could
// differ, or show writes late; see requiredFlags.
package node

import (
	"bytes"
	"cmp"
	"context"
	"os/exec"
	"regexp"
	"strconv"

	"hence/internal/fault"
)

// Name is the name of the program.
const Name = "rqlited"

// The oldest version that the store has been tested with.
const (
	oldestMajor, oldestMinor = 8, 26
	oldestEngine             = 3_045 // SQLite 3.45, which that version contains
)

// Program is an rqlited of this machine.
type Program struct {
	Path    string
	Version string          // such as 8.26.8; only 8 if the build knows only its major version
	Engine  string          // version of its SQLite
	flags   map[string]bool // names of the flags that it knows
}

// versionLine matches the output of rqlited -version, such as
// "rqlited v8.36.3 linux amd64 go1.23.4 sqlite3.47.1 (commit …)".
var versionLine = regexp.MustCompile(`^rqlited v?((\d+)(?:\.(\d+))?\S*) .*\bsqlite(\d+)\.(\d+)(\.\d+)?`)

// flagLine matches the line of a flag in the help of rqlited.
var flagLine = regexp.MustCompile(`(?m)^ +--?([a-z][a-z0-9-]*)`)

// Find returns the rqlited at path, or the one in PATH if path is empty. It fails with
// not_found if there is none, with invalid_argument if it is not rqlited or is older than
// 8.26, and with unavailable if it does not run.
func Find(ctx context.Context, path string) (Program, error) {
	requested := path
	path = cmp.Or(path, Name)
	path, err := exec.LookPath(path)
	switch {
	case err != nil && requested == "":
		return Program{}, fault.Wrap(fault.NotFound, err, "cluster run: %s is not installed; get it from https://rqlite.io/docs/install-rqlite, or name the program with --rqlited", Name)
	case err != nil:
		return Program{}, fault.Wrap(fault.NotFound, err, "cluster run: --rqlited %s cannot be run", requested)
	}
	output, err := exec.CommandContext(ctx, path, "-version").CombinedOutput()
	if err != nil {
		return Program{}, fault.Wrap(fault.Unavailable, err, "cluster run: %s -version fails and prints %.200q; check the program, or name another with --rqlited", path, bytes.TrimSpace(output))
	}
	p, err := parseVersion(string(output))
	if err != nil {
		return Program{}, fault.Wrap(fault.InvalidArgument, err, "cluster run: %s cannot be used", path)
	}
	p.Path = path
	help, _ := exec.CommandContext(ctx, path, "-help").CombinedOutput() // some versions exit with 2
	p.flags = map[string]bool{}
	for _, line := range flagLine.FindAllStringSubmatch(string(help), -1) {
		p.flags[line[1]] = true
	}
	return p, nil
}

// parseVersion parses the output of rqlited -version. A build that knows only its major
// version, such as the one in npm, must have a SQLite that is new enough.
func parseVersion(output string) (Program, error) {
	match := versionLine.FindStringSubmatch(output)
	if match == nil {
		return Program{}, fault.New(fault.InvalidArgument, "it does not print a version of %s, but %.80q", Name, output)
	}
	p := Program{Version: match[1], Engine: match[4] + "." + match[5] + match[6]}
	major, minor := number(match[2]), number(match[3])
	engine := 1000*number(match[4]) + number(match[5])
	isOld := major < oldestMajor || major == oldestMajor && minor < oldestMinor
	if major == oldestMajor && match[3] == "" {
		isOld = engine < oldestEngine
	}
	if isOld {
		return Program{}, fault.New(fault.InvalidArgument, "it is version %s with SQLite %s, and at least %d.%d is needed", p.Version, p.Engine, oldestMajor, oldestMinor)
	}
	return p, nil
}

// number returns the number that digits represent, 0 for "".
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// Quick reports whether the program has the flag raft-commit-timeout. Without it, the files of
// followers are up to 50 ms behind while nothing else is written.
func (p Program) Quick() bool { return p.flags[commitTimeout] }
