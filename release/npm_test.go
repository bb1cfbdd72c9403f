package main

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// npmRegistry is one of npm with the packages of a release.
type npmRegistry struct {
	*httptest.Server
	*release
	later string       // the newest version of the launcher; "": the release
	asked atomic.Int32 // requests about packages of the release
}

func registry(t *testing.T, r *release) *npmRegistry {
	t.Helper()
	g := &npmRegistry{release: r}
	archives := t.TempDir()
	mux := http.NewServeMux()
	mux.Handle("GET /archives/", http.StripPrefix("/archives/", http.FileServer(http.Dir(archives))))
	mux.HandleFunc("GET /{name...}", func(w http.ResponseWriter, q *http.Request) {
		name, _ := url.PathUnescape(q.PathValue("name"))
		if !strings.HasPrefix(name, r.npm) || !filepath.IsLocal(name) {
			http.NotFound(w, q)
			return
		}
		g.asked.Add(1)
		versions, latest := map[string]any{}, ""
		for _, version := range []string{r.version, g.later} {
			if version == "" || version == g.later && name != r.npm {
				continue
			}
			described, err := g.publish(archives, name, version)
			if err != nil {
				http.NotFound(w, q)
				return
			}
			versions[version], latest = described, version
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"name": name, "dist-tags": map[string]string{"latest": latest}, "versions": versions})
	})
	g.Server = httptest.NewServer(mux)
	t.Cleanup(g.Close)
	return g
}

// publish packs a package into a folder, and returns what a registry says of it. Another
// version than the release's differs in its number alone, and a platform for which this
// machine does not build has a package without a program.
func (g *npmRegistry) publish(archives, name, version string) (p map[string]any, err error) {
	files, err := folder("package", g.path("npm", filepath.FromSlash(name)))
	i := slices.IndexFunc(allTargets, func(t target) bool { return g.platformPackage(t) == name })
	switch manifest := slices.IndexFunc(files, func(f file) bool { return f.name == "package/package.json" }); {
	case manifest >= 0:
		var text []byte
		if text, err = os.ReadFile(files[manifest].from); err == nil {
			err = json.Unmarshal(text, &p)
		}
		files = slices.Delete(files, manifest, manifest+1)
	case i >= 0:
		platform, arch := allTargets[i].nodeNames()
		p, err = map[string]any{"name": name, "os": []string{platform}, "cpu": []string{arch}}, nil
	}
	if err != nil {
		return nil, err
	}
	p["version"] = version
	text, err := asJSON(p)
	if err != nil {
		return nil, err
	}
	archive := strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + version + ".tgz"
	at := filepath.Join(archives, archive)
	if err := os.Symlink(g.path("npm", archive), at); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) {
		made := append(files, file{name: "package/package.json", text: text, mode: 0o644})
		if err := errors.Join(os.Remove(at), writeTar(at, made, g.time)); err != nil {
			return nil, err
		}
	}
	if text, err = os.ReadFile(at); err != nil {
		return nil, err
	}
	hash := sha512.Sum512(text)
	p["dist"] = map[string]string{"tarball": g.URL + "/archives/" + archive, "integrity": "sha512-" + base64.StdEncoding.EncodeToString(hash[:])}
	return p, nil
}

// npmEnvironment is that of a person who has node and npm, and nothing of Hence.
func npmEnvironment(t *testing.T, home, address string) []string {
	t.Helper()
	node, err := exec.LookPath("npm")
	if err != nil {
		t.Skip(err)
	}
	return []string{
		"HOME=" + home, "PATH=" + filepath.Dir(node) + ":/usr/bin:/bin", "npm_config_registry=" + address, "npm_config_cache=" + filepath.Join(home, "cache"),
		"npm_config_ignore_scripts=true",
	}
}

// A person with nothing but node: npx fetches Hence once, and what hence init wrote asks
// no registry afterwards, so that it works without a network too.
func TestDistNPX(t *testing.T) {
	r, home := dist(t), t.TempDir()
	server := registry(t, r)
	project := filepath.Join(home, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	command := func(words ...string) *exec.Cmd {
		c := exec.Command(words[0], words[1:]...)
		c.Dir, c.Env = project, npmEnvironment(t, home, server.URL)
		return c
	}
	answersInit(t, within(t, command("npx", "-y", r.npm, "init", "--client", "claude-code")), project)
	var settings struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	var hooks struct {
		Hooks struct {
			SessionStart []struct{ Hooks []struct{ Command string } }
		}
	}
	for name, into := range map[string]any{".mcp.json": &settings, ".claude/settings.json": &hooks} {
		text, err := os.ReadFile(filepath.Join(project, name))
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil || strings.Contains(string(text), "node_modules") {
			t.Fatalf("%s names a folder of npm's: %v\n%s", name, err, text)
		}
	}
	entry := settings.Servers["hence"]
	server.asked.Store(0)
	converses(t, func(...string) *exec.Cmd { return command(append([]string{entry.Command}, entry.Args...)...) })
	if n := server.asked.Load(); n != 0 {
		t.Errorf("%s %q asks the registry %d times", entry.Command, entry.Args, n)
	}

	server.later = "99.0.0"
	within(t, command("npx", "-y", r.npm+"@latest", "init", "--client", "claude-code"))
	server.Close()
	words := []string{"sh", "-c", hooks.Hooks.SessionStart[0].Hooks[0].Command}
	if runtime.GOOS == "linux" && os.Geteuid() == 0 {
		words = append([]string{"unshare", "--net"}, words...)
	}
	hook := command(words...)
	hook.Stdin = strings.NewReader(`{"session_id":"s1","source":"startup"}`)
	if said := within(t, hook); !strings.Contains(said, "Hence remembers 1 memory") {
		t.Errorf("without a network the hook says %q", said)
	}
	// npx keeps a folder for hence@latest and one for hence.
	installed, err := filepath.Glob(filepath.Join(home, "cache", "_npx", "*", "node_modules", filepath.FromSlash(r.npm), "package.json"))
	if err != nil || len(installed) != 2 {
		t.Fatal(installed, err)
	}
	for _, path := range installed {
		if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), `"version": "99.0.0"`) {
			t.Errorf("hence@latest brings the newest for itself alone: %v\n%s", err, text)
		}
	}
}

// npm installs the launcher and the program of this platform alone, runs no script of
// theirs, and brings the manual.
func TestDistNPM(t *testing.T) {
	r, home := dist(t), t.TempDir()
	server := registry(t, r)
	prefix := filepath.Join(home, "prefix")
	c := exec.Command("npm", "install", "--global", "--prefix", prefix, "--loglevel=error", r.npm)
	c.Dir, c.Env = home, npmEnvironment(t, home, server.URL)
	within(t, c)
	platforms := []string{}
	for _, tt := range allTargets {
		if paths, err := filepath.Glob(filepath.Join(prefix, "lib", "node_modules", "*", "node_modules", filepath.FromSlash(r.platformPackage(tt)))); err == nil && len(paths) > 0 {
			platforms = append(platforms, tt.String())
		}
	}
	if len(platforms) != 1 || platforms[0] != native().String() {
		t.Errorf("installed for %v, want %s alone", platforms, native())
	}
	server.Close() // offline from here on
	hence := exec.Command(filepath.Join(prefix, "bin", "hence"), "version")
	hence.Env = npmEnvironment(t, home, server.URL)
	if said := within(t, hence); !strings.HasPrefix(said, "hence "+r.version) {
		t.Errorf("hence version: %s", said)
	}
	// A project's files name it as the shell does, to be shared.
	project := filepath.Join(home, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	hence = exec.Command(filepath.Join(prefix, "bin", "hence"), "init", "--client", "claude-code")
	hence.Dir, hence.Env = project, append(npmEnvironment(t, home, server.URL), "PATH="+filepath.Join(prefix, "bin")+":/usr/bin:/bin")
	answersInit(t, within(t, hence), project)
	settings, err := os.ReadFile(filepath.Join(project, ".mcp.json"))
	if err != nil || !strings.Contains(string(settings), `"command": "hence"`) {
		t.Errorf("%v\n%s", err, settings)
	}
	for _, page := range []string{"hence.1", "hence-store.1"} {
		if _, err := os.Stat(filepath.Join(prefix, "share", "man", "man1", page)); err != nil {
			t.Error(err)
		}
	}
}

// The launcher hands on how the program ends, and says what is missing.
func TestDistNPMLauncherEndsAsTheProgramDoes(t *testing.T) {
	r, home := dist(t), t.TempDir()
	env := npmEnvironment(t, home, "http://127.0.0.1:1")
	modules := filepath.Join(home, "node_modules")
	for _, name := range []string{r.npm, r.platformPackage(native())} {
		if err := os.CopyFS(filepath.Join(modules, filepath.FromSlash(name)), os.DirFS(r.path("npm", filepath.FromSlash(name)))); err != nil {
			t.Fatal(err)
		}
	}
	launcher := filepath.Join(modules, filepath.FromSlash(r.npm), "hence.js")
	c := exec.Command("node", launcher, "serch")
	c.Env = env
	said, _ := c.CombinedOutput()
	if c.ProcessState.ExitCode() != 2 || !strings.Contains(string(said), `there is no command "serch"`) {
		t.Errorf("exit %d, want 2: %s", c.ProcessState.ExitCode(), said)
	}
	if err := os.RemoveAll(filepath.Join(modules, filepath.FromSlash(r.platformPackage(native())))); err != nil {
		t.Fatal(err)
	}
	c = exec.Command("node", launcher, "version")
	c.Env = env
	said, _ = c.CombinedOutput()
	if c.ProcessState.ExitCode() != 1 || !strings.Contains(string(said), r.platformPackage(native())+" is not installed") {
		t.Errorf("exit %d, want 1: %s", c.ProcessState.ExitCode(), said)
	}
}

// npm itself would pack the same files, and names the archive so.
func TestDistNPMPacksTheSameFiles(t *testing.T) {
	r, home := dist(t), t.TempDir()
	for _, name := range []string{r.npm, r.platformPackage(native())} {
		c := exec.Command("npm", "pack", "--json", r.path("npm", filepath.FromSlash(name)))
		c.Dir, c.Env = home, npmEnvironment(t, home, "http://127.0.0.1:1")
		said, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := filepath.Join(home, "ours"+filepath.Base(name)), filepath.Join(home, "theirs"+filepath.Base(name))
		archive := strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + r.version + ".tgz"
		unpackTar(t, r.path("npm", archive), ours)
		unpackTar(t, filepath.Join(home, archive), theirs)
		if a, b := hashes(t, ours), hashes(t, theirs); len(a) != len(b) {
			t.Errorf("%s: %v, and npm packs %v\n%s", name, a, b, said)
		} else {
			for path, hash := range b {
				if a[path] != hash {
					t.Errorf("%s: %s differs", name, path)
				}
			}
		}
	}
}
