package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/plural"
	"hence/tools/show"
	"hence/vault"
)

// offer is a folder of notes that could be imported.
type offer struct {
	Folder string `json:"folder"`
	Notes  int    `json:"notes"` // Markdown files, up to enoughNotes
	Vault  bool   `json:"vault"` // Obsidian has opened it
}

// enoughNotes is the number of notes at which counting stops.
const enoughNotes = 1000

// offers returns the folders of the project that have notes and are not in the store: the
// project if it is a vault of Obsidian, or else its vaults and folders such as docs or notes.
func (s initRun) offers(ctx context.Context, project string) ([]offer, error) {
	known := map[string]bool{}
	err := s.withStore(ctx, true, func(d *db.DB) error {
		vaults, err := vault.Importer{DB: d, Caller: s.person()}.Vaults(ctx)
		for _, v := range vaults {
			known[v.Root] = true
		}
		return err
	})
	offers := []offer{}
	if err != nil && fault.CodeOf(err) != fault.NotFound {
		return offers, err
	}
	if known[project] {
		return offers, nil
	}
	entries, err := os.ReadDir(project)
	if err != nil {
		return offers, nil // there is nothing to offer
	}
	if isVault(project) {
		return append(offers, offerOf(project)), nil
	}
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		folder := filepath.Join(project, e.Name())
		if known[folder] {
			continue
		}
		usual := slices.Contains([]string{"docs", "doc", "notes", "wiki", "vault"}, strings.ToLower(e.Name()))
		if usual || isVault(folder) {
			if o := offerOf(folder); o.Notes > 0 {
				offers = append(offers, o)
			}
		}
	}
	return offers, nil
}

// offerOf returns the offer of a folder, with the number of its notes.
func offerOf(folder string) offer {
	o := offer{Folder: folder, Vault: isVault(folder)}
	_ = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil || o.Notes == enoughNotes:
			return filepath.SkipAll
		case d.IsDir() && path != folder && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return filepath.SkipDir
		case !d.IsDir() && strings.EqualFold(filepath.Ext(path), ".md"):
			o.Notes++
		}
		return nil
	})
	return o
}

// importOffered asks the person at the terminal about each folder, and imports it or prints
// how to import it. Without a terminal it only prints.
func (s initRun) importOffered(ctx context.Context, all []offer) error {
	for _, o := range all {
		notes := plural.Count(o.Notes, "note", "notes")
		if o.Notes == enoughNotes {
			notes = strconv.Itoa(enoughNotes) + " notes or more"
		}
		folder := shortPath(o.Folder)
		if !screen.IsTerminal(s.in) || !s.agrees("Import the "+notes+" of "+folder+"?") {
			var d show.Doc
			d.AddIn(show.Faint, "", folder+" has "+notes+"; hence import "+shellWord(folder)+" makes memories of them")
			if err := s.draw(s.out, d); err != nil {
				return err
			}
			continue
		}
		importer := importCommand(s.session)
		importer.SetContext(ctx)
		if err := importer.RunE(importer, []string{o.Folder}); err != nil {
			s.report(ctx, importer, err) // not returned, because the files of the clients are written
		}
	}
	return nil
}
