package recall

import (
	"context"
	"database/sql"
	"strings"

	"hence/edges"
	"hence/internal/db"
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

// hit is a memory that matches, with its best section.
type hit struct {
	memory, section int64
	id              string
	size            int // bytes of the memory's text; 0 if it sorts last
	score           float64
	passes          bool // the filter; otherwise it may lend to others but is not a result
}

func (h *hit) fields() []any {
	return []any{&h.memory, &h.section, &h.id, &h.size, &h.score, &h.passes}
}

var scanHit = db.Fields((*hit).fields)

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
    ` + sortsLast + ` as last,
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

// selectByTime lists the memories that pass the filter or are among ?16. It sorts by group
// (those of ?16, those of the project ?15, the others), then the last changed first. It starts
// after the cursor ?12 to ?14 unless ?11 is 0.
var selectByTime = `
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
    iif(` + isNamed + `, ` + namedGroup + `, 3 * ` + sortsLast + ` + ` + nearnessTo + `) as last,
    m.updated_at as changed,
    count(*) over () as total
  from memories m
  where ?1 = ''
    and (` + isNamed + ` or ` + passes + `)
)
where ?11 = 0
  or last > ?12
  or last = ?12 and (changed < ?13 or changed = ?13 and id > coalesce((select l.id from memories l where l.key = ?14), ''))
order by last, changed desc, id
limit ?10`

const (
	isNamed    = `m.key in (select value from json_each(?16))`
	namedGroup = `-1`
)

// propose returns the best candidates by the terms, which are sorted by rarity, and how many
// memories match. Besides at least limit candidates it returns at most maxLenders memories
// that do not pass the filter.
//
// Words that many sections have propose no candidates if those could not be among the best:
// such words only score the candidates of rarer words. This is MaxScore (Turtle and Flood,
// Query evaluation: strategies and optimizations, 1995) in at most two rounds: the first
// determines the score that a result must reach.
func propose(ctx context.Context, r *db.Reader, terms []term, f filter, limit, maxLenders int) (hits []hit, matching total, err error) {
	proposers := 0
	for proposers < len(terms) && terms[proposers].rows < rareRows {
		proposers++
	}
	proposers = max(1, proposers)
	for proposers < len(terms) && maxScore(terms[proposers:]) > scoreOnlyShare*maxScore(terms) {
		proposers++
	}
	for {
		hits, matching, err = proposeBy(ctx, r, terms, proposers, f, limit, maxLenders)
		if err != nil || proposers == len(terms) {
			return hits, matching, err
		}
		matching.exact = false
		threshold := 0.0
		if len(hits) >= limit && hits[limit-1].passes && hits[limit-1].size > 0 {
			threshold = hits[limit-1].score
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
func maxScore(terms []term) (sum float64) {
	for _, t := range terms {
		sum += t.weight
	}
	return sum
}

// proposeBy returns the candidates that the first terms, up to proposers, find among the best
// sections, or among all sections if too few of those pass the filter.
func proposeBy(ctx context.Context, r *db.Reader, terms []term, proposers int, f filter, limit, maxLenders int) (hits []hit, matching total, err error) {
	match, idfs := proposingQuery(terms[:proposers], terms[proposers:])
	for _, sections := range []int{bestSections, noLimit} {
		matching = total{}
		read, withText := 0, 0 // sections that were read; matching memories except empty files
		hits, err = db.Select(ctx, r, func(row *sql.Rows) (h hit, err error) {
			var n, textsBefore int
			err = row.Scan(append(h.fields(), &n, &textsBefore, &read)...)
			matching.count, withText = max(matching.count, n), max(withText, textsBefore)
			return h, err
		}, selectByWords, f.bind(match, max(depth, limit+1), maxLenders, sections, f.part.lengthPrefix+idfs, db.List(f.part.ranges))...)
		matching.exact = sections == noLimit || len(hits) > 0 && read < sections
		if err != nil || matching.exact || withText > limit {
			break
		}
	}
	return hits, matching, err
}

// proposingQuery returns an FTS5 query in which some terms propose and the others only score,
// and the weights of its phrases for bm25_of. The proposing terms occur twice in the query,
// the first time without weight.
func proposingQuery(proposing, scoring []term) (match, idfs string) {
	texts, weights := anyTermQuery(proposing)
	if len(scoring) == 0 {
		return texts, weights
	}
	scored, otherWeights := anyTermQuery(scoring)
	noWeights := strings.Repeat("0 ", strings.Count(weights, " ")+1)
	return "(" + texts + ") AND (" + texts + " OR " + scored + ")", noWeights + weights + " " + otherWeights
}

// anyTermQuery returns an FTS5 query for any of the terms, and the weights of its phrases.
func anyTermQuery(terms []term) (match, idfs string) {
	var texts, weights []string
	for _, t := range terms {
		for _, f := range t.forms {
			texts, weights = append(texts, f.text), append(weights, f.idf)
		}
	}
	return joinOr(texts), strings.Join(weights, " ")
}

// listLatest returns the memories that pass the filter of a question, and their number: first
// those whose title is the question's text, then those of a project, the last changed first.
// It starts after the cursor start.
func listLatest(ctx context.Context, r *db.Reader, q query, f filter, project string, limit int, start cursor) (all []*candidate, matching total, err error) {
	namesakes, err := findNamesakes(ctx, r, q, nil, f)
	if err != nil {
		return nil, total{}, err
	}
	keys, nameMatch := []int64{}, map[int64]int{}
	for _, n := range namesakes {
		keys, nameMatch[n.memory] = append(keys, n.memory), n.nameMatch
	}
	matching.exact = true
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		c := &candidate{}
		all = append(all, c)
		err := row.Scan(append(c.fields(), &c.group, &c.changed, &matching.count)...)
		c.nameMatch = nameMatch[c.memory]
		return err
	}, selectByTime, f.bind("", limit, start.last.Key != 0, start.last.Group, start.last.At, start.last.Key, project, db.List(keys))...)
	if err == nil {
		err = readTrust(ctx, r, all)
	}
	return all, matching, err
}
