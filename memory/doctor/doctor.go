// Package doctor examines a store: whether the file is whole, and whether what
// the store says of itself is so. It rebuilds what can be derived from the
// rest; memories and edges are never touched to make a finding go away.
package doctor

import (
	"context"
	"errors"

	"hence/internal/db"
	"hence/internal/fault"
)

// Doctor examines one store.
type Doctor struct {
	DB    *db.DB
	Actor string // for the journal
	// Folders are where unfinished files are looked for, beside the folder of
	// the store and its vaults.
	Folders []string
}

// Finding is the result of one examination.
type Finding struct {
	Check    string   `json:"check"`
	Healthy  bool     `json:"healthy"`
	Problems []string `json:"problems"`
	Notes    []string `json:"notes,omitempty" jsonschema:"what is not wrong, and worth knowing"`
	Mend     string   `json:"mend,omitempty" jsonschema:"what to do about it"`
	Fixed    bool     `json:"fixed"`
}

// Report is all findings, and how many are not healthy.
type Report struct {
	Findings []Finding `json:"findings"`
	Sick     int       `json:"sick"`
	Schema   int       `json:"schema" jsonschema:"version of the file's schema"`
	Engine   string    `json:"engine" jsonschema:"version of SQLite"`
}

// check is one examination: what it looks for, what to do about it, and how it
// is made whole where it can be.
type check struct {
	name    string
	examine func(ctx context.Context, d Doctor) ([]string, error)
	mend    string
	fix     func(ctx context.Context, d Doctor) error // nil: not by the doctor
	byHand  string                                    // what to do where fix did not help
	// note tells what is not wrong, and worth knowing; nil: nothing.
	note func(ctx context.Context, d Doctor) ([]string, error)
}

const (
	withFix = "hence doctor --fix mends it"
	backUp  = "take a backup back with hence backup --restore, or what can be read with hence export"
)

// checks are all examinations, the ground first.
var checks = []check{
	{name: "file", examine: examineFile, mend: backUp},
	{name: "writer", examine: examineWriter, mend: withFix, fix: fixWriter, byHand: backUp},
	{name: "rules", examine: examineRules, mend: withFix + ", except tables and what rows break", fix: fixRules, byHand: makeRules},
	{name: "readable columns", examine: examineColumns, mend: setColumns},
	{name: "sections", examine: examineSections, mend: withFix, fix: fixSections},
	{name: "full-text index", examine: examineIndex, mend: withFix, fix: fixIndex},
	{name: "vectors", examine: examineVectors, mend: withFix + "; hence embed run then makes them anew", fix: fixVectors},
	{name: "supersession", examine: examineSupersession, mend: withFix, fix: fixSupersession},
	{name: "successors", examine: examineSuccessors, mend: unlinkSuccessors},
	{name: "edges said twice", examine: examineTwins, mend: deleteTwins},
	{name: "cycles", examine: examineCycles, mend: "unlink one edge of each"},
	{name: "content hashes", examine: examineHashes, mend: withFix, fix: fixHashes},
	{name: "places in notes", examine: examineSites, mend: "import the vault again"},
	{name: "journal", examine: examineJournal, mend: judgeRows},
	{name: "permissions", examine: examinePermissions, mend: withFix, fix: fixPermissions},
	{name: "unfinished files", examine: examineUnfinished, mend: withFix, fix: fixUnfinished, byHand: "remove them by hand", note: noteUnfinished},
}

// Examine makes every examination. With fix, it rebuilds what can be derived and
// examines it again. A file that cannot be read at all is an error.
func (d Doctor) Examine(ctx context.Context, fix bool) (report Report, err error) {
	if fix && d.DB.ReadOnly() {
		return report, fault.New(fault.ReadOnly, "doctor: the store was opened read-only, and nothing can be mended; start without --read-only")
	}
	if report.Schema, report.Engine, err = d.DB.Versions(ctx); err != nil {
		return report, err
	}
	for _, c := range checks {
		f, err := c.run(ctx, d, fix)
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

func (c check) run(ctx context.Context, d Doctor, fix bool) (f Finding, err error) {
	problems, err := c.examine(ctx, d)
	unseen := db.Damaged(err) || errors.Is(err, db.ErrNoWriter)
	if unseen { // what it needs to look at cannot be read
		problems, err = append(problems, err.Error()), nil
	}
	if err != nil {
		return f, err
	}
	mended := len(problems) > 0 && !unseen && fix && c.fix != nil
	if mended {
		if err := c.fix(ctx, d); err != nil {
			return f, err
		}
		if problems, err = c.examine(ctx, d); err != nil {
			return f, err
		}
		f.Fixed = len(problems) == 0
	}
	f.Check, f.Healthy, f.Problems = c.name, len(problems) == 0, problems[:min(len(problems), maxProblems)]
	if f.Problems == nil {
		f.Problems = []string{}
	}
	if c.note != nil {
		if f.Notes, err = c.note(ctx, d); err != nil {
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

// texts runs a query of one column.
func (d Doctor) texts(ctx context.Context, query string) (found []string, err error) {
	err = d.DB.Read(ctx, func(r *db.Reader) error {
		found, err = db.Select(ctx, r, db.Value[string], query)
		return err
	})
	return found, err
}

func (d Doctor) write(ctx context.Context, batch ...db.Stmt) error {
	_, err := d.DB.Write(ctx, d.Actor, db.Now(), batch...)
	return err
}
