package rank

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/pattern"
	"hence/internal/ref"
	"hence/memory/recall/lexicon"
)

// feature is one thing by which memories are ranked.
type feature struct {
	name  string
	when  func(*pool) bool // whether it applies to the question and its candidates; nil: always
	share float64          // of a score; what it is a share of stands at apply
	apply func(context.Context, *db.Reader, *pool, change) error
}

// change is a feature at work: what a candidate gains is recorded under its id.
type change struct {
	id    featureID
	share float64
}

// featureID is the index of a feature in the table.
type featureID int

const (
	bySection featureID = iota
	byWhole
	byNearWords
	byDate
	byReply
	byEdges
	byInstruction
	byTime
	bySpeaker
	byMeaning
	byTurn
	byStranger
	byName
	byLast
	byRecency
	byProject
	featureCount
)

// features are the ranking: everything that moves a memory up or down, in the order in which it
// does. The first four score a candidate in columns, which also score along edges; the next add
// shares of that score, or take shares away.
//
// The shares of wholes were chosen on notes of two vaults (BenchmarkFound of vault), those of
// replies, instructions, times and speakers on chats of BEAM and turns of LoCoMo (make
// bench-recall); docs/benchmarks.md has the figures. The share of a repeated word is not sensitive
// below 0.4; at 1 the search finds much less. The share of dates is less than that of most words,
// because a question such as "what did we decide in March" is about the decision. A conversation
// propagates to its turns: with the share of turns they rank behind a memory that says the same and
// was stored on purpose. A stranger's text ranks behind others unless these score less than half as much.
var features = [featureCount]feature{
	bySection:     {"section", nil, 0.2, scoreSections},
	byWhole:       {"whole", hasLengths, 0.8, scoreWholes},
	byNearWords:   {"near words", nil, 0.15, scoreNearWords},
	byDate:        {"date", func(p *pool) bool { return len(p.Filter.Periods) > 0 }, 0.25, scoreDates},
	byReply:       {"repeated by a reply", func(p *pool) bool { return len(p.turns.replies) > 0 }, 0.4, discountReplies},
	byEdges:       {"edges", func(p *pool) bool { return p.Edges }, 1, propagate},
	byInstruction: {"instruction", func(p *pool) bool { return p.peopleSpeak }, 0.5, raiseTexts(selectInstructions, instructionPattern, isOfPerson)},
	byTime:        {"time", asksTime, 0.2, raiseTexts(selectTexts, timeWords, isSaid)},
	bySpeaker:     {"speaker", nil, 0.15, raiseSpeakers},
	byMeaning:     {"meaning", func(p *pool) bool { return p.Meaning != nil }, 0.4, raiseNear},
	byTurn:        {"turn", nil, 0.25, lowerTurns},
	byStranger:    {"stranger", nil, strangerShare, lowerStrangers},
	byName:        {"name", nil, 1, raiseNames},
	byLast:        {"last", nil, 1, lowerLast},
	byRecency:     {"recency", nil, 0.1, putNewestFirst},
	byProject: {"project", func(p *pool) bool { return p.Caller.Project != "" }, 0, func(ctx context.Context, r *db.Reader, p *pool, _ change) error {
		return readProjects(ctx, r, p.Caller, p.results())
	}},
}

// score adds to a column of a candidate.
func (c *Candidate) score(by change, column int, gain float64) {
	c.columns[column] += gain
	c.gains[by.id] += gain
}

// raise adds to the score of a candidate.
func (c *Candidate) raise(by change, gain float64) { c.set(by, c.Score+gain) }

// set changes the score of a candidate.
func (c *Candidate) set(by change, score float64) {
	c.gains[by.id] += score - c.Score
	c.Score = score
}

// sum sets the scores of the candidates to the sums of their columns.
func (p *pool) sum() {
	for _, c := range p.all {
		c.Score = c.ownScore()
	}
}

// hasLengths reports whether wholes can be scored.
func hasLengths(p *pool) bool { return p.Filter.Scope.AverageLength() > 0 }

// scoreSections scores the words in the best section. The whole has the rest of the share. Words that
// are too common for a column count in full.
func scoreSections(_ context.Context, _ *db.Reader, p *pool, by change) error {
	if !hasLengths(p) {
		by.share = 1
	}
	for _, c := range p.all {
		c.common = max(0, c.common)
		c.gains[by.id] = c.common
	}
	return p.scoreColumns(by, true, func(c *Candidate, i int) float64 { return by.share * c.sections[i] })
}

// scoreWholes scores the words in a memory as if it had one section.
func scoreWholes(_ context.Context, _ *db.Reader, p *pool, by change) error {
	average := p.Filter.Scope.AverageLength()
	return p.scoreColumns(by, true, func(c *Candidate, i int) float64 {
		return by.share * p.columns[i].rarity * scoreOfWhole(c.frequencies[i], (c.length.names+c.length.text)/average)
	})
}

// scoreNearWords scores two words of the question that are close to each other: a share of their
// weight.
func scoreNearWords(_ context.Context, _ *db.Reader, p *pool, by change) error {
	return p.scoreColumns(by, false, func(c *Candidate, i int) float64 { return by.share * c.sections[i] })
}

// scoreColumns adds to the columns of each candidate, those of terms or those of nearness, and sums them.
func (p *pool) scoreColumns(by change, ofTerms bool, gain func(c *Candidate, column int) float64) error {
	for _, c := range p.all {
		for i, column := range p.columns {
			if column.isTerm == ofTerms {
				c.score(by, i, gain(c, i))
			}
		}
	}
	p.sum()
	return nil
}

// scoreDates scores candidates that were created, began to hold or ended in a
// period that the question names, or have its name in their title or properties, as one
// more word: a share of the best score. It adds no candidate and removes none.
func scoreDates(ctx context.Context, r *db.Reader, p *pool, by change) error {
	named := map[int64]string{}
	err := db.Fill(ctx, r, named, `
select
  m.key,
  p.value ->> 'name'
from json_each(?1) c
cross join memories m on m.key = c.value
cross join json_each(?2) p
where m.created_at between p.value ->> 'from' and p.value ->> 'to'
  or m.valid_from between p.value ->> 'from' and p.value ->> 'to'
  or m.valid_to between p.value ->> 'from' and p.value ->> 'to'
  or instr(m.title || ' ' || m.properties, p.value ->> 'name') > 0`, db.List(Keys(p.all)), db.List(p.Filter.Periods))
	gain := by.share * p.bestScore()
	for key, name := range named {
		c := p.byMemory[key]
		c.Time = name
		c.score(by, len(p.columns), gain)
	}
	p.sum()
	return err
}

// discountReplies leaves a share of the score of replies for the words that they repeat: those that a
// person's memory among the candidates has.
func discountReplies(_ context.Context, _ *db.Reader, p *pool, by change) error {
	saidByPerson := make([]bool, len(p.columns))
	for _, c := range p.all {
		for i := range saidByPerson {
			saidByPerson[i] = saidByPerson[i] || p.turns.isPerson(c.Memory) && c.columns[i] > 0
		}
	}
	for _, c := range p.all {
		for i := range saidByPerson {
			if saidByPerson[i] && p.turns.replies[c.Memory] {
				c.columns[i] *= by.share
			}
		}
		c.set(by, c.ownScore())
	}
	return nil
}

// instructionPattern matches a standing instruction or preference.
var instructionPattern = pattern.Lazy(`(?i)(^|[.!?\n]\s*)(please )?(always|never|from now on)\b|\bI('d| would)? (always |really |usually |strongly )?prefer\b`)

func isOfPerson(c *Candidate) bool { return c.Origin == "person" }

var (
	timeQuestion = pattern.Lazy(`(?i)^(since |until )?when\b|\bhow long\b|\bwh(at|ich) (date|day|time|month|year)\b|\bhow many (days|weeks|months|years)\b`)

	timeWords = pattern.Lazy(`(?i)\b(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?) \d|\b(yesterday|today|tonight|tomorrow|ago|(last|next|this) (week|month|year|night|weekend|summer|winter|spring|fall)|(mon|tues|wednes|thurs|fri|satur|sun)days?|(day|week|month|year)s?|20\d\d)\b`)
)

// asksTime reports whether the question asks for a time.
func asksTime(p *pool) bool { return timeQuestion().MatchString(p.Text) }

// isSaid reports whether a person or an agent said a memory.
func isSaid(c *Candidate) bool { return c.Origin == "person" || c.Origin == "agent" }

// maxRaisedBytes is the length of the longest text that is raised for its words: long texts are about
// many things.
const maxRaisedBytes = 1000

// raiseTexts returns how to add a share of its score to each wanted candidate whose text, as a query reads
// it, matches a pattern.
func raiseTexts(query string, words func() *regexp.Regexp, isWanted func(*Candidate) bool) func(context.Context, *db.Reader, *pool, change) error {
	return func(ctx context.Context, r *db.Reader, p *pool, by change) error {
		keys := []int64{}
		for _, c := range p.reach() {
			if c.size <= maxRaisedBytes && isWanted(c) {
				keys = append(keys, c.Memory)
			}
		}
		texts := map[int64]string{}
		err := db.Fill(ctx, r, texts, query, db.List(keys))
		for key, text := range texts {
			if c := p.byMemory[key]; words().MatchString(text) {
				c.raise(by, by.share*c.reached)
			}
		}
		return err
	}
}

// selectTexts reads the texts of the memories ?1, and selectInstructions those with a word of
// instructionPattern, which are few.
const (
	selectTexts = `
select
  m.key,
  m.content
from json_each(?1) c
cross join memories m on m.key = c.value`
	selectInstructions = selectTexts + `
where instr(m.content, 'lways') + instr(m.content, 'ever') + instr(m.content, 'rom now on') + instr(m.content, 'prefer')`
)

// roles are names of actors that are ordinary words of questions.
var roles = []string{"user", "person", "human", "agent", "assistant", "model", "system"}

// raiseSpeakers raises what somebody said whom the question names.
func raiseSpeakers(_ context.Context, _ *db.Reader, p *pool, by change) error {
	words, isNamed := lexicon.Spaced(p.Text), map[string]bool{}
	for _, c := range p.reach() {
		if _, isKnown := isNamed[c.Actor]; !isKnown {
			name := lexicon.Spaced(c.Actor)
			isNamed[c.Actor] = len(name) > 2 && !slices.Contains(roles, strings.TrimSpace(name)) && strings.Contains(words, name)
		}
		if isNamed[c.Actor] && isSaid(c) {
			c.raise(by, by.share*c.reached)
		}
	}
	return nil
}

// reach returns the candidates that could be among the results if their scores grew as much as
// instructions, times and speakers may raise them, and sets from which score on they are raised.
func (p *pool) reach() []*Candidate {
	if p.reachable != nil {
		return p.reachable
	}
	growth := 1 + p.features[byInstruction].share + p.features[bySpeaker].share
	if asksTime(p) {
		growth += p.features[byTime].share
	}
	p.reachable = p.above(growth)
	for _, c := range p.reachable {
		c.reached = c.Score
	}
	return p.reachable
}

func scoreOf(c *Candidate) float64 { return c.Score }

// above returns the results that would be among the first if their scores grew, with those that are
// named.
func (p *pool) above(growth float64) []*Candidate {
	results := p.results()
	scores := lists.Map(results, scoreOf)
	slices.Sort(scores)
	threshold := 0.0
	if p.Limit < len(scores) {
		threshold = scores[len(scores)-p.Limit] / growth
	}
	return slices.DeleteFunc(results, func(c *Candidate) bool { return c.Score < threshold && c.Name == NotNamed })
}

// doneShare is the share of its score that what an agent did in a conversation keeps beside that of a turn, so that what was
// said comes first.
const doneShare = 0.5

// lowerTurns leaves a share of their scores to turns of conversations and imported sessions, unless the question asks for a
// kind, and less to the commands in one.
func lowerTurns(_ context.Context, _ *db.Reader, p *pool, by change) error {
	if len(p.Filter.Kinds) > 0 {
		by.share = 1
	}
	for _, c := range p.all {
		isImport := c.Origin == "import"
		if isTurn := c.Kind == "turn"; isTurn && isImport {
			c.set(by, c.Score*by.share*doneShare)
		} else if isTurn || c.Kind == "session" && isImport {
			c.set(by, c.Score*by.share)
		}
	}
	return nil
}

// strangerShare is the share of its score that a stranger's text keeps. What its name adds is
// lowered too.
const strangerShare = 0.5

// lowerStrangers leaves a share of their scores to strangers' texts.
func lowerStrangers(ctx context.Context, r *db.Reader, p *pool, by change) error {
	results := p.results()
	if p.Caller.Project == "" {
		results = p.above(1 / by.share)
	}
	if err := readTrust(ctx, r, results); err != nil {
		return err
	}
	for _, c := range results {
		if c.Trust != "" {
			c.set(by, c.Score*by.share)
		}
	}
	return nil
}

// readTrust sets the trust of candidates, which ref.Trust returns.
func readTrust(ctx context.Context, r *db.Reader, candidates []*Candidate) error {
	trust, err := ref.Trust(ctx, r, Keys(candidates))
	for _, c := range candidates {
		c.Trust = trust[c.Memory]
	}
	return err
}

// putStrangersBehind lowers the scores of strangers' texts among candidates that are ranked by
// meaning alone, and sorts by score. If there are none, it keeps the order, in which files
// without text come last however near they are.
func putStrangersBehind(ranked []*Candidate) {
	if !slices.ContainsFunc(ranked, func(c *Candidate) bool { return c.Trust != "" }) {
		return
	}
	for _, c := range ranked {
		if c.Trust != "" && c.Score > 0 {
			c.Score *= strangerShare
		}
	}
	slices.SortStableFunc(ranked, func(a, b *Candidate) int { return cmp.Compare(b.Score, a.Score) })
}

// raiseNames puts memories whose title or alias is the question before all others: it adds the best
// score, more for a more exact name.
func raiseNames(_ context.Context, _ *db.Reader, p *pool, by change) error {
	p.best = 1
	for _, c := range p.results() {
		p.best = max(p.best, c.Score)
	}
	for _, c := range p.results() {
		gain := p.best * float64(c.Name)
		if c.Trust != "" {
			gain *= strangerShare
		}
		c.raise(by, gain)
	}
	return nil
}

// ordered are the kinds that have an order of their own: conversations, and what mirrors files.
var ordered = []string{"turn", "message", "session", "note", "canvas", "file", "code"}

// putNewestFirst gives what was stated last the best score of those that are nearly as good: of two statements on one
// matter the newer one is likely to hold. Memories with the same words of the question in their names, whose scores are
// within a share of the best one of them, exchange their scores.
func putNewestFirst(_ context.Context, _ *db.Reader, p *pool, by change) error {
	stated := map[string][]*Candidate{} // by the words in their names
	for _, c := range p.results() {
		names := make([]byte, len(c.frequencies))
		for i, n := range c.frequencies {
			if n.names > 0 {
				names[i] = 1
			}
		}
		if slices.Contains(names, 1) && !c.IsLast && !slices.Contains(ordered, c.Kind) {
			stated[string(names)] = append(stated[string(names)], c)
		}
	}
	for _, all := range stated {
		slices.SortFunc(all, bestFirst)
		for n := 1; len(all) > 1; all, n = all[n:], 1 {
			for n < len(all) && all[n].Score >= all[0].Score*(1-by.share) {
				n++
			}
			newest, scores := slices.Clone(all[:n]), lists.Map(all[:n], scoreOf)
			slices.SortStableFunc(newest, func(a, b *Candidate) int { return cmp.Compare(b.createdAt, a.createdAt) })
			for i, c := range newest {
				c.set(by, scores[i])
				c.place = i
			}
		}
	}
	return nil
}

// lowerLast puts files without text after all others, even if they are named, and tests, unless
// they are named.
func lowerLast(_ context.Context, _ *db.Reader, p *pool, by change) error {
	isLast := func(c *Candidate) bool { return c.IsLast && (c.Kind != "code" || c.Name == NotNamed) }
	least := math.Inf(1)
	for _, c := range p.results() {
		if !isLast(c) {
			least = min(least, c.Score)
		}
	}
	for _, c := range p.results() {
		if isLast(c) && !math.IsInf(least, 1) {
			c.set(by, c.Score*(least/(p.best*float64(2+exactName))))
		}
	}
	return nil
}
