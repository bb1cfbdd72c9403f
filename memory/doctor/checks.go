package doctor

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hence/internal/components"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/node"
	"hence/internal/permit"
	"hence/internal/ref"
	"hence/memory"
)

// examineIndex compares the full-text index with the text. It skips a read-only store,
// because FTS5's command for that has the form of an insert.
func examineIndex(ctx context.Context, d Doctor) ([]string, error) {
	if d.DB.ReadOnly() {
		return nil, nil
	}
	err := d.DB.ForLong(ctx, func(separate *db.DB) error {
		return Doctor{DB: separate, Actor: d.Actor}.write(ctx, db.S(`insert into section_search (section_search, rank) values ('integrity-check', 1)`))
	})
	if db.IsDamaged(err) {
		return []string{"the index differs from the text"}, nil
	}
	return nil, err
}

// examineCycles lists the edges on cycles of the kinds that must not have any.
func examineCycles(ctx context.Context, d Doctor) (problems []string, err error) {
	type edge struct {
		id       string
		from, to int64
	}
	for _, kind := range []string{"supersedes", "depends-on"} {
		all, err := db.Select(ctx, d.DB, db.Fields(func(e *edge) []any { return []any{&e.id, &e.from, &e.to} }), `select id, from_key, to_key from edges where kind = ? order by id`, kind)
		if err != nil {
			return nil, err
		}
		next := map[int64][]int64{}
		for _, e := range all {
			next[e.from] = append(next[e.from], e.to)
		}
		component := components.Number(next)
		for _, e := range all {
			if component[e.from] == component[e.to] {
				problems = append(problems, "edge "+e.id+" ("+kind+") lies on a cycle")
			}
		}
	}
	return problems, nil
}

// hashMismatch is a memory whose stored hash differs from the hash computed from its text.
type hashMismatch struct {
	key                         int64
	id, title, stored, computed string
}

// findHashMismatches returns the memories whose hash differs from that of their text. It skips
// pictures and canvases of a vault, which have the hash of their file.
func (d Doctor) findHashMismatches(ctx context.Context) (mismatches []hashMismatch, err error) {
	err = db.Each(ctx, d.DB, func(row *sql.Rows) error {
		var h hashMismatch
		var content string
		if err := row.Scan(&h.key, &h.id, &h.title, &content, &h.stored); err != nil {
			return err
		}
		if h.computed = db.Hash(content); h.computed != h.stored {
			mismatches = append(mismatches, h)
		}
		return nil
	}, sqlOf("hashes of texts"))
	return mismatches, err
}

// examineHashes lists the memories of findHashMismatches. Texts that the sqlite3 shell edited under the rules
// have their hash by the time that a store can be written: see db.Upkeep.
func examineHashes(ctx context.Context, d Doctor) (problems []string, err error) {
	mismatches, err := d.findHashMismatches(ctx)
	for _, h := range mismatches {
		if !strings.HasPrefix(h.stored, "unhashed-") {
			problems = append(problems, "memory "+h.id+" ("+h.title+") has a hash that differs from its text's: the text was edited while the rules were off")
		}
	}
	return problems, err
}

// fixHashes stores the hashes of the texts.
func fixHashes(ctx context.Context, d Doctor) error {
	mismatches, err := d.findHashMismatches(ctx)
	if err != nil {
		return err
	}
	statements := []db.Stmt{}
	for _, h := range mismatches {
		statements = append(statements, db.Rehash(h.key, h.stored, h.computed)...)
	}
	return d.write(ctx, statements...)
}

// examinePermissions reports a file that others on this machine may read.
func examinePermissions(_ context.Context, d Doctor) ([]string, error) {
	private, err := d.DB.Private()
	if err != nil || private {
		return nil, err
	}
	return []string{"others on this machine may read the file"}, nil
}

// noteBrought lists what a store from elsewhere holds that does not count on this machine.
func noteBrought(ctx context.Context, d Doctor) ([]string, error) {
	records, err := permit.Of(ctx, d.DB, d.DB)
	if err != nil {
		return nil, err
	}
	b, err := records.Brings(ctx, d.DB)
	if err != nil || b.IsEmpty() {
		return nil, err
	}
	return []string{b.String() + " from elsewhere do not count here; hence adopt takes them over"}, nil
}

// examineDetached reports processes that still write to files that were removed from their place.
func examineDetached(_ context.Context, d Doctor) ([]string, error) {
	paths, err := d.DB.Detached()
	return lists.Map(paths, func(path string) string {
		return path + " was removed from the place of the store, or of its log (-wal), and a process still has it open: what it wrote may be in no other file"
	}), err
}

// differences are how the schema objects of a store differ from those of a new one.
type differences struct {
	missing          []db.Object     // that this one lacks, or has in another form
	existing         map[string]bool // names of all that this one has
	triggers, others []db.Object     // that a new store does not have: see db.Strangers
}

func (d Doctor) compareObjects(ctx context.Context) (is differences, err error) {
	has, err := d.DB.Objects(ctx)
	if err == nil {
		is.triggers, is.others, err = db.Strangers(has)
	}
	want, failed := db.NewObjects()
	if err = errors.Join(err, failed); err != nil {
		return is, err
	}
	is.existing = map[string]bool{}
	stored := map[string]db.Object{}
	for _, o := range has {
		is.existing[o.Name], stored[o.Kind+" "+o.Name] = true, o
	}
	for _, o := range want {
		// Most have identical text, which is cheap to compare.
		if s, ok := stored[o.Kind+" "+o.Name]; !ok || s.SQL != o.SQL && s.Plain() != o.Plain() {
			is.missing = append(is.missing, o)
		}
	}
	return is, nil
}

// examineRules lists the missing and differing schema objects. For a unique index it names
// rows that forbid its creation.
func examineRules(ctx context.Context, d Doctor) (problems []string, err error) {
	is, err := d.compareObjects(ctx)
	if err != nil {
		return nil, err
	}
	problems = lists.Map(is.triggers, func(o db.Object) string {
		return fmt.Sprintf("trigger %s on %s is not one of Hence, and runs in every write there", o.Name, o.Table)
	})
	for _, o := range is.missing {
		if slices.ContainsFunc(is.triggers, func(t db.Object) bool { return t.Name == o.Name }) {
			continue
		}
		problem := o.Kind + " " + o.Name + " is missing"
		if is.existing[o.Name] {
			problem = o.Kind + " " + o.Name + " differs from that of this version"
		}
		if examine := brokenRows[o.Name]; examine != nil {
			rows, err := examine(ctx, d)
			if err != nil {
				return nil, err
			}
			if len(rows) > 0 {
				problem += ", and cannot be created while " + rows[0]
			}
		}
		problems = append(problems, problem)
	}
	return problems, err
}

// noteStrangers lists the tables, views and indexes that the owner added, or somebody else.
func noteStrangers(ctx context.Context, d Doctor) ([]string, error) {
	is, err := d.compareObjects(ctx)
	return lists.Map(is.others, func(o db.Object) string {
		return o.Kind + " " + o.Name + " is not one of Hence; drop it if you did not make it"
	}), err
}

// fixRules drops strangers' triggers on our tables, and creates missing objects, except tables, from the text of the schema. It leaves
// objects in another form, because somebody changed them on purpose, and skips an index that
// existing rows do not allow. If a trigger that deletes the vector of a changed text was
// missing, it deletes all vectors, because any of them may be outdated, and they are made again.
func fixRules(ctx context.Context, d Doctor) error {
	is, err := d.compareObjects(ctx)
	if err == nil && len(is.triggers) > 0 {
		if err = d.DB.DropTriggers(ctx, is.triggers); err == nil {
			is, err = d.compareObjects(ctx)
		}
	}
	if err != nil {
		return err
	}
	for _, o := range is.missing {
		if o.Kind == "table" || is.existing[o.Name] {
			continue
		}
		statements := []db.Stmt{db.S(o.SQL)}
		if slices.Contains(vectorTriggers, o.Name) {
			statements = append(statements, db.S(`delete from vectors`), db.S(sqlOf("let sections wait for a vector")))
		}
		if err := d.write(ctx, statements...); err != nil && !db.IsRefused(err) {
			return err
		}
	}
	return nil
}

// vectorTriggers names the triggers that delete the vector of a changed text, or let it wait.
var vectorTriggers = []string{"memory_text_changed", "section_inserted", "section_updated", "section_deleting", "embedder_inserted"}

// columnAdvice is the advice for columns that cannot be read.
const columnAdvice = "correct the columns in the sqlite3 shell, such as update memories set tags = '[]' where id = 'ID'"

// examineColumns lists the memories with a JSON column that either Go or SQLite cannot read.
// The schema refuses such values, but rows may be older than its rules, or were written
// while they were switched off.
func examineColumns(ctx context.Context, d Doctor) (problems []string, err error) {
	err = db.Each(ctx, d.DB, func(row *sql.Rows) error {
		var id, title, column, text string
		var valid bool
		if err := row.Scan(&id, &title, &column, &text, &valid); err != nil {
			return err
		}
		if !valid || !isReadable(id, column, text) {
			problems = append(problems, fmt.Sprintf("memory %s (%s) cannot be read: its %s are %.80q", id, title, column, text))
		}
		return nil
	}, sqlOf("columns of JSON"))
	return problems, err
}

// isReadable reports whether a column holds properties, or a list of texts.
func isReadable(id, column, text string) bool {
	if column == "properties" {
		return db.ReadColumn(id, column, text, new(db.Properties)) == nil
	}
	var list []*string // pointers, so that a null is not read as an empty text
	return db.ReadColumn(id, column, text, &list) == nil && !slices.Contains(list, nil)
}

// examineNodes lists the tables that differ between the nodes of a cluster. A node that
// cannot be compared now is not a problem of the store; hence cluster status reports it.
func examineNodes(ctx context.Context, d Doctor) ([]string, error) {
	status, err := node.Examine(ctx, d.DB.Cluster(), true)
	return lists.Map(status.Differing, func(table string) string {
		return "the table " + table + " is not the same on " + strings.Join(status.Apart, ", ") + " as on the other nodes"
	}), err
}

// noteNodes returns the warnings about the nodes of a cluster.
func noteNodes(ctx context.Context, d Doctor) ([]string, error) {
	status, err := node.Examine(ctx, d.DB.Cluster(), false)
	return status.Warnings, err
}

// noteSecrets lists likely secrets in texts. They are not problems of the store: notes are
// the person's files, and an import of Hence's own lines keeps secrets unchanged.
func noteSecrets(ctx context.Context, d Doctor) (notes []string, err error) {
	var places []memory.SecretPlace
	var total int
	err = d.DB.Read(ctx, func(r *db.Reader) error {
		places, total, err = memory.Secrets(ctx, r, "", 0, maxProblems-1)
		return errors.Join(err, ref.Mark(ctx, r, &places))
	})
	notes = lists.Map(places, func(p memory.SecretPlace) string {
		return fmt.Sprintf("%s, line %d: %s", cmp.Or(p.URI, "memory "+ref.ShortID(p.ID)+" ("+p.Title+ref.Named{Trust: p.Trust}.Mark()+")"), p.Line, p.Text)
	})
	if total > len(places) {
		notes = append(notes, fmt.Sprintf("and %d more places that look like secrets; hence check lists those of a vault", total-len(places)))
	}
	return notes, err
}
