package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The explorer's page is built from packages of npm, and is in the repository as it was
// built. A checkout without these packages reads their licences from webLicences, which
// make web writes together with the page.
const (
	webLicences = "release/licences/explorer.txt"
	webLock     = "tools/explore/web/package-lock.json"
)

// lockedPackage is a package in a lock of npm.
type lockedPackage struct {
	Version string `json:"version"`
	License string `json:"license"`
	Dev     bool   `json:"dev"`
}

// webPackages returns the packages that the page may be built from, by name, and their sorted
// names.
func webPackages(lock []byte) (names []string, packages map[string]lockedPackage, err error) {
	var read struct {
		Packages map[string]lockedPackage `json:"packages"`
	}
	if err := json.Unmarshal(lock, &read); err != nil {
		return nil, nil, err
	}
	packages = map[string]lockedPackage{}
	for path, p := range read.Packages {
		if at := strings.LastIndex(path, "node_modules/"); at >= 0 && !p.Dev {
			packages[path[at+len("node_modules/"):]] = p
		}
	}
	return slices.Sorted(maps.Keys(packages)), packages, nil
}

// webHead matches the line before a package's licence. commentsHeading is the line before
// the comments, which follow the licences.
var (
	webHead         = regexp.MustCompile(`(?m)^== (\S+) (\S+) \((.*)\)$`)
	commentsHeading = "== Comments that the packages keep of what they were bundled from"
)

// keptComment matches a comment that a bundler keeps because of its licence.
var keptComment = regexp.MustCompile(`(?s)/\*!.*?\*/`)

// writeWebLicences writes the file webLicences: the licence of each locked package, from the
// folder in which npm installed them, then the licence comments in the built page.
func writeWebLicences(nodeModules string) error {
	lock, err := os.ReadFile(webLock)
	if err != nil {
		return err
	}
	names, packages, err := webPackages(lock)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, name := range names {
		text, err := npmLicence(filepath.Join(nodeModules, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "== %s %s (%s)\n\n%s\n\n", name, packages[name].Version, packages[name].License, text)
	}
	b.WriteString(commentsHeading + "\n")
	built, err := filepath.Glob("tools/explore/dist/assets/*.js")
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, path := range built {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, comment := range keptComment.FindAllString(string(text), -1) {
			if !seen[comment] {
				seen[comment] = true
				b.WriteString("\n" + comment + "\n")
			}
		}
	}
	return os.WriteFile(webLicences, []byte(b.String()), 0o644)
}

// npmLicence returns the text of a package's licences, or a sentence if it has no such text.
func npmLicence(folder string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	texts := []string{}
	for _, e := range entries {
		if licenceFile.MatchString(e.Name()) {
			text, err := os.ReadFile(filepath.Join(folder, e.Name()))
			if err != nil {
				return "", err
			}
			texts = append(texts, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
		}
	}
	if len(texts) == 0 {
		return "The package has no text of its licence.", nil
	}
	return strings.Join(texts, "\n\n"), nil
}

// webParts returns the packages in the explorer's page, from the file webLicences, and last the
// licence comments.
func (r *release) webParts() (parts []part, err error) {
	text, err := os.ReadFile(filepath.Join(r.root, webLicences))
	if err != nil {
		return nil, err
	}
	licences, comments, _ := strings.Cut(string(text), commentsHeading)
	headings := webHead.FindAllStringSubmatchIndex(licences, -1)
	for i, heading := range headings {
		end := len(licences)
		if i+1 < len(headings) {
			end = headings[i+1][0]
		}
		group := func(n int) string { return licences[heading[2*n]:heading[2*n+1]] }
		parts = append(parts, part{kind: "npm", name: group(1), version: group(2), licence: group(3), texts: []string{licences[heading[1]:end]}})
	}
	return append(parts, part{name: "notices within the packages of the explorer", texts: []string{comments}}), nil
}
