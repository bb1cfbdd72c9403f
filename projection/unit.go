package projection

import (
	"context"
	"database/sql"
	"strings"

	"hence/code/symbol"
	"hence/internal/db"
)

// Unit is a memory of its own that a file holds, such as a function, or that several
// files make up, such as a package. Its uri is that of a file with its name in place
// of the path, so that a name is never the path of a file.
//
// A unit is known by its name: one that moves to another file, or further down in its
// own, stays what it is. Its hash is not that of its content, but of what others rest
// on; where that is the same, they have no doubt.
type Unit struct {
	Name       string // unique among the units and files of the source
	Kind       string
	Title      string
	Heading    string // of its one section; the section's text is the content
	Content    string
	Hash       string
	Aliases    []string
	Tags       []string // sorted, each once
	Properties map[string]any
	Same       bool // of a whole: it is as the store has it, and only its name is said

	Sort      string
	Exported  bool
	StartLine int // in the file, from 1; 0 for a unit of several files
	EndLine   int
	Start     int // bytes from the start of the file
	End       int
	TextHash  string        // see TextHash
	Tokens    symbol.Tokens // the zero value: it is not known again by them
}

// TextHash is the hash of the bytes of a unit in its file: the first 32 hex digits
// of their SHA-256.
func TextHash(bytes []byte) string { return db.Hash(bytes)[:32] }

// knownUnit is a unit as the store knows it.
type knownUnit struct {
	name   string
	memory int64
	hash   string
	tokens int
}

// prefix begins the uris of all files and units of a folder.
func (f Format) prefix(vault string) string { return f.Scheme + "://" + vault + "/" }

// nameOf is the name of a unit or the path of a file by its uri.
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
  s.tokens
from symbols s
join memories m on m.key = s.memory
where s.vault = ?1
  and m.uri is not null`

// knownUnits reads the units that may change with this import: those of several files,
// and those of the files that changed or went, or all where every file is read.
func (p *project) knownUnits(ctx context.Context) (all []knownUnit, err error) {
	query, paths, args := selectUnits, []string{}, []any{p.known.Key}
	if !p.again {
		for _, d := range p.dependents {
			if d.Units != nil { // else they are as they were
				paths = append(paths, d.Path)
			}
		}
		for _, d := range p.updated {
			paths = append(paths, d.Path)
		}
		paths = append(paths, p.removed...)
		query += `
  and (
    s.file is null
    or s.file in (
      select f.memory
      from json_each(?2) j
      cross join files f on f.vault = ?1 and f.path = j.value
    )
  )`
		args = append(args, db.List(paths))
	}
	err = db.Each(ctx, p.DB, func(row *sql.Rows) error {
		var u knownUnit
		err := row.Scan(&u.name, &u.memory, &u.hash, &u.tokens)
		u.name = p.Format.nameOf(p.name, u.name)
		all = append(all, u)
		return err
	}, query, args...)
	return all, err
}
