package main

import (
	"errors"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// module writes the checkout as a module that go install accepts, github.com/OWNER/hence, and
// a proxy (for GOPROXY=file://…) that serves it. Besides the name it adds the header of SQLite
// that sqlite-vec includes, so that the C compiler needs only one folder of headers, and takes
// back the replacement of a module.
func (r *release) module() error {
	name := "github.com/" + r.owner + "/hence"
	tree := r.path("module", "hence")
	if err := os.RemoveAll(r.path("module")); err != nil {
		return err
	}
	listed, err := r.git("ls-files", "-z")
	if err != nil {
		return err
	}
	for _, below := range strings.Split(strings.TrimSuffix(listed, "\x00"), "\x00") {
		if strings.HasPrefix(below, replacement) {
			continue
		}
		if err := copyRenamed(filepath.Join(r.root, below), filepath.Join(tree, below), name); err != nil {
			return err
		}
	}
	if err := r.sumReplaced(filepath.Join(tree, "go.sum")); err != nil {
		return err
	}
	sqlite, err := r.sqlite()
	if err != nil {
		return err
	}
	header := file{name: "sqlite3-binding.h", from: filepath.Join(sqlite, "sqlite3-binding.h"), mode: 0o644}
	if err := put(filepath.Join(tree, "internal", "db", "include"), []file{header}, r.time); err != nil {
		return err
	}
	return r.proxy(name, tree)
}

// replacement is the folder that stands in for the module replaced. go install refuses a module
// that replaces others, so that the one published has the replaced module itself.
const replacement, replaced = "internal/jsonschema/", "github.com/santhosh-tekuri/jsonschema/v6"

// sumReplaced adds the hashes of the replaced module, which the module release knows, to a go.sum.
func (r *release) sumReplaced(sums string) error {
	text, err := os.ReadFile(sums)
	known, readErr := os.ReadFile(filepath.Join(r.root, "release", "go.sum"))
	if err := errors.Join(err, readErr); err != nil {
		return err
	}
	for line := range strings.Lines(string(known)) {
		if strings.HasPrefix(line, replaced+" ") {
			text = append(text, line...)
		}
	}
	return os.WriteFile(sums, text, 0o644)
}

// copyRenamed copies a file of the tree, and renames this module in its imports or in go.mod.
// It copies fixtures of tests as they are.
func copyRenamed(from, to, name string) error {
	info, err := os.Lstat(from)
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	switch {
	case strings.Contains(filepath.ToSlash(from), "/testdata/"):
	case path.Base(from) == "go.mod":
		parsed, err := modfile.Parse(from, text, nil)
		if err != nil {
			return err
		}
		if text, err = renameModule(parsed, name); err != nil {
			return err
		}
	case strings.HasSuffix(from, "floors_test.go"): // names packages in strings
		kept := strings.ReplaceAll(string(text), `"hence/`+path.Clean(replacement)+`", `, "")
		text = []byte(strings.ReplaceAll(kept, `"hence/`, `"`+name+`/`))
	case strings.HasSuffix(from, ".go"):
		if text, err = renameImports(text, name); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, info.Mode().Perm())
}

// renameModule returns the go.mod of the module hence, or of one in a folder of it, under
// another name.
func renameModule(mod *modfile.File, name string) ([]byte, error) {
	err := mod.AddModuleStmt(name + strings.TrimPrefix(mod.Module.Mod.Path, "hence"))
	for _, required := range mod.Require {
		if required.Mod.Path == "hence" {
			err = errors.Join(err, mod.AddRequire(name, required.Mod.Version), mod.DropRequire("hence"))
		}
	}
	for _, one := range mod.Replace {
		switch one.Old.Path {
		case "hence":
			err = errors.Join(err, mod.AddReplace(name, "", one.New.Path, ""), mod.DropReplace("hence", ""))
		case replaced:
			err = errors.Join(err, mod.DropReplace(replaced, ""))
		}
	}
	if err != nil {
		return nil, err
	}
	mod.Cleanup()
	return mod.Format()
}

// renameImports returns Go source with its imports of the module hence under another name.
func renameImports(source []byte, name string) ([]byte, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", source, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	copied := 0
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		below, isOurs := strings.CutPrefix(imported+"/", "hence/")
		if !isOurs {
			continue
		}
		begin, end := files.Position(spec.Path.Pos()).Offset, files.Position(spec.Path.End()).Offset
		b.Write(source[copied:begin])
		b.WriteString(strconv.Quote(strings.TrimSuffix(name+"/"+below, "/")))
		copied = end
	}
	b.Write(source[copied:])
	return []byte(b.String()), nil
}

// proxy writes the files that a proxy of Go modules serves for one version.
func (r *release) proxy(name, tree string) (err error) {
	escaped, err := module.EscapePath(name)
	if err != nil {
		return err
	}
	folder := r.path("module", "proxy", filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	version := "v" + r.version
	mod, err := os.ReadFile(filepath.Join(tree, "go.mod"))
	if err != nil {
		return err
	}
	info, err := asJSON(map[string]string{"Version": version, "Time": r.time.Format(time.RFC3339)})
	if err != nil {
		return err
	}
	err = put(folder, []file{
		{name: "list", text: []byte(version + "\n"), mode: 0o644}, {name: version + ".mod", text: mod, mode: 0o644}, {name: version + ".info", text: info, mode: 0o644},
	}, r.time)
	if err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(folder, version+".zip"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	return zip.CreateFromDir(out, module.Version{Path: name, Version: version}, tree)
}
