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
	"hence/internal/lists"
	"hence/internal/script"
	"hence/projection"
	"hence/vault/resolve"
)

// Complete finds the mentions in the files that were read. Its dependents are the other
// notes that mention, or mentioned, a name that has changed: it means another note than
// before, or has become an ordinary word, or has ceased to be one.
func (d *directory) Complete(ctx context.Context, c *projection.Changes) (dependents []*document, err error) {
	d.findMentions(c.Documents)
	seen := map[string]bool{}
	for _, doc := range c.Documents {
		d.count(doc.Words, 1)
		seen[doc.Path] = true
	}
	if d.changed != nil && d.mentions {
		left := slices.DeleteFunc(slices.Clone(d.changed.names), func(name string) bool { return d.owner(name).path == "" })
		if dependents, err = d.lookElsewhere(ctx, c, d.changed.names, left, seen); err != nil {
			return nil, err
		}
		turned := d.turnedNames(d.changed.ordinary)
		meant := slices.DeleteFunc(slices.Clone(turned), func(name string) bool { return d.isOrdinary(name) || d.owner(name).path == "" })
		more, err := d.lookElsewhere(ctx, c, turned, meant, seen)
		if err != nil {
			return nil, err
		}
		dependents = append(dependents, more...)
	}
	// Which names are ordinary words is known only after all files are read.
	for _, doc := range slices.Concat(c.Documents, dependents) {
		remaining, mentions := restOf(doc), []projection.Site{}
		for _, m := range remaining.mentions {
			if !d.isOrdinary(m.key) {
				mentions = append(mentions, m.site(remaining))
			}
		}
		remaining.mentions, remaining.text = nil, ""
		doc.Sites = slices.Concat(doc.Sites, mentions) // with no spare capacity
	}
	return dependents, nil
}

// groupFiles is the number of files that lookElsewhere reads at a time.
const groupFiles = 1000

// lookElsewhere returns the notes, except those in seen, that mention one of names or
// mentioned one before, and adds them to seen. It searches new mentions only of the names
// in wanted. It updates d.counts from the notes that it reads.
func (d *directory) lookElsewhere(ctx context.Context, c *projection.Changes, names, wanted []string, seen map[string]bool) (dependents []*document, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	words := map[string]string{} // path of a candidate → its files.words
	if err := d.mayMention(ctx, c, wanted, words); err != nil {
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

// findMentioning returns the paths of the notes that have stored mentions of some names,
// and adds their files.words to words. It leaves out mentions in removed notes and of
// removed notes, which are deleted with the note.
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
join files f on f.memory = s.note and f.mirror = ?1
left join edges e on e.key = s.edge
left join files t on t.memory = e.to_key
where s.origin = 'mention'`, c.Known.Key, db.List(slices.Collect(maps.Keys(keys))))
	return paths, err
}

// wordsOf decodes the column files.words, a JSON list of names.
func wordsOf(text string) (words []string, err error) {
	if text == "" || text == "[]" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(text), &words); err != nil {
		return nil, fault.Wrap(fault.Internal, err, "import: the names that stand in a note's text cannot be read")
	}
	return words, nil
}

// maxQueries bounds the queries to the full-text index; for more names, all notes are
// candidates.
const maxQueries = 200

// mayMention adds the notes whose text may contain one of names, by the full-text index,
// and their files.words to words. If a name cannot be queried, it adds all notes.
func (d *directory) mayMention(ctx context.Context, c *projection.Changes, names []string, words map[string]string) error {
	query, queries := selectCandidates, lists.Map(names[:min(len(names), maxQueries)], ftsQuery)
	if len(names) > maxQueries || slices.Contains(queries, "") {
		query = `select path, words from files where mirror = ?1 and ?2 is not null`
	}
	return db.Each(ctx, c.DB, func(row *sql.Rows) error {
		var path, known string
		err := row.Scan(&path, &known)
		if IsNote(path) {
			words[path] = known
		}
		return err
	}, query, c.Known.Key, db.List(queries))
}

const selectCandidates = `
select
  f.path,
  f.words
from json_each(?2) j
cross join section_search q on q.section_search match j.value
join sections s on s.key = q.rowid
join files f on f.memory = s.memory and f.mirror = ?1`

// ftsQuery returns the FTS5 query for a name. In a name with characters of a script without
// spaces, each run of such characters is a term of its own, because a text may contain it
// inside a longer run. The index stores pairs of them, so that a run of one character is
// left out. The query is "" if no term remains.
func ftsQuery(name string) string {
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
