package rank

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/lists"
	"hence/memory/recall/lexicon"
	"hence/memory/recall/question"
)

const (
	rareRows = 500 // a word that fewer sections have always proposes candidates
	depth    = 200 // least number of candidates that later steps read

	fewSections  = 2 * depth // sections whose memories are read first, if all matches are counted anyway
	bestSections = 1000      // sections whose memories are read before all are
	noLimit      = -1

	// scoreOnlyShare is the largest share of the total weight of a question's words that
	// the words which only score may have in the first round.
	scoreOnlyShare = 0.35
)

// selectByWords ranks memories by their best section: the first ?10 of those that pass the filter,
// then the first ?11 of those that may only propagate their scores. Beside each stand how many pass,
// how many of these do not sort last, and how many sections were read. The sections are grouped
// before their memories are read, so that only two numbers of each are sorted.
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
  select` + candidateOf("b.section", "-b.rank", "("+question.Passes+")") + `
  from (
    select
      s.memory,
      s.key as section,
      min(h.rank) as rank
    from hit h
    cross join sections s on s.key = h.section
    group by s.memory
  ) b
  cross join memories m on m.key = b.memory
  where ` + question.Visible + `
)
select
  *,
  (select count(*) from best where passes),
  (select count(*) from best where passes and not last),
  (select count(*) from hit)
from (
  select *
  from (select * from best where passes order by last, score desc, id limit ?10)
  union all
  select *
  from (select * from best where not passes order by score desc, id limit ?11)
)`

// propose returns the best candidates by the terms, and how many memories match. Besides at least
// Limit candidates it returns at most depth memories that do not pass the filter, if edges count.
//
// Words that many sections have propose no candidates if those could not be among the best:
// such words only score the candidates of rarer words. This is MaxScore (Turtle and Flood,
// Query evaluation: strategies and optimizations, 1995) in at most two rounds: the first
// determines the score that a result must reach.
func (p *pool) propose(ctx context.Context, r *db.Reader) (found []*Candidate, matching Total, err error) {
	terms, senders, proposers := p.Question.Rarest, 0, 0
	if p.Edges {
		senders = depth
	}
	for proposers < len(terms) && terms[proposers].Rows < rareRows {
		proposers++
	}
	proposers = max(1, proposers)
	for proposers < len(terms) && maxScore(terms[proposers:]) > scoreOnlyShare*maxScore(terms) {
		proposers++
	}
	for {
		found, matching, err = proposeBy(ctx, r, terms[:proposers], terms[proposers:], p.Filter, p.Limit, senders)
		if err != nil || proposers == len(terms) {
			return found, matching, err
		}
		matching.Exact = false
		threshold := 0.0
		if len(found) >= p.Limit && found[p.Limit-1].passes && !found[p.Limit-1].IsLast {
			threshold = found[p.Limit-1].Score
		}
		next := proposers
		for next < len(terms) && maxScore(terms[next:]) >= threshold {
			next++
		}
		if next == proposers {
			return found, matching, nil
		}
		proposers = next
	}
}

// maxScore returns about the most that terms can add to a score, their total weight: a word
// that occurs once in a section of average length adds its weight.
func maxScore(terms []*question.Term) float64 {
	return lists.Sum(terms, func(t *question.Term) float64 { return t.Weight })
}

// Sharing returns at most limit memories that have terms of a question, the best first.
func Sharing(ctx context.Context, r *db.Reader, terms []*question.Term, f question.Filter, limit int) ([]*Candidate, error) {
	found, _, err := proposeBy(ctx, r, terms, nil, f, limit-1, 0)
	return found[:min(len(found), limit)], err
}

// proposeBy returns the candidates that the proposing terms find among the best
// sections, or among all sections if too few of those pass the filter.
func proposeBy(ctx context.Context, r *db.Reader, proposing, scoring []*question.Term, f question.Filter, limit, senders int) (found []*Candidate, matching Total, err error) {
	match, weights := proposingQuery(proposing, scoring)
	for _, sections := range []int{fewSections, bestSections, noLimit} {
		if sections == fewSections && question.CountRows(slices.Concat(proposing, scoring)) > fewRows {
			continue
		}
		passing, withText, read := 0, 0, 0 // returned memories that pass; all that do except empty files; sections that were read
		matching = Total{}
		found, err = db.Select(ctx, r, func(row *sql.Rows) (*Candidate, error) {
			c := &Candidate{}
			err := row.Scan(append(c.fields(), &matching.Count, &withText, &read)...)
			if c.passes {
				passing++
				c.KeywordRank = passing
			}
			return c, err
		}, selectByWords, f.Bind(match, max(depth, limit+1), senders, sections, f.Scope.LengthPrefix+weights, db.List(f.Scope.Ranges))...)
		matching.Exact = sections == noLimit || len(found) > 0 && read < sections
		if err != nil || matching.Exact || sections == bestSections && withText > limit || withText >= max(depth, limit+1) {
			break
		}
	}
	return found, matching, err
}

// proposingQuery returns an FTS5 query in which some terms propose and the others only score,
// and the weights of its phrases for bm25_of. The proposing terms occur twice in the query,
// the first time without weight.
func proposingQuery(proposing, scoring []*question.Term) (match, weights string) {
	match, weights = question.AnyOf(proposing)
	if len(scoring) == 0 {
		return match, weights
	}
	scored, otherWeights := question.AnyOf(scoring)
	noWeights := strings.Repeat("0 ", strings.Count(weights, " ")+1)
	return "(" + match + ") AND (" + match + " OR " + scored + ")", noWeights + weights + " " + otherWeights
}

const (
	nearWindow = `5` // words that may be between two neighbouring words of a question

	// presence is the score that a word adds to a whole by occurring at all (the delta of
	// Lv and Zhai, Lower-bounding term frequency normalization, 2011). BM25 alone gives a word
	// in a very long text hardly more than its absence.
	presence = 1

	// The constants k1 and b of BM25 in FTS5.
	saturation          = 1.2
	lengthNormalization = 0.75

	// weights are the weights of the columns in BM25: title, heading, aliases, tags, body, words.
	// A column of a weight below 1 does not count in the length of a section. weightsOfNames are those
	// of the columns that all sections of a memory share, weightsOfText of those that differ.
	weights        = `8.0, 4.0, 6.0, 3.0, 1.0, 0.5`
	weightsOfNames = `8.0, 0.0, 6.0, 3.0, 0.0, 0.0`
	weightsOfText  = `0.0, 4.0, 0.0, 0.0, 1.0, 0.5`
)

// column is one thing by which each candidate is scored, and scores along edges: a term, or the
// nearness of two. Each candidate has a column more, for its time.
type column struct {
	queries []columnQuery // the best one counts
	isTerm  bool          // false for nearness
	isWhole bool          // the term is the whole question as a phrase
	rarity  float64       // of the term
	word    string        // if the term is one word and searched as it is
}

// columnQuery is one query by which candidates score in a column.
type columnQuery struct {
	match   string
	weights string  // of its phrases, for bm25_of
	factor  float64 // by which the result of bm25_of is multiplied
}

// columnsOf returns a column for each term of a question that is not too common, and one for the
// nearness of each two such terms that are neighbours in the question.
func columnsOf(q question.Question) (columns []column) {
	for _, t := range q.Rarest {
		if t.Rows < question.MaxScoredRows {
			c := column{isTerm: true, isWhole: t.IsWhole(), rarity: t.Rarity, word: t.Word()}
			for _, f := range t.Forms {
				c.queries = append(c.queries, columnQuery{f.Match, question.FormatWeight(f.Weight), t.Rarity / f.Weight})
			}
			columns = append(columns, c)
		}
	}
	for i, b := range q.Terms[min(1, len(q.Terms)):] {
		a, c := q.Terms[i], column{}
		if !isScored(a) || !isScored(b) || b.IsWhole() {
			continue
		}
		weights := question.FormatWeight(a.Rarity) + " " + question.FormatWeight(b.Rarity)
		for _, formA := range a.Forms {
			for _, formB := range b.Forms {
				if !strings.HasPrefix(formA.Match, lexicon.InNames) && !strings.HasPrefix(formB.Match, lexicon.InNames) { // FTS5 allows no columns within NEAR
					c.queries = append(c.queries, columnQuery{`NEAR(` + formA.Match + ` ` + formB.Match + `, ` + nearWindow + `)`, weights, 1})
				}
			}
		}
		columns = append(columns, c)
	}
	return columns
}

// isScored reports whether a term has a column.
func isScored(t *question.Term) bool { return t.Weight > 0 && t.Rows < question.MaxScoredRows }

// evidence is what the index says of a candidate: its score by each column in its best section, and
// the memory as if it had one section.
type evidence struct {
	sections    []float64   // by column
	frequencies []frequency // by column
	length      frequency   // number of tokens
}

// frequency is how often a word occurs in the names of a memory (title, aliases, tags) and in
// its text, each occurrence multiplied by the weight of its column.
type frequency struct{ names, text float64 }

// add adds the frequency in another section. The names of the memory are the same in each
// section, so they count once.
func (f *frequency) add(section frequency) {
	f.names = max(f.names, section.names)
	f.text += section.text
}

// readWords reads the evidence of each candidate. What is left of the score by which it was proposed
// is that of common words.
func (p *pool) readWords(ctx context.Context, r *db.Reader) error {
	for _, c := range p.all {
		c.common, c.sections, c.frequencies = c.Score, make([]float64, len(p.columns)), make([]frequency, len(p.columns))
	}
	if len(p.columns) == 0 || len(p.all) == 0 {
		return nil
	}
	candidateOf, sections := map[int64]*Candidate{}, []int64{}
	packed, _, err := db.One[[]byte](ctx, r, selectSizes, db.List(Keys(p.all)))
	if err != nil {
		return err
	}
	for row := range db.Packed(packed).Rows(4) {
		c := p.byMemory[row[1]]
		candidateOf[row[0]], sections = c, append(sections, row[0])
		c.length.add(frequency{names: float64(row[2]), text: float64(row[3])})
	}
	queries, columnOf, factors := [][]string{}, []int{}, []float64{}
	for i, c := range p.columns {
		for _, q := range c.queries {
			queries, columnOf, factors = append(queries, []string{q.match, p.Filter.Scope.LengthPrefix + q.weights}), append(columnOf, i), append(factors, q.factor)
		}
	}
	packed, _, err = db.One[[]byte](ctx, r, selectWeights, db.List(queries), db.List(sections), db.List(p.Filter.Scope.Ranges))
	for row := range db.Packed(packed).Rows(5) {
		query, section, score := row[0], row[1], math.Float64frombits(uint64(row[2]))
		c, i := candidateOf[section], columnOf[query]
		c.frequencies[i].add(frequency{names: math.Float64frombits(uint64(row[3])), text: math.Float64frombits(uint64(row[4]))})
		if p.sections[section] {
			c.sections[i] = max(c.sections[i], factors[query]*score)
		}
		if p.columns[i].isTerm && section == c.Section {
			c.common -= score
		}
	}
	return err
}

// selectWeights scores each query ?1 in the sections ?2 among the ranges ?3, and counts its
// occurrences in the names of the memory (title, aliases, tags) and in its text. The plus
// makes the planner read a query's sections once, not once for each of ?2.
var selectWeights = `
with weighed as materialized (
  select
    w.key as query,
    section_search.rowid as section,
    -bm25_of(section_search, w.value ->> 1, 0, ` + weights + `) as score,
    often_of(section_search, ` + weightsOfNames + `) as names,
    often_of(section_search, ` + weightsOfText + `) as text
  from json_each(?1) w
  cross join ` + question.RangesIn("?3") + ` keys` + question.JoinMatches("w.value ->> 0") + `
  where +section_search.rowid in (select value from json_each(?2))
)
select pack(query, section, score, names, text)
from weighed`

// selectSizes packs the sections of the memories ?1, with the number of tokens in the names of
// the memory and in the section's text.
const selectSizes = `
select pack(key, memory, names, text)
from (
  select
    s.key,
    s.memory,
    number_of(z.sz, 0) + number_of(z.sz, 2) + number_of(z.sz, 3) as names,
    number_of(z.sz, 1) + number_of(z.sz, 4) as text
  from json_each(?1) c
  cross join sections s on s.memory = c.value
  left join section_search_docsize z on z.id = s.key
  order by s.key
)`

// scoreOfWhole returns the BM25 of a word in a memory plus its presence, relative to a memory of
// average length that has the word once. length is a multiple of the average length.
func scoreOfWhole(f frequency, length float64) float64 {
	times := f.names + f.text
	if times == 0 {
		return 0
	}
	return (presence*min(1, times) + times*(saturation+1)/(times+saturation*(1-lengthNormalization+lengthNormalization*length))) / (presence + 1)
}
