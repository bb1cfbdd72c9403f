package projection

import (
	"context"
	"errors"
	"path"
	"slices"

	"hence/internal/fault"
	"hence/internal/permit"
	"hence/memory/journal"
	"hence/projection/folder"
	"hence/projection/undolog"
)

// UndoResult is an undone import of a folder whose format keeps versions, or an undone undo of one.
type UndoResult struct {
	Folder    string             `json:"folder"`    // its name
	Operation string             `json:"operation"` // that was undone: import or undo
	Files     []undolog.Restored `json:"files"`
	By        int64              `json:"by"` // the change that undid it; to undo that change is to redo
	Warnings  []string           `json:"warnings"`
}

// Undo undoes what an import found that another program did to its files: in the files, byte for byte, and in
// the store. ok is false if the arguments name another change, or the folder's first import. A file stays as it is, with a warning, if
// one of its two versions is not kept as it was.
//
// It fails with read_only if the person has not allowed it on this machine (see permit.Folder); with conflict, and the
// hashes, if a file is not as the import found it; and with unavailable if the folder was imported elsewhere.
func (m Mirror) Undo(ctx context.Context, a journal.UndoArgs) (result UndoResult, ok bool, err error) {
	if err := m.SettleAll(ctx); err != nil {
		return result, false, err
	}
	all, err := m.Vaults(ctx)
	if err != nil || len(all) == 0 {
		return result, false, err
	}
	batch, ok, err := journal.Journal{DB: m.DB, Caller: m.Caller}.VaultBatch(ctx, a)
	n := slices.IndexFunc(all, func(v Vault) bool { return v.Name == batch.Vault })
	if err != nil || !ok || n < 0 || batch.First || batch.Operation == "forget" {
		return result, false, err
	}
	records, err := permit.Of(ctx, m.DB, m.DB)
	if err != nil {
		return result, true, err
	}
	v := all[n]
	if err := v.CheckHere("undo", "folder"); err != nil {
		return result, true, err
	}
	if f, failed := records.Folder(v.Name); failed != nil || !f.Restore {
		return result, true, fault.New(fault.ReadOnly, "undo: change %d is what %s did to its files in %s, and Hence may not write there; hence agents allow restore --folder %s lets it put them back", batch.Seq, v.Name, v.Root, v.Name)
	}
	result, err = m.putBack(ctx, v, batch)
	return result, true, err
}

// open opens a folder for an undo, with the rules of its source, and takes its lock.
func (m Mirror) open(ctx context.Context, v Vault) (f *folder.Folder, release func() error, err error) {
	if f, err = folder.Open(v.Root); err != nil {
		return nil, nil, err
	}
	f.Label = v.Name
	unlock := func() {}
	if _, err = m.Format.Open(f); err == nil {
		unlock, err = m.Hold(ctx, "undo", v, f)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, func() error {
		unlock()
		return f.Close()
	}, nil
}

// SettleAll finishes or drops the interrupted writes in the folders that the caller may see. It skips those that
// are not there.
func (m Mirror) SettleAll(ctx context.Context) error {
	if m.DB.ReadOnly() {
		return nil
	}
	unfinished, err := m.log().Unfinished(ctx, "")
	if err != nil || len(unfinished) == 0 {
		return err
	}
	all, err := m.Vaults(ctx)
	for _, v := range all {
		if !v.Here || !slices.ContainsFunc(unfinished, func(b journal.Batch) bool { return b.Vault == v.Name }) {
			continue
		}
		_, release, err := m.open(ctx, v)
		if err == nil {
			err = release()
		}
		if code := fault.CodeOf(err); err != nil && code != fault.NotFound && code != fault.Unavailable {
			return err
		}
	}
	return err
}

func (m Mirror) log() undolog.Log { return undolog.Log{DB: m.DB, Caller: m.Caller} }

// letIn makes a folder let in the paths of changes that some rule may want, though its files have no such rule now:
// a file that another one imports is left out while that is gone.
func (m Mirror) letIn(f *folder.Folder, net []undolog.Entry) {
	excluded, wanted := f.Excluded, map[string]bool{}
	if excluded == nil || m.Format.Wants == nil {
		return
	}
	for _, e := range net {
		name := max(e.Before, e.After)
		for wants := m.Format.Wants(name); wants && name != "."; name = path.Dir(name) {
			wanted[name] = true
		}
	}
	f.Excluded = func(name string, folder bool) bool { return !wanted[name] && excluded(name, folder) }
}

// putBack gives the files of a batch their bytes from before it.
func (m Mirror) putBack(ctx context.Context, v Vault, batch journal.Batch) (result UndoResult, err error) {
	f, release, err := m.open(ctx, v)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, release()) }()
	log := journal.Journal{DB: m.DB, Caller: m.Caller}
	if batch, err = log.StandingBatch(ctx, batch.Number); err != nil {
		return result, err
	}
	// What the other program has changed since belongs to a batch of its own.
	if _, _, err := m.importAll(ctx, v.target()); err != nil {
		return result, err
	}
	entries, err := m.log().Entries(ctx, batch.Number, true)
	if err != nil {
		return result, err
	}
	net := undolog.Net(entries)
	moves := undolog.Moves(net)
	m.letIn(f, net)
	result = UndoResult{Folder: v.Name, Operation: batch.Operation, Warnings: []string{}}
	files := []undolog.Entry{}
	for _, e := range net {
		name := max(e.Before, e.After)
		switch e.Versioned = true; {
		case e.Lacks || e.LacksAfter:
			result.Warnings = append(result.Warnings, name+" stays as it is: a version of it held what looked like a secret or was too large, and Hence cannot bring its bytes back")
		case f.LeavesOut(name, false):
			result.Warnings = append(result.Warnings, name+" stays as it is: it is not one of the files that are read any more")
		default:
			files = append(files, e)
		}
	}
	if len(files) == 0 && len(result.Warnings) > 0 {
		return result, fault.New(fault.InvalidArgument, "undo: change %d cannot be undone: %s", batch.Seq, result.Warnings[0])
	}
	if files, _, err = undolog.AsLeft(f, batch, files); err != nil {
		return result, err
	}
	undo := journal.Batch{Operation: "undo", Vault: v.Name, Namespace: v.Namespace, What: v.Name, Undoes: batch.Number}
	undo, result.Files, err = m.log().PutBack(ctx, f, undo, files, func(b journal.Batch, _ []undolog.Restored) error {
		m.emptied = true
		return m.ProjectMoves(ctx, b, v, moves, nil)
	})
	if err != nil {
		return result, err
	}
	record, err := log.BatchByNumber(ctx, undo.Number)
	if record.Changes > 0 {
		result.By = record.Seq
	}
	return result, err
}
