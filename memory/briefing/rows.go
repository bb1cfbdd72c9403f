package briefing

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"

	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/pattern"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory"
	"hence/memory/record"
	"hence/vault/note"
)

// row is a memory that a list may show. Its columns that do not rank it are read later, and only for the
// first memories of a list.
type row struct {
	Key        int64
	Kind       string
	Importance float64
	Pinned     bool
	nearness   int // to the project, see ref.Nearness

	ref.Named
	Tags         []string
	URI, Content string
}

// ranking is a list of memories in the order in which they are shown.
type ranking struct {
	rows    []row
	hasMore bool // there may be more that were not read
}

// shelf is a ranking with the first of its memories as they are shown.
type shelf struct {
	ranking
	entries []Held
}

// rest adds to unshown the memories of a shelf but for the first ones, with the call that shows them.
func (s shelf) rest(unshown *[]Unshown, list string, shown int, call func(next row) string) {
	if n := len(s.rows) - shown; n > 0 {
		*unshown = append(*unshown, Unshown{list, n, s.hasMore, call(s.rows[shown])})
	}
}

// told are the columns that are read only of the first memories of a list.
var told = record.Only(record.Memories, "id", "title", "tags", "uri")

// columns are the columns of scanRow, for the caller's project ?4.
var columns = "select m.key, m.kind, m.importance, m.pinned, " + ref.Nearness("?4") + "\n"

// holdsNow is the SQL condition that a memory is in the namespace ?1 and valid at the time
// ?2, and concerns is the one that it concerns the caller's project ?4, unless ?5 asks for
// others too.
const holdsNow = `
  and ?1 in ('', m.namespace)
  and coalesce(m.valid_from, '') <= ?2
  and coalesce(m.valid_to, '~') > ?2
`

var concerns = "\n  and (?5 or " + ref.Concerns("?4") + ")"

// orderAndLimit is the order and limit of a list.
const orderAndLimit = `
order by m.importance desc, m.updated_at desc, m.id
limit ?3`

// isSaid is the SQL condition that a person said or confirmed a memory. The first part is
// for the index; the second, for which {rank} is that of ref.RankIn, also considers the memories on which it depends.
const isSaid = `
  and m.own_rank >= 5
  and {rank} >= 5`

// isClaimed is the SQL condition that a memory is an agent's own.
const isClaimed = `
  and {rank} = 4`

const areRules = `
where m.status = 'current'
  and m.is_rule = 1`

var selectRules = columns + `from memories m indexed by rules_said` + areRules + holdsNow + concerns + isSaid + orderAndLimit

// maxExamined limits how many rules, and how many decisions, are searched for those of
// agents.
const maxExamined = 1000

var selectClaims = columns + `
from (
  select key from (
    select m.key from memories m indexed by rules_first ` + areRules + holdsNow + concerns + `
    order by m.importance desc, m.updated_at desc, m.id
    limit ?6
  )
  union
  select key from (
    select m.key from memories m indexed by decisions_first ` + areDecisions + holdsNow + concerns + `
    order by m.importance desc, m.updated_at desc, m.id
    limit ?6
  )
) some
cross join memories m on m.key = some.key
where true` + isClaimed + orderAndLimit

const areDecisions = `
where m.status = 'current'
  and m.is_decision = 1`

// selectDecisions reads the decisions that a person said or confirmed.
var selectDecisions = columns + `from memories m indexed by decisions_said` + areDecisions + holdsNow + concerns + isSaid + orderAndLimit

// ranked returns a query with the expression for a memory's rank.
func (k *material) ranked(query string) string { return strings.ReplaceAll(query, "{rank}", k.rank) }

// readRanked reads at most limit memories of a list, and leaves out those that the client loads itself. rest are the arguments
// of the query from ?6 on.
func (b Briefer) readRanked(ctx context.Context, r *db.Reader, a Args, k *material, query string, limit int, rest ...any) (l ranking, err error) {
	l.rows, err = db.Select(ctx, r, scanRow, k.ranked(query), append([]any{b.Caller.Namespace, db.Now(), limit, b.Caller.Own(), a.Others}, rest...)...)
	l.hasMore = len(l.rows) == limit
	l.rows = slices.DeleteFunc(l.rows, func(e row) bool { return k.loaded.keys[e.Key] })
	return l, err
}

// scanRow scans a row of columns.
var scanRow = db.Fields(func(e *row) []any { return []any{&e.Key, &e.Kind, &e.Importance, &e.Pinned, &e.nearness} })

// countOthers returns how many rules and decisions that persons and agents said are left out
// because they concern other projects, counting at most maxOthers.
func (b Briefer) countOthers(ctx context.Context, r *db.Reader, k *material) (n int, err error) {
	n, _, err = db.One[int](ctx, r, k.ranked(`
select count(*)
from (
  select m.key
  from memories m indexed by rules_first `+areOthers(areRules, "0")+`
  union all
  select m.key
  from memories m indexed by decisions_first `+areOthers(areDecisions, "m.is_rule")+`
  limit ?3
)`), b.Caller.Namespace, db.Now(), maxOthers, b.Caller.Own())
	return n, err
}

// areOthers is the SQL condition that memories are such, but not of the rest, and concern other projects. The rest is looked at
// last, because a computed column takes as long as the others together.
func areOthers(such, rest string) string {
	return such + holdsNow + `  and not iif(` + ref.Concerns("?4") + `, 1, ` + rest + `)
  and {rank} >= 4`
}

// sort sorts the memories by their nearness to the project, then by ranks, lower first.
// Equal memories keep the order of the query.
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

// omit removes the memories that are in earlier rankings.
func (l *ranking) omit(earlier ...shelf) {
	isEarlier := map[int64]bool{}
	for _, list := range earlier {
		for _, e := range list.rows {
			isEarlier[e.Key] = true
		}
	}
	l.rows = slices.DeleteFunc(l.rows, func(e row) bool { return isEarlier[e.Key] })
}

// read reads what is told of the memories that can be shown, and of one more, which listUnshown
// needs. With texts it also reads the beginnings of their texts.
func (l ranking) read(ctx context.Context, r *db.Reader, texts bool) error {
	keys, rowIndex := []int64{}, map[int64]int{}
	for i, e := range l.rows[:min(len(l.rows), maxShown+1)] {
		keys, rowIndex[e.Key] = append(keys, e.Key), i
	}
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var m record.Memory
		err := record.Scan(row, told, &m, &m.Content, &m.Key)
		e := &l.rows[rowIndex[m.Key]]
		e.Named, e.Tags, e.URI, e.Content = m.Named(), m.Tags, m.URI, m.Content
		return err
	}, `
select
  `+record.Select(told, "m")+`,
  iif(?2, substr(m.content, 1, 2000), ''),
  m.key
from json_each(?1) k
cross join memories m on m.key = k.value`, db.List(keys), texts)
}

// list returns the first memories as entries for a caller, each with at most maxBytes of its text.
// It stops when the allowance in bytes is used up.
func (l ranking) list(ctx context.Context, r *db.Reader, caller ref.Caller, maxBytes, allowance int) ([]Held, error) {
	err := l.read(ctx, r, maxBytes > 0)
	all := []Held{}
	for _, e := range l.rows[:min(len(l.rows), maxShown)] {
		if allowance <= 0 {
			break
		}
		name := maskTitle(e.Named)
		text := ""
		if maxBytes > 0 {
			text, _ = budget.Cut(textBeyondTitle(name.Title, findDecision(secret.Mask(e.Content))), maxBytes)
		}
		name.Title, _ = budget.Cut(name.Title, maxTitle)
		all = append(all, Held{Entry: Entry{Named: name, Kind: e.Kind, Text: text, Project: caller.ForeignProject(e.Tags), Shown: ref.RangeOf(e.Content, text)}})
		allowance -= len(name.ID) + len(name.Title) + len(text) // the least that it can cost, see costsOf
	}
	return all, err
}

// maskTitle returns a name with likely secrets in its title masked: titles of notes, and
// texts of other programs, may have some.
func maskTitle(n ref.Named) ref.Named {
	n.Title = secret.Mask(n.Title)
	return n
}

// keys returns the keys of the memories that can be shown.
func (l ranking) keys() []int64 {
	return lists.Map(l.rows[:min(len(l.rows), maxShown)], func(e row) int64 { return e.Key })
}

// decisionHeading matches the heading under which a decision record states the decision,
// after its context.
var decisionHeading = pattern.Lazy(`(?im)^#{1,6}[ \t]+(?:the )?decision(?: outcome)?:?[ \t\r]*$`)

// findDecision returns the section of a text under that heading, or the whole text if there
// is no such section or it is empty.
func findDecision(content string) string {
	match := decisionHeading().FindStringIndex(content)
	if match == nil {
		return content
	}
	if part, _, _ := strings.Cut(content[match[1]:], "\n#"); strings.TrimSpace(part) != "" {
		return part
	}
	return content
}

// textBeyondTitle returns a text on one line, without its beginning if that is the title.
func textBeyondTitle(title, content string) string {
	text := note.Plain(content)
	if memory.FirstLine(content) != title {
		return text
	}
	start, isCut := strings.CutSuffix(title, "…")
	rest, hasStart := strings.CutPrefix(text, note.Plain(start))
	switch {
	case !hasStart:
		return text
	case isCut && rest != "":
		return "…" + rest
	}
	return strings.TrimSpace(rest)
}

// loaded is what the caller's client reads itself at its start, from files that agents keep: it is not
// told twice.
type loaded struct {
	keys       map[int64]bool
	superseded []Unsettled // the client reads them still
}

// readLoaded reads the memories of files that the caller's client loads, by its name, such as
// codex or codex-mcp-client.
func (b Briefer) readLoaded(ctx context.Context, r *db.Reader, a Args) (l loaded, err error) {
	client := a.Client
	if !b.Caller.IsPerson() {
		client = cmp.Or(client, b.Caller.Actor)
	}
	l.keys = map[int64]bool{}
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var successor sql.NullString
		u := Unsettled{Reason: "loaded"}
		err := row.Scan(&key, &u.ID, &u.Title, &successor, &u.Other.Title)
		l.keys[key] = true
		if u.Other.ID = successor.String; successor.Valid {
			u.Named, u.Other = maskTitle(u.Named), maskTitle(u.Other)
			l.superseded = append(l.superseded, u)
		}
		return err
	}, `
select
  m.key,
  m.id,
  m.title,
  n.id,
  coalesce(n.title, '')
from mirrors v
cross join files f on f.mirror = v.key
cross join memories m on m.key = f.memory
left join edges e on e.to_key = m.key and e.kind = 'supersedes'
left join memories n on n.key = e.from_key
where v.form = 'agents'
  and ?1 in ('', v.namespace)
  and m.status <> 'forgotten'
  and exists (
    select 1
    from json_each(m.properties, '$.loaded_by') l
    where l.value <> ''
      and substr(?2 || '-', 1, length(l.value) + 1) = l.value || '-'
  )
order by m.updated_at desc, m.id`, b.Caller.Namespace, client)
	return l, err
}

// readChanges reads the changes since a time, or else since the last session, or else the
// memories that changed last. Imported conversations do not count. Neither do changes at the
// very time of the session, because they were stored together with it.
func (b Briefer) readChanges(ctx context.Context, r *db.Reader, a Args, k *material) (err error) {
	since := k.changed.Since
	if since == "" && k.session != nil {
		k.changed.Since = k.session.At
		since = k.session.At + "!" // the first text after the time, so that each later time is greater
	}
	if since != "" {
		if err := b.countChanges(ctx, r, a, since, &k.changed); err != nil {
			return err
		}
	}
	if k.changes.ranking, err = b.readRanked(ctx, r, a, k, selectChanged, maxChanged, since); err != nil {
		return err
	}
	if k.changed.Since == "" {
		k.changes.omit(k.rules, k.decisions, k.claims) // without a time, do not repeat the other lists
	}
	k.changes.sort()
	k.changes.entries, err = k.changes.list(ctx, r, b.Caller, 0, math.MaxInt)
	return err
}

// selectChanged reads the last changed memories except notes that concern the caller. Among the 4,000 memories that
// changed last, notes included, it takes the first ?3.
var selectChanged = columns + `
from (
  select
    n.key
  from (
    select
      key,
      kind
    from memories indexed by memories_recent
    where status = 'current'
      and kind not in ('turn', 'code', 'file')
      and ?1 in ('', namespace)
      and updated_at >= ?6
    order by updated_at desc
    limit 4000
  ) n
  cross join memories m on m.key = n.key
  where n.kind not in ('note', 'file', 'canvas', 'session')` + concerns + `
  limit ?3
) last
cross join memories m on m.key = last.key
where coalesce(m.valid_from, '') <= ?2
  and coalesce(m.valid_to, '~') > ?2
order by m.updated_at desc, m.id desc`

// countChanges counts the memories changed from a time on by the kind of change, each once.
// Its queries have no ?3, because concerns has its arguments in ?4 and ?5.
func (b Briefer) countChanges(ctx context.Context, r *db.Reader, a Args, from string, c *Changed) error {
	err := db.Each(ctx, r, func(row *sql.Rows) error { return row.Scan(&c.Notes, &c.Stored, &c.Edited) }, `
select
  count(*) filter (where m.kind = 'note'),
  count(*) filter (where m.kind not in ('note', 'file', 'canvas', 'code') and m.created_at >= ?2),
  count(*) filter (where m.kind not in ('note', 'file', 'canvas', 'code') and m.created_at < ?2)
from memories m indexed by memories_recent
where m.status = 'current'
  and ?1 in ('', m.namespace)
  and m.kind <> 'turn'
  and not (m.kind = 'session' and m.origin = 'import')
  and m.updated_at >= ?2`+concerns, b.Caller.Namespace, from, 0, b.Caller.Own(), a.Others)
	if err != nil {
		return err
	}
	return db.Each(ctx, r, func(row *sql.Rows) error { return row.Scan(&c.Superseded, &c.Forgotten) }, `
select
  count(distinct m.key) filter (where m.status = 'superseded'),
  count(distinct m.key) filter (where m.status = 'forgotten')
from journal j
cross join memories m on m.id = j.id
where j.seq > coalesce((select b.seq from journal b where b.at < ?2 order by b.seq desc limit 1), 0)
  and j.action in ('supersede', 'forget')
  and j.thing = 'memory'
  and j.at >= ?2
  and ?1 in ('', m.namespace)
  and m.kind not in ('note', 'file', 'canvas', 'code', 'turn')`+concerns, b.Caller.Namespace, from, 0, b.Caller.Own(), a.Others)
}
