// Package node runs rqlited, the program that holds a copy of a store on each machine
// of a cluster, and reads what the nodes say of themselves.
//
// rqlited comes from https://rqlite.io. Hence gives it the flags without which copies
// could differ, or be seen late; see Arguments.
package node

import (
	"cmp"
	"context"
	"os/exec"
	"regexp"
	"strconv"

	"hence/internal/fault"
)

// Name is the name of the program that is looked for.
const Name = "rqlited"

// The oldest version that the store has been tested with.
const (
	oldestMajor, oldestMinor = 8, 26
	oldestEngine             = 3_045 // of SQLite, which that version has
)

// Program is an rqlited of this machine.
type Program struct {
	Path    string
	Version string // such as 8.26.8; only 8 if the build does not know more
	Engine  string // version of its SQLite
	flags   map[string]bool
}

// versions are what rqlited -version prints, such as
// "rqlited v8.36.3 linux amd64 go1.23.4 sqlite3.47.1 (commit …)".
var versions = regexp.MustCompile(`^rqlited v?((\d+)(?:\.(\d+))?\S*) .*\bsqlite(\d+)\.(\d+)(\.\d+)?`)

// aFlag is the line of a flag in the help of rqlited.
var aFlag = regexp.MustCompile(`(?m)^ +--?([a-z][a-z0-9-]*)`)

// Find finds rqlited at path, or among the programs of this machine if path is empty.
// It fails with not_found if there is none, with invalid_argument if it is not an
// rqlited or is older than 8.26, and with unavailable if it does not run.
func Find(ctx context.Context, path string) (Program, error) {
	named := path
	path = cmp.Or(path, Name)
	path, err := exec.LookPath(path)
	switch {
	case err != nil && named == "":
		return Program{}, fault.Wrap(fault.NotFound, err, "cluster run: %s is not installed; get it from https://rqlite.io/docs/install-rqlite, or name the program with --rqlited", Name)
	case err != nil:
		return Program{}, fault.Wrap(fault.NotFound, err, "cluster run: --rqlited %s cannot be run", named)
	}
	said, err := exec.CommandContext(ctx, path, "-version").CombinedOutput()
	if err != nil {
		return Program{}, fault.Wrap(fault.Unavailable, err, "cluster run: %s -version fails", path)
	}
	p, err := parseVersion(string(said))
	if err != nil {
		return Program{}, fault.Wrap(fault.InvalidArgument, err, "cluster run: %s cannot be used", path)
	}
	p.Path = path
	help, _ := exec.CommandContext(ctx, path, "-help").CombinedOutput() // some versions exit with 2
	p.flags = map[string]bool{}
	for _, line := range aFlag.FindAllStringSubmatch(string(help), -1) {
		p.flags[line[1]] = true
	}
	return p, nil
}

// parseVersion reads what rqlited -version prints. A build that only knows its major
// version, such as the one that npm brings, is judged by its SQLite.
func parseVersion(said string) (Program, error) {
	match := versions.FindStringSubmatch(said)
	if match == nil {
		return Program{}, fault.New(fault.InvalidArgument, "it does not say its version as %s does, but %.80q", Name, said)
	}
	p := Program{Version: match[1], Engine: match[4] + "." + match[5] + match[6]}
	major, minor := number(match[2]), number(match[3])
	engine := 1000*number(match[4]) + number(match[5])
	old := major < oldestMajor || major == oldestMajor && minor < oldestMinor
	if major == oldestMajor && match[3] == "" {
		old = engine < oldestEngine
	}
	if old {
		return Program{}, fault.New(fault.InvalidArgument, "it is version %s with SQLite %s, and at least %d.%d is needed", p.Version, p.Engine, oldestMajor, oldestMinor)
	}
	return p, nil
}

// number reads digits, 0 for none.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// Quick reports whether the program can be told to show a write on every node at once.
// Without, the files of followers are up to 50 ms behind while nothing else is written.
func (p Program) Quick() bool { return p.flags[commitTimeout] }
