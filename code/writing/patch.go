package writing

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"hence/code"
	"hence/code/symbol"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory/journal"
	"hence/projection"
	"hence/projection/folder"
	"hence/projection/undolog"
	"hence/vault/writing/edit"
)

// PatchArgs describe a change of one file.
type PatchArgs struct {
	Path                string `json:"path,omitempty" jsonschema:"file, from the repository's root"`
	ID                  string `json:"id,omitempty" jsonschema:"or a symbol: only its lines are changed"`
	Find                string `json:"find" jsonschema:"literal text"`
	Replace             string `json:"replace"`
	Count               int    `json:"count,omitempty" default:"1" min:"1" max:"1000" jsonschema:"places expected"`
	ExpectedContentHash string `json:"expected_content_hash,omitempty" jsonschema:"of code_read; required to write"`
	DryRun              *bool  `json:"dry_run,omitempty" default:"true"`
}

// PatchResult is a change of a file, and its effect on symbols and memories.
type PatchResult struct {
	Repository   string           `json:"repository"`
	Path         string           `json:"path"`
	DryRun       bool             `json:"dry_run"`
	Replacements int              `json:"replacements"`
	Diff         string           `json:"diff"`
	ContentHash  string           `json:"content_hash" jsonschema:"of the file with the change"`
	Symbols      []Changed        `json:"symbols" jsonschema:"whose tokens change"`
	WouldBeStale []belief.Resting `json:"would_be_stale" jsonschema:"memories that rest on them"`
	StaleCount   int              `json:"stale_count,omitempty" jsonschema:"where more are stale than are listed"`
}

// Changed is a symbol that a patch changes.
type Changed struct {
	ID    string `json:"id,omitempty"`
	Title string `json:"title"`
	How   string `json:"how" jsonschema:"changed, removed or added"`
}

// maxStale is the largest number of memories that are listed as stale.
const maxStale = 20

// Patch replaces a literal text in one file. A dry run, the default, only returns the
// effect and writes nothing. It fails with read_only if no person has allowed it for the
// repository; with conflict if the file's hash is not the expected one, or the text occurs
// another number of times than expected; with invalid_argument for a text that would not
// parse although the old one does; with outside_vault for a path that leaves the
// repository, for files that an import leaves out and for those that may hold secrets;
// with too_large; and with not_found.
func (w Writer) Patch(ctx context.Context, a PatchArgs) (result PatchResult, err error) {
	const operation = "code_patch"
	if err := args.Check(operation, &a); err != nil {
		return result, err
	}
	if err := a.check(operation); err != nil {
		return result, err
	}
	p, err := w.importer().Find(ctx, operation, a.Path, a.ID)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	p.Disk = w.disk
	if err := w.checkAllowed(ctx, operation, p.Repository); err != nil {
		return result, err
	}
	if !*a.DryRun {
		unlock, err := w.importer().Mirror().Hold(ctx, operation, p.Repository, p.Folder)
		if err != nil {
			return result, err
		}
		defer unlock()
	}
	before, err := p.Bytes(operation)
	if err != nil {
		return result, err
	}
	if err := folder.CheckExpected(operation, p.Path, a.ExpectedContentHash, db.Hash(before)); err != nil {
		return result, err
	}
	after, err := a.apply(operation, p, before)
	if err != nil {
		return result, err
	}
	result = PatchResult{
		Repository: p.Repository.Name, Path: p.Path, DryRun: *a.DryRun, Replacements: a.Count,
		Diff: strings.ToValidUTF8(edit.Diff(p.Path, before, after), "\uFFFD"), ContentHash: db.Hash(after),
	}
	if err := w.setEffect(ctx, p, before, after, &result); err != nil || *a.DryRun {
		return result, err
	}
	_, err = w.put(ctx, journal.Batch{Operation: operation, Vault: p.Repository.Name, Namespace: p.Repository.Namespace, What: p.Path}, p, before, after)
	return result, err
}

func (a PatchArgs) check(operation string) error {
	switch {
	case a.Find == "":
		return fault.New(fault.InvalidArgument, "%s: find is empty; give the text to replace", operation)
	case a.Find == a.Replace:
		return fault.New(fault.InvalidArgument, "%s: find and replace are the same text", operation)
	case !*a.DryRun && strings.TrimSpace(a.ExpectedContentHash) == "":
		return fault.New(fault.InvalidArgument, "%s: expected_content_hash is missing; give the content_hash that code_read returned for the file", operation)
	}
	return nil
}

// apply returns the text with the change. If the place is a symbol, it changes only the
// range of the symbol.
func (a PatchArgs) apply(operation string, p code.Place, text []byte) ([]byte, error) {
	start, end := 0, len(text)
	if p.Symbol != nil {
		now, err := p.Now(operation, text)
		if err != nil {
			return nil, err
		}
		start, end = now.Start, now.End
	}
	part, n, _ := edit.Patch(text[start:end], a.Find, a.Replace, true) // it fails only if the text is not there
	switch {
	case n == 0:
		return nil, fault.New(fault.NotFound, "%s: the text to find is not in %s; read it again", operation, p.Title)
	case n != a.Count:
		return nil, fault.New(fault.Conflict, "%s: %s holds the text to find %d times, but count is %d; give more of the text around it, or the right count", operation, p.Title, n, a.Count).With("count", n)
	}
	after := slices.Concat(text[:start], part, text[end:])
	switch {
	case len(after) > code.MaxFile:
		return nil, fault.New(fault.TooLarge, "%s: %s would have %d bytes, and may have at most %d", operation, p.Path, len(after), code.MaxFile)
	case code.Parses(p.Path, text) && !code.Parses(p.Path, after):
		return nil, fault.New(fault.InvalidArgument, "%s: %s would not parse with this change, so nothing was written; correct the syntax of replace", operation, p.Path)
	}
	return after, nil
}

// setEffect sets the symbols that change, and the memories that rest on them.
func (w Writer) setEffect(ctx context.Context, p code.Place, before, after []byte, result *PatchResult) error {
	result.Symbols, result.WouldBeStale = []Changed{}, []belief.Resting{}
	changes := compareSymbols(p.Path, before, after)
	return w.DB.Read(ctx, func(r *db.Reader) error {
		ids := []string{p.FileID} // its bytes change even where no token does
		for _, name := range slices.Sorted(maps.Keys(changes)) {
			c := changes[name]
			if c.How != added {
				m, err := w.Caller.Find(ctx, r, projection.Code.URI(p.Repository.Name, name))
				if err != nil {
					return err
				}
				c.ID = m.ID
				ids = append(ids, m.ID)
			}
			result.Symbols = append(result.Symbols, c)
		}
		resting, count, err := belief.RestingOn(ctx, r, slices.DeleteFunc(ids, func(id string) bool { return id == "" }), maxStale)
		if result.WouldBeStale = resting; count > len(resting) {
			result.StaleCount = count
		}
		return err
	})
}

const (
	changed = "changed"
	removed = "removed"
	added   = "added"
)

// compareSymbols returns the symbols whose tokens differ between two texts of a file, by their
// names within the repository.
func compareSymbols(path string, before, after []byte) map[string]Changed {
	hashes, changes := map[string]string{}, map[string]Changed{}
	old, now := code.Declarations(path, before), code.Declarations(path, after)
	for _, d := range old.Declarations {
		name := string(symbol.KeyOf(old.Module, d.Name))
		hashes[name] = d.Tokens.Hash
		changes[name] = Changed{Title: d.Title, How: removed}
	}
	for _, d := range now.Declarations {
		name := string(symbol.KeyOf(now.Module, d.Name))
		switch hash, known := hashes[name]; {
		case !known:
			changes[name] = Changed{Title: d.Title, How: added}
		case hash == d.Tokens.Hash:
			delete(changes, name)
		default:
			changes[name] = Changed{Title: d.Title, How: changed}
		}
	}
	return changes
}

// put writes the new text of a file as a batch and imports it. It stores the old bytes for
// an undo.
func (w Writer) put(ctx context.Context, batch journal.Batch, p code.Place, before, after []byte) (journal.Batch, error) {
	change := undolog.Change{Before: p.Path, After: p.Path, Source: before, HashBefore: db.Hash(before), HashAfter: db.Hash(after)}
	return w.log().Write(ctx, p.Folder, batch, []undolog.Change{change},
		func() error {
			return p.Replace(batch.Operation, folder.Rewrite{Path: p.Path, Source: before, Content: after})
		},
		func(b journal.Batch) error { return w.importer().Project(ctx, b, p) })
}
