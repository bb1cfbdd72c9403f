package rank

import (
	"context"
	"database/sql"
	"regexp"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/memory/recall/lexicon"
)

// These gains raise the score of a memory for clues other than the words of the question.
// Each adds a share of the score, so that it brings in no memory without a word of the
// question. Long texts are about many things: they gain by the name of their speaker only.
//
// The constants were chosen on chats of BEAM and turns of LoCoMo (make bench-recall).
const (
	instructionGain = 0.5  // for a standing instruction or preference of a person
	timeGain        = 0.2  // for a text with a time, if the question asks for one
	speakerGain     = 0.15 // for a speaker whom the question names

	maxEmphasizedBytes = 1000 // bytes of the longest text that is read
)

var (
	instructionPattern = regexp.MustCompile(`(?i)(^|[.!?\n]\s*)(please )?(always|never|from now on)\b|\bI('d| would)? (always |really |usually |strongly )?prefer\b`)

	timeQuestion = regexp.MustCompile(`(?i)^(since |until )?when\b|\bhow long\b|\bwh(at|ich) (date|day|time|month|year)\b|\bhow many (days|weeks|months|years)\b`)

	timeWords = regexp.MustCompile(`(?i)\b(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?) \d|\b(yesterday|today|tonight|tomorrow|ago|(last|next|this) (week|month|year|night|weekend|summer|winter|spring|fall)|(mon|tues|wednes|thurs|fri|satur|sun)days?|(day|week|month|year)s?|20\d\d)\b`)
)

// roles are names of actors that are ordinary words of questions.
var roles = []string{"user", "person", "human", "agent", "assistant", "model", "system"}

// emphasize adds the gains to the scores of the candidates that could be among the first limit
// results.
func (p *pool) emphasize(ctx context.Context, r *db.Reader, question string, limit int) error {
	questionWords, asksTime := " "+strings.Join(slices.Collect(lexicon.Words(question)), " ")+" ", timeQuestion.MatchString(question)
	maxGrowth := 1 + instructionGain + speakerGain
	if asksTime {
		maxGrowth += timeGain
	}
	keys := p.candidatesInReach(limit, maxGrowth)
	gains := map[int64]float64{}
	if asksTime || p.peopleSpeak {
		if err := p.addTextGains(ctx, r, keys, asksTime, gains); err != nil {
			return err
		}
	}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var actor, list string
		err := row.Scan(&actor, &list)
		name := strings.Join(slices.Collect(lexicon.Words(actor)), " ")
		if name == "" || slices.Contains(roles, name) || !strings.Contains(questionWords, " "+name+" ") {
			return err
		}
		var keysOfActor []int64
		err = db.ReadColumn(actor, "keys", list, &keysOfActor)
		for _, key := range keysOfActor {
			gains[key] += speakerGain
		}
		return err
	}, `
select
  m.actor,
  json_group_array(m.key)
from json_each(?1) c
cross join memories m on m.key = c.value
where m.origin in ('person', 'agent')
  and m.actor <> ''
group by m.actor`, db.List(keys))
	for key, gain := range gains {
		p.byMemory[key].Score *= 1 + gain
	}
	return err
}

// addTextGains adds the gains for instructions and times in the texts of memories to gains.
func (p *pool) addTextGains(ctx context.Context, r *db.Reader, keys []int64, asksTime bool, gains map[int64]float64) error {
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var isPerson bool
		var text sql.RawBytes
		if err := row.Scan(&key, &isPerson, &text); err != nil {
			return err
		}
		if isPerson && instructionPattern.Match(text) {
			gains[key] += instructionGain
		}
		if asksTime && timeWords.Match(text) {
			gains[key] += timeGain
		}
		return nil
	}, selectEmphasis, db.List(keys), maxEmphasizedBytes, asksTime)
}

// selectEmphasis reads the texts of at most ?2 bytes among the memories ?1: all if the question
// asks for a time (?3), else those of a person that have a part of an instruction's words,
// which are few.
const selectEmphasis = `
select
  m.key,
  m.origin = 'person',
  m.content
from json_each(?1) c
cross join memories m on m.key = c.value
where m.origin in ('person', 'agent')
  and octet_length(m.content) <= ?2
  and (
    ?3
    or m.origin = 'person'
    and (
      instr(m.content, 'lways') > 0
      or instr(m.content, 'ever') > 0
      or instr(m.content, 'rom now on') > 0
      or instr(m.content, 'prefer') > 0
    )
  )`

// candidatesInReach returns the keys of the candidates that would be among the first limit
// results if their own scores were multiplied by growth.
func (p *pool) candidatesInReach(limit int, growth float64) (keys []int64) {
	scores, passers := []float64{}, p.passers()
	for _, c := range passers {
		scores = append(scores, c.Score)
	}
	slices.Sort(scores)
	threshold := 0.0
	if limit < len(scores) {
		threshold = scores[len(scores)-limit] / growth
	}
	for _, c := range passers {
		if c.Score >= threshold {
			keys = append(keys, c.Memory)
		}
	}
	return keys
}
