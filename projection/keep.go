package projection

import (
	"hence/internal/db"
	"hence/projection/undolog"
)

// keepVersions returns the statements that keep the bytes of written files, and what the batch changed of them. It
// returns none for a format that does not keep versions.
func (p *project) keepVersions(group []*Document) (statements []db.Stmt) {
	if !p.Format.Keeps {
		return nil
	}
	var changes db.Rows
	for _, d := range group {
		uri, before := p.Format.URI(p.name, d.Path), p.known.Files[d.Path].Hash
		if p.moved[d.Path] != "" {
			before = p.known.Files[p.moved[d.Path]].Hash
		}
		if before != d.Hash {
			changes.Row(uri, d.Path, before, d.Hash)
		}
		if d.bytes != nil {
			statements = append(statements, undolog.KeepVersion(uri, d.Hash, d.bytes, d.Mode))
		}
	}
	return append(statements, undolog.KeepChanges(p.batch.Number, changes)...)
}

// keepGone returns the statements that keep, as changes of the batch, that paths are gone, and that moved files
// came to others. They run while the memories have their old uris.
func (p *project) keepGone(paths []string) []db.Stmt {
	if !p.Format.Keeps {
		return nil
	}
	to := map[string]string{}
	for path, from := range p.moved {
		to[from] = path
	}
	var changes db.Rows
	for _, path := range paths {
		uri, hash := p.Format.URI(p.name, path), p.known.Files[path].Hash
		changes.Row(uri, path, hash, "")
		if to[path] != "" {
			changes.Row(uri, to[path], "", hash)
		}
	}
	return undolog.KeepChanges(p.batch.Number, changes)
}
