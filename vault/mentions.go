package vault

import (
	"context"
	"database/sql"
	"runtime"
	"slices"
	"strings"
	"sync"

	"hence/edges"
	"hence/internal/db"
	"hence/vault/mention"
	"hence/vault/resolve"
)

// mentioned is a note's name in the text of another, where nobody linked it.
type mentioned struct {
	path    string // the note that is called so
	name    string // as it is written
	folded  string
	line    int
	start   int // in the file, in bytes
	end     int
	context string
}

// findMentions finds the names of a finder in the text of files, as many at a
// time as there are processors.
func (p *project) findMentions(documents []*document, f *finder) {
	if len(f.names) == 0 {
		return
	}
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				d := documents[i]
				d.mentions, d.plain = f.mentionsIn(d), nil
			}
		})
	}
	for i := range documents {
		next <- i
	}
	close(next)
	workers.Wait()
}

// mentionsIn finds the names of other notes in a file's text: each name once
// in a line, and each on its own, so that a name which comes or goes changes
// nothing about the others.
func (f *finder) mentionsIn(d *document) []mentioned {
	var all []mentioned
	lines := map[int]int{} // by name: the last line that has it
	for _, s := range d.plain {
		f.Find(s.Line, s.Start, s.End, func(name, start, end int) {
			if f.paths[name] == d.path || lines[name] == s.Number {
				return
			}
			lines[name] = s.Number
			all = append(all, mentioned{
				path: f.paths[name], name: strings.Clone(s.Line[start:end]), folded: f.names[name],
				line: s.Number, start: s.Offset + start, end: s.Offset + end, context: s.Context(start, end),
			})
		})
	}
	return all
}

// site is the mention as a site of its note. Title or alias, it is a name.
func (m mentioned) site(d *document) site {
	return site{
		source: d.path, path: m.path, Kind: edges.Mentions, Origin: "mention", At: d.time(),
		Target: m.name, TargetKey: resolve.Key(m.folded), Line: m.line, Start: m.start, End: m.end, Context: m.context,
		ResolvedBy: string(resolve.ByName), Candidates: "[]",
	}
}

// mentionAgain looks for the names that mean another note than before, or none
// or one for the first time, in the notes that were not written anyway.
func (p *project) mentionAgain(ctx context.Context) error {
	if p.known.vault == 0 || len(p.renames) == 0 {
		return nil
	}
	if err := p.deleteStaleMentions(ctx); err != nil {
		return err
	}
	f := p.directory.findOnly(p.renames)
	if len(f.names) == 0 {
		return nil
	}
	candidates, err := p.mayMention(ctx, f.names)
	if err != nil {
		return err
	}
	for group := range slices.Chunk(candidates, groupFiles) {
		documents := p.unchanged(readAll(ctx, p.root, group, func() {}), group)
		p.findMentions(documents, f)
		sites, err := p.mentionSites(ctx, documents)
		if err != nil {
			return err
		}
		if err := p.batch(ctx, p.siteBatch(sites, insertSites)...); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// mentionSites are the mentions in notes as sites of them.
func (p *project) mentionSites(ctx context.Context, documents []*document) (sites []site, err error) {
	paths := []string{}
	for _, d := range documents {
		paths = append(paths, d.path)
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
// now, or none.
func (p *project) deleteStaleMentions(ctx context.Context) error {
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
			var name, path string
			if err := row.Scan(&key, &name, &path); err != nil {
				return struct{}{}, err
			}
			if p.directory.owner(mention.Fold(name)) != path {
				stale = append(stale, key)
			}
			return struct{}{}, nil
		}, `
select
  s.key,
  s.target,
  coalesce(t.path, '')
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
	return p.batch(ctx, db.S(`delete from sites where key in (select value from json_each(?1))`, text))
}

// maxAsked is the number of names that the full-text index is asked for; for
// more, all notes are looked at.
const maxAsked = 200

// mayMention returns the notes whose text may hold some names, those left out
// that have been written just now. The full-text index proposes them: it cuts
// words as package mention does, or smaller.
func (p *project) mayMention(ctx context.Context, names []string) (found []entry, err error) {
	fresh := map[string]bool{}
	for _, d := range p.documents {
		fresh[d.path] = true
	}
	query := `
select
  f.path,
  f.size,
  f.modified
from section_search q
join sections s on s.key = q.rowid
join files f on f.memory = s.memory and f.vault = ?1
where section_search match ?2`
	if len(names) > maxAsked {
		names, query = []string{""}, `select path, size, modified from files where vault = ?1 and ?2 is not null`
	}
	err = p.DB.Read(ctx, func(r *db.Reader) error {
		for _, name := range names {
			phrase := `body : "` + strings.ReplaceAll(name, `"`, `""`) + `"`
			_, err := db.Select(ctx, r, func(row *sql.Rows) (e entry, err error) {
				if err = row.Scan(&e.path, &e.size, &e.modified); err == nil && e.isNote() && !fresh[e.path] {
					fresh[e.path] = true
					found = append(found, e)
				}
				return e, err
			}, query, p.vault, phrase)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return found, err
}

// unchanged leaves out what was edited since it was imported: its own import
// is to come.
func (p *project) unchanged(documents []*document, imported []entry) []*document {
	known := map[string]entry{}
	for _, e := range imported {
		known[e.path] = e
	}
	kept := []*document{}
	for _, d := range documents {
		info, err := p.root.Stat(d.path)
		if e := known[d.path]; !d.failed && err == nil && info.Size() == e.size && info.ModTime().UnixNano() == e.modified {
			kept = append(kept, d)
		}
	}
	return kept
}
