package main

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"debug/pe"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/google/go-cmp/cmp"
)

// dist is the folder of a release to test, which make dist has made and make test-dist
// names. Without it these tests skip: to make one takes minutes.
func dist(t *testing.T) *release {
	t.Helper()
	out := os.Getenv("HENCE_DIST")
	if out == "" {
		t.Skip("HENCE_DIST names no folder of a release; make test-dist does")
	}
	sums, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	_, first, _ := strings.Cut(string(sums), "  hence-")
	name, _, _ := strings.Cut(first, "\n")
	var server struct{ Name string }
	text, err := os.ReadFile(filepath.Join(out, "server.json"))
	if err == nil {
		err = json.Unmarshal(text, &server)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, goos := range []string{"-linux-", "-darwin-", "-windows-"} {
		name, _, _ = strings.Cut(name, goos)
	}
	owner, _, _ := strings.Cut(strings.TrimPrefix(server.Name, "io.github."), "/")
	r, err := newRelease(out, name, owner, os.Getenv("NPM"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func native() target {
	return allTargets[slices.IndexFunc(allTargets, target.isNative)]
}

// within runs a command that must succeed within a minute, and returns what it said.
func within(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	begun := time.Now()
	c.WaitDelay = time.Second // for what it has started
	timer := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	said, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", c, err, said)
	}
	t.Logf("%s took %v", filepath.Base(c.Path), time.Since(begun).Round(time.Millisecond))
	return string(said)
}

// alone is an environment in which nothing of this machine is found.
func alone(home string) []string {
	return []string{"HOME=" + home, "PATH=" + filepath.Join(home, "nothing"), "TMPDIR=" + home}
}

// answersInit checks what hence init has said and written in a folder.
func answersInit(t *testing.T, said, folder string) {
	t.Helper()
	for _, name := range []string{".mcp.json", ".claude/settings.json"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil || !strings.Contains(said, name) {
			t.Errorf("hence init: %s: %v\n%s", name, err, said)
		}
	}
}

func TestDistSumsAreThoseOfTheFiles(t *testing.T) {
	r := dist(t)
	sums, err := r.sums()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(r.path("SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, s := range sums {
		want += s.hash + "  " + s.name + "\n"
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
	if check, err := exec.LookPath("sha256sum"); err == nil { // as a person does
		c := exec.Command(check, "--check", "--strict", "--quiet", "SHA256SUMS")
		c.Dir = r.out
		within(t, c)
	}
}

// A person with nothing but the tarball.
func TestDistTarball(t *testing.T) {
	r, home := dist(t), t.TempDir()
	unpackTar(t, r.path(r.name(native())+".tar.gz"), home)
	unpacked := filepath.Join(home, r.name(native()))
	project := filepath.Join(home, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	hence := func(words ...string) string {
		c := exec.Command(filepath.Join(unpacked, "hence"), words...)
		c.Dir, c.Env = project, alone(home)
		return within(t, c)
	}
	answersInit(t, hence("init", "--client", "claude-code"), project)
	var version struct {
		Version, Revision, Platform string
		Schema                      int
	}
	if err := json.Unmarshal([]byte(hence("version", "--json")), &version); err != nil {
		t.Fatal(err)
	}
	if version.Version != r.version || len(version.Revision) != 12 || version.Schema < 1 || version.Platform != native().os+"/"+native().arch {
		t.Errorf("hence version: %+v", version)
	}
	if said := hence("version"); !strings.HasPrefix(said, "hence "+r.version) || !strings.Contains(said, version.Revision) || !strings.Contains(said, fmt.Sprintf("schema %d,", version.Schema)) {
		t.Errorf("hence version: %s", said)
	}
	for _, name := range []string{"LICENSE", "THIRD_PARTY.txt", "README.md", "CHANGELOG.md", "docs/remote.md", "man/man1/hence.1", "man/man1/hence-store.1", "completions/hence.bash", "completions/_hence", "examples/demo.sh"} {
		if info, err := os.Stat(filepath.Join(unpacked, filepath.FromSlash(name))); err != nil || info.Size() == 0 {
			t.Errorf("the archive has no %s: %v", name, err)
		}
	}
	linksLeadSomewhere(t, unpacked)
	converses(t, func(words ...string) *exec.Cmd {
		c := exec.Command(filepath.Join(unpacked, "hence"), words...)
		c.Env = alone(home)
		return c
	})
}

var (
	pageLink = regexp.MustCompile(`(?:\]\(|(?:src|href)=")([^)"#:\s]+)(?:#[^)"]*)?[)"]`)
	pageCode = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
)

// linksLeadSomewhere checks that the pages below a folder link to files that are there.
func linksLeadSomewhere(t *testing.T, root string) {
	t.Helper()
	links := 0
	err := filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == "examples": // its notes link as Obsidian does
			return fs.SkipDir
		case filepath.Ext(at) != ".md":
			return nil
		}
		text, err := os.ReadFile(at)
		for _, match := range pageLink.FindAllStringSubmatch(pageCode.ReplaceAllString(string(text), ""), -1) {
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(at), filepath.FromSlash(match[1]))); err != nil {
				t.Errorf("%s of the archive: %v", d.Name(), err)
			}
		}
		return err
	})
	if err != nil || links < 50 {
		t.Errorf("%d links, %v", links, err)
	}
}

// packageURL is the form that scanners read.
var packageURL = regexp.MustCompile(`^pkg:[a-z]+(/([\w.~:-]|%[0-9A-F]{2})+)+(@([\w.~:-]|%[0-9A-F]{2})+)?$`)

// What is linked in is listed, with its licence.
func TestDistNamesWhatIsLinkedIn(t *testing.T) {
	r := dist(t)
	for _, tt := range buildableTargets() {
		t.Run(tt.String(), func(t *testing.T) {
			parts, err := r.linkedParts(tt)
			if err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(r.path(r.name(tt) + ".cdx.json"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			var bom cyclonedx.BOM
			if err := cyclonedx.NewBOMDecoder(f, cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
				t.Fatal(err)
			}
			listed := map[string]bool{}
			for _, c := range *bom.Components {
				listed[c.Name+" "+c.Version] = true
				if !packageURL.MatchString(c.PackageURL) {
					t.Errorf("%s %s has the package URL %s", c.Name, c.Version, c.PackageURL)
				}
			}
			if bom.Dependencies == nil || len(*bom.Dependencies) != 1 || len(*(*bom.Dependencies)[0].Dependencies) != len(*bom.Components) {
				t.Error("the program does not depend on each part")
			}
			notice, err := os.ReadFile(r.path("npm", r.platformPackage(tt), "THIRD_PARTY.txt"))
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range parts {
				if p.kind != "" && !listed[p.name+" "+p.version] {
					t.Errorf("the list of materials has no %s %s", p.name, p.version)
				}
				if p.kind != "" && p.kind != "generic" && p.licence == "" {
					t.Errorf("the licence of %s is not a known one: name it in phrases", p.name)
				}
				for _, text := range p.texts {
					if !strings.Contains(string(notice), strings.TrimSpace(text)) {
						t.Errorf("THIRD_PARTY.txt has no licence of %s", p.name)
					}
				}
			}
			names := []string{"sqlite", "std", "github.com/mattn/go-sqlite3", "github.com/asg017/sqlite-vec-go-bindings", "github.com/tree-sitter/go-tree-sitter", "preact", "katex"}
			for _, s := range tt.static {
				names = append(names, s.name)
			}
			for _, name := range names {
				if !slices.ContainsFunc(parts, func(p part) bool { return p.name == name }) {
					t.Errorf("%s is not listed", name)
				}
			}
		})
	}
}

// Programs for Linux need no library, those for Windows only what Windows has.
func TestDistProgramsNeedNoLibraries(t *testing.T) {
	r := dist(t)
	for _, tt := range buildableTargets() {
		switch tt.os {
		case "linux":
			f, err := elf.Open(r.programPath(tt))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if needed, err := f.ImportedLibraries(); err != nil || len(needed) > 0 {
				t.Errorf("%s needs %v, %v", tt, needed, err)
			}
			for _, part := range f.Progs {
				if part.Type == elf.PT_INTERP {
					t.Errorf("%s needs a loader", tt)
				}
			}
		case "windows":
			f, err := pe.Open(r.programPath(tt))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			symbols, err := f.ImportedSymbols()
			if err != nil {
				t.Fatal(err)
			}
			for _, symbol := range symbols {
				_, library, _ := strings.Cut(symbol, ":")
				if !slices.Contains([]string{"kernel32.dll", "msvcrt.dll", "advapi32.dll", "ntdll.dll", "ws2_32.dll"}, strings.ToLower(library)) {
					t.Errorf("it needs %s of %s", symbol, library)
				}
			}
		}
	}
}

// The programs for Linux run where there is nothing else: no libc, no /etc, no /proc.
func TestDistInAnEmptyRoot(t *testing.T) {
	r := dist(t)
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("only root may change the root folder, of Linux")
	}
	for _, tt := range buildableTargets() {
		if tt.os != "linux" {
			continue
		}
		t.Run(tt.String(), func(t *testing.T) {
			root := t.TempDir()
			before := []string{"/hence"}
			copyFile(t, r.programPath(tt), filepath.Join(root, "hence"))
			if !tt.isNative() {
				copyProgram(t, emulator(t, tt.arch), root, "emulator")
				before = []string{"/emulator", "/hence"}
			}
			for _, name := range []string{"tmp", "home", "examples"} {
				if err := os.Mkdir(filepath.Join(root, name), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			hence := func(words ...string) *exec.Cmd {
				c := exec.Command("chroot", append(append([]string{root}, before...), words...)...)
				c.Env = append(alone("/home"), "PATH="+os.Getenv("PATH")) // of chroot itself
				return c
			}
			answersInit(t, within(t, hence("init", "--client", "claude-code")), root)
			converses(t, hence)
			runDemo(t, root, before)
		})
	}
}

// emulator is the program that runs those of another architecture: that of Debian's
// qemu-user-static, or of qemu-user.
func emulator(t *testing.T, arch string) string {
	t.Helper()
	name := map[string]string{"arm64": "qemu-aarch64", "amd64": "qemu-x86_64"}[arch]
	for _, name := range []string{name + "-static", name} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatalf("%s is not installed, so nothing runs the program for %s; on Debian: apt-get install qemu-user-static", name, arch)
	return ""
}

// copyProgram copies a program to a place below a root folder, and what it loads to the
// paths that this has here.
func copyProgram(t *testing.T, program, root, to string) {
	t.Helper()
	copyFile(t, program, filepath.Join(root, to))
	said, _ := exec.Command("ldd", program).Output() // fails for a static one
	for _, path := range regexp.MustCompile(`/\S+`).FindAllString(string(said), -1) {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(path)), 0o755); err != nil {
			t.Fatal(err)
		}
		copyFile(t, path, filepath.Join(root, path))
	}
}

// runDemo runs demo.sh on this side, whose commands run in the other root: the paths in
// their arguments lose what leads to that.
func runDemo(t *testing.T, root string, before []string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(root, "examples"), os.DirFS("../examples")); err != nil {
		t.Fatal(err)
	}
	demo := filepath.Join(root, "examples", "demo.sh")
	wrapper := filepath.Join(t.TempDir(), "hence")
	script := fmt.Sprintf("#!/bin/sh\nroot=%q\nfor word; do set -- \"$@\" \"${word#$root}\"; shift; done\nHENCE_DB=${HENCE_DB#$root} HOME=/home exec chroot \"$root\" %s \"$@\"\n", root, strings.Join(before, " "))
	if err := os.WriteFile(wrapper, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("/bin/sh", demo, wrapper)
	c.Env = append(os.Environ(), "TMPDIR="+filepath.Join(root, "tmp"))
	said := within(t, c)
	for _, words := range []string{"imported vault: 28 notes", "←causes— Cache eviction drops live holds", "because the tail of long holds almost never pays"} {
		if !strings.Contains(said, words) {
			t.Errorf("demo.sh does not say %q:\n%s", words, said)
		}
	}
}

// converses has a conversation with a server over standard input and output.
func converses(t *testing.T, hence func(words ...string) *exec.Cmd) {
	t.Helper()
	c := hence("serve")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	lines := bufio.NewReader(out)
	ask := func(id int, method, params string) string {
		if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params); err != nil {
			t.Fatalf("%v\n%s", err, errs.String())
		}
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("%s: %v\n%s", method, err, errs.String())
			}
			if strings.Contains(line, fmt.Sprintf(`"id":%d,`, id)) {
				return line
			}
		}
	}
	if said := ask(1, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`); !strings.Contains(said, `"serverInfo"`) {
		t.Error(said)
	}
	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if said := ask(2, "tools/call", `{"name":"memory_store","arguments":{"content":"The queue drains in an hour.","title":"Drain time"}}`); strings.Contains(said, `"isError":true`) {
		t.Error(said)
	}
	if said := ask(3, "tools/call", `{"name":"memory_search","arguments":{"query":"drain the queue"}}`); !strings.Contains(said, "Drain time") {
		t.Error(said)
	}
	if err := errors.Join(in.Close(), c.Wait()); err != nil {
		t.Errorf("it ends with %v\n%s", err, errs.String())
	}
}

// Two runs from one commit, in two folders, write the same bytes. It takes as long as make
// dist does, so it is asked for: HENCE_DIST_TWICE=1.
func TestDistIsReproducible(t *testing.T) {
	r := dist(t)
	if os.Getenv("HENCE_DIST_TWICE") == "" {
		t.Skip("HENCE_DIST_TWICE is not set")
	}
	if changed, err := r.git("status", "--porcelain"); err != nil || changed != "" {
		t.Fatalf("the checkout is not what was committed: %v\n%s", err, changed)
	}
	other := filepath.Join(t.TempDir(), "of another length", "hence")
	if _, err := output("git", "clone", "--quiet", r.root, other); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "release")
	if _, err := output("go", "build", "-C", filepath.Join(other, "release"), "-o", program, "."); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "build", "-version", r.version, "-owner", r.owner, "-npm", r.npm)
	c.Dir, c.Stderr = other, os.Stderr
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(hashes(t, r.out), hashes(t, filepath.Join(other, "dist"))); diff != "" {
		t.Errorf("the files differ (-here +there):\n%s", diff)
	}
}

// hashes are those of all files below a folder, but for the published tree, by name.
func hashes(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		below, err := filepath.Rel(root, path)
		if err == nil && !strings.HasPrefix(below, "module") {
			files[below], err = hashOf(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func unpackTar(t *testing.T, path, to string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	packed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(packed); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil || !filepath.IsLocal(header.Name) {
			t.Fatalf("%s: %v", header.Name, err)
		}
		unpackOne(t, filepath.Join(to, header.Name), archive, fs.FileMode(header.Mode))
	}
}

func unpackZip(t *testing.T, path, to string) {
	t.Helper()
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	for _, f := range archive.File {
		from, err := f.Open()
		if err != nil || !filepath.IsLocal(f.Name) {
			t.Fatalf("%s: %v", f.Name, err)
		}
		unpackOne(t, filepath.Join(to, f.Name), from, f.Mode())
		if err := from.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func unpackOne(t *testing.T, path string, from io.Reader, mode fs.FileMode) {
	t.Helper()
	text, err := io.ReadAll(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, text, mode)
	}
	if err != nil {
		t.Fatal(err)
	}
}
