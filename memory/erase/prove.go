package erase

import (
	"context"
	"database/sql"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
)

// Searched is what the second pass read.
type Searched struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
	Marks int   `json:"marks" jsonschema:"parts of the text that stand nowhere else, which were searched for"`
	Kept  int   `json:"kept" jsonschema:"parts and words of it that stand in what is kept too, which were not searched for"`
	Short int   `json:"short" jsonschema:"words of it under 8 bytes, which were searched for only in receipts of answers that showed it"`
}

// Found is a place where parts of the text still stand.
type Found struct {
	Where string `json:"where"` // a file, or a table
	Times int    `json:"times"`
}

// prove searches all that Hence owns for parts of the text: each value of each table, the words of the index, and
// the bytes of each file. It shares only the marks with what erased.
func (s Store) prove(ctx context.Context, r *Receipt, marks *Marks, files []string) error {
	r.Searched.Marks = marks.Len()
	if err := s.searchTables(ctx, r, marks); err != nil {
		return err
	}
	for _, path := range append(files, filesBelow(s.DB.State())...) {
		n, times, err := searchFile(ctx, path, marks)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			r.OutOfReach = append(r.OutOfReach, path+" cannot be read: "+err.Error())
			continue
		}
		r.Searched.Files, r.Searched.Bytes = r.Searched.Files+1, r.Searched.Bytes+n
		r.find(path, times)
	}
	return nil
}

func (r *Receipt) find(where string, times int) {
	if times > 0 {
		r.Found = append(r.Found, Found{where, times})
	}
}

// files returns the files of the store itself, and on a cluster those of the node beside this process.
func (s Store) files() []string {
	path := s.DB.Path()
	if s.DB.Cluster() != nil {
		return filesBelow(filepath.Dir(path))
	}
	unfinished, _ := filepath.Glob(filepath.Join(quoteGlob(filepath.Dir(path)), ".hence-*"))
	return append([]string{path, path + "-wal", path + "-shm", path + "-journal"}, unfinished...)
}

// filesBelow returns the regular files in a folder and below it.
func filesBelow(folder string) (paths []string) {
	if folder == "" {
		return nil
	}
	_ = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			paths = append(paths, path)
		}
		return nil // what cannot be read is not Hence's
	})
	return paths
}

// searchFile counts the marks among the bytes of a file.
func searchFile(ctx context.Context, path string, marks *Marks) (bytes int64, times int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	piece, parts := make([]byte, 1<<20), &reader{}
	for {
		n, err := f.Read(piece)
		marks.find(parts.read, piece[:n], func(uint64) { times++ })
		if bytes += int64(n); err == io.EOF {
			return bytes, times, nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return bytes, times, err
		}
	}
}

// searchTables counts the marks in the values of each table, where a text that goes over several pages is
// whole, and in the words of the index, which have no beginnings in the file.
func (s Store) searchTables(ctx context.Context, r *Receipt, marks *Marks) error {
	return s.DB.ForLong(ctx, func(d *db.DB) error {
		return d.Read(ctx, func(q *db.Reader) error {
			tables, err := db.Select(ctx, q, db.Value[string], `
select name
from pragma_table_list
where schema = 'main'
  and (type in ('table', 'shadow') or name = 'section_words')
order by name`)
			if err != nil {
				return err
			}
			for _, table := range tables {
				times, err := searchTable(ctx, q, table, marks)
				if err != nil {
					return fault.Wrap(fault.Unavailable, err, "erase: the table %s cannot be searched", table)
				}
				r.find("table "+table, times)
			}
			return nil
		})
	})
}

func searchTable(ctx context.Context, q *db.Reader, table string, marks *Marks) (times int, err error) {
	values, places := []sql.RawBytes{}, []any{}
	// The name comes from the schema of the file.
	return times, db.Each(ctx, q, func(row *sql.Rows) error {
		if len(values) == 0 {
			columns, err := row.Columns()
			if err != nil {
				return err
			}
			values = make([]sql.RawBytes, len(columns))
			for n := range values {
				places = append(places, &values[n])
			}
		}
		if err := row.Scan(places...); err != nil {
			return err
		}
		for _, value := range values {
			times += marks.count(0, value)
		}
		return nil
	}, `select * from "`+strings.ReplaceAll(table, `"`, `""`)+`"`)
}
