package vault

import (
	"context"

	"hence/projection/folder"
)

// Survey is what is in a vault's folder now.
type Survey struct {
	Files   []folder.Entry
	Aliases map[string][]string // path → other names that the note gives itself
	Unsure  map[string]bool     // notes and canvases whose links the store may not know
}

// Survey scans a vault's folder, and reads the notes that have changed since the
// last import, or all of them where the owner's settings leave some links out of
// the store.
func (i Importer) Survey(ctx context.Context, o *OpenVault) (Survey, error) {
	files, _, err := o.Scan(ctx)
	if err != nil {
		return Survey{}, err
	}
	known, err := i.load(ctx, o.Name)
	if err != nil {
		return Survey{}, err
	}
	all := known.extraction != o.settings.extraction()
	for _, meaning := range o.settings.words {
		all = all || meaning.dropped
	}
	s := Survey{Files: files, Aliases: map[string][]string{}, Unsure: map[string]bool{}}
	changed := []folder.Entry{}
	for _, f := range files {
		old, ok := known.files[f.Path]
		s.Aliases[f.Path] = old.aliases
		if isRead(f.Path) && (all || !ok || old.size != f.Size || old.modified != f.Modified) {
			changed = append(changed, f)
		}
	}
	for _, d := range readAll(ctx, o.Folder, changed, func() {}) {
		s.Aliases[d.Path], s.Unsure[d.Path] = d.aliases, true
	}
	return s, ctx.Err()
}

// NamesNotes says whether the values of a property are names of notes.
func (o *OpenVault) NamesNotes(property string) bool { return o.settings.namesNotes(property) }
