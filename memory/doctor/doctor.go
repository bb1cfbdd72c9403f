// Package doctor examines a store: whether the file is intact and its tables are
// consistent. It repairs only what can be derived from other rows; memories and
// edges are never changed to make a finding go away.
//
// The journal is compared with the rows that exist and with its own order. A row
// that was forged in the right form, or deleted, cannot be detected.
//
// Unfinished files are found by their names in the folders of the store, of the
// vaults, and in those given, and among the temporary files. There is no list of
// them: a backup or export may be of a store that is only read.
package doctor

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"hence/internal/db"
	"hence/internal/fault"
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

// check is an examination, and what to do about its problems.
type check struct {
	name    string
	examine examination
	mend    string
	fix     func(ctx context.Context, d Doctor) error // nil: the doctor cannot
	byHand  string                                    // what to do if fix did not help
	note    examination                               // what is not wrong but worth knowing; nil: nothing
	ofNodes bool                                      // only for the store of a cluster
}

const (
	withFix = "hence doctor --fix mends it"
	backUp  = "restore a backup with hence backup --restore, or save what can be read with hence export"
)

// checks are all examinations. Later ones rely on what earlier ones examine.
var checks = []check{
	{name: "file", examine: func(ctx context.Context, d Doctor) ([]string, error) { return d.DB.Check(ctx) }, mend: backUp},
	{name: "writer", examine: query(selectWriter), mend: withFix, fix: func(ctx context.Context, d Doctor) error { return d.DB.MendWriter(ctx) }, byHand: backUp},
	{name: "rules", examine: examineRules, mend: withFix + ", except tables and what rows break", fix: fixRules, byHand: makeRules},
	{name: "readable columns", examine: examineColumns, mend: setColumns},
	{name: "sections", examine: query(selectUnsectioned), mend: withFix, fix: statement(insertSections)},
	{name: "full-text index", examine: examineIndex, mend: withFix, fix: statement(`insert into section_search (section_search) values ('rebuild')`)},
	{name: "vectors", examine: examineVectors, mend: withFix + "; the vectors are then computed again", fix: fixVectors},
	{name: "missing vectors", examine: query(selectUnwaiting), mend: withFix, fix: statement(insertWaiting)},
	{name: "supersession", examine: query(selectUnsuperseded), mend: withFix, fix: statement(updateSuperseded)},
	{name: "successors", examine: query(selectSuccessors), mend: unlinkSuccessors},
	{name: "edges said twice", examine: query(selectTwins), mend: deleteTwins},
	{name: "cycles", examine: examineCycles, mend: "unlink one edge of each"},
	{name: "counts", examine: query(selectMiscounted, selectMiscountedEdges), mend: withFix, fix: fixCounts},
	{name: "content hashes", examine: examineHashes, mend: withFix, fix: fixHashes},
	{name: "places in notes", examine: query(selectSiteless), mend: "import the vault again"},
	{name: "journal", examine: query(selectStrangers, selectUnborn, selectUndead, selectMisshapen, selectDisordered), mend: judgeRows},
	{name: "secrets", examine: func(context.Context, Doctor) ([]string, error) { return nil, nil }, note: noteSecrets},
	{name: "permissions", examine: examinePermissions, mend: withFix, fix: func(_ context.Context, d Doctor) error { return d.DB.MakePrivate() }},
	{name: "nodes", examine: examineNodes, mend: "stop the node, remove its folder, and start it again: it gets everything from the others", note: noteNodes, ofNodes: true},
	{name: "unfinished files", examine: examineUnfinished, mend: withFix, fix: fixUnfinished, byHand: "remove them by hand", note: noteUnfinished},
}

// Examine runs every examination. With fix, it repairs what can be derived and
// examines that again. It fails with read_only if fix is set and the store is
// read-only, and with the engine's error if the file cannot be read at all.
func (d Doctor) Examine(ctx context.Context, fix bool) (report Report, err error) {
	if fix && d.DB.ReadOnly() {
		return report, fault.New(fault.ReadOnly, "doctor: the store was opened read-only, and nothing can be mended; start without --read-only")
	}
	if report.Schema, report.Engine, err = d.DB.Versions(ctx); err != nil {
		return report, err
	}
	for _, c := range checks {
		if c.ofNodes && d.DB.Cluster() == nil {
			continue
		}
		isWhole := len(report.Findings) == 0 || report.Findings[0].Healthy // the first is of the file
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

// run examines one thing. In a file that is not whole any error is a problem of what is
// examined, so that the other examinations still run.
func (c check) run(ctx context.Context, d Doctor, fix, isWhole bool) (f Finding, err error) {
	isProblem := func(err error) bool {
		return db.IsDamaged(err) || errors.Is(err, db.ErrNoWriter) || err != nil && !isWhole && ctx.Err() == nil
	}
	problems, err := c.examine(ctx, d)
	unseen := isProblem(err)
	if unseen { // what it examines cannot be read
		problems, err = append(problems, err.Error()), nil
	}
	if err != nil {
		return f, err
	}
	mended := len(problems) > 0 && !unseen && fix && c.fix != nil
	if mended {
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
	case mended && c.byHand != "":
		f.Mend = c.byHand
	default:
		f.Mend = c.mend
	}
	return f, nil
}

// query is an examination by queries of one column. A problem that two of them
// find is reported once. In a damaged row even what may not be null is.
func query(queries ...string) examination {
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

// statement is a fix by one statement.
func statement(text string) func(ctx context.Context, d Doctor) error {
	return func(ctx context.Context, d Doctor) error { return d.write(ctx, db.S(text)) }
}

func (d Doctor) write(ctx context.Context, statements ...db.Stmt) error {
	_, err := d.DB.Write(ctx, d.Actor, db.Now(), statements...)
	return err
}
