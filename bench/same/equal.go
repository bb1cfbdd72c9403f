package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	_ "github.com/mattn/go-sqlite3"
)

// equal replaces what two runs cannot share: ids, the times of the run, the folder. An id
// becomes what it names, so that a result in another place is another text.
type equal struct {
	dir   string
	names map[string]string // of an id, and of its last eight characters
	both  schema
}

// schema has the columns of tables, and of the views of the contract, by their names.
type schema map[string][]string

var (
	began  = time.Now().Add(-time.Hour)
	anID   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{8}\b|\b[a-z2-7]{13}(?:[a-z2-7]{3})?\b`)
	aDay   = regexp.MustCompile(`^(19|20)\d\d(0[1-9]|1[012])([012]\d|3[01])$`)
	aStamp = regexp.MustCompile(`~[0-9a-f]{16}\b`)         // who wrote at a time
	aKey   = regexp.MustCompile(`\b[a-z]+-[0-9a-f]{10}\b`) // of a proposal, made of ids
	aTime  = regexp.MustCompile(`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?`)
	aBuild = regexp.MustCompile(`\bhence (devel|\d+\.\d+\.\d+[-.\w]*),`)
	digits = regexp.MustCompile(`\b\d{10,19}\b`)
)

// learn reads the ids of a store: those of memories from a view of the contract, those of
// edges from an export.
func (e equal) learn(ctx context.Context, file, exported string) error {
	d, err := open(file)
	if err != nil {
		return err
	}
	defer d.Close()
	rows, err := d.QueryContext(ctx, `
		select id, namespace || '|' || coalesce(uri, '') || '|' || title
		from memory_list
		order by 2, created_at, id`)
	if err != nil {
		return fmt.Errorf("read memory_list: %w", err)
	}
	defer rows.Close()
	count := map[string]int{}
	name := func(id, text string) {
		if count[text]++; count[text] > 1 {
			text = fmt.Sprintf("%s#%d", text, count[text])
		}
		e.name(id, text)
	}
	for rows.Next() {
		var id, text string
		if err := rows.Scan(&id, &text); err != nil {
			return err
		}
		name(id, text)
	}
	lines := bufio.NewScanner(strings.NewReader(exported))
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var line struct {
			ID, From, To, Rel string
			EdgeType          string `json:"edge_type"`
		}
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.EdgeType != "" && line.ID != "" {
			name(line.ID, strings.Join([]string{e.names[line.From], line.EdgeType, line.Rel, e.names[line.To]}, " "))
		}
	}
	return rows.Err()
}

func (e equal) name(id, text string) {
	text = "‹" + strings.Join(strings.Fields(text), " ") + "›"
	e.names[id] = text
	if len(id) == 36 {
		e.names[id[len(id)-8:]] = text
	}
}

// hear learns the ids of an answer that the store no longer has, such as of what was purged.
func (e equal) hear(structure any) {
	switch s := structure.(type) {
	case []any:
		for _, one := range s {
			e.hear(one)
		}
	case map[string]any:
		id, _ := s["id"].(string)
		title, isNamed := s["title"].(string)
		if _, isKnown := e.names[id]; isNamed && len(id) == 36 && !isKnown {
			e.name(id, title)
		}
		for _, one := range s {
			e.hear(one)
		}
	}
}

func open(file string) (*sql.DB, error) { return sql.Open("sqlite3", "file:"+file+"?mode=ro") }

// text makes a text equal.
func (e equal) text(text string) string {
	text = strings.ReplaceAll(text, e.dir, "‹dir›")
	text = aBuild.ReplaceAllString(text, "hence ‹build›,")
	text = aKey.ReplaceAllString(aStamp.ReplaceAllString(text, "‹stamp›"), "‹key›")
	text = aTime.ReplaceAllStringFunc(text, func(found string) string {
		return e.time(found)
	})
	text = anID.ReplaceAllStringFunc(text, func(id string) string {
		if name, ok := e.names[id]; ok {
			return name
		}
		if len(id) == 13 || len(id) == 16 || aDay.MatchString(id) {
			return id // a word, a day
		}
		return "‹id›"
	})
	text = digits.ReplaceAllStringFunc(text, func(found string) string {
		if n, err := strconv.ParseInt(found, 10, 64); err == nil && isNow(n) {
			return "‹now›"
		}
		return found
	})
	return text
}

func (e equal) time(found string) string {
	day, err := time.Parse(time.DateOnly, found[:10])
	if err == nil && !day.Before(began.UTC().Truncate(24*time.Hour)) && day.Before(time.Now().Add(24*time.Hour)) {
		return "‹now›"
	}
	return found
}

// isNow reports whether a number is a time of this run, in any unit of Unix time.
func isNow(n int64) bool {
	n = max(n, -n) // the number of a batch is a negative one
	for _, unit := range []int64{1, 1e3, 1e6, 1e9} {
		if n >= began.Unix()*unit && n <= time.Now().Add(time.Hour).Unix()*unit {
			return true
		}
	}
	return false
}

// digests are the rows of tables, made equal, sorted.
type digests []seen

func (d digests) under(when string) []seen {
	out := []seen{}
	for _, one := range d {
		out = append(out, seen{when + ": " + one.what, one.text})
	}
	return out
}

// views are those of the contract. A part of a table that is kept otherwise shows in them as before.
const views = `'memory_list', 'edge_list', 'lineage', 'stale', 'dangling_links', 'journal_list'`

// schemaOf returns the schema of a store, but for indexes of words or vectors.
func schemaOf(ctx context.Context, file string) (schema, error) {
	d, err := open(file)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	rows, err := d.QueryContext(ctx, `
		select t.name, c.name
		from pragma_table_list t
		join pragma_table_xinfo(t.name) c
		where t.schema = 'main'
		  and (t.type = 'table' and t.name not like 'sqlite\_%' escape '\' or t.type = 'view' and t.name in (`+views+`))
		order by t.name, c.cid`)
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	defer rows.Close()
	all := schema{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return nil, err
		}
		all[table] = append(all[table], column)
	}
	return all, rows.Err()
}

// sharedWith returns what both schemas have, and what only this one has: tables, and columns of others.
func (s schema) sharedWith(other schema) (both schema, only []string) {
	both = schema{}
	for _, table := range slices.Sorted(maps.Keys(s)) {
		theirs, isThere := other[table]
		if !isThere {
			only = append(only, table)
			continue
		}
		for _, column := range s[table] {
			if slices.Contains(theirs, column) {
				both[table] = append(both[table], column)
			} else {
				only = append(only, table+"."+column)
			}
		}
	}
	return both, only
}

// tables returns the rows of every table, as far as both sides have it.
func (e equal) tables(ctx context.Context, file string) (digests, error) {
	d, err := open(file)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	all := digests{}
	for _, name := range slices.Sorted(maps.Keys(e.both)) {
		text, err := e.rows(ctx, d, name)
		if err != nil {
			return nil, fmt.Errorf("read table %s: %w", name, err)
		}
		all = append(all, seen{"table " + name, text})
	}
	return all, nil
}

// ownOf are columns in which each store or version has its own value.
// A server writes a number of batches by itself, as its time allows.
var ownOf = map[string][]string{"store": {"written_by", "schema_hash", "tag", "own"}, "journal": {"batch"}, "writer": {"batch"}}

func (e equal) rows(ctx context.Context, d *sql.DB, table string) (string, error) {
	rows, err := d.QueryContext(ctx, `select "`+strings.Join(e.both[table], `", "`)+`" from "`+table+`"`)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	all := []string{}
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		if err := rows.Scan(values...); err != nil {
			return "", err
		}
		var line strings.Builder
		for i, column := range columns {
			if !slices.Contains(ownOf[table], column) {
				fmt.Fprintf(&line, " %s=%s", column, e.value(*values[i].(*any)))
			}
		}
		all = append(all, line.String())
	}
	slices.Sort(all)
	return strings.Join(all, "\n"), rows.Err()
}

func (e equal) value(v any) string {
	switch v := v.(type) {
	case []byte:
		return fmt.Sprintf("x%x", v)
	case string:
		return strconv.Quote(e.text(v))
	case int64:
		if isNow(v) {
			return "‹now›"
		}
	}
	return fmt.Sprint(v)
}
