package recall

import (
	"context"
	"database/sql"
	"strings"

	"hence/internal/db"
)

const (
	rare  = 500 // rows of a word that always proposes
	depth = 200 // candidates that the later steps look at

	bestSections = 1000 // sections whose memories are looked at
	noLimit      = -1

	// scoreOnly is the part of what a question's words weigh that may be left
	// to words that only score, on the first try.
	scoreOnly = 0.35
)

// hit is a memory that matches, by its best section.
type hit struct {
	memory, section int64
	id              string
	size            int // bytes of the memory's text
	score           float64
	passes          bool // false: it lends weight, and is no result
}

// The weights of BM25: title, heading, aliases, tags, body.
const weights = `8.0, 4.0, 6.0, 3.0, 1.0`

// byWords ranks memories by their best section: first those that pass the
// filter, and how many they are, then those that only lend weight.
const byWords = `
with hit as materialized (
  select
    rowid as section,
    bm25_of(section_search, ?13, max(?12, 0), ` + weights + `) as rank
  from section_search
  where section_search match ?1
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
    (select count(*) from hit)
  from best
  where passes
  order by rank, id
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
    (select count(*) from hit)
  from best
  where not passes
  order by rank, id
  limit ?11
)`

// byTime lists what passes the filter, the last changed first.
const byTime = `
select
  m.key,
  coalesce((select key from sections s where s.memory = m.key order by s.ordinal limit 1), 0),
  m.id,
  octet_length(m.content),
  0.0,
  true,
  count(*) over ()
from memories m
where ?1 = ''
  and ` + passes + `
order by m.updated_at desc, m.id
limit ?10`

// propose returns the candidates that the terms propose, the best first, and
// how many memories they were chosen from: exactly all that match, or at least
// so many. Words that many sections have
// propose none as long as they could not bring one among the best: they only
// score what rarer words propose. This is MaxScore (Turtle and Flood, Query
// evaluation: strategies and optimizations, 1995) in at most two rounds: the
// first shows what a result has to reach.
func propose(ctx context.Context, r *db.Reader, all []term, f filter, limit, lenders int) (found []hit, matching total, err error) {
	proposing := max(1, count(all, func(t term) bool { return t.rows < rare }))
	for proposing < len(all) && mostOf(all[proposing:]) > scoreOnly*mostOf(all) {
		proposing++
	}
	for {
		found, matching, err = proposeBy(ctx, r, all, proposing, f, limit, lenders)
		if err != nil || proposing == len(all) {
			return found, matching, err
		}
		matching.exact = false
		reach := 0.0
		if len(found) >= limit && found[limit-1].passes {
			reach = found[limit-1].score
		}
		more := proposing
		for more < len(all) && mostOf(all[more:]) >= reach {
			more++
		}
		if more == proposing {
			return found, matching, nil
		}
		proposing = more
	}
}

// mostOf is about the most that terms add to a score: a word that stands once
// in a section of usual length adds its weight.
func mostOf(rest []term) (most float64) {
	for _, t := range rest {
		most += t.weight
	}
	return most
}

func count[T any](list []T, is func(T) bool) (n int) {
	for _, one := range list {
		if is(one) {
			n++
		}
	}
	return n
}

// proposeBy reads what some of the terms propose: of the best sections, or of
// all where the filter leaves too few of those.
func proposeBy(ctx context.Context, r *db.Reader, all []term, proposing int, f filter, limit, lenders int) (found []hit, matching total, err error) {
	match, idfs := expression(all[:proposing], all[proposing:])
	for _, sections := range []int{bestSections, noLimit} {
		matching = total{}
		read := 0
		found, err = db.Select(ctx, r, func(row *sql.Rows) (h hit, err error) {
			var n int
			err = row.Scan(&h.memory, &h.section, &h.id, &h.size, &h.score, &h.passes, &n, &read)
			matching.count = max(matching.count, n)
			return h, err
		}, byWords, f.bind(match, depth, lenders, sections, idfs)...)
		matching.exact = sections == noLimit || len(found) > 0 && read < sections
		if err != nil || matching.exact || matching.count > limit {
			break
		}
	}
	return found, matching, err
}

// expression returns a question to FTS5 in which some terms propose and the
// others only score, and the weights of its phrases for bm25_of: each counts
// once, though those that propose stand in it twice.
func expression(proposing, scoring []term) (match, idfs string) {
	texts, weights := textsOf(proposing)
	if len(scoring) == 0 {
		return texts, weights
	}
	scored, more := textsOf(scoring)
	silent := strings.Repeat("0 ", strings.Count(weights, " ")+1)
	return "(" + texts + ") AND (" + texts + " OR " + scored + ")", silent + weights + " " + more
}

// textsOf returns any of some terms in the language of FTS5, and the weights of
// its phrases.
func textsOf(terms []term) (match, idfs string) {
	var texts, weights []string
	for _, t := range terms {
		for _, f := range t.forms {
			texts, weights = append(texts, f.text), append(weights, f.idf)
		}
	}
	return anyOf(texts), strings.Join(weights, " ")
}

// latest returns what passes the filter, the last changed first.
func latest(ctx context.Context, r *db.Reader, f filter, limit int) (found []hit, matching total, err error) {
	matching.exact = true
	found, err = db.Select(ctx, r, func(row *sql.Rows) (h hit, err error) {
		err = row.Scan(&h.memory, &h.section, &h.id, &h.size, &h.score, &h.passes, &matching.count)
		return h, err
	}, byTime, f.bind("", limit)...)
	return found, matching, err
}
