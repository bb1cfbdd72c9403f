package erase

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/db/remote"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/pattern"
	"hence/internal/permit"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/memory/exchange/lines"
	"hence/memory/review"
)

// Counts are how much was erased.
type Counts struct {
	Memories     int `json:"memories"`
	Rewritten    int `json:"rewritten"`
	Edges        int `json:"edges"`
	EarlierTexts int `json:"earlier_texts"`   // before edits, in the journal
	Backups      int `json:"backups"`         // from which it was erased too
	Folders      int `json:"folders"`         // of teams
	Receipts     int `json:"receipts"`        // of answers, whose arguments held it
	Notes        int `json:"notes"`           // that held it: of other edges, of others that were verified or forgotten
	Calls        int `json:"calls,omitempty"` // that waited
}

// Receipt is what is kept of an erasure.
type Receipt struct {
	ID         string   `json:"id"`
	At         string   `json:"at"`
	Actor      string   `json:"actor"`
	Erased     []doing  `json:"erased"` // ids, and the SHA-256 of their texts
	Counts     Counts   `json:"counts"`
	Searched   Searched `json:"searched"`
	Found      []Found  `json:"found"`                // where words of the text still stand
	OutOfReach []string `json:"out_of_reach"`         // in words
	Unfinished string   `json:"unfinished,omitempty"` // why it is not finished, and what to do
}

// elsewhere is out of reach of every erasure.
const elsewhere = "exports, copies that were made without hence backup, and what clients keep of their conversations"

// Receipts returns the receipts of the erasures that are finished, the oldest first.
func (s Store) Receipts(ctx context.Context) ([]Receipt, error) {
	return db.Select(ctx, s.DB, func(row *sql.Rows) (r Receipt, err error) {
		var text string
		if err = row.Scan(&text); err == nil {
			err = json.Unmarshal([]byte(text), &r)
		}
		return r, err
	}, `select receipt from erasures where receipt is not null order by at, id`)
}

// Finish does what the erasures that were begun have left, and returns their receipts.
func (s Store) Finish(ctx context.Context) (receipts []Receipt, err error) {
	begun, err := db.Select(ctx, s.DB, db.Value[string], `select id from erasures where receipt is null order by at, id`)
	for _, id := range begun {
		if err != nil {
			return receipts, err
		}
		var r *Receipt
		if r, err = s.finish(ctx, id); err == nil {
			receipts = append(receipts, *r)
		}
	}
	return receipts, err
}

// begun reads what an erasure is that was begun, and makes its receipt.
func (s Store) begun(ctx context.Context, id string) (p plan, r *Receipt, err error) {
	r = &Receipt{ID: id, Found: []Found{}, OutOfReach: []string{}}
	err = db.Each(ctx, s.DB, func(row *sql.Rows) error {
		var text string
		if err := row.Scan(&r.At, &r.Actor, &text); err != nil {
			return err
		}
		return json.Unmarshal([]byte(text), &p)
	}, `select at, actor, plan from erasures where id = ?`, id)
	r.Erased, r.Counts = p.Things, p.Counts
	return p, r, err
}

// finish goes on with an erasure whose batch is written. Each step may be done again.
func (s Store) finish(ctx context.Context, id string) (*Receipt, error) {
	p, r, err := s.begun(ctx, id)
	if err != nil {
		return nil, err
	}
	cleaned, n, err := clean(ctx, s.DB, p)
	if err != nil {
		return nil, err
	}
	if r.Counts.Notes += n; n > 0 {
		cleaned = append(cleaned, db.S(`update erasures set plan = json_set(plan, '$.counts.notes', ?2) where id = ?1`, id, r.Counts.Notes))
	}
	if r.Unfinished, err = s.scrub(ctx, s.DB, p, cleaned); err != nil {
		return nil, err
	}
	if c := s.DB.Cluster(); c != nil {
		r.OutOfReach, r.Unfinished = append(r.OutOfReach, s.nodes(ctx, r.Unfinished)...), ""
	}
	records, err := permit.Of(ctx, s.DB, s.DB)
	if err != nil {
		return nil, err
	}
	copies, err := records.Copies()
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "erase: the record of backups cannot be read")
	}
	files, named := s.files(), []string{} // said, and not kept: the files of a team are named by titles
	for _, path := range s.backups(copies) {
		if err := s.fromBackup(ctx, path, p); err != nil {
			r.OutOfReach = append(r.OutOfReach, "the copy "+path+": "+err.Error())
			continue
		}
		r.Counts.Backups, files = r.Counts.Backups+1, append(files, path)
	}
	for _, c := range copies {
		if c.How == permit.Synced {
			r.OutOfReach = append(r.OutOfReach, c.Path+", with which this store is synced: hence sync '"+c.Path+"' takes it out of the record there, not out of backups and other stores' files there")
		}
		if c.How != permit.Team {
			continue
		}
		said, err := s.fromFolder(ctx, c.Path, p)
		if named = append(named, said...); err != nil {
			r.OutOfReach = append(r.OutOfReach, "the folder "+c.Path+": "+err.Error())
			continue
		}
		r.Counts.Folders, files = r.Counts.Folders+1, append(files, filesBelow(c.Path)...)
	}
	db.RemoveScratch() // copies of the store that killed commands have left
	if r.Counts.Receipts, err = s.fromReceipts(ctx, p); err != nil {
		return nil, err
	}
	for _, t := range p.Things {
		if t.IsFile {
			r.OutOfReach = append(r.OutOfReach, "the file of "+t.ID+", which is yours: delete or edit it, or the next import brings it back")
		}
	}
	if p.Hold != "" {
		r.OutOfReach = append(r.OutOfReach, "memories that were kept and may hold it, with their earlier texts and copies: "+p.Hold+"; where one is a file, edit the file and import it, then erase its memory too, which the next import makes again")
	}
	r.OutOfReach = append(r.OutOfReach, elsewhere)
	r.Searched.Short, r.Searched.Kept = p.Words.Len(), p.Kept
	if err = s.prove(ctx, r, p.Marks, files); err == nil && r.Unfinished == "" {
		err = s.keep(ctx, *r, p, len(named) > 0)
	}
	r.OutOfReach = append(named, r.OutOfReach...)
	return r, err
}

// keep writes the receipt of a finished erasure, without what was named.
func (s Store) keep(ctx context.Context, r Receipt, p plan, wasNamed bool) error {
	if p.Marks, p.Words = nil, nil; wasNamed {
		r.OutOfReach = append([]string{"the history of git and its clones, with the commands that were named"}, r.OutOfReach...)
	}
	_, err := s.DB.Write(ctx, s.Caller.Actor, db.Now(), db.S(`
update erasures
set
  plan = ?2,
  receipt = ?3
where id = ?1`, r.ID, db.JSON(p), db.JSON(r)))
	return err
}

// clean returns statements that empty the notes that hold the text, of edges between others and of other memories that
// were verified or forgotten, and how many these are. They are later by the least time than what they replace, so
// that no merge brings that back. Those of a person erase also what undo has of other files and of merges.
func clean(ctx context.Context, d *db.DB, p plan) (statements []db.Stmt, n int, err error) {
	for _, c := range []struct {
		notes   string
		emptied []string
		isUndo  bool // they are no notes
	}{
		{`select key, note from edges where note <> '' and not (?1 and origin = 'person')`, []string{`update edges set note = '' where key = ?`}, false},
		{`select key, verify_note from memories where verify_note <> '' and not (?1 and own_rank >= 5)`, []string{`
update memories
set
  verify_note = null,
  verified_at = strftime('%Y-%m-%dT%H:%M:%fZ', verified_at, '+0.001 seconds')
where key = ?`}, false},
		{`select key, forget_reason from memories where forget_reason <> '' and not (?1 and own_rank >= 5)`, []string{
			`update memories set forget_reason = null where key = ?`, `
update stamps
set at = strftime('%Y-%m-%dT%H:%M:%fZ', substr(at, 1, 24), '+0.001 seconds') || substr(at, 25)
where id = (select id from memories where key = ?)
  and field = 'forgotten'`}, false},
		{
			`select id, line ->> '$.note' from unsettled where line ->> '$.note' <> '' and not (?1 and line ->> '$.origin' is 'person')`,
			[]string{`update unsettled set line = json_set(line, '$.note', '') where id = ?`}, false,
		},
		{`select batch || ' ' || id, what from before_merges where not ?1`, []string{`delete from before_merges where batch || ' ' || id = ?`}, true},
		{`select key, bytes from versions where not ?1`, []string{`delete from versions where key = ?`}, true},
		{ // what Hence wrote is undone as a whole or not at all
			`select batch, bytes from kept_files where bytes is not null and not ?1`, []string{
				`update batches set kept = null where operation <> 'import' and batch = ?`, `delete from kept_files where batch = ?`,
			}, true,
		},
		{`select batch, what from batches where what <> '' and not ?1`, []string{`update batches set what = '' where batch = ?`}, true},
	} {
		keys, err := p.holding(ctx, d, c.notes, p.Agent)
		if err != nil {
			return nil, 0, err
		}
		for _, key := range keys {
			statements = append(statements, lists.Map(c.emptied, func(text string) db.Stmt { return db.S(text, key) })...)
		}
		if !c.isUndo {
			n += len(keys)
		}
	}
	return statements, n, nil
}

// holding returns the keys of those rows of a query, a key and a text each, whose text holds what is erased.
func (p plan) holding(ctx context.Context, d *db.DB, query string, args ...any) (keys []any, err error) {
	err = db.Each(ctx, d, func(row *sql.Rows) error {
		var key any
		var text string
		err := row.Scan(&key, &text)
		if err == nil && p.Marks.Holds([]byte(text)) {
			keys = append(keys, key)
		}
		return err
	}, query, args...)
	return keys, err
}

// scrub writes what clean returns, takes the earlier texts of what was rewritten out of a store, and calls that wait
// and hold the text, and rewrites its file. It says where a text still is.
func (s Store) scrub(ctx context.Context, d *db.DB, p plan, statements []db.Stmt) (where string, err error) {
	for _, t := range p.Things {
		if t.Do == Rewrite {
			dropped, err := dropEarlier(ctx, d, t.ID)
			if err != nil {
				return "", err
			}
			statements = append(statements, dropped...)
		}
	}
	asked, err := p.holding(ctx, d, `select id, change from asked`)
	if err != nil {
		return "", err
	}
	statements = append(statements, lists.Map(asked, func(id any) db.Stmt { return db.S(`delete from asked where id = ?`, id) })...)
	if len(statements) > 0 { // the journal has what these empty
		if _, err := d.Write(ctx, s.Caller.Actor, db.Now(), statements...); err != nil {
			return "", err
		}
	}
	// What others said before, and notes of edges that were unlinked: nobody can choose these.
	said, err := p.holding(ctx, d, `select seq, before from journal where before is not null`)
	if err != nil {
		return "", err
	}
	if len(said) > 0 {
		gone := db.S(`update journal set before = null where seq in (select value from json_each(?))`, db.List(said))
		if _, err := d.Write(ctx, s.Caller.Actor, db.Now(), gone); err != nil {
			return "", err
		}
	}
	if where, err = d.Scrub(ctx); db.IsBusy(err) {
		return "another process writes to the store; hence erase goes on with it", nil
	}
	return where, err
}

// dropEarlier returns the statements that take what a memory said before out of all but its record. Its stamps
// stay, so that a merge does not bring the old text back; what it was created as becomes a checksum, as after a
// merge.
func dropEarlier(ctx context.Context, d *db.DB, id string) (statements []db.Stmt, err error) {
	pasts := map[string]string{}
	if err := db.Fill(ctx, d, pasts, `select field, past from stamps where id = ?`, id); err != nil {
		return nil, err
	}
	for field, past := range pasts {
		var stamps []string
		if err := json.Unmarshal([]byte(past), &stamps); err != nil {
			return nil, fault.Wrap(fault.Internal, err, "erase: the stamps of %s cannot be read", id)
		}
		for n, stamp := range stamps {
			if created, ok := strings.CutPrefix(stamp, lines.CreatedMark); ok {
				stamps[n] = lines.Creation(created)
			}
		}
		statements = append(statements, db.S(`update stamps set past = ?3 where id = ?1 and field = ?2`, id, field, db.List(stamps)))
	}
	return append(statements,
		db.S(`
update memories
set
  verify_note = null,
  source_url = null
where id = ?
  and coalesce(verify_note, source_url) is not null`, id),
		db.S(`
update journal
set before = nullif(json_remove(before, '$.title', '$.content', '$.aliases', '$.tags', '$.properties', '$.forget_reason', '$.source_url'), '{}')
where id = ?
  and before is not null`, id),
		db.S(`delete from before_merges where id = ?`, id),
		db.S(`delete from asked where memory = (select key from memories where id = ?)`, id),
	), nil
}

// backups returns the paths of the copies of the store: those that were recorded, and what a restore or a migration
// saved beside it.
func (s Store) backups(copies []permit.Copy) (paths []string) {
	for _, c := range copies {
		if c.How == permit.Backup {
			paths = append(paths, c.Path)
		}
	}
	saved, _ := filepath.Glob(quoteGlob(s.DB.Path()) + ".before-*[0-9Z]")
	return append(paths, slices.DeleteFunc(saved, func(path string) bool { return slices.Contains(paths, path) })...)
}

// quoteGlob returns a pattern that matches the path alone.
func quoteGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// wording is what a rewritten memory says.
type wording struct{ title, content string }

// Fields returns the columns of wording.
func (w *wording) Fields() []any { return []any{&w.title, &w.content} }

// fromBackup erases from a copy of the store.
func (s Store) fromBackup(ctx context.Context, path string, p plan) error {
	if _, err := os.Stat(path); err != nil {
		return fault.New(fault.NotFound, "it is not there any more; wherever it went, it holds the text as before")
	}
	rewritten := map[string]wording{} // the others are purged
	err := db.Fill(ctx, s.DB, rewritten, `select id, title, content from memories where id in (select value from json_each(?))`,
		db.List(lists.Map(p.Things, func(t doing) string { return t.ID })))
	if err != nil {
		return err
	}
	return s.DB.InCopy(ctx, path, func(copied *db.DB) error {
		here := Store{DB: copied, Caller: ref.Caller{Actor: s.Caller.Actor, Origin: ref.Person}}
		changes, err := here.statements(p, func(t doing) (string, string, bool) {
			isThere, _, err := db.One[bool](ctx, copied, `select exists (select 1 from memories where id = ?)`, t.ID)
			text, isHere := rewritten[t.ID]
			return text.title, text.content, err == nil && isThere && isHere
		})
		if err != nil {
			return err
		}
		// An erasure that the copy was made within is this store's alone.
		changes = append(changes, db.S(`delete from erasures where receipt is null`))
		if _, err = copied.Write(ctx, s.Caller.Actor, db.Now(), changes...); err != nil {
			return err
		}
		cleaned, _, err := clean(ctx, copied, p)
		if err != nil {
			return err
		}
		where, err := here.scrub(ctx, copied, p, cleaned)
		if err == nil && where != "" {
			err = fault.New(fault.Unavailable, "%s", where)
		}
		return err
	})
}

// arguments of a call have names, which are no words of a text.
var argument = pattern.Lazy(`"[a-z_]+" ?:`)

// fromReceipts takes the arguments out of the receipts of answers that hold the text, or a short word of it where
// the answer showed it.
func (s Store) fromReceipts(ctx context.Context, p plan) (n int, err error) {
	holds := func(r receipts.Receipt) bool {
		return p.Marks.Holds([]byte(r.Arguments)) || p.Words.count(1, bytes.ToLower(unescape(argument().ReplaceAll([]byte(r.Arguments), nil)))) > 0 &&
			slices.ContainsFunc(r.Shown, func(one receipts.Shown) bool {
				return slices.ContainsFunc(p.Things, func(t doing) bool { return t.Key == 0 && review.Stores(t.ID, one) || one.IsOf(t.Key, t.ID) })
			})
	}
	err = receipts.With(ctx, ref.View(s), func(b *receipts.Book, scope receipts.Scope) (err error) {
		n, err = b.Erase(ctx, scope.Store, holds)
		return err
	})
	return n, err
}

// nodes says which nodes of the cluster keep the text, and where.
func (s Store) nodes(ctx context.Context, where string) []string {
	listed, err := s.DB.Cluster().Nodes(ctx)
	if err != nil {
		return []string{where + "; which nodes there are is not known: " + err.Error()}
	}
	return lists.Map(listed, func(n remote.Node) string {
		return "the log, the snapshots and free pages of the node " + n.ID + " at " + n.Raft + ": " + where
	})
}
