package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/modfile"
)

func TestArchivesOfTheSameFilesAreTheSameBytes(t *testing.T) {
	at := time.Date(2026, 11, 22, 12, 0, 1, 0, time.UTC)
	for name, write := range map[string]func(string, []file, time.Time) error{"tar": writeTar, "zip": writeZip} {
		t.Run(name, func(t *testing.T) {
			made := [][]byte{}
			for i := range 2 {
				dir := t.TempDir()
				program := filepath.Join(dir, "program")
				if err := os.WriteFile(program, []byte("text"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(program, at, at.Add(time.Duration(i)*time.Hour)); err != nil {
					t.Fatal(err)
				}
				files := []file{{name: "b", from: program, mode: 0o755}, {name: "a/c", text: []byte("x"), mode: 0o644}}
				if i == 1 {
					files[0], files[1] = files[1], files[0]
				}
				if err := write(filepath.Join(dir, "archive"), files, at.In(time.FixedZone("there", i*3600))); err != nil {
					t.Fatal(err)
				}
				text, err := os.ReadFile(filepath.Join(dir, "archive"))
				if err != nil {
					t.Fatal(err)
				}
				made = append(made, text)
			}
			if !bytes.Equal(made[0], made[1]) {
				t.Error("the archives differ")
			}
		})
	}
}

func TestRenameImports(t *testing.T) {
	source := `// Package x is "hence/doc".
package x

import (
	"fmt"

	"hence"
	"hence/internal/db"
	other "hence/internal/fault" // why
	"henceforth/x"
)

var name, path = "hence", "hence/internal/db"
`
	want := strings.NewReplacer(
		"\t\"hence\"\n", "\t\"github.com/ada/hence\"\n",
		"\t\"hence/internal/db\"\n", "\t\"github.com/ada/hence/internal/db\"\n",
		`other "hence/`, `other "github.com/ada/hence/`).Replace(source)
	got, err := renameImports([]byte(source), "github.com/ada/hence")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestNamesAndVersionsThatWouldNotBePublished(t *testing.T) {
	for name, c := range map[string]struct{ version, owner, npm, want string }{
		"AVersion":     {"0.1.0", "ada", "@ada/hence", ""},
		"ACandidate":   {"v0.1.0-rc.1", "ada-b", "hence-memory", ""},
		"TooShort":     {"0.1", "", "", "is not one such as"},
		"Words":        {"latest", "", "", "is not one such as"},
		"WithMetadata": {"0.1.0+dirty", "", "", "is not one such as"}, // npm drops it
		"UpperCase":    {"0.1.0", "Ada", "", "lower case"},
		"APath":        {"0.1.0", "ada/b", "", "lower case"},
		"NotNPM":       {"0.1.0", "", "Hence Memory", "lower case"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := newRelease("dist", c.version, c.owner, c.npm)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, want %q", err, c.want)
			}
			if err == nil && r.version != strings.TrimPrefix(c.version, "v") {
				t.Errorf("the version is %q", r.version)
			}
		})
	}
}

// A commit without a tag has a version too, which is below every release's.
func TestACommitHasAVersion(t *testing.T) {
	r, err := newRelease("dist", "", "", "")
	if err != nil {
		t.Skip(err) // not a checkout
	}
	if r.revision == "" || r.time.IsZero() || r.version == "" {
		t.Errorf("%+v", r)
	}
}

// The licences of the explorer's page are those of the packages that it is built from.
func TestTheExplorersLicencesAreThoseOfItsLock(t *testing.T) {
	lock, err := os.ReadFile(filepath.Join("..", webLock))
	if err != nil {
		t.Fatal(err)
	}
	names, packages, err := webPackages(lock)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{}
	for _, name := range names {
		want = append(want, name+" "+packages[name].Version)
	}
	parts, err := (&release{root: ".."}).webParts()
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, p := range parts {
		if p.kind == "npm" {
			got = append(got, p.name+" "+p.version)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s is out of date; make web writes it (-lock +licences):\n%s", webLicences, diff)
	}
}

func TestLicenceOf(t *testing.T) {
	text, err := os.ReadFile("../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if got := licenceOf(string(text)); got != "MIT" {
		t.Errorf("our own licence is %q", got)
	}
	if got := licenceOf("> Redistributions in binary form must\n>  reproduce the above copyright notice\n"); got != "BSD-2-Clause" {
		t.Errorf("a quoted licence is %q", got)
	}
	if got := licenceOf("You may do anything."); got != "" {
		t.Errorf("an unknown licence is %q", got)
	}
}

func TestTheSourcesOfTheWordVectorsHaveTheirLicences(t *testing.T) {
	parts, err := (&release{root: ".."}).wordParts()
	if err != nil || len(parts) != 3 {
		t.Fatal(parts, err)
	}
	fetched, err := os.ReadFile("model/packages.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		if p.licence == "" || len(p.texts) != 1 || !packageURL.MatchString(p.packageURL()) {
			t.Errorf("%s (%s) has %d texts and the package URL %s", p.name, p.licence, len(p.texts), p.packageURL())
		}
		if !strings.Contains(string(fetched), strings.TrimPrefix(p.name, "debian/")) || !strings.Contains(string(fetched), p.version) {
			t.Errorf("model fetches no %s %s", p.name, p.version)
		}
	}
}

func TestPackageURL(t *testing.T) {
	for want, p := range map[string]part{
		"pkg:npm/%40mermaid-js/tiny@11.0.0":             {kind: "npm", name: "@mermaid-js/tiny", version: "11.0.0"},
		"pkg:generic/musl@1.2.3-1%2Bb1":                 {kind: "generic", name: "musl", version: "1.2.3-1+b1"},
		"pkg:generic/gitleaks%20%28rules%29":            {kind: "generic", name: "gitleaks (rules)"},
		"pkg:golang/github.com/burntsushi/toml@v1.5.0":  {kind: "golang", name: "github.com/BurntSushi/toml", version: "v1.5.0"},
		"pkg:golang/gopkg.in/yaml.v3@v3.0.1%2Bunstable": {kind: "golang", name: "gopkg.in/yaml.v3", version: "v3.0.1+unstable"},
	} {
		if got := p.packageURL(); got != want || !packageURL.MatchString(got) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// A release is not built as long as its pages say that it waits for one.
func TestATaggedReleaseDoesNotWait(t *testing.T) {
	for name, c := range map[string]struct {
		tagged bool
		page   string
		want   string
	}{
		"Waiting":  {true, "It is not\npublished yet.", "docs/install.md"},
		"Released": {true, "It is published.", ""},
		"Untagged": {false, "It is not published yet.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := release{root: t.TempDir(), version: "0.1.0", tagged: c.tagged}
			if err := os.Mkdir(filepath.Join(r.root, "docs"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(r.root, "docs", "install.md"), []byte(c.page), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := r.refuseWaiting(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// One command turns the pages, and then a tagged release is built of them.
func TestPagesArePublishedByOneCommand(t *testing.T) {
	r := release{root: t.TempDir(), version: "0.1.0", tagged: true}
	for _, folder := range []string{".", "docs"} {
		if err := os.MkdirAll(filepath.Join(r.root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	pages, err := (&release{root: ".."}).pages()
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page.from)
		if err != nil {
			t.Fatal(err)
		}
		if page.name == "CHANGELOG.md" { // its version and date are a person's to write
			continue
		}
		if err := os.WriteFile(filepath.Join(r.root, page.name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.refuseWaiting(); err == nil {
		t.Fatal("no page waits: nothing is put to the test")
	}
	if err := r.publishPages(); err != nil {
		t.Fatal(err)
	}
	if err := r.refuseWaiting(); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(filepath.Join(r.root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "\nWithout a checkout: `npm install --global hence`") || strings.Contains(string(text), "Once it is") {
		t.Errorf("README.md does not say how to install what is published:\n%s", text)
	}
}

// Every page that says so says it in the words for which a tagged build looks.
func TestPagesWaitInOneWording(t *testing.T) {
	pages, err := (&release{root: ".."}).pages()
	if err != nil {
		t.Fatal(err)
	}
	other := regexp.MustCompile(`(?i)\b(nothing|none|no release) (is|has been|was) (yet )?(published|released|made)|\bnot (yet )?released\b`)
	for _, page := range pages {
		text, err := os.ReadFile(page.from)
		if err != nil {
			t.Fatal(err)
		}
		if match := other.FindString(string(text)); match != "" {
			t.Errorf("%s says %q; say \"not published yet\", for which make dist looks at a tag", page.name, match)
		}
	}
}

// GitHub's artefacts lose modes and empty folders, so the workflow hands on an archive.
func TestTheWorkflowHandsOnAnArchive(t *testing.T) {
	text, err := os.ReadFile("../.github/workflows/release.yml")
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				Uses string
				With map[string]any
			}
		}
	}
	if err := yaml.Unmarshal(text, &workflow); err != nil {
		t.Fatal(err)
	}
	uploads := 0
	for _, step := range workflow.Jobs["build"].Steps {
		if strings.HasPrefix(step.Uses, "actions/upload-artifact@") {
			if uploads++; filepath.Ext(fmt.Sprint(step.With["path"])) != ".tar" {
				t.Errorf("it uploads %v", step.With["path"])
			}
		}
	}
	if uploads != 1 {
		t.Errorf("it uploads %d times", uploads)
	}
}

func TestModulesInFoldersAreRenamedWithTheProgram(t *testing.T) {
	parsed, err := modfile.Parse("go.mod", []byte("module hence/bench\n\ngo 1.26.0\n\nrequire (\n\texample.com/x v1.0.0\n\thence v0.0.0\n)\n\nreplace hence => ../\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := renameModule(parsed, "github.com/ada/hence")
	if err != nil {
		t.Fatal(err)
	}
	want := "module github.com/ada/hence/bench\n\ngo 1.26.0\n\nrequire (\n\texample.com/x v1.0.0\n\tgithub.com/ada/hence v0.0.0\n)\n\nreplace github.com/ada/hence => ../\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}
