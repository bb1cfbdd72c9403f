package near

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory/recall/lexicon"
	"hence/memory/recall/question"
)

const (
	maxNaming    = 300    // newest sections with the words of a name that are read
	maxNamedText = 20_000 // characters of a section that are read
)

// Hit is a memory with the section to show.
type Hit struct{ Memory, Section int64 }

// File is a file that is about to be changed, with what tells it from others.
type File struct {
	Repository string // its name
	Path       string // from its root, with slashes
	// All returns the paths of all files, by which a name says which file it means.
	All func() ([]string, error)
}

// namesFile is a memory that names a file or a folder around it.
type namesFile struct {
	Hit
	depth      int     // segments of the path that is named; more for the file itself
	importance float64 // more for a rule or decision
}

// Naming returns the memories that name a file, or a folder around it, in their text or
// properties: those that name the file first, then the innermost folder. Of those about other projects, and of
// notes that are neither rule nor decision, it returns none. It reads the newest maxNaming
// sections that have the words of a name.
func Naming(ctx context.Context, r *db.Reader, c ref.Caller, f question.Filter, file File, except []string) ([]Hit, error) {
	keys, err := readTextKeys(ctx, r, f.Namespace)
	if err != nil {
		return nil, err
	}
	found := map[int64]namesFile{}
	for name := file.Path; name != "."; name = path.Dir(name) {
		words := lexicon.Quote(slices.Collect(lexicon.Tokens(path.Base(name))))
		if len(words) == 0 {
			continue
		}
		err := db.Each(ctx, r, func(row *sql.Rows) error {
			var n namesFile
			var title, text, properties string
			err := row.Scan(&n.Memory, &n.Section, &n.importance, &title, &text, &properties)
			if err != nil {
				return err
			}
			n.depth, err = file.depthIn(title + "\n" + text + "\n" + properties)
			if n.depth > found[n.Memory].depth {
				found[n.Memory] = n
			}
			return err
		}, selectNaming, f.Bind(nil, db.List(keys.ranges), db.List(except), c.Own(), strings.Join(words, " AND "), maxNaming, maxNamedText)...)
		if err != nil {
			return nil, err
		}
	}
	hits := []Hit{}
	for _, n := range slices.SortedFunc(maps.Values(found), func(a, b namesFile) int {
		return cmp.Or(cmp.Compare(b.depth, a.depth), cmp.Compare(b.importance, a.importance), cmp.Compare(b.Memory, a.Memory))
	}) {
		hits = append(hits, n.Hit)
	}
	return hits, nil
}

// selectNaming reads the newest ?14 sections in the ranges ?10 that match the FTS5 query ?13.
var selectNaming = `
select
  m.key,
  s.key,
  m.importance + (` + Decides + `),
  m.title,
  substr(t.body, 1, ?15),
  m.properties
from (
  select section_search.rowid as key
` + question.SectionsIn("?10", "?13") + `
  order by section_search.rowid desc
  limit ?14
) n
cross join sections s on s.key = n.key
cross join section_text t on t.key = s.key
cross join memories m on m.key = s.memory
where ` + isStated

// Decides is the SQL condition that a memory m is a rule or a decision.
const Decides = `coalesce(m.is_decision, 0) or coalesce(m.is_rule, 0)`

// namesItself is the depth of the file itself.
const namesItself = 1000

// pathWord matches what may be a path, or one of the words beside it.
var pathWord = regexp.MustCompile(`[\pL\pN_.@+*$~\\/-]+`)

// folderNouns make a single word beside them the name of a folder, and beforeFolder one after them.
var (
	folderNouns  = strings.Fields("folder folders directory directories dir package packages module modules subtree tree path scope")
	beforeFolder = append(strings.Fields("under below beneath inside within"), folderNouns...)
)

// depthIn returns how precisely a text names the file: namesItself, or the number of segments of
// the innermost folder that it names, 0 for none.
func (f File) depthIn(text string) (depth int, err error) {
	if base := path.Base(f.Path); pathWord.FindString(base) != base && strings.Contains(text, base) {
		return namesItself, nil // a name with blanks
	}
	at := pathWord.FindAllStringIndex(text, -1)
	isNoun := func(nouns []string, i, from, to int) bool {
		return slices.Contains(nouns, strings.ToLower(strings.TrimRight(text[at[i][0]:at[i][1]], "."))) &&
			strings.Trim(text[from:to], " \"'`:“”‘’*") == ""
	}
	for i, w := range at {
		name, isFolder := plainPath(text[w[0]:w[1]])
		if name == "" || name == "." {
			continue
		}
		hasNoun := i > 0 && isNoun(beforeFolder, i-1, at[i-1][1], w[0]) || i+1 < len(at) && isNoun(folderNouns, i+1, w[1], at[i+1][0])
		one, err := f.depthOf(name, isFolder || hasNoun, text)
		if err != nil {
			return 0, err
		}
		depth = max(depth, one)
	}
	return depth, nil
}

// plainPath returns a path as it is written in a text, with slashes and without what stands around it or
// matches files below it. isFolder says that it is written as a folder.
func plainPath(written string) (name string, isFolder bool) {
	name = strings.TrimLeft(strings.ReplaceAll(written, `\`, "/"), "@*")
	name = strings.TrimRight(name, "-+~")
	for {
		last := path.Base(name)
		if !strings.Contains(name, "/") || !strings.HasSuffix(name, last) || !strings.Contains(last, "*") && last != "..." {
			break
		}
		name = strings.TrimSuffix(name, last)
		if isFolder = true; strings.Trim(name, "/") == "" {
			return "", false
		}
		name = strings.TrimSuffix(name, "/")
	}
	name = strings.TrimRight(name, ".")
	isFolder = isFolder || strings.HasSuffix(name, "/")
	return path.Clean(strings.TrimPrefix(strings.TrimSuffix(name, "/"), "./")), isFolder
}

// depthOf returns how precisely a path in a text names the file. A name of several files or folders says
// which it means by the folder around it, if the text has that too.
func (f File) depthOf(name string, isFolder bool, text string) (int, error) {
	own := []string{name}
	if _, below, ok := strings.Cut("/"+name, "/"+f.Repository+"/"); ok && f.Repository != "" {
		own = append(own, below)
	}
	base := path.Base(f.Path)
	for _, name := range own {
		switch {
		case name == f.Path && (strings.ContainsAny(base, ".") || base != strings.ToLower(base)), strings.Contains(f.Path, "/") && strings.HasSuffix(name, "/"+f.Path):
			return namesItself, nil
		case strings.HasSuffix(f.Path, "/"+name) && (strings.ContainsAny(name, "./") || name != strings.ToLower(name)):
			ok, err := f.isOnly(name, f.Path, text)
			if ok || err != nil {
				return namesItself, err
			}
		}
	}
	if isFolder = isFolder || strings.Contains(name, "/"); !isFolder {
		return 0, nil
	}
	for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
		for _, name := range own {
			isIt := name == dir
			if !isIt && strings.HasSuffix(dir, "/"+name) {
				var err error
				if isIt, err = f.isOnly(name, dir, text); err != nil {
					return 0, err
				}
			}
			if isIt {
				return 1 + strings.Count(dir, "/"), nil
			}
		}
	}
	return 0, nil
}

// isOnly reports whether the end of a path is that of no other file or folder, or the text has the
// name of the folder around it.
func (f File) isOnly(end, full, text string) (bool, error) {
	all, err := f.All()
	if err != nil {
		return false, err
	}
	isOther := false
	for _, one := range all {
		for ; one != "." && !isOther; one = path.Dir(one) {
			isOther = one != full && (one == end || strings.HasSuffix(one, "/"+end))
		}
	}
	around := path.Base(strings.TrimSuffix(full, "/"+end))
	return !isOther || slices.Contains(slices.Collect(lexicon.Words(text)), strings.ToLower(around)), nil
}
