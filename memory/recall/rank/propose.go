package rank

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"hence/internal/db"
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
func maxScore(terms []*question.Term) (sum float64) {
	for _, t := range terms {
		sum += t.Weight
	}
	return sum
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
