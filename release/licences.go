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

// part is software of others within a program.
type part struct {
	kind          string // of a package URL: golang, npm, generic; "": texts alone
	name, version string
	licence       string // in SPDX's words; "" where the text is not a known one
	texts         []string
}

// linkedParts returns what a program has in it: what its own table of modules lists, what
// these carry in C, what the linker took from the system, and the explorer's page.
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
		p, err := r.ofModule(cache, dep.Path, dep.Version)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	standard, err := ofGo(info.GoVersion)
	if err != nil {
		return nil, err
	}
	parts = append(parts, standard)
	engine, err := r.ofSQLite(cache, info.Deps[slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == "github.com/mattn/go-sqlite3" })].Version)
	if err != nil {
		return nil, err
	}
	parts = append(parts, engine)
	for _, s := range t.static {
		p, err := ofSystem(t, s)
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
	page, err := r.ofWeb()
	return append(parts, page...), err
}

// licenceFile is the name of a file that says under what terms others may use its
// neighbours.
var licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[sc]e|copying|notice)([-._].*)?$`)

// ofModule reads the licences of a module. A module without one has it in the folder
// licences, where it comes from the project that the module packs.
func (r *release) ofModule(cache, path, version string) (p part, err error) {
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

func ofGo(version string) (p part, err error) {
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

func (r *release) ofSQLite(cache, version string) (part, error) {
	header, err := os.ReadFile(filepath.Join(cache, "github.com/mattn/go-sqlite3@"+version, "sqlite3-binding.h"))
	match := sqliteVersion.FindSubmatch(header)
	if err != nil || match == nil {
		return part{}, fmt.Errorf("the version of SQLite: %w", err)
	}
	const blessing = "The author disclaims copyright to this source code. In place of a legal notice, here is a blessing:\n\n" +
		"   May you do good and not evil.\n   May you find forgiveness for yourself and forgive others.\n   May you share freely, never taking more than you give.\n"
	return part{kind: "generic", name: "sqlite", version: string(match[1]), licence: "blessing", texts: []string{blessing}}, nil
}

// commonLicence is a file in which Debian keeps a text that many packages name.
var commonLicence = regexp.MustCompile(`/usr/share/common-licenses/((?:L?GPL|Apache)-[0-9.]*[0-9])`)

// ofSystem reads of the system's package what is linked into the program.
func ofSystem(t target, s static) (p part, err error) {
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
	name, _, _ = strings.Cut(name, ":") // of the architecture
	if err := p.read(filepath.Join("/usr/share/doc", name, "copyright")); err != nil {
		return p, err
	}
	named := commonLicence.FindAllStringSubmatch(p.texts[0], -1)
	for _, pair := range named {
		if err := p.read(filepath.Join("/usr/share/common-licenses", pair[1])); err != nil {
			return p, err
		}
	}
	return p, nil
}

// phrases are sentences that only one licence has, the longer texts first.
var phrases = []struct{ licence, phrase string }{
	{"Apache-2.0", "Apache License Version 2.0"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"Unlicense", "This is free and unencumbered software released into the public domain"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"},
	{"BSD-3-Clause", "endorse or promote products derived from this software without specific prior written permission"},
	{"BSD-2-Clause", "Redistributions in binary form must reproduce the above copyright notice"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy of this software"},
}

// licenceOf returns the name of a licence that has a known text.
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

// thirdParty is the text of THIRD_PARTY.txt.
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
	b.WriteString("\nThe source of this program, and how it is linked, is public: whoever wants another version of one of these\nlibraries in it builds it with make dist.\n")
	for _, p := range parts {
		for _, text := range p.texts {
			b.WriteString("\n" + rule + strings.TrimSpace(p.name+" "+p.version) + "\n" + rule + "\n" + strings.TrimSpace(text) + "\n")
		}
	}
	return b.String()
}
