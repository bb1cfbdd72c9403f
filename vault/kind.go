package vault

import (
	"context"
	"path"
	"strings"

	"hence/internal/prose"
	"hence/projection"
	"hence/projection/folder"
)

// Notes and canvases are read. Of every other file the store has only the name and the
// hash.
func IsNote(path string) bool   { return hasExtension(path, ".md") }
func IsCanvas(path string) bool { return hasExtension(path, ".canvas") }
func isRead(path string) bool   { return IsNote(path) || IsCanvas(path) }

func hasExtension(path, extension string) bool {
	return len(path) > len(extension) && strings.EqualFold(path[len(path)-len(extension):], extension)
}

// titleOf returns the file's name, without .md.
func titleOf(file string) string {
	name := path.Base(file)
	if IsNote(file) {
		name = name[:len(name)-len(".md")]
	}
	return prose.OneLine(name)
}

// kindOf returns the kind of a file's memory.
func kindOf(path string) string {
	switch {
	case IsNote(path):
		return "note"
	case IsCanvas(path):
		return "canvas"
	}
	return "file"
}

// Survey holds the files in a vault's folder now, and their aliases.
type Survey struct {
	Files   []folder.Entry
	Aliases map[string][]string // path → aliases of the note
	Unsure  map[string]bool     // notes and canvases whose links the store may not know
}

// Survey scans a vault's folder, and reads the notes that have changed since the last
// import. It reads all notes if the settings have changed or leave links out of the store.
func (i Importer) Survey(ctx context.Context, o *OpenVault) (Survey, error) {
	files, _, err := o.Scan(ctx)
	if err != nil {
		return Survey{}, err
	}
	known, err := i.Mirror().ReadKnown(ctx, o.Name)
	if err != nil {
		return Survey{}, err
	}
	all := known.Version != o.settings.Version()
	for _, meaning := range o.settings.words {
		all = all || meaning.dropped
	}
	s := Survey{Files: files, Aliases: map[string][]string{}, Unsure: map[string]bool{}}
	changed := []folder.Entry{}
	for _, f := range files {
		s.Aliases[f.Path] = known.Files[f.Path].Aliases
		if isRead(f.Path) && (all || known.HasChanged(f)) {
			changed = append(changed, f)
		}
	}
	for _, d := range projection.ReadAll(ctx, o.Folder, o.settings, changed, func() {}) {
		s.Aliases[d.Path], s.Unsure[d.Path] = d.Aliases, true
	}
	return s, ctx.Err()
}

// NamesNotes reports whether the values of a property are names of notes.
func (o *OpenVault) NamesNotes(property string) bool { return o.settings.namesNotes(property) }
