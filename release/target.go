package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// target is a platform, and the settings with which a program for it is built.
type target struct {
	os, arch string
	cc       string
	tags     []string
	defines  string // for the C compiler
	flags    string // for the linker
	static   []static
}

// static is a library of the system that the linker copies into the program.
type static struct {
	name, licence string
	file          string // its path; "": libgcc, whose path cc prints
}

func (t target) String() string { return t.os + "-" + t.arch }

func (t target) program() string {
	if t.os == "windows" {
		return "hence.exe"
	}
	return "hence"
}

// nodeNames returns the platform as Node.js names it.
func (t target) nodeNames() (platform, arch string) {
	platform, arch = t.os, t.arch
	if platform == "windows" {
		platform = "win32"
	}
	if arch == "amd64" {
		arch = "x64"
	}
	return platform, arch
}

// isNative reports whether this machine runs the program.
func (t target) isNative() bool { return t.os == runtime.GOOS && t.arch == runtime.GOARCH }

// allTargets are the platforms of a release.
//
// A program without libraries of the system looks up hosts and users by itself (netgo,
// osusergo). musl gives threads stacks of 128 KB unless the program asks for more; 8 MB,
// as in glibc, occupy memory only as they are used. Debian has no musl for arm64 on an amd64
// machine, so that program is linked with glibc. It uses none of the parts of glibc that need
// the shared library even then: host names, users and dlopen.
var allTargets = []target{
	{
		os: "linux", arch: "amd64", cc: "musl-gcc", tags: []string{"netgo", "osusergo"},
		defines: "-Du_int8_t=uint8_t -Du_int16_t=uint16_t -Du_int64_t=uint64_t", // sqlite-vec expects these types, and musl does not define them by default
		flags:   `-extldflags "-static -Wl,-z,stack-size=8388608 -Wl,--build-id=none"`,
		static:  []static{{"musl", "MIT", "/usr/lib/x86_64-linux-musl/libc.a"}, {"libgcc", "GPL-3.0-or-later WITH GCC-exception-3.1", ""}},
	},
	{
		os: "linux", arch: "arm64", cc: "aarch64-linux-gnu-gcc", tags: []string{"netgo", "osusergo"},
		flags:  `-extldflags "-static -Wl,--build-id=none"`,
		static: []static{{"glibc", "LGPL-2.1-or-later", "/usr/aarch64-linux-gnu/lib/libc.a"}, {"libgcc", "GPL-3.0-or-later WITH GCC-exception-3.1", ""}},
	},
	{
		os: "windows", arch: "amd64", cc: "x86_64-w64-mingw32-gcc",
		flags: `-extldflags "-static -Wl,--no-insert-timestamp -lwinpthread"`,
		static: []static{
			{"mingw-w64", "ZPL-2.1", "/usr/x86_64-w64-mingw32/lib/libmingw32.a"},
			{"winpthreads", "MIT AND BSD-3-Clause", "/usr/x86_64-w64-mingw32/lib/libwinpthread.a"},
			{"libgcc", "GPL-3.0-or-later WITH GCC-exception-3.1", ""},
		},
	},
	{os: "darwin", arch: "arm64", cc: "clang -arch arm64 -mmacosx-version-min=12"},
	{os: "darwin", arch: "amd64", cc: "clang -arch x86_64 -mmacosx-version-min=12"},
}

// buildableTargets returns the targets that this machine builds: those for Macs on a Mac, all
// others elsewhere. Only Linux on amd64 has the compilers for the others. The machine's own
// platform comes first if it is a Mac or Linux.
func buildableTargets() (list []target) {
	for _, t := range allTargets {
		if (t.os == "darwin") == (runtime.GOOS == "darwin") {
			list = append(list, t)
		}
	}
	if len(list) > 1 && list[1].isNative() {
		list[0], list[1] = list[1], list[0]
	}
	return list
}

// compile builds the program of a target at a path.
func (r *release) compile(t target, path string) error {
	if _, err := exec.LookPath(strings.Fields(t.cc)[0]); err != nil {
		return fmt.Errorf("%s: %w; on Debian: apt-get install musl-tools gcc-aarch64-linux-gnu gcc-mingw-w64-x86-64", t, err)
	}
	sqlite, err := r.sqlite()
	if err != nil {
		return err
	}
	cache, err := output("go", "env", "GOMODCACHE")
	if err != nil {
		return err
	}
	tags := append([]string{"sqlite_fts5", "sqlite_omit_load_extension"}, t.tags...)
	flags := fmt.Sprintf("-s -w -buildid= -linkmode=external -X hence.version=%s -X hence.revision=%s %s", r.version, r.revision, t.flags)
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-tags="+strings.Join(tags, ","), "-ldflags="+flags, "-o", path, "./cmd/hence")
	c.Dir, c.Stdout, c.Stderr = r.root, os.Stderr, os.Stderr
	c.Env = append(os.Environ(),
		"CGO_ENABLED=1", "GOFLAGS=-mod=readonly", "GOOS="+t.os, "GOARCH="+t.arch, "GOAMD64=v1", "GOARM64=v8.0", "CC="+t.cc, "CGO_LDFLAGS=", "CGO_CPPFLAGS=",
		// The prefix maps make the paths that C puts into the program the same in every checkout.
		fmt.Sprintf("CGO_CFLAGS=-O2 %s \"-I%s\" \"-I%s\" \"-ffile-prefix-map=%s=hence\" \"-ffile-prefix-map=%s=modules\"", t.defines, filepath.Join(r.root, "internal", "db", "include"), sqlite, r.root, cache))
	return c.Run()
}
