package rank

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"

	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/script"
	"hence/memory/embed"
	"hence/memory/recall/question"
	"hence/memory/recall/vectors"
)

const (
	shortlistSize   = 400 // sections whose exact distance is computed
	shortlistGrowth = 8   // factor for the next shortlist if too few of them pass

	AnyNearness = -2 // a bound of Nearest that leaves nothing out: no cosine is below it

	maxCompared      = 100   // nearest memories whose words are compared with those of a question
	maxComparedBytes = 2_000 // of a section
	maxComparedParts = 50    // sections of a memory
)

// ByMeaning returns at most a.Limit+1 memories whose sections are nearest to a question, with
// their nearness as the score, and the number of matches. Since every memory with a vector is
// more or less near, it counts all memories with a vector.
func ByMeaning(ctx context.Context, r *db.Reader, a Asked, q *vectors.Question) ([]*Candidate, Total, error) {
	near, err := Nearest(ctx, r, q, a.Filter, AnyNearness, a.Limit+1)
	if err != nil {
		return nil, Total{}, err
	}
	if err := readTrust(ctx, r, near); err != nil {
		return nil, Total{}, err
	}
	putStrangersBehind(near)
	if err := readProjects(ctx, r, a.Caller, near); err != nil {
		return nil, Total{}, err
	}
	putProjectFirst(near)
	if len(near) <= a.Limit {
		return near, Total{len(near), true}, nil
	}
	n, err := countNear(ctx, r, a.Filter, q)
	return near, Total{min(n, alwaysCounted), n <= alwaysCounted}, err
}

// Nearest returns at most limit memories that pass the filter and have a section whose cosine with a vector
// is at least least, those whose sections are nearest first. The signs of the vectors select a shortlist of sections, and exact
// distances rank these. If too few of the shortlist pass, it compares all sections that pass.
// But if the filter excludes hardly anything, it takes a longer shortlist: then the short one
// was full of superseded memories, or of many sections of few memories. If the words of the question
// are known, they put the nearest in another order: see compareWords.
func Nearest(ctx context.Context, r *db.Reader, q *vectors.Question, f question.Filter, least float64, limit int) (found []*Candidate, err error) {
	most := limit
	if q.Words != "" {
		most = max(limit, maxCompared)
	}
	bound, ranges := f.Bind(q.Vector, q.Model, most), db.List(f.Scope.Ranges)
	for listed, more := shortlistSize, true; more; listed *= shortlistGrowth {
		found, err = db.Select(ctx, r, scanCandidate, selectNearest, append(bound, listed, ranges)...)
		if err != nil || len(found) >= limit {
			break
		}
		if !f.PassesAll() {
			found, err = db.Select(ctx, r, scanCandidate, selectNearestOfAll, bound...)
			break
		}
		if more, _, err = db.One[bool](ctx, r, `select exists (select 1 `+vectorsIn("?3", "?1", "?4")+` limit 1 offset ?2)`, q.Model, listed, ranges, q.Vector); err != nil {
			break
		}
	}
	found = slices.DeleteFunc(found, func(c *Candidate) bool { return c.Score < least })
	if err == nil && q.Words != "" {
		err = compareWords(ctx, r, q, found)
	}
	found = found[:min(len(found), limit)]
	for i, c := range found {
		c.VectorRank = i + 1
	}
	return found, err
}

// The shares of a score by meaning. They are chosen on the tuned questions of bench/concepts.tsv.
const (
	ofSection = 0.3 // cosine of the nearest section
	ofMemory  = 0.5 // cosine of the direction between the memory's sections: a note is about more than its best sentence
	ofWords   = 0.2 // nearness of the section's words, one by one: a vector of many words is about all of them
)

// compareWords scores the nearest memories, at most the first maxCompared of them, by all their sections
// and by the words of the nearest one too, and sorts them. The rest keep their order behind these.
func compareWords(ctx context.Context, r *db.Reader, q *vectors.Question, near []*Candidate) error {
	compared := near[:min(len(near), maxCompared)]
	if i := slices.IndexFunc(compared, func(c *Candidate) bool { return c.IsLast }); i >= 0 {
		compared = compared[:i]
	}
	if len(compared) == 0 {
		return nil
	}
	texts, err := db.Select(ctx, r, db.Value[string], selectComparedTexts, db.List(lists.Map(compared, func(c *Candidate) int64 { return c.Section })), maxComparedBytes)
	if err != nil {
		return err
	}
	parts := make([][][]byte, len(compared))
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var i int
		var vector []byte
		err := row.Scan(&i, &vector)
		parts[i] = append(parts[i], vector)
		return err
	}, selectComparedParts, db.List(Keys(compared)), len(q.Vector), maxComparedParts)
	if err != nil {
		return err
	}
	for i, c := range compared {
		c.Score = ofSection*c.Score + ofMemory*float64(embed.Cosine(string(q.Vector), string(vectors.Mean(parts[i]))))
	}
	for i, closeness := range embed.Closeness(q.Words, texts) {
		compared[i].Score += ofWords * closeness
	}
	slices.SortFunc(compared, bestFirst)
	for _, c := range near[len(compared):] {
		c.Score = min(c.Score, compared[len(compared)-1].Score)
	}
	return nil
}

// selectComparedTexts reads the texts of sections, and selectComparedParts the vectors of the first sections of memories.
const (
	selectComparedTexts = `
select coalesce((select t.title || char(10) || t.heading || char(10) || substr(t.body, 1, ?2) from section_text t where t.key = k.value), '')
from json_each(?1) k
order by k.key`

	selectComparedParts = `
select
  k.key,
  v.vector
from json_each(?1) k
cross join sections s on s.memory = k.value and s.ordinal < ?3
cross join vectors v on v.section = s.key and length(v.vector) = ?2`
)

// vectorsIn returns the SQL from clause for the vectors by the model in force, if that is the given one,
// of sections in ranges of keys, that can be compared with a vector. The arguments are SQL expressions.
func vectorsIn(ranges, model, vector string) string {
	return `
from embedders e
cross join ` + question.RangesIn(ranges) + ` keys on e.key = ` + model + ` and e.state = 'in force'
cross join vectors v on v.section between keys.first and keys.last and length(v.vector) = length(` + vector + `)`
}

var selectNearest = `
with listed as materialized (
  select
    v.section
` + vectorsIn("?13", "?10", "?1") + `
  order by signs_apart(v.vector, ?1), v.section
  limit ?12
),` + measuredTable + `
  from listed l
  cross join vectors v on v.section = l.section
  cross join sections s on s.key = v.section
  cross join memories m on m.key = s.memory
  where ` + question.Passes + `
)` + orderByDistance

var selectNearestOfAll = `
with` + measuredTable + `
  from memories m
  cross join sections s on s.memory = m.key
  cross join vectors v on v.section = s.key and length(v.vector) = length(?1)
  where exists (select 1 from embedders where key = ?10 and state = 'in force')
    and ` + question.Passes + `
)` + orderByDistance

// measuredTable is the beginning of the SQL for the sections with their exact distances.
var measuredTable = `
measured as materialized (
  select` + candidateOf("s.key", "vec_distance_cosine(vec_int8(v.vector), vec_int8(?1))", "true")

// orderByDistance is the SQL for the memories by the distance of their nearest section. It leaves
// out vectors of zeros, which have no angle.
const orderByDistance = `
select` + candidateNames + `,
  1 - min(score),
  passes
from measured
where score is not null
group by memory
order by max(last), min(score), id
limit ?11`

// countNear counts the memories that pass the filter and have a vector, up to one more than
// alwaysCounted.
func countNear(ctx context.Context, r *db.Reader, f question.Filter, q *vectors.Question) (int, error) {
	n, _, err := db.One[int](ctx, r, `
select count(*)
from (
  select distinct m.key`+vectorsIn("?12", "?10", "?1")+`
cross join sections s on s.key = v.section
cross join memories m on m.key = s.memory
  where `+question.Passes+`
  limit ?11
)`, f.Bind(q.Vector, q.Model, alwaysCounted+1, db.List(f.Scope.Ranges))...)
	return n, err
}

const (
	// fusionConstant is the constant of reciprocal rank fusion (Cormack, Clarke and Büttcher,
	// Reciprocal rank fusion outperforms Condorcet and individual rank learning methods, 2009). It is
	// small, so that the gain falls quickly from the nearest to the next.
	fusionConstant = 5

	// A memory with at least answeringWords of the question's words answers it. At most accidentalWords,
	// and less than accidentalShare of their weight, meet in a memory by accident.
	answeringWords  = 4
	accidentalWords = 2
	accidentalShare = 0.6

	fewResults = 3  // by words: fewer are followed by the nearest in meaning
	maxNearest = 20 // memories that are added or raised, whatever the limit
)

// Fuse joins the nearest in meaning and the best by words into one list: a candidate scores by the sum of
// the reciprocals of its two ranks.
func Fuse(near, byWords []*Candidate) []*Candidate {
	fused, byMemory := []*Candidate{}, map[int64]*Candidate{}
	for n, list := range [][]*Candidate{near, byWords} {
		for i, found := range list {
			c := byMemory[found.Memory]
			if c == nil {
				c = found
				c.Score, c.VectorRank, c.KeywordRank = 0, 0, 0
				byMemory[c.Memory], fused = c, append(fused, c)
			}
			*[]*int{&c.VectorRank, &c.KeywordRank}[n] = i + 1
			c.Score += 1 / float64(fusionConstant+i+1)
		}
	}
	slices.SortFunc(fused, bestFirst)
	return fused
}

// coverage is how well words answer a question: the most of its words that one memory has, and the
// largest share of their weight. Words that no memory has count in the whole weight.
type coverage struct {
	words int
	share float64
}

func (c coverage) isWhole() bool { return c.words >= answeringWords || c.share == 1 }

const (
	maxRead      = 20     // memories whose own words are read
	maxReadBytes = 20_000 // of a memory; a longer one counts by the index
)

// coverage returns the coverage of the question by the candidates that may be results. To the index, which has
// words without their endings, productivity is a product: those that cover most by it are read.
func (p *pool) coverage(ctx context.Context, r *db.Reader) (most coverage, err error) {
	total := 0.0
	for _, t := range p.Question.Terms {
		if t.Rows < question.MaxScoredRows && !t.IsWhole() {
			total += t.Rarity
		}
	}
	indexed := map[*Candidate]coverage{}
	for _, c := range p.all {
		if c.Name > NotNamed || total == 0 && c.passes {
			return coverage{answeringWords, 1}, nil
		}
		if c.passes && !c.IsLast {
			indexed[c] = p.coveredBy(c, total, nil)
		}
	}
	covering := slices.SortedFunc(maps.Keys(indexed), func(a, b *Candidate) int {
		return cmp.Or(cmp.Compare(indexed[b].share, indexed[a].share), bestFirst(a, b))
	})
	for _, c := range covering[:min(len(covering), maxRead)] {
		covered := indexed[c]
		if most.isWhole() || covered.words == 0 {
			break
		}
		if c.size <= maxReadBytes {
			text, _, err := db.One[string](ctx, r, selectIndexed, c.Memory)
			if err != nil {
				return most, err
			}
			covered = p.coveredBy(c, total, lists.Map(slices.Collect(script.Runs(text)), script.Word))
		}
		most = coverage{max(most.words, covered.words), max(most.share, covered.share)}
	}
	return most, nil
}

// coveredBy returns the coverage of a question whose words have a total weight by one candidate: by the
// index, and by the words of its text unless these are nil.
func (p *pool) coveredBy(c *Candidate, total float64, said []string) (covered coverage) {
	weight := 0.0
	for i, column := range p.columns {
		if !column.isTerm || column.isWhole || c.frequencies[i] == (frequency{}) ||
			said != nil && column.word != "" && !slices.ContainsFunc(said, func(word string) bool { return embed.IsForm(word, column.word) }) {
			continue
		}
		covered.words, weight = covered.words+1, weight+column.rarity
	}
	covered.share = weight / total
	return covered
}

// selectIndexed reads what the index has of a memory.
const selectIndexed = `
select coalesce(group_concat(concat_ws(' ', title, heading, aliases, tags, body, words), ' '), '')
from section_index
where memory = ?`

// raiseNear adds the memories that are nearest to the question in meaning, and raises them. Where words
// answer the question in part, the nearest gains a share of the best score, by the share of the question
// that words leave uncovered, and the others less by the reciprocal of their rank. Where words only meet by
// accident, the two lists take turns. Where words answer it, nothing is added, but to few results
// below these.
func raiseNear(ctx context.Context, r *db.Reader, p *pool, by change) error {
	covered, err := p.coverage(ctx, r)
	byWords, isAnswered := p.results(), covered.isWhole()
	if err != nil || isAnswered && len(byWords) >= fewResults {
		return err
	}
	q, err := p.Meaning(ctx)
	if err != nil || q == nil {
		return err
	}
	near, err := Nearest(ctx, r, q, p.Filter, q.Least, maxNearest)
	for i, c := range near {
		c.Score = 0
		near[i] = p.add(c)
		near[i].VectorRank = c.VectorRank
	}
	if len(byWords) > 0 && covered.words <= accidentalWords && covered.share < accidentalShare {
		takeTurns(byWords, near, by)
		return err
	}
	scale := by.share
	switch {
	case len(byWords) == 0:
		scale = 1
	case isAnswered:
		scale *= slices.MaxFunc(byWords, bestFirst).Score
	default:
		scale *= (1 - covered.share) * slices.MinFunc(byWords, bestFirst).Score
	}
	for _, c := range near {
		if !isAnswered || c.Score == 0 {
			c.raise(by, scale*(fusionConstant+1)/float64(fusionConstant+c.VectorRank))
		}
	}
	return err
}

// takeTurns raises each of the nearest memories in turn to a score between the two next results by
// words, unless it is above them already.
func takeTurns(byWords, near []*Candidate, by change) {
	slices.SortFunc(byWords, bestFirst)
	placed := map[*Candidate]bool{}
	next := func(list []*Candidate) []*Candidate {
		for len(list) > 0 && placed[list[0]] {
			list = list[1:]
		}
		return list
	}
	last := 0.0
	for {
		if byWords = next(byWords); len(byWords) > 0 {
			last, placed[byWords[0]] = byWords[0].Score, true
		}
		if near = next(near); len(near) == 0 {
			return
		}
		placed[near[0]] = true
		following := 0.0
		if byWords = next(byWords); len(byWords) > 0 {
			following = byWords[0].Score
		}
		last = (last + following) / 2
		near[0].set(by, last)
	}
}
