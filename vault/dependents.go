package vault

import (
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/script"
	"hence/projection"
	"hence/vault/resolve"
)

// Complete finds the mentions in the files that were read. Its dependents are the
// other notes that mention a name, or did, which means another note than before,
// or which has become an ordinary word or is not one any more.
func (d *directory) Complete(ctx context.Context, c *projection.Changes) (dependents []*document, err error) {
	d.findMentions(c.Documents)
	seen := map[string]bool{}
	for _, doc := range c.Documents {
		d.count(doc.Words, 1)
		seen[doc.Path] = true
	}
	if d.changed != nil && d.mentions {
		owned := slices.DeleteFunc(slices.Clone(d.changed.names), func(name string) bool { return d.owner(name) == "" })
		if dependents, err = d.lookElsewhere(ctx, c, d.changed.names, owned, seen); err != nil {
			return nil, err
		}
		turned := d.turnedNames(d.changed.ordinary)
		meant := slices.DeleteFunc(slices.Clone(turned), func(name string) bool { return d.isOrdinary(name) || d.owner(name) == "" })
		more, err := d.lookElsewhere(ctx, c, turned, meant, seen)
		if err != nil {
			return nil, err
		}
		dependents = append(dependents, more...)
	}
	// Only once all was read is it known which names are ordinary words.
	for _, doc := range slices.Concat(c.Documents, dependents) {
		kept, mentions := restOf(doc), []projection.Site{}
		for _, m := range kept.mentions {
			if !d.isOrdinary(m.key) {
				mentions = append(mentions, m.site())
			}
		}
		kept.mentions = nil
		doc.Sites = slices.Concat(doc.Sites, mentions) // without room to grow
	}
	return dependents, nil
}

// groupFiles is how many files are looked at together.
const groupFiles = 1000

// lookElsewhere returns the notes, besides those seen, that mention some names or
// did. New mentions are looked for by the names in asked only. It counts again in
// how many notes each name stands.
func (d *directory) lookElsewhere(ctx context.Context, c *projection.Changes, names, asked []string, seen map[string]bool) (dependents []*document, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	words := map[string]string{} // of the candidates, by path
	if err := d.mayMention(ctx, c, asked, words); err != nil {
		return nil, err
	}
	did, err := d.findMentioning(ctx, c, names, words)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(words, func(path, _ string) bool { return seen[path] })
	for group := range slices.Chunk(slices.Sorted(maps.Keys(words)), groupFiles) {
		documents, err := c.Read(ctx, group)
		if err != nil {
			return nil, err
		}
		d.findMentions(documents)
		for _, doc := range documents {
			known, err := wordsOf(words[doc.Path])
			if err != nil {
				return nil, err
			}
			d.count(known, -1)
			d.count(doc.Words, 1)
			does := slices.ContainsFunc(restOf(doc).mentions, func(m bareMention) bool { return slices.Contains(names, m.key) })
			if does || did[doc.Path] || !slices.Equal(known, doc.Words) {
				seen[doc.Path] = true
				dependents = append(dependents, doc)
			}
		}
	}
	return dependents, nil
}

// findMentioning returns the notes in which mentions by some names are stored, and
// adds their words. A mention of a note that is gone goes with it.
func (d *directory) findMentioning(ctx context.Context, c *projection.Changes, names []string, words map[string]string) (paths map[string]bool, err error) {
	gone := map[string]bool{}
	for _, path := range c.Removed {
		gone[path] = true
	}
	for _, from := range c.Moved {
		delete(gone, from)
	}
	keys := map[string]bool{}
	for _, name := range names {
		keys[resolve.Key(name)] = true
	}
	paths = map[string]bool{}
	err = db.Each(ctx, c.DB, func(row *sql.Rows) error {
		var path, known, target string
		err := row.Scan(&path, &known, &target)
		if !gone[path] && !gone[target] {
			paths[path], words[path] = true, known
		}
		return err
	}, `
select
  f.path,
  f.words,
  coalesce(t.path, '')
from json_each(?2) j
cross join sites s on s.target_key = j.value
join files f on f.memory = s.note and f.vault = ?1
left join edges e on e.key = s.edge
left join files t on t.memory = e.to_key
where s.origin = 'mention'`, c.Known.Key, db.List(slices.Collect(maps.Keys(keys))))
	return paths, err
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

// maxAsked is the number of names that the full-text index is asked for; for
// more, all notes are looked at.
const maxAsked = 200

// mayMention adds the notes whose text may hold some names, with their words. The
// full-text index proposes them.
func (d *directory) mayMention(ctx context.Context, c *projection.Changes, names []string, words map[string]string) error {
	query, asked := selectCandidates, []string{}
	for _, name := range names[:min(len(names), maxAsked)] {
		asked = append(asked, askFor(name))
	}
	if len(names) > maxAsked || slices.Contains(asked, "") {
		asked, query = []string{""}, `select path, words from files where vault = ?1 and ?2 is not null`
	}
	return c.DB.Read(ctx, func(r *db.Reader) error {
		for _, text := range asked {
			err := db.Each(ctx, r, func(row *sql.Rows) error {
				var path, known string
				err := row.Scan(&path, &known)
				if IsNote(path) {
					words[path] = known
				}
				return err
			}, query, c.Known.Key, text)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

const selectCandidates = `
select
  f.path,
  f.words
from section_search q
join sections s on s.key = q.rowid
join files f on f.memory = s.memory and f.vault = ?1
where section_search match ?2`

// askFor returns a name in the language of FTS5, "" for one that the index
// cannot be asked for. Each run of a name in a script without spaces is asked for
// by itself, because it may be a part of a longer one in a text.
func askFor(name string) string {
	parts := []string{name}
	if strings.ContainsFunc(name, script.IsSpaceless) {
		parts = slices.Collect(script.Runs(name))
	}
	queries := []string{}
	for _, part := range parts {
		if query, isPrefix := script.Query(part); !isPrefix {
			queries = append(queries, query)
		}
	}
	if len(queries) == 0 {
		return ""
	}
	return "{heading body} : (" + strings.Join(queries, " AND ") + ")"
}
