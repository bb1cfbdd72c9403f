package tidy

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"hence/internal/db"
	"hence/internal/pattern"
	"hence/internal/plural"
	"hence/internal/ref"
)

const (
	maxFiles = 20_000  // files of the folder whose names are read
	maxFile  = 4 << 20 // bytes of a file whose lines are counted
)

// listBroken proposes to mend or to verify memories that cite a file of the project's folder
// which is not there, or a line that it does not have: a file that was renamed says nothing
// against a decision. Where an import saw the file move, the proposal is the text with the new
// path. Nothing outside the folder is looked at, and a
// link that leads out of it counts as existing. A memory of another project is left out; one
// of no project is examined only if the first folder of the path exists.
func (w *world) listBroken() (proposals []proposal) {
	if w.folder == "" {
		return nil
	}
	root, err := os.OpenRoot(w.folder)
	if err != nil {
		return nil
	}
	defer root.Close()
	d := &directory{root: root, fates: w.fates}
	own := ref.ProjectPrefix + path.Base(w.folder)
	for _, m := range w.all {
		if m.note() && !m.ofAgent() || w.isOver(m) || m.project != "" && !strings.EqualFold(m.project, own) {
			continue
		}
		missing, now := []string{}, map[string]string{}
		for _, c := range citations(m.said) {
			if what := d.missingPart(c, m.project != ""); what != "" {
				missing = append(missing, what)
				if path := d.fates[c.path]; path != "" && d.has(path) {
					now[c.path] = path
				}
			}
		}
		if len(missing) == 0 {
			continue
		}
		why := strings.Join(missing[:min(len(missing), 3)], "; ")
		do := verify(m, why)
		if len(now) > 0 && m.whole && !m.note() {
			do = cite(m, withPaths(m.Title, now), withPaths(m.Content, now))
		}
		proposals = append(proposals, propose(1, why, do, m))
	}
	return proposals
}

// withPaths returns a text with other paths in place of those that it cites.
func withPaths(text string, paths map[string]string) string {
	var b strings.Builder
	for {
		at := cited().FindStringSubmatchIndex(text)
		if at == nil {
			return b.String() + text
		}
		b.WriteString(text[:at[4]])
		old := text[at[4]:at[5]]
		b.WriteString(cmp.Or(paths[path.Clean(old)], old))
		end := max(at[8], at[5]) // the character that ends one may begin the next
		b.WriteString(text[at[5]:end])
		text = text[end:]
	}
}

// readFates reads what imports saw of files: by each path that a file had, the path that it has
// now, "" if it is gone. A path that two repositories or vaults had is left to the first.
func readFates(ctx context.Context, r *db.Reader) (map[string]string, error) {
	fates := map[string]string{}
	return fates, db.Each(ctx, r, func(row *sql.Rows) error {
		var old, now string
		if err := row.Scan(&old, &now); err != nil {
			return err
		}
		inside := func(uri string) string {
			_, rest, _ := strings.Cut(uri, "://")
			_, path, _ := strings.Cut(rest, "/")
			return path
		}
		if _, known := fates[inside(old)]; !known {
			fates[inside(old)] = inside(now)
		}
		return nil
	}, `
select
  j.before ->> '$.uri',
  coalesce(iif(m.status <> 'forgotten', m.uri, null), '')
from journal j
join memories m on m.id = j.id
where instr(j.before, '"uri":"')
  and m.uri <> j.before ->> '$.uri'
  and not instr(m.uri, '#')
union
select
  uri,
  ''
from memories
where status = 'forgotten'
  and uri is not null
  and not instr(uri, '#')
order by 1, 2 desc`)
}

// citation is a path that a text cites, and a line of that file; 0 for none.
type citation struct {
	path string
	line int
}

// cited matches the path of a file with an ending, and the line after it, if any. The parts
// of the path have the characters of names of code files; an address on the web does not
// match. The @ with which a client's files import another is not part of it.
var cited = pattern.Lazy(`(?:^|[\s("'\x60\[<=,;])(@?)((?:\./)?(?:[\w.@+-]+/)*[\w.@+-]*\w\.[A-Za-z]\w{0,9})(?::(\d{1,7})(?:[-:]\d+)?)?($|[\s)"'\x60\]>,;:.!?])`)

// citations returns the files that a text cites: paths with a folder, and names with a
// line.
func citations(text string) []citation {
	all := []citation{}
	for rest := text; ; {
		at := cited().FindStringSubmatchIndex(rest)
		if at == nil {
			return all
		}
		c := citation{path: path.Clean(rest[at[4]:at[5]])}
		if at[6] >= 0 {
			c.line, _ = strconv.Atoi(rest[at[6]:at[7]]) // at most seven digits
		}
		if (strings.Contains(c.path, "/") || c.line > 0) && !strings.HasPrefix(c.path, "..") && !slices.Contains(all, c) {
			all = append(all, c)
		}
		rest = rest[max(at[8], 1):] // the character that ends one may begin the next
	}
}

// directory is the project's folder.
type directory struct {
	root  *os.Root
	fates map[string]string // see readFates
	files []string          // paths, the first maxFiles; see list
	known bool              // list has read files
	whole bool              // files are all of them
}

// missingPart says what a citation names that does not exist; "" if all of it exists or that
// is unknown. It calls gone only what an import saw there. A path may be given from any folder below the project's. ours says that the
// memory belongs to the project.
func (d *directory) missingPart(c citation, ours bool) string {
	info, err := d.root.Stat(c.path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return ""
	case err == nil:
		if c.line > 0 && info.Size() <= maxFile {
			if lines, ok := d.lines(c.path); ok && c.line > lines {
				return fmt.Sprintf("%s has %s, and line %d is cited", c.path, plural.Count(lines, "line", "lines"), c.line)
			}
		}
		return ""
	case !errors.Is(err, fs.ErrNotExist):
		return "" // a link out of the folder, or a file that cannot be read
	}
	if first, _, inFolder := strings.Cut(c.path, "/"); !ours {
		if info, err := d.root.Stat(first); !inFolder || err != nil || !info.IsDir() {
			return ""
		}
	}
	if d.list(); !d.whole {
		return ""
	}
	now, was := d.fates[c.path]
	if was && now != "" && d.has(now) {
		return fmt.Sprintf("%s is %s now", c.path, now)
	}
	sameName := []string{}
	for _, file := range d.files {
		if strings.HasSuffix(file, "/"+c.path) {
			return ""
		}
		if path.Base(file) == path.Base(c.path) {
			sameName = append(sameName, file)
		}
	}
	missing := c.path + " is not in the folder"
	if was {
		missing = c.path + " is gone"
	}
	if len(sameName) == 1 {
		missing += "; there is " + sameName[0]
	}
	return missing
}

// has reports whether a file is in the folder.
func (d *directory) has(file string) bool {
	info, err := d.root.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

// lines counts the lines of a file.
func (d *directory) lines(name string) (n int, ok bool) {
	f, err := d.root.Open(name)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return 0, false
	}
	n = bytes.Count(body, []byte("\n"))
	if len(body) > 0 && body[len(body)-1] != '\n' {
		n++
	}
	return n, true
}

// list reads the names of the folder's files, once.
func (d *directory) list() {
	if d.known {
		return
	}
	d.known, d.whole = true, true
	err := fs.WalkDir(d.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == ".git" || e.Name() == "node_modules"):
			return fs.SkipDir
		case e.IsDir():
			return nil
		case len(d.files) == maxFiles:
			d.whole = false
			return fs.SkipAll
		}
		d.files = append(d.files, name)
		return nil
	})
	d.whole = d.whole && err == nil
}
