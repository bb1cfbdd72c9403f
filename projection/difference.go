package projection

import (
	"context"

	"hence/internal/fault"
	"hence/projection/folder"
	"hence/projection/undolog"
)

// Difference is what became of a folder: the changes that imports found from a time on, and those on disk that no
// import has seen.
type Difference struct {
	Changes []undolog.Entry   // one a path: see undolog.Net and Passed; Batch is 0 for what no import has seen
	Moves   map[string]string // old path → new path
	Now     map[string][]byte // the bytes of the changed files that are there
}

// Differ returns what changed in a folder whose format keeps versions, from a time on; "": since its last import. It writes nothing, and
// fails with unavailable for a folder that was imported elsewhere.
func (m Mirror) Differ(ctx context.Context, operation string, v Vault, since string) (d Difference, err error) {
	if err := v.CheckHere(operation, "folder"); err != nil {
		return d, err
	}
	f, err := folder.Open(v.Root)
	if err != nil {
		return d, fault.New(fault.Unavailable, "%s: the folder %s of %s cannot be opened (%s)", operation, v.Root, v.Name, folder.Reason(err))
	}
	defer f.Close()
	f.Label = v.Name
	source, err := m.Format.Open(f)
	if err != nil {
		return d, err
	}
	known, err := m.ReadKnown(ctx, v.Name)
	if err != nil {
		return d, err
	}
	p := project{Mirror: m, folder: f, source: source, known: known}
	if p.files, p.scanned, err = f.Scan(ctx); err != nil {
		return d, err
	}
	if since != "" {
		if d.Changes, err = m.log().Since(ctx, v.Name, since); err != nil {
			return d, err
		}
	}
	unseen, err := p.unseen(ctx)
	if err != nil {
		return d, err
	}
	all := append(d.Changes, unseen...)
	d.Changes = undolog.Net(all)
	d.Moves, d.Now = undolog.Moves(d.Changes), map[string][]byte{}
	d.Changes = append(d.Changes, undolog.Passed(all)...)
	for _, e := range d.Changes {
		if bytes, err := f.Read(folder.Entry{Path: e.After}, MaxFile); err == nil && e.After != "" {
			d.Now[e.After] = bytes
		}
	}
	return d, ctx.Err()
}

// unseen returns the changes on disk since the last import.
func (p *project) unseen(ctx context.Context) (entries []undolog.Entry, err error) {
	p.read(ctx, p.compare())
	if err := p.findMoves(ctx); err != nil {
		return nil, err
	}
	change := func(before, after, hash string, memory int64) {
		c := undolog.Change{Before: before, After: after, HashBefore: p.known.Files[before].Hash, HashAfter: hash}
		entries = append(entries, undolog.Entry{Change: c, Memory: memory, MemoryAfter: memory})
	}
	for _, d := range p.documents {
		old, isKnown := p.known.Files[d.Path]
		switch before := p.moved[d.Path]; {
		case before != "":
			change("", d.Path, d.Hash, p.known.Files[before].Memory)
		case isKnown:
			change(d.Path, d.Path, d.Hash, old.Memory)
		default:
			change("", d.Path, d.Hash, 0)
		}
	}
	for _, path := range p.removed {
		change(path, "", "", p.known.Files[path].Memory)
	}
	return entries, nil
}
