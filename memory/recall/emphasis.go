package recall

import (
	"context"
	"database/sql"
	"regexp"
	"slices"
	"strings"

	"hence/memory/recall/lexicon"

	"hence/internal/db"
)

// These shares of its score are added for what a memory says of itself, beside the words
// that the question shares with it. They are clues, so that none of them brings in a
// memory that has nothing of the question. Long texts speak of many things, and are left
// out but for the name of who said them.
//
// They were chosen on chats of BEAM and turns of LoCoMo (make bench-recall).
const (
	instructs  = 0.5  // a person's standing instruction or preference
	tellsTime  = 0.2  // a time, if the question asks for one
	saidByName = 0.15 // said by whom the question names

	emphasized = 1000 // bytes of the longest text that is read
)

var (
	instruction = regexp.MustCompile(`(?i)(^|[.!?\n]\s*)(please )?(always|never|from now on)\b|\bI('d| would)? (always |really |usually |strongly )?prefer\b`)

	askedTime = regexp.MustCompile(`(?i)^(since |until )?when\b|\bhow long\b|\bwh(at|ich) (date|day|time|month|year)\b|\bhow many (days|weeks|months|years)\b`)

	times = regexp.MustCompile(`(?i)\b(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?) \d|\b(yesterday|today|tonight|tomorrow|ago|(last|next|this) (week|month|year|night|weekend|summer|winter|spring|fall)|(mon|tues|wednes|thurs|fri|satur|sun)days?|(day|week|month|year)s?|20\d\d)\b`)
)

// roles are names of actors that say what somebody is, and are words of questions too.
var roles = []string{"user", "person", "human", "agent", "assistant", "model", "system"}

// emphasize adds to the scores of those candidates that could come among the results.
func (p *pool) emphasize(ctx context.Context, r *db.Reader, question string, limit int) error {
	named, asksTime := " "+strings.Join(slices.Collect(lexicon.Words(question)), " ")+" ", askedTime.MatchString(question)
	most := 1 + instructs + saidByName
	if asksTime {
		most += tellsTime
	}
	keys := p.withinReach(limit, most)
	gains := map[int64]float64{}
	if asksTime || p.peopleSpeak {
		if err := p.readTelling(ctx, r, keys, asksTime, gains); err != nil {
			return err
		}
	}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var actor, list string
		err := row.Scan(&actor, &list)
		name := strings.Join(slices.Collect(lexicon.Words(actor)), " ")
		if name == "" || slices.Contains(roles, name) || !strings.Contains(named, " "+name+" ") {
			return err
		}
		var said []int64
		err = db.ReadColumn(actor, "keys", list, &said)
		for _, key := range said {
			gains[key] += saidByName
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
		p.at[key].score *= 1 + gain
	}
	return err
}

// readTelling adds to the gains of memories what their texts tell.
func (p *pool) readTelling(ctx context.Context, r *db.Reader, keys []int64, asksTime bool, gains map[int64]float64) error {
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var isPerson bool
		var text sql.RawBytes
		if err := row.Scan(&key, &isPerson, &text); err != nil {
			return err
		}
		if isPerson && instruction.Match(text) {
			gains[key] += instructs
		}
		if asksTime && times.Match(text) {
			gains[key] += tellsTime
		}
		return nil
	}, selectTelling, db.List(keys), emphasized, asksTime)
}

// selectTelling reads the short texts among the memories ?1 that may be an instruction,
// or may tell a time if one is asked for: most have no part of an instruction's words.
const selectTelling = `
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

// withinReach returns the candidates that would come among the first limit results if
// their scores were multiplied by growth.
func (p *pool) withinReach(limit int, growth float64) (keys []int64) {
	scores, passing := []float64{}, p.passers()
	for _, c := range passing {
		scores = append(scores, c.score)
	}
	slices.Sort(scores)
	least := 0.0
	if limit < len(scores) {
		least = scores[len(scores)-limit] / growth
	}
	for _, c := range passing {
		if c.score >= least {
			keys = append(keys, c.memory)
		}
	}
	return keys
}
