package recall

import (
	"cmp"
	"context"
	"database/sql"
	"regexp"
	"slices"
	"strings"

	"hence/internal/db"
)

// What a memory says of itself, beside the words that the question shares with it,
// adds these shares of its score. They are clues, so that none of them brings in a
// memory that has nothing of the question.
const (
	instructs  = 0.5  // a person's standing instruction or preference
	tellsTime  = 0.2  // a time, if the question asks for one
	saidByName = 0.15 // said by whom the question names

	emphases = 1 + instructs + tellsTime + saidByName

	emphasized = 1000 // characters of a memory's beginning that are read
)

var (
	instruction = regexp.MustCompile(`(?i)(^|[.!?\n]\s*)(please )?(always|never|from now on)\b|\bI('d| would)? (always |really |usually |strongly )?prefer\b`)

	// Most texts have none of these, and are not searched.
	instructing = []string{"lways", "ever", "rom now on", "prefer"}

	askedTime = regexp.MustCompile(`(?i)^(since |until )?when\b|\bhow long\b|\bwh(at|ich) (date|day|time|month|year)\b|\bhow many (days|weeks|months|years)\b`)

	times = regexp.MustCompile(`(?i)\b(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?) \d|\b(yesterday|today|tonight|tomorrow|ago|(last|next|this) (week|month|year|night|weekend|summer|winter|spring|fall)|(mon|tues|wednes|thurs|fri|satur|sun)days?|(day|week|month|year)s?|20\d\d)\b`)
)

// roles are names of actors that say what somebody is, and are words of questions too.
var roles = []string{"user", "person", "human", "agent", "assistant", "model", "system"}

// emphasize adds to the scores of those candidates that could come among the results.
func (p *pool) emphasize(ctx context.Context, r *db.Reader, question string, limit int) error {
	scores := []float64{}
	for _, c := range p.all {
		if c.passes {
			scores = append(scores, c.score)
		}
	}
	slices.SortFunc(scores, func(a, b float64) int { return cmp.Compare(b, a) })
	reach := 0.0
	if limit < len(scores) {
		reach = scores[limit-1] / emphases
	}
	keys := []int64{}
	for _, c := range p.all {
		if c.passes && c.score >= reach {
			keys = append(keys, c.memory)
		}
	}
	named, asksTime := " "+strings.Join(slices.Collect(words(question)), " ")+" ", askedTime.MatchString(question)
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var origin, actor, text string
		if err := row.Scan(&key, &origin, &actor, &text); err != nil {
			return err
		}
		gain := 1.0
		if origin == "person" && len(text) < emphasized && isInstruction(text) {
			gain += instructs
		}
		if asksTime && len(text) < emphasized && times.MatchString(text) {
			gain += tellsTime
		}
		if isNamed(actor, named) {
			gain += saidByName
		}
		p.at[key].score *= gain
		return nil
	}, `
select
  m.key,
  m.origin,
  m.actor,
  substr(m.content, 1, ?2)
from json_each(?1) c
cross join memories m on m.key = c.value
where m.origin in ('person', 'agent')`, db.List(keys), emphasized)
}

// isInstruction reports whether a text says how things are to be done.
func isInstruction(text string) bool {
	return slices.ContainsFunc(instructing, func(part string) bool { return strings.Contains(text, part) }) && instruction.MatchString(text)
}

// isNamed reports whether all words of an actor's name are in a question in a row; its
// words have a blank before and after each.
func isNamed(actor, question string) bool {
	name := strings.Join(slices.Collect(words(actor)), " ")
	return name != "" && !slices.Contains(roles, name) && strings.Contains(question, " "+name+" ")
}
