package projection

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/lists"
	"hence/projection/tokens"
)

// Unit is a memory of its own that a file holds, such as a function or a group of an agent's tasks, or that several
// files make up, such as a package. Its uri is that of a file with its name in place
// of the path, so that a name is never the path of a file.
//
// A unit is identified by its name: it may move to another file or within its own. Its
// hash is not that of its content, but of what other memories rest on; while that stays
// the same, they have no doubt.
type Unit struct {
	Name       string // unique among the units and files of the source
	Kind       string
	Title      string
	Heading    string `column:"heading" is:""` // of its one section; the section's text is the content
	Content    string
	Words      string `column:"words" is:""` // further words that it is found by
	Hash       string
	Aliases    []string
	Tags       []string // sorted, each once
	Properties map[string]any
	Same       bool // a whole that has not changed; only its name is set

	Sort      string     `column:"sort" is:"symbol"`
	Exported  bool       `column:"exported" is:"symbol"`
	StartLine int        `column:"start_line" is:"symbol"` // in the file, from 1; 0 for a unit of several files
	EndLine   int        `column:"end_line" is:"symbol"`
	Start     int        `column:"start_byte" is:"symbol"` // bytes from the start of the file
	End       int        `column:"end_byte" is:"symbol"`
	TextHash  string     `column:"text_hash" is:"symbol"` // see TextHash
	Tokens    tokens.Sum // the zero value: a renamed unit is not found by them
}

// TextHash is the hash of the bytes of a unit in its file: the first 32 hex digits
// of their SHA-256.
func TextHash(bytes []byte) string { return db.Hash(bytes)[:32] }

// knownUnit is a unit as the store knows it.
type knownUnit struct {
	name   string
	memory int64
	file   int64 // its file's memory; 0 for a unit of several files
	hash   string
	tokens tokens.Sum
}

// prefix returns the start of the uris of all files and units of a folder, except Root.
func (f Format) prefix(vault string) string { return f.Scheme + "://" + vault + "/" }

// nameOf returns the name of a unit or the path of a file from its uri.
func (f Format) nameOf(vault, uri string) string {
	if name, ok := strings.CutPrefix(uri, f.prefix(vault)); ok {
		return name
	}
	return Root
}

const selectUnits = `
select
  m.uri,
  s.memory,
  m.content_hash,
  s.tokens,
  coalesce(s.file, 0)
from symbols s
join memories m on m.key = s.memory
where s.mirror = ?1
  and m.uri is not null`

// knownUnits reads the stored units that this import may change: those of several files,
// and those of changed and removed files; all if every file is read.
func (p *project) knownUnits(ctx context.Context) (all []knownUnit, err error) {
	query, paths, args := selectUnits, []string{}, []any{p.known.Key}
	if !p.again {
		for _, d := range p.dependents {
			if d.Units != nil { // nil: unchanged
				paths = append(paths, d.Path)
			}
		}
		paths = slices.Concat(paths, lists.Map(p.updated, func(d *Document) string { return d.Path }), p.removed)
		query += `
  and (
    s.file is null
    or s.file in (
      select f.memory
      from json_each(?2) j
      cross join files f on f.mirror = ?1 and f.path = j.value
    )
  )`
		args = append(args, db.List(paths))
	}
	err = db.Each(ctx, p.DB, func(row *sql.Rows) error {
		var u knownUnit
		err := row.Scan(&u.name, &u.memory, &u.hash, &u.tokens.Count, &u.file)
		u.name = p.Format.nameOf(p.name, u.name)
		all = append(all, u)
		return err
	}, query, args...)
	return all, err
}
