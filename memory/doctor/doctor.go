// Package doctor examines whether the file of a store is intact and its tables are
// consistent. It repairs only values that can be derived from other rows; it never changes
// memories and edges to make a finding disappear.
//
// It compares the journal with the existing rows. It cannot detect a row of the journal that was
// forged in the right form and place, or deleted.
//
// It finds unfinished files by their names: in the folders of the store, of the vaults,
// and in those given. The store has no list of them, because a
// backup or export may be made of a store that is opened read-only.
package doctor

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
)

// Doctor examines one store.
type Doctor struct {
	DB    *db.DB
	Actor string // for the journal
	// Folders are searched for unfinished files, besides the folder of the store
	// and its vaults.
	Folders []string
}

// Finding is the result of one examination.
type Finding struct {
	Check    string   `json:"check"`
	Healthy  bool     `json:"healthy"`
	Problems []string `json:"problems"`
	Notes    []string `json:"notes,omitempty" jsonschema:"what is not wrong but worth knowing"`
	Mend     string   `json:"mend,omitempty" jsonschema:"what to do about it"`
	Fixed    bool     `json:"fixed"`
}

// Report lists all findings. Sick counts those that are not healthy.
type Report struct {
	Findings []Finding `json:"findings"`
	Sick     int       `json:"sick"`
	Schema   int       `json:"schema" jsonschema:"version of the file's schema"`
	Engine   string    `json:"engine" jsonschema:"version of SQLite"`
}

// examination returns one text for each problem, or for each note.
type examination func(ctx context.Context, d Doctor) ([]string, error)

// check is an examination together with the advice and the fix for its problems.
type check struct {
	name        string
	examine     examination
	mend        string                                    // the advice
	fix         func(ctx context.Context, d Doctor) error // nil: there is none
	mendByHand  string                                    // the advice if fix did not help; "": mend
	note        examination                               // lists facts that are not problems; nil: none
	forClusters bool                                      // only for the store of a cluster
}

const (
	fixAdvice    = "hence doctor --fix mends it"
	backupAdvice = "restore a backup with hence backup --restore, or save what can be read with hence export"
)

// checks lists all checks. Later ones rely on the parts that earlier ones examine.
var checks = []check{
	{name: "file", examine: func(ctx context.Context, d Doctor) ([]string, error) { return d.DB.Check(ctx) }, mend: backupAdvice},
	{name: "writer", examine: query("writer"), mend: fixAdvice, fix: func(ctx context.Context, d Doctor) error { return d.DB.MendWriter(ctx) }, mendByHand: backupAdvice},
	{name: "rules", examine: examineRules, mend: fixAdvice + ", except tables and what rows break", fix: fixRules, mendByHand: rulesAdvice, note: noteStrangers},
	{name: "readable columns", examine: examineColumns, mend: columnAdvice},
	{name: "sections", examine: query("without a section"), mend: fixAdvice, fix: statement("add sections")},
	{name: "full-text index", examine: examineIndex, mend: fixAdvice, fix: statement("rebuild the index")},
	{name: "vectors", examine: query("wrong vectors"), mend: fixAdvice + "; the vectors are then computed again", fix: statement("delete wrong vectors", "let sections wait for a vector"), note: query("missing vectors")},
	{name: "supersession", examine: query("current with a successor"), mend: fixAdvice, fix: statement("mark as superseded")},
	{name: "successors", examine: query("two successors"), mend: successorAdvice},
	{name: "edges said twice", examine: query("edges said twice"), mend: twinAdvice},
	{name: "cycles", examine: examineCycles, mend: "unlink one edge of each"},
	{name: "counts", examine: query("miscounted memories", "miscounted edges"), mend: fixAdvice, fix: statement("drop counts of memories", "count memories", "drop counts of edges", "count edges")},
	{name: "content hashes", examine: examineHashes, mend: fixAdvice, fix: fixHashes},
	{name: "places in notes", examine: query("places without edges"), mend: "import the vault again"},
	{name: "journal", examine: query("journal of nothing", "journal before its beginning", "journal after its end", "journal in another form", "journal out of order"), mend: journalAdvice},
	{name: "secrets", examine: func(context.Context, Doctor) ([]string, error) { return nil, nil }, note: noteSecrets},
	{name: "permissions", examine: examinePermissions, mend: fixAdvice, fix: func(_ context.Context, d Doctor) error { return d.DB.MakePrivate() }, note: noteBrought},
	{name: "nodes", examine: examineNodes, mend: "stop the node, remove its folder, and start it again: it gets everything from the others", note: noteNodes, forClusters: true},
	{name: "files in use", examine: examineDetached, mend: "copy what you need of them, then end these processes and start them again"},
	{name: "unfinished files", examine: examineUnfinished, mend: fixAdvice, fix: fixUnfinished, mendByHand: "remove them by hand", note: noteUnfinished},
}

// The advice for rows that a unique index would have refused but that were written while it
// was missing. Only their owner knows which of them to keep.
const (
	successorAdvice = "keep one successor of each and unlink the others by their ids, with hence unlink SUCCESSOR supersedes MEMORY; then hence doctor --fix"
	twinAdvice      = "keep one edge of each and delete the other in the sqlite3 shell, with delete from edges where id = 'ID'; then hence doctor --fix"
	rulesAdvice     = "where rows are named, mend them first, then run hence doctor --fix again; a missing table comes only from a backup, with hence backup --restore"
)

// journalAdvice is the advice for problems of the journal.
const journalAdvice = "select * from journal where seq = N shows a row in the sqlite3 shell; delete one that was added by hand"

// brokenRows holds the examinations that find rows which a unique index does not allow, by the
// name of the index.
var brokenRows = map[string]examination{
	"one_successor":      query("two successors"),
	"one_symmetric_edge": query("edges said twice"),
}

// Examine runs every check. With fix, it also runs the fixes of the checks with problems,
// and examines these again. It fails with read_only if fix is set and the store is
// read-only, and with the engine's error if the file cannot be read at all.
func (d Doctor) Examine(ctx context.Context, fix bool) (report Report, err error) {
	if fix && d.DB.ReadOnly() {
		return report, fault.New(fault.ReadOnly, "doctor: the store was opened read-only, and nothing can be mended; start without --read-only")
	}
	if report.Schema, report.Engine, err = d.DB.Versions(ctx); err != nil {
		return report, err
	}
	for _, c := range checks {
		if c.forClusters && d.DB.Cluster() == nil {
			continue
		}
		isWhole := len(report.Findings) == 0 || report.Findings[0].Healthy // the first check is of the file
		f, err := c.run(ctx, d, fix, isWhole)
		if err != nil {
			return report, err
		}
		if !f.Healthy {
			report.Sick++
		}
		report.Findings = append(report.Findings, f)
	}
	return report, nil
}

const maxProblems = 20

// run runs one check. In a damaged file (not isWhole) any error counts as a problem, so that
// the other checks still run.
func (c check) run(ctx context.Context, d Doctor, fix, isWhole bool) (f Finding, err error) {
	isProblem := func(err error) bool {
		return db.IsDamaged(err) || db.IsRefused(err) || errors.Is(err, db.ErrNoWriter) || err != nil && !isWhole && ctx.Err() == nil
	}
	problems, err := c.examine(ctx, d)
	isUnreadable := isProblem(err)
	if isUnreadable { // the examined rows cannot be read
		problems, err = append(problems, err.Error()), nil
	}
	if err != nil {
		return f, err
	}
	runsFix := len(problems) > 0 && !isUnreadable && fix && c.fix != nil
	if runsFix {
		if err = c.fix(ctx, d); err == nil {
			problems, err = c.examine(ctx, d)
		}
		if isProblem(err) {
			problems, err = append(problems, err.Error()), nil
		}
		if err != nil {
			return f, err
		}
		f.Fixed = len(problems) == 0
	}
	f.Check, f.Healthy, f.Problems = c.name, len(problems) == 0, problems[:min(len(problems), maxProblems)]
	if f.Problems == nil {
		f.Problems = []string{}
	}
	if c.note != nil {
		if f.Notes, err = c.note(ctx, d); err != nil && !isProblem(err) {
			return f, err
		}
		f.Notes = f.Notes[:min(len(f.Notes), maxProblems)]
	}
	switch {
	case f.Healthy:
	case runsFix && c.mendByHand != "":
		f.Mend = c.mendByHand
	default:
		f.Mend = c.mend
	}
	return f, nil
}

// query returns an examination by statements with one column, the text of a problem. A problem
// that two of them find is reported once. In a damaged row even a column declared not null
// may be null.
func query(names ...string) examination {
	queries := lists.Map(names, sqlOf)
	return func(ctx context.Context, d Doctor) (problems []string, err error) {
		err = d.DB.Read(ctx, func(r *db.Reader) error {
			for _, query := range queries {
				values, err := db.Select(ctx, r, db.Value[sql.NullString], query)
				if err != nil {
					return err
				}
				for _, one := range values {
					problem := one.String
					if !one.Valid {
						problem = "a row is damaged, and cannot be read"
					}
					if !slices.Contains(problems, problem) {
						problems = append(problems, problem)
					}
				}
			}
			return nil
		})
		return problems, err
	}
}

// statement returns a fix that runs statements in one transaction.
func statement(names ...string) func(ctx context.Context, d Doctor) error {
	statements := lists.Map(names, func(name string) db.Stmt { return db.S(sqlOf(name)) })
	return func(ctx context.Context, d Doctor) error { return d.write(ctx, statements...) }
}

//go:embed checks.sql
var checksSQL string

// sqlOf returns the statement of checks.sql that has a name.
func sqlOf(name string) string {
	_, text, ok := strings.Cut(checksSQL, "\n--- "+name+"\n")
	if !ok {
		panic("checks.sql has no statement " + name)
	}
	text, _, _ = strings.Cut(text, "\n--- ")
	return strings.TrimSuffix(strings.TrimSpace(text), ";")
}

func (d Doctor) write(ctx context.Context, statements ...db.Stmt) error {
	_, err := d.DB.Write(ctx, d.Actor, db.Now(), statements...)
	return err
}
