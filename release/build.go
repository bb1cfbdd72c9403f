package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// build writes the files of the platforms that this machine can build for, or only of one.
func (r *release) build(only string) error {
	targets := []target{}
	for _, t := range buildableTargets() {
		if only == "" || only == t.String() {
			targets = append(targets, t)
		}
	}
	if len(targets) == 0 {
		return fmt.Errorf("this machine does not build for %q", only)
	}
	if err := r.refuseWaiting(); err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(r.out), os.MkdirAll(r.out, 0o755)); err != nil {
		return err
	}
	native := ""
	for _, t := range targets {
		fmt.Fprintf(os.Stderr, "release: hence %s for %s\n", r.version, t)
		if err := r.compile(t, r.programPath(t)); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		if t.isNative() {
			native = r.programPath(t)
		}
	}
	if native == "" {
		return errors.New("the program that writes the manual pages must run on this machine: build for its own platform too")
	}
	extra, err := r.describe(native)
	if err != nil {
		return err
	}
	for _, t := range targets {
		if err := r.pack(t, extra); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	if err := r.writePlugins(); err != nil {
		return err
	}
	return r.index()
}

// refuseWaiting fails for a tagged release whose pages still say that Hence is not published:
// people who install the release get these pages.
func (r *release) refuseWaiting() error {
	if !r.tagged {
		return nil
	}
	pages, err := r.pages()
	if err != nil {
		return err
	}
	waiting := []string{}
	for _, page := range pages {
		text, err := os.ReadFile(page.from)
		if err != nil {
			return err
		}
		if strings.Contains(strings.Join(strings.Fields(string(text)), " "), "not published yet") {
			waiting = append(waiting, page.name)
		}
	}
	if len(waiting) > 0 {
		return fmt.Errorf("at the tag v%s these pages still say \"not published yet\": %s; make published, and tag again", r.version, strings.Join(waiting, ", "))
	}
	return nil
}

func (r *release) programPath(t target) string { return r.path("programs", t.String(), t.program()) }

// selfDescription is the output of a program about itself, the same on every platform.
type selfDescription struct {
	manual []file // manual pages and completion scripts
	tools  []tool
}

func (r *release) describe(program string) (d selfDescription, err error) {
	manual := r.path("manual")
	if err := r.writeManual(program, manual); err != nil {
		return d, fmt.Errorf("the manual: %w", err)
	}
	if d.manual, err = folder("", manual); err != nil {
		return d, err
	}
	d.tools, err = askTools(program)
	return d, err
}

// pages returns the pages of the documentation, with their paths in the checkout as names.
func (r *release) pages() (pages []file, err error) {
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		paths, err := filepath.Glob(filepath.Join(r.root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, at := range paths {
			name := path.Join(path.Dir(pattern), filepath.Base(at))
			pages = append(pages, file{name: name, from: at, mode: 0o644})
		}
	}
	return pages, nil
}

// pack writes all files that contain the program of a target: archive, bundle, npm package
// and image; and its bill of materials.
func (r *release) pack(t target, d selfDescription) error {
	parts, err := r.linkedParts(t)
	if err != nil {
		return err
	}
	notice := []byte(thirdParty("This program also contains", parts))
	program := file{name: t.program(), from: r.programPath(t), mode: 0o755}
	files := append([]file{program, {name: "THIRD_PARTY.txt", text: notice, mode: 0o644}}, d.manual...)
	files = append(files, file{name: "LICENSE", from: filepath.Join(r.root, "LICENSE"), mode: 0o644})
	pages, err := r.pages()
	if err != nil {
		return err
	}
	files = append(files, pages...)
	// The pages show these files and link to them.
	for _, name := range []string{"docs/pictures", "examples", "release/container"} {
		more, err := folder(name, filepath.Join(r.root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		files = append(files, more...)
	}
	write, archive := writeTar, r.path(r.name(t)+".tar.gz")
	if t.os == "windows" {
		write, archive = writeZip, r.path(r.name(t)+".zip")
	}
	if err := write(archive, underFolder(r.name(t), files), r.time); err != nil {
		return err
	}
	if err := r.writeBOM(t, parts); err != nil {
		return err
	}
	if err := r.writeBundle(t, program, notice, d.tools); err != nil {
		return err
	}
	if err := r.writePlatformPackage(t, program, notice); err != nil {
		return err
	}
	if t.os == "linux" {
		return r.writeImage(t, program, parts)
	}
	return nil
}

// underFolder returns files with the folder before their names.
func underFolder(folder string, files []file) (moved []file) {
	for _, f := range files {
		f.name = folder + "/" + f.name
		moved = append(moved, f)
	}
	return moved
}
