package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// installLine is the line of docs/install.md with which Go installs Hence.
var installLine = regexp.MustCompile("(?m)^ *(go mod download github.com/OWNER/hence@vVERSION.*)$")

// The documented line installs Hence from a proxy that has the published tree, into a
// cache of modules that has nothing else of it; what Hence uses comes from this machine's
// cache. The tree's own tests of its form pass under its new name.
func TestDistGoInstall(t *testing.T) {
	r := dist(t)
	if err := r.module(); err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile("../docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	match := installLine.FindStringSubmatch(string(docs))
	if match == nil {
		t.Fatal("docs/install.md has no line that installs Hence by Go")
	}
	line := strings.NewReplacer("OWNER", r.owner, "VERSION", r.version).Replace(match[1])
	cache, err := output("go", "env", "GOMODCACHE")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	c := exec.Command("sh", "-c", line)
	c.Dir = home
	c.Env = append(os.Environ(),
		"GOFLAGS=-modcacherw", "CGO_CFLAGS=", "GOBIN="+home, "GOMODCACHE="+filepath.Join(home, "modules"), "GOSUMDB=off", "GOWORK=off",
		"GOPROXY=file://"+r.path("module", "proxy")+",file://"+filepath.Join(cache, "cache", "download"))
	begun := time.Now()
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, said)
	}
	t.Logf("installed in %v", time.Since(begun).Round(time.Second))
	project := filepath.Join(home, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	hence := func(words ...string) string {
		c := exec.Command(filepath.Join(home, "hence"), words...)
		c.Dir, c.Env = project, alone(home)
		return within(t, c)
	}
	answersInit(t, hence("init", "--client", "claude-code"), project)
	if said := hence("version"); !strings.HasPrefix(said, "hence "+r.version) {
		t.Errorf("hence version: %s", said)
	}
	floors := exec.Command("go", "test", "-run", "Floors|Clauses", ".")
	floors.Dir, floors.Env = r.path("module", "hence"), os.Environ()
	if said, err := floors.CombinedOutput(); err != nil {
		t.Errorf("the published tree: %v\n%s", err, said)
	}
}
