package golang

import (
	"errors"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"hence/internal/pattern"
)

var errUnreadable = errors.New("the file cannot be read")

// platform is the target of a build: an operating system, an architecture and values of
// tags. Any other tag is false, except those that every build sets (gc, cgo, go1.26).
type platform struct {
	os, arch string
	tags     map[string]bool
}

// reference is the platform whose files are numbered first, whatever machine this runs on.
var reference = platform{os: "linux", arch: "amd64"}

func (p platform) hasTag(tag string) bool {
	if value, ok := p.tags[tag]; ok {
		return value
	}
	switch {
	case tag == p.os || tag == p.arch || tag == "gc" || tag == "cgo":
		return true
	case tag == "unix":
		return slices.Contains(unixSystems, p.os)
	case tag == "linux":
		return p.os == "android"
	case tag == "solaris":
		return p.os == "illumos"
	case tag == "darwin":
		return p.os == "ios"
	}
	return releaseTag().MatchString(tag)
}

var releaseTag = pattern.Lazy(`^go1(\.\d+)?$`)

// The systems and architectures that a file name may end with, as in internal/syslist of
// the Go distribution; common ones first.
var (
	systems     = strings.Fields("linux windows darwin freebsd js aix android dragonfly hurd illumos ios nacl netbsd openbsd plan9 solaris wasip1 zos")
	unixSystems = strings.Fields("aix android darwin dragonfly freebsd hurd illumos ios linux netbsd openbsd solaris")
	archs       = strings.Fields("amd64 arm64 wasm 386 arm amd64p32 armbe arm64be loong64 mips mipsle mips64 mips64le mips64p32 mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64")
)

// limit is the build constraint of a file, from its name and its go:build lines.
type limit struct {
	os, arch string          // "" for any
	expr     constraint.Expr // nil for any
	text     string          // the constraint as text, for the surface of the file

	generated bool // a line marks the file as generated (go help generate)
}

func readConstraint(name string, text []byte) limit {
	l := limit{}
	parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(path.Base(name), ".go"), "_test"), "_")
	// The first part is never a system, even if it is spelled like one (linux.go).
	if n := len(parts); n >= 2 {
		switch last := parts[n-1]; {
		case slices.Contains(archs, last):
			if l.arch = last; n >= 3 && slices.Contains(systems, parts[n-2]) {
				l.os = parts[n-2]
			}
		case slices.Contains(systems, last):
			l.os = last
		}
	}
	l.text = l.os + " " + l.arch
	head, _ := parseStrictly(token.NewFileSet(), name, text, parser.PackageClauseOnly|parser.ParseComments)
	if head == nil {
		return l
	}
	l.generated = ast.IsGenerated(head)
	for _, group := range head.Comments {
		for _, comment := range group.List {
			line := comment.Text
			isGo := constraint.IsGoBuild(line)
			if comment.Pos() > head.Package || !isGo && !constraint.IsPlusBuild(line) || len(line) > 1000 {
				continue
			}
			expr, err := constraint.Parse(line)
			if err != nil {
				continue
			}
			l.text += "\n" + line
			if isGo || l.expr == nil {
				l.expr = expr
			} else {
				l.expr = &constraint.AndExpr{X: l.expr, Y: expr}
			}
			if isGo {
				return l
			}
		}
	}
	return l
}

func (l limit) allows(p platform) bool {
	if l.os != "" && !p.hasTag(l.os) || l.arch != "" && !p.hasTag(l.arch) {
		return false
	}
	return l.expr == nil || l.expr.Eval(p.hasTag)
}

// platform returns a platform whose builds include the file: linux/amd64 if possible, else
// the first system and architecture that includes it with some values of its tags. If there
// is none, it returns the reference.
func (l limit) platform() platform {
	if l.allows(reference) {
		return reference
	}
	tags := l.tags()
	for _, system := range systems {
		for _, arch := range archs {
			if (arch == "wasm") != (system == "js" || system == "wasip1") {
				continue // there is no such build
			}
			for choice := range 1 << len(tags) {
				p := platform{os: system, arch: arch, tags: map[string]bool{}}
				for i, tag := range tags {
					if choice>>i&1 == 1 {
						p.tags[tag] = !p.hasTag(tag)
					}
				}
				if l.allows(p) {
					return p
				}
			}
		}
	}
	return reference
}

// tags returns the tags of a file that are neither a system nor an architecture, at most
// six, because platform tries all their values.
func (l limit) tags() (tags []string) {
	if l.expr != nil {
		l.expr.Eval(func(tag string) bool { // which asks for all
			known := tag == "unix" || slices.Contains(systems, tag) || slices.Contains(archs, tag)
			if !known && len(tags) < 6 && !slices.Contains(tags, tag) {
				tags = append(tags, tag)
			}
			return true
		})
	}
	return tags
}
