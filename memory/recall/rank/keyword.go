package rank

import (
	"context"
	"database/sql"
	"strings"

	"hence/edges"
	"hence/internal/db"
	"hence/memory/recall/question"
)

const (
	rareRows = 500 // a word that fewer sections have always proposes candidates
	depth    = 200 // least number of candidates that later steps read

	bestSections = 1000 // sections whose memories are read in the first attempt
	noLimit      = -1

	// scoreOnlyShare is the largest share of the total weight of a question's words that
	// the words which only score may have in the first round.
	scoreOnlyShare = 0.35
)

// Hit is a memory that matches, with its best section.
type Hit struct {
	Memory, Section int64
	Id              string
	size            int // bytes of the memory's text; 0 if it sorts last
	Score           float64
	passes          bool // the filter; otherwise it may lend to others but is not a result
}

func (h *Hit) fields() []any {
	return []any{&h.Memory, &h.Section, &h.Id, &h.size, &h.Score, &h.passes}
}

var scanHit = db.Fields((*Hit).fields)

// weights are the weights of the columns in BM25: title, heading, aliases, tags, body, words.
// A column of a weight below 1 does not count in the length of a section.
const weights = `8.0, 4.0, 6.0, 3.0, 1.0, ` + weightOfWords

// weightOfWords is the weight of a word of a symbol's body.
const weightOfWords = `0.5`

// sortsLast is the SQL condition that a memory m comes after all others: it is a file without
// text, and the question does not ask for kinds, or a test, and the question does not ask for
// tests.
const sortsLast = `iif(
    m.origin = 'code' and m.kind = 'code',
    instr(m.tags, '"test"') > 0 and not exists (select 1 from json_each(?4) where lower(value) = 'test'),
    ?3 = '[]' and ` + edges.SaysNothing + `
  )`

// selectByWords ranks memories by their best section: first those that pass the filter, with
// their number, then those that may only lend to others.
var selectByWords = `
with hit as materialized (
  select
    section_search.rowid as section,
    bm25_of(section_search, ?13, max(?12, 0), ` + weights + `) as rank
` + question.SectionsIn("?14", "?1") + `
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
    ` + sortsLast + ` as last,
    (` + question.Passes + `) as passes
  from hit h
  cross join sections s on s.key = h.section
  cross join memories m on m.key = s.memory
  where ` + question.Visible + `
  group by m.key
)
select * from (
  select
    memory,
    section,
    id,
    iif(last, 0, size),
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

// propose returns the best candidates by the terms, which are sorted by rarity, and how many
// memories match. Besides at least limit candidates it returns at most maxLenders memories
// that do not pass the filter.
//
// Words that many sections have propose no candidates if those could not be among the best:
// such words only score the candidates of rarer words. This is MaxScore (Turtle and Flood,
// Query evaluation: strategies and optimizations, 1995) in at most two rounds: the first
// determines the score that a result must reach.
func propose(ctx context.Context, r *db.Reader, terms []question.Term, f question.Filter, limit, maxLenders int) (hits []Hit, matching Total, err error) {
	proposers := 0
	for proposers < len(terms) && terms[proposers].Rows < rareRows {
		proposers++
	}
	proposers = max(1, proposers)
	for proposers < len(terms) && maxScore(terms[proposers:]) > scoreOnlyShare*maxScore(terms) {
		proposers++
	}
	for {
		hits, matching, err = ProposeBy(ctx, r, terms, proposers, f, limit, maxLenders)
		if err != nil || proposers == len(terms) {
			return hits, matching, err
		}
		matching.Exact = false
		threshold := 0.0
		if len(hits) >= limit && hits[limit-1].passes && hits[limit-1].size > 0 {
			threshold = hits[limit-1].Score
		}
		next := proposers
		for next < len(terms) && maxScore(terms[next:]) >= threshold {
			next++
		}
		if next == proposers {
			return hits, matching, nil
		}
		proposers = next
	}
}

// maxScore returns about the most that terms can add to a score, their total weight: a word
// that occurs once in a section of average length adds its weight.
func maxScore(terms []question.Term) (sum float64) {
	for _, t := range terms {
		sum += t.Weight
	}
	return sum
}

// ProposeBy returns the candidates that the first terms, up to proposers, find among the best
// sections, or among all sections if too few of those pass the filter.
func ProposeBy(ctx context.Context, r *db.Reader, terms []question.Term, proposers int, f question.Filter, limit, maxLenders int) (hits []Hit, matching Total, err error) {
	match, idfs := proposingQuery(terms[:proposers], terms[proposers:])
	for _, sections := range []int{bestSections, noLimit} {
		matching = Total{}
		read, withText := 0, 0 // sections that were read; matching memories except empty files
		hits, err = db.Select(ctx, r, func(row *sql.Rows) (h Hit, err error) {
			var n, textsBefore int
			err = row.Scan(append(h.fields(), &n, &textsBefore, &read)...)
			matching.Count, withText = max(matching.Count, n), max(withText, textsBefore)
			return h, err
		}, selectByWords, f.Bind(match, max(depth, limit+1), maxLenders, sections, f.Part.LengthPrefix+idfs, db.List(f.Part.Ranges))...)
		matching.Exact = sections == noLimit || len(hits) > 0 && read < sections
		if err != nil || matching.Exact || withText > limit {
			break
		}
	}
	return hits, matching, err
}

// proposingQuery returns an FTS5 query in which some terms propose and the others only score,
// and the weights of its phrases for bm25_of. The proposing terms occur twice in the query,
// the first time without weight.
func proposingQuery(proposing, scoring []question.Term) (match, idfs string) {
	texts, weights := question.AnyTermQuery(proposing)
	if len(scoring) == 0 {
		return texts, weights
	}
	scored, otherWeights := question.AnyTermQuery(scoring)
	noWeights := strings.Repeat("0 ", strings.Count(weights, " ")+1)
	return "(" + texts + ") AND (" + texts + " OR " + scored + ")", noWeights + weights + " " + otherWeights
}
