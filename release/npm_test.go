package main

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// registry is one of npm with the packages of a release.
func registry(t *testing.T, r *release) *httptest.Server {
	t.Helper()
	archives := map[string]string{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /archives/{name}", func(w http.ResponseWriter, q *http.Request) {
		http.ServeFile(w, q, r.path("npm", filepath.Base(q.PathValue("name"))))
	})
	var server *httptest.Server
	mux.HandleFunc("GET /{name...}", func(w http.ResponseWriter, q *http.Request) {
		name, _ := url.PathUnescape(q.PathValue("name"))
		manifest, err := os.ReadFile(r.path("npm", filepath.FromSlash(name), "package.json"))
		var p map[string]any
		if err != nil || !filepath.IsLocal(name) || json.Unmarshal(manifest, &p) != nil {
			http.NotFound(w, q)
			return
		}
		archive := strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + r.version + ".tgz"
		if archives[name] == "" {
			text, err := os.ReadFile(r.path("npm", archive))
			if err != nil {
				http.NotFound(w, q)
				return
			}
			hash := sha512.Sum512(text)
			archives[name] = "sha512-" + base64.StdEncoding.EncodeToString(hash[:])
		}
		p["dist"] = map[string]string{"tarball": server.URL + "/archives/" + archive, "integrity": archives[name]}
		_ = json.NewEncoder(w).Encode(map[string]any{"name": name, "dist-tags": map[string]string{"latest": r.version}, "versions": map[string]any{r.version: p}})
	})
	server = httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
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
		"npm_config_update_notifier=false", "npm_config_audit=false", "npm_config_fund=false", "npm_config_ignore_scripts=true", "npm_config_fetch_retries=0",
	}
}

// A person with nothing but node: npm installs the launcher and the program of this
// platform alone, runs no script of theirs, and afterwards npx needs no network.
func TestDistNPM(t *testing.T) {
	r, home := dist(t), t.TempDir()
	server := registry(t, r)
	project := filepath.Join(home, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(words ...string) string {
		c := exec.Command(words[0], words[1:]...)
		c.Dir, c.Env = project, npmEnvironment(t, home, server.URL)
		return within(t, c)
	}
	run("npm", "init", "--yes")
	run("npm", "install", "--loglevel=error", r.npm)
	platforms := []string{}
	for _, tt := range all {
		if _, err := os.Stat(filepath.Join(project, "node_modules", filepath.FromSlash(r.platformPackage(tt)))); err == nil {
			platforms = append(platforms, tt.String())
		}
	}
	if len(platforms) != 1 || platforms[0] != native().String() {
		t.Errorf("installed for %v, want %s alone", platforms, native())
	}
	server.Close() // offline from here on
	answersInit(t, run("npx", "-y", "--offline", "hence", "init", "--client", "claude-code"), project)
	settings, err := os.ReadFile(filepath.Join(project, ".mcp.json"))
	if err != nil || !strings.Contains(string(settings), `"npx"`) || strings.Contains(string(settings), "node_modules") {
		t.Errorf("the settings name a folder of npm's: %v\n%s", err, settings)
	}
	if said := run("npx", "-y", "hence", "version"); !strings.HasPrefix(said, "hence "+r.version) {
		t.Errorf("hence version: %s", said)
	}
	converses(t, func(words ...string) *exec.Cmd {
		c := exec.Command("npx", append([]string{"-y", "hence"}, words...)...)
		c.Dir, c.Env = project, npmEnvironment(t, home, server.URL)
		return c
	})
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
