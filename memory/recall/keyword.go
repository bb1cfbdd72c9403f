package recall

import (
	"context"
	"database/sql"
	"strings"

	"hence/edges"
	"hence/internal/db"
)

const (
	rare  = 500 // rows of a word that always proposes
	depth = 200 // candidates that later steps read, unless a page is beyond

	bestSections = 1000 // sections whose memories are read
	noLimit      = -1

	// scoreOnly is the share of the total weight of a question's words that words
	// which only score may have in the first round.
	scoreOnly = 0.35
)

// hit is a memory that matches, with its best section.
type hit struct {
	memory, section int64
	id              string
	size            int // bytes of the memory's text
	score           float64
	passes          bool // false: it lends weight but is not a result
}

func (h *hit) fields() []any {
	return []any{&h.memory, &h.section, &h.id, &h.size, &h.score, &h.passes}
}

var scanHit = db.Fields((*hit).fields)

// The weights of BM25: title, heading, aliases, tags, body.
const weights = `8.0, 4.0, 6.0, 3.0, 1.0`

// asLast is 1 for a file without text, which comes after all others unless the
// question says which kinds it wants.
const asLast = `(?3 = '[]' and ` + edges.SaysNothing + `)`

// byWords ranks memories by their best section: first those that pass the filter,
// and their number, then those that only lend weight.
var byWords = `
with hit as materialized (
  select
    section_search.rowid as section,
    bm25_of(section_search, ?13, max(?12, 0), ` + weights + `) as rank
` + sectionsIn("?14", "?1") + `
  order by 2, 1
  limit ?12
),
best as materialized (
  select
    m.key as memory,
    s.key as section,
    m.id as id,
    octet_length(m.content) as size,
    min(h.rank) as rank,
    ` + asLast + ` as last,
    (` + passes + `) as passes
  from hit h
  cross join sections s on s.key = h.section
  cross join memories m on m.key = s.memory
  where ` + visible + `
  group by m.key
)
select * from (
  select
    memory,
    section,
    id,
    size,
    -rank,
    true,
    count(*) over (),
    sum(not last) over (),
    (select count(*) from hit)
  from best
  where passes
  order by last, rank, id
  limit ?10
)
union all
select * from (
  select
    memory,
    section,
    id,
    size,
    -rank,
    false,
    0,
    0,
    (select count(*) from hit)
  from best
  where not passes
  order by rank, id
  limit ?11
)`

// byTime lists the memories that pass the filter, or are among ?16: these first, then those
// of the project ?15, and the last changed first, after the place ?12 to ?14 unless ?11 is 0.
var byTime = `
select
  memory,
  section,
  id,
  size,
  0.0,
  true,
  last,
  changed,
  total
from (
  select
    m.key as memory,
    ` + firstSection + ` as section,
    m.id as id,
    octet_length(m.content) as size,
    iif(` + amongNamed + `, ` + namedFirst + `, 3 * ` + asLast + ` + ` + nearnessTo + `) as last,
    m.updated_at as changed,
    count(*) over () as total
  from memories m
  where ?1 = ''
    and (` + amongNamed + ` or ` + passes + `)
)
where ?11 = 0
  or last > ?12
  or last = ?12 and (changed < ?13 or changed = ?13 and id > ?14)
order by last, changed desc, id
limit ?10`

const (
	amongNamed = `m.key in (select value from json_each(?16))`
	namedFirst = `-1`
)

// propose returns the best candidates by the terms, and how many memories match:
// exactly, or a lower bound. Words that many sections have propose no candidates
// as long as they could not bring one among the best; they only score the
// candidates of rarer words. This is MaxScore (Turtle and Flood, Query evaluation:
// strategies and optimizations, 1995) in at most two rounds: the first shows what
// score a result must reach.
func propose(ctx context.Context, r *db.Reader, all []term, f filter, limit, lenders int) (hits []hit, matching total, err error) {
	proposing := 0
	for proposing < len(all) && all[proposing].rows < rare {
		proposing++
	}
	proposing = max(1, proposing)
	for proposing < len(all) && maxScore(all[proposing:]) > scoreOnly*maxScore(all) {
		proposing++
	}
	for {
		hits, matching, err = proposeBy(ctx, r, all, proposing, f, limit, lenders)
		if err != nil || proposing == len(all) {
			return hits, matching, err
		}
		matching.exact = false
		reach := 0.0
		if len(hits) >= limit && hits[limit-1].passes && hits[limit-1].size > 0 {
			reach = hits[limit-1].score
		}
		more := proposing
		for more < len(all) && maxScore(all[more:]) >= reach {
			more++
		}
		if more == proposing {
			return hits, matching, nil
		}
		proposing = more
	}
}

// maxScore is about the most that terms add to a score: a word that occurs once in
// a section of usual length adds its weight.
func maxScore(rest []term) (most float64) {
	for _, t := range rest {
		most += t.weight
	}
	return most
}

// proposeBy reads the candidates of the first terms among the best sections, or
// among all if the filter leaves too few of those.
func proposeBy(ctx context.Context, r *db.Reader, all []term, proposing int, f filter, limit, lenders int) (hits []hit, matching total, err error) {
	match, idfs := expression(all[:proposing], all[proposing:])
	for _, sections := range []int{bestSections, noLimit} {
		matching = total{}
		read, say := 0, 0 // sections, and memories that are not files without text
		hits, err = db.Select(ctx, r, func(row *sql.Rows) (h hit, err error) {
			var n, saying int
			err = row.Scan(append(h.fields(), &n, &saying, &read)...)
			matching.count, say = max(matching.count, n), max(say, saying)
			return h, err
		}, byWords, f.bind(match, max(depth, limit+1), lenders, sections, f.part.usual+idfs, giveRanges(f.part.ranges))...)
		matching.exact = sections == noLimit || len(hits) > 0 && read < sections
		if err != nil || matching.exact || say > limit {
			break
		}
	}
	return hits, matching, err
}

// expression returns a query of FTS5 in which some terms propose and the others
// only score, and the weights of its phrases for bm25_of: each counts once,
// although the proposing ones occur twice.
func expression(proposing, scoring []term) (match, idfs string) {
	texts, weights := textsOf(proposing)
	if len(scoring) == 0 {
		return texts, weights
	}
	scored, more := textsOf(scoring)
	silent := strings.Repeat("0 ", strings.Count(weights, " ")+1)
	return "(" + texts + ") AND (" + texts + " OR " + scored + ")", silent + weights + " " + more
}

// textsOf returns a query of FTS5 for any of the terms, and the weights of its
// phrases.
func textsOf(terms []term) (match, idfs string) {
	var texts, weights []string
	for _, t := range terms {
		for _, f := range t.forms {
			texts, weights = append(texts, f.text), append(weights, f.idf)
		}
	}
	return anyOf(texts), strings.Join(weights, " ")
}

// latest returns the memories that pass the filter of a question: first those whose title
// it is as it stands, then those of a project, and the last changed first, from a place on.
func latest(ctx context.Context, r *db.Reader, q query, f filter, project string, limit int, from place) (all []*candidate, matching total, err error) {
	named, err := namesakes(ctx, r, q, nil, f)
	if err != nil {
		return nil, total{}, err
	}
	keys, exactness := []int64{}, map[int64]int{}
	for _, one := range named {
		keys, exactness[one.memory] = append(keys, one.memory), one.named
	}
	matching.exact = true
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		c := &candidate{}
		all = append(all, c)
		err := row.Scan(append(c.fields(), &c.last, &c.changed, &matching.count)...)
		c.named = exactness[c.memory]
		return err
	}, byTime, f.bind("", limit, from.ID != "", from.Last, from.At, from.ID, project, db.List(keys))...)
	if err == nil {
		err = readTrust(ctx, r, all)
	}
	return all, matching, err
}
