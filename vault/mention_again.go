package vault

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/projection/folder"
	"hence/vault/mention"
	"hence/vault/resolve"
)

// findAll finds the mentions in the files that were read, and in the others those
// by names that mean another note than before or that were, or are, ordinary
// words. Nothing is written.
func (p *project) findAll(ctx context.Context) error {
	p.findRead()
	if p.known.vault != 0 {
		if err := p.lookElsewhere(ctx, p.renames, true); err != nil {
			return err
		}
		turned := slices.DeleteFunc(p.directory.turned(p.ordinary), func(name string) bool {
			_, renamed := slices.BinarySearch(p.renames, name)
			return renamed
		})
		if err := p.lookElsewhere(ctx, turned, false); err != nil {
			return err
		}
		p.renames = append(p.renames, turned...)
	}
	p.leaveOutOrdinary()
	return nil
}

// lookElsewhere looks for names in the notes that were not read anyway. It
// counts anew where they stand as a word if that was not known yet.
func (p *project) lookElsewhere(ctx context.Context, names []string, recount bool) error {
	f := p.directory.findOnly(names)
	if len(f.names) == 0 {
		return nil
	}
	candidates, err := p.mayMention(ctx, f.names)
	if err != nil {
		return err
	}
	for group := range slices.Chunk(candidates, groupFiles) {
		entries := make([]folder.Entry, len(group))
		words := map[string]string{}
		for i, c := range group {
			entries[i], words[c.Path] = c.Entry, c.words
		}
		documents := p.unchanged(readAll(ctx, p.folder, entries, func() {}), entries)
		p.findMentions(documents, f)
		for _, d := range documents {
			kept := &document{Entry: d.Entry, mentions: d.mentions}
			if recount {
				if kept.words, err = p.recount(words[d.Path], d.words, f.names); err != nil {
					return err
				}
			}
			p.elsewhere = append(p.elsewhere, kept)
		}
	}
	return ctx.Err()
}

// recount puts the names found in a text in the place of those of them that were
// known to stand there. It returns nil where nothing has changed.
func (p *project) recount(known string, found, names []string) (words []string, err error) {
	all, err := wordsOf(known)
	if err != nil {
		return nil, err
	}
	old := []string{}
	words = []string{}
	for _, word := range all {
		if _, looked := slices.BinarySearch(names, word); looked {
			old = append(old, word)
		} else {
			words = append(words, word)
		}
	}
	slices.Sort(old)
	if slices.Equal(old, found) {
		return nil, nil
	}
	p.directory.count(old, -1)
	p.directory.count(found, 1)
	words = append(words, found...)
	slices.Sort(words)
	return words, nil
}

// wordsOf reads a list of names as the store has it.
func wordsOf(text string) (words []string, err error) {
	if text == "" || text == "[]" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(text), &words); err != nil {
		return nil, fault.Wrap(fault.Internal, err, "import: the names that stand in a note's text cannot be read")
	}
	return words, nil
}

// mentionAgain writes what lookElsewhere has found, in place of the mentions by
// names that mean another note now, or none.
func (p *project) mentionAgain(ctx context.Context) error {
	if p.known.vault == 0 || len(p.renames) == 0 {
		return nil
	}
	if err := p.deleteStaleMentions(ctx); err != nil {
		return err
	}
	for documents := range slices.Chunk(p.elsewhere, groupFiles) {
		sites, err := p.mentionSites(ctx, documents)
		if err != nil {
			return err
		}
		statements := p.siteStatements(sites, insertSites)
		if recounted, err := p.recounted(documents); err != nil {
			return err
		} else if recounted != "" {
			statements = append(statements, db.S(updateWords, recounted))
		}
		if err := p.commit(ctx, statements...); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// recounted are the files in whose text other names stand than the store knows,
// as updateWords takes them, "" for none.
func (p *project) recounted(documents []*document) (string, error) {
	rows := []fileRow{}
	for _, d := range documents {
		if d.words != nil {
			rows = append(rows, fileRow{Memory: p.memories[d.Path], Words: d.words})
		}
	}
	if len(rows) == 0 {
		return "", nil
	}
	return asJSON(rows)
}

const updateWords = `
update files
set words = j.value -> 'words'
from json_each(?1) j
where files.memory = j.value ->> 'memory'`

// mentionSites are the mentions in notes as sites of them.
func (p *project) mentionSites(ctx context.Context, documents []*document) (sites []site, err error) {
	paths := []string{}
	for _, d := range documents {
		paths = append(paths, d.Path)
		for _, m := range d.mentions {
			sites = append(sites, m.site(d))
			paths = append(paths, m.path)
		}
	}
	if err := p.loadKeys(ctx, paths); err != nil {
		return nil, err
	}
	for i := range sites {
		sites[i].join(p.memories)
	}
	return sites, nil
}

// deleteStaleMentions removes the mentions by names that mean another note
// now, or none, and those that lookElsewhere has found anew.
func (p *project) deleteStaleMentions(ctx context.Context) error {
	fresh := map[string]bool{}
	for _, d := range p.documents {
		fresh[d.Path] = true
	}
	keys := map[string]bool{}
	for _, name := range p.renames {
		keys[resolve.Key(name)] = true
	}
	list := make([]string, 0, len(keys))
	for key := range keys {
		list = append(list, key)
	}
	text, err := asJSON(list)
	if err != nil {
		return err
	}
	stale := []int64{}
	err = p.DB.Read(ctx, func(r *db.Reader) error {
		_, err := db.Select(ctx, r, func(row *sql.Rows) (struct{}, error) {
			var key int64
			var name, path, source string
			if err := row.Scan(&key, &name, &path, &source); err != nil {
				return struct{}{}, err
			}
			name = mention.Fold(name)
			if p.directory.meant(name) != path || p.respelled[name] && !fresh[source] {
				stale = append(stale, key)
			}
			return struct{}{}, nil
		}, `
select
  s.key,
  s.target,
  coalesce(t.path, ''),
  f.path
from json_each(?2) j
cross join sites s on s.target_key = j.value
join files f on f.memory = s.note and f.vault = ?1
left join edges e on e.key = s.edge
left join files t on t.memory = e.to_key
where s.origin = 'mention'`, p.vault, text)
		return err
	})
	if err != nil || len(stale) == 0 {
		return err
	}
	if text, err = asJSON(stale); err != nil {
		return err
	}
	return p.commit(ctx, db.S(`delete from sites where key in (select value from json_each(?1))`, text))
}

// maxAsked is the number of names that the full-text index is asked for; for
// more, all notes are looked at.
const maxAsked = 200

// candidate is a note that may hold a name, and the names that are known to stand
// in it.
type candidate struct {
	folder.Entry
	words string
}

// mayMention returns the notes whose text may hold some names, those left out
// that have been read just now. The full-text index proposes them: it cuts words
// as package mention does, or smaller, but for Chinese and Japanese, where the
// text itself is looked at.
func (p *project) mayMention(ctx context.Context, names []string) (found []candidate, err error) {
	fresh := map[string]bool{}
	for _, d := range p.documents {
		fresh[d.Path] = true
	}
	query := selectCandidates
	if len(names) > maxAsked {
		names, query = []string{""}, `select path, size, modified, words from files where vault = ?1 and ?2 is not null and ?3 is not null`
	}
	err = p.DB.Read(ctx, func(r *db.Reader) error {
		for _, name := range names {
			phrase := `{heading body} : "` + strings.ReplaceAll(name, `"`, `""`) + `"`
			err := db.Each(ctx, r, func(row *sql.Rows) error {
				var c candidate
				err := row.Scan(&c.Path, &c.Size, &c.Modified, &c.words)
				if err == nil && IsNote(c.Path) && !fresh[c.Path] {
					fresh[c.Path] = true
					found = append(found, c)
				}
				return err
			}, query, p.known.vault, phrase, mention.Caseless(name))
			if err != nil {
				return err
			}
		}
		return nil
	})
	return found, err
}

const selectCandidates = `
select
  f.path,
  f.size,
  f.modified,
  f.words
from section_search q
join sections s on s.key = q.rowid
join files f on f.memory = s.memory and f.vault = ?1
where section_search match ?2
union all
select
  f.path,
  f.size,
  f.modified,
  f.words
from files f
join memories m on m.key = f.memory
where f.vault = ?1
  and f.unspaced = 1
  and instr(lower(m.content), ?3) > 0`

// unchanged leaves out what was edited since it was imported: its own import
// is to come.
func (p *project) unchanged(documents []*document, imported []folder.Entry) []*document {
	known := map[string]folder.Entry{}
	for _, e := range imported {
		known[e.Path] = e
	}
	kept := []*document{}
	for _, d := range documents {
		info, err := p.folder.Dir.Stat(d.Path)
		if e := known[d.Path]; !d.failed && err == nil && info.Size() == e.Size && info.ModTime().UnixNano() == e.Modified {
			kept = append(kept, d)
		}
	}
	return kept
}
