package briefing

import (
	"cmp"
	"context"
	"database/sql"
	"regexp"
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory"
)

// row is a memory that a list may show. What is only shown is read for the first
// candidates of a list, once they are known.
type row struct {
	key        int64
	kind       string
	importance float64
	pinned     bool
	rests      int // memories that rest on it
	nearness   int // to the project
	foreign    string

	named        ref.Named
	uri, content string
	trust        string // see ref.Aging
}

// ranking are the memories of a list, the first ones first.
type ranking struct {
	rows []row
	more bool // that were not considered
}

// columns are what scanRow reads: what ranks a memory, but not its text, which takes
// most of the time.
const columns = `
select
  m.key,
  m.id,
  m.kind,
  m.tags,
  m.importance,
  m.pinned
`

// holdsNow is the condition that a memory is one of the namespace ?1 that holds at the
// time ?2.
const holdsNow = `
  and ?1 in ('', m.namespace)
  and coalesce(m.valid_from, '') <= ?2
  and coalesce(m.valid_to, '~') > ?2
`

// first is the order and bound of a list.
const first = `
order by m.importance desc, m.updated_at desc, m.id
limit ?3`

// isSaid is the condition that a person said or confirmed a memory: first for the index,
// then for what it goes back to.
const isSaid = `
  and (
    m.confirmed is not null or m.source = 'person' or m.source = 'note'
    or m.source is null and (m.origin = 'person' or m.origin = 'vault')
  )
  and (select t.rank from trusts t where t.memory = m.key) >= 5`

// isClaimed is the condition that a memory is an agent's own.
const isClaimed = `
  and (select t.rank from trusts t where t.memory = m.key) = 4`

const (
	areRules = `
where m.status = 'current'
  and (m.pinned = 1 or m.kind in ('preference', 'rule', 'instruction'))
  and m.kind not in ('file', 'canvas', 'turn')`

	selectRules = columns + `from memories m indexed by rules_said` + areRules + isSaid + holdsNow + first

	// examined is how many rules and decisions of a store are looked through for those
	// of agents.
	examined = 1000

	selectClaims = columns + `
from (
  select key from (
    select m.key from memories m indexed by rules_first ` + areRules + holdsNow + `
    order by m.importance desc, m.updated_at desc, m.id
    limit ?4
  )
  union
  select key from (
    select m.key from memories m indexed by decisions_first ` + areDecisions + holdsNow + `
    order by m.importance desc, m.updated_at desc, m.id
    limit ?4
  )
) some
cross join memories m on m.key = some.key
where true` + isClaimed + first
)

// areDecisions leaves out notes that say by their status that they are not in force,
// and notes about a folder of decisions.
const areDecisions = `
where m.status = 'current'
  and (
    m.kind = 'decision'
    or m.kind = 'note' and (
      lower(m.uri) glob '*/decisions/*'
      or lower(m.uri) glob '*/adr/*'
      or lower(m.properties ->> '$.type') in ('decision', 'adr')
      or lower(m.properties ->> '$.status') = 'accepted'
    )
  )
  and (
    m.kind = 'decision'
    or lower(coalesce(m.properties ->> '$.status', '')) not in (
      'abandoned', 'deprecated', 'draft', 'obsolete', 'proposed', 'rejected', 'superseded', 'withdrawn'
    )
    and lower(m.uri) not glob '*/readme.md'
    and lower(m.uri) not glob '*/index.md'
    and lower(m.uri) not glob '*template*.md'
  )`

const selectDecisions = columns + `from memories m indexed by decisions_said` + areDecisions + isSaid + holdsNow + first

// readRanked reads the memories of a list, at most limit.
func (b Briefer) readRanked(ctx context.Context, r *db.Reader, query string, limit int, rest ...any) (l ranking, err error) {
	l.rows, err = db.Select(ctx, r, b.scanRow, query, append([]any{b.Caller.Namespace, db.Now(), limit}, rest...)...)
	l.more = len(l.rows) == limit
	return l, err
}

func (b Briefer) scanRow(rows *sql.Rows) (e row, err error) {
	var text string
	if err := rows.Scan(&e.key, &e.named.ID, &e.kind, &text, &e.importance, &e.pinned); err != nil {
		return e, err
	}
	var tags []string
	if text != "[]" {
		err = db.ReadColumn(e.named.ID, "tags", text, &tags)
	}
	e.nearness, e.foreign = b.Caller.Nearness(tags), b.Caller.ForeignProject(tags)
	return e, err
}

// sort puts the project's memories first, and orders each group by some ranks; what is
// equal keeps the order of the query.
func (l ranking) sort(ranks ...func(row) int) {
	slices.SortStableFunc(l.rows, func(a, b row) int {
		for _, rank := range append([]func(row) int{func(e row) int { return e.nearness }}, ranks...) {
			if c := cmp.Compare(rank(a), rank(b)); c != 0 {
				return c
			}
		}
		return 0
	})
}

// omit removes the memories that earlier lists have.
func (l *ranking) omit(earlier ...ranking) {
	seen := map[int64]bool{}
	for _, list := range earlier {
		for _, e := range list.rows {
			seen[e.key] = true
		}
	}
	l.rows = slices.DeleteFunc(l.rows, func(e row) bool { return seen[e.key] })
}

// read reads the titles of the memories that could be shown, of one more, which the
// words about the rest may name, and if wanted the beginnings of their texts.
func (l ranking) read(ctx context.Context, r *db.Reader, texts bool) error {
	keys, places := []int64{}, map[int64]int{}
	for i, e := range l.rows[:min(len(l.rows), candidates+1)] {
		keys, places[e.key] = append(keys, e.key), i
	}
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var title, uri, content, trust string
		err := row.Scan(&key, &title, &uri, &content, &trust)
		e := &l.rows[places[key]]
		e.named.Title, e.uri, e.content, e.trust = title, uri, content, trust
		return err
	}, `
select
  m.key,
  m.title,
  coalesce(m.uri, ''),
  iif(?2, substr(m.content, 1, 2000), ''),
  `+ref.TrustOf("m")+`
from json_each(?1) k
cross join memories m on m.key = k.value`, db.List(keys), texts)
}

// entries returns the first memories as lists show them, with at most a number of bytes
// of each text, as far as a budget in bytes can pay for them.
func (l ranking) entries(ctx context.Context, r *db.Reader, most, budgeted int) ([]Entry, error) {
	err := l.read(ctx, r, most > 0)
	all := []Entry{}
	for _, e := range l.rows[:min(len(l.rows), candidates)] {
		if budgeted <= 0 {
			break
		}
		shown := mask(e.named)
		text := ""
		if most > 0 {
			text, _ = budget.Cut(beyondTitle(shown.Title, findDecision(secret.Mask(e.content))), most)
		}
		shown.Title, _ = budget.Cut(shown.Title, maxTitle)
		all = append(all, Entry{Named: shown, Kind: e.kind, Text: text, Trust: e.trust, Project: e.foreign})
		budgeted -= len(shown.ID) + len(shown.Title) + len(text) // at least: see costs
	}
	return all, err
}

// mask returns a name without what looks like a secret in its title: notes, and what
// other programs wrote, may have some.
func mask(n ref.Named) ref.Named {
	n.Title = secret.Mask(n.Title)
	return n
}

// keys returns those of the memories that could be shown.
func (l ranking) keys() []int64 {
	return edges.Keys(l.rows[:min(len(l.rows), candidates)], func(e row) int64 { return e.key })
}

// decision is the heading of a record of a decision below which it says what was decided;
// its context comes before.
var decision = regexp.MustCompile(`(?im)^#{1,6}[ \t]+(?:the )?decision(?: outcome)?:?[ \t\r]*$`)

// findDecision returns what a text says below that heading, up to the next one, or all of the
// text if there is nothing.
func findDecision(content string) string {
	at := decision.FindStringIndex(content)
	if at == nil {
		return content
	}
	if part, _, _ := strings.Cut(content[at[1]:], "\n#"); strings.TrimSpace(part) != "" {
		return part
	}
	return content
}

// beyondTitle returns what a text says besides its title, on one line: all of it, unless
// the title was made of its beginning.
func beyondTitle(title, content string) string {
	text := strings.Join(strings.Fields(content), " ")
	if memory.FirstLine(content) != title {
		return text
	}
	text = strings.TrimSpace(strings.TrimLeft(text, "# "))
	begun, isCut := strings.CutSuffix(title, "…")
	rest, begins := strings.CutPrefix(text, begun)
	switch {
	case !begins:
		return text
	case isCut && rest != "":
		return "…" + rest
	}
	return strings.TrimSpace(rest)
}
