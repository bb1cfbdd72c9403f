package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// release is one version of Hence, and the place of its files.
type release struct {
	root     string    // of the checkout
	out      string    // where the files go
	version  string    // 1.2.3, without v
	tagged   bool      // the version is that of the commit's tag
	revision string    // of git, 12 digits; "" outside of git
	time     time.Time // of every file: that of the commit, or SOURCE_DATE_EPOCH
	owner    string    // account on GitHub
	npm      string    // name of the npm package
}

// The rules of GitHub for accounts and of npm for packages, in lower case, because the module
// cache of Go encodes upper case.
var (
	ownerRule = regexp.MustCompile(`^[a-z0-9](-?[a-z0-9])*$`)
	npmRule   = regexp.MustCompile(`^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$`)
)

// checkout returns the folder of the checkout, from within it or from this module in it.
func checkout() (string, error) {
	mod, err := output("go", "env", "GOMOD")
	root := filepath.Dir(mod)
	if _, inner := os.Stat(filepath.Join(root, "cmd", "hence")); inner != nil {
		root = filepath.Dir(root)
	}
	return root, err
}

// sqlite returns the folder of the engine's source, at the version that Hence requires.
func (r *release) sqlite() (string, error) {
	return output("go", "list", "-C", r.root, "-m", "-f", "{{.Dir}}", "github.com/mattn/go-sqlite3")
}

func newRelease(out, version, owner, npm string) (*release, error) {
	root, err := checkout()
	if err != nil {
		return nil, err
	}
	r := &release{root: root, owner: cmp.Or(owner, "your-name"), npm: cmp.Or(npm, "hence")}
	if !ownerRule.MatchString(r.owner) || !npmRule.MatchString(r.npm) {
		return nil, fmt.Errorf("the owner %q or the npm package %q is not a name in lower case", r.owner, r.npm)
	}
	if r.out, err = filepath.Abs(out); err != nil {
		return nil, err
	}
	commit, inGit := r.commit()
	if r.revision = commit.revision; !inGit && version == "" {
		return nil, errors.New("this is not a checkout of git: give -version")
	}
	r.version = strings.TrimPrefix(cmp.Or(version, commit.version), "v")
	r.tagged = version == "" && commit.tagged
	if v := "v" + r.version; !semver.IsValid(v) || semver.Canonical(v) != v {
		return nil, fmt.Errorf("the version %q is not one such as 1.2.3 or 1.2.3-rc.1", r.version)
	}
	r.time = commit.time
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("SOURCE_DATE_EPOCH is %q, and must be seconds since 1970", epoch)
		}
		r.time = time.Unix(seconds, 0).UTC()
	}
	if r.time.IsZero() {
		return nil, errors.New("this is not a checkout of git: set SOURCE_DATE_EPOCH to the time of the files, in seconds since 1970")
	}
	return r, nil
}

// commit describes the commit that is checked out.
type commit struct {
	version  string // of a tag such as v1.2.3, else 0.0.0-TIME-REVISION, as Go names it
	tagged   bool
	revision string
	time     time.Time
}

func (r *release) commit() (c commit, ok bool) {
	line, err := r.git("show", "--no-patch", "--format=%H %ct", "HEAD")
	if err != nil {
		return c, false
	}
	revision, seconds, _ := strings.Cut(line, " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || len(revision) < 12 {
		return c, false
	}
	c.revision, c.time = revision[:12], time.Unix(at, 0).UTC()
	c.version, err = r.git("describe", "--tags", "--exact-match", "--match", "v[0-9]*", "HEAD")
	if c.tagged = err == nil; !c.tagged {
		c.version = "0.0.0-" + c.time.Format("20060102150405") + "-" + c.revision
	}
	return c, true
}

func (r *release) git(words ...string) (string, error) {
	return output("git", append([]string{"-C", r.root}, words...)...)
}

// name returns the begin of the names of a target's files.
func (r *release) name(t target) string { return "hence-" + r.version + "-" + t.String() }

func (r *release) path(parts ...string) string {
	return filepath.Join(append([]string{r.out}, parts...)...)
}

func (r *release) repository() string { return "https://github.com/" + r.owner + "/hence" }

// mcpName returns the name in the registry of MCP servers. The registry accepts it only from
// the owner's account on GitHub.
func (r *release) mcpName() string { return "io.github." + r.owner + "/hence" }

// output runs a program and returns what it printed, without the white space around it.
func output(program string, words ...string) (string, error) {
	stdout, err := exec.Command(program, words...).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%s %s: %w: %s", program, strings.Join(words, " "), err, strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.TrimSpace(string(stdout)), err
}
