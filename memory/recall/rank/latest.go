package rank

import (
	"context"
	"database/sql"

	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory/recall/question"
)

// Listed is the place of a memory in a list by time.
type Listed struct {
	Group int
	At    string // when it was changed
	Key   int64
}

// Latest returns the memories that pass the filter of a question, and their number: first
// those whose title is the question's text, then those of the caller's project, the last changed
// first. It starts behind the place after.
func Latest(ctx context.Context, r *db.Reader, a Asked, after Listed) (all []*Candidate, matching Total, err error) {
	namesakes, err := findNamesakes(ctx, r, a)
	if err != nil {
		return nil, Total{}, err
	}
	names := map[int64]int{}
	for _, c := range namesakes {
		names[c.Memory] = c.Name
	}
	matching.Exact = true
	all, err = db.Select(ctx, r, func(row *sql.Rows) (*Candidate, error) {
		c := &Candidate{}
		err := row.Scan(append(c.fields(), &c.Listed.Group, &c.Listed.At, &matching.Count)...)
		c.Name, c.Listed.Key = names[c.Memory], c.Memory
		return c, err
	}, selectByTime, a.Filter.Bind("", a.Limit, after.Key != 0, after.Group, after.At, after.Key, a.Caller.Own(), db.List(Keys(namesakes)))...)
	if err == nil {
		err = readTrust(ctx, r, all)
	}
	return all, matching, err
}

// selectByTime lists the memories that pass the filter or are among ?16. It sorts by group
// (those of ?16, those of the project ?15, the others), then the last changed first. It starts
// after the cursor ?12 to ?14 unless ?11 is 0.
var selectByTime = `
select *
from (
  select` + candidateOf(question.FirstSection, "0.0", "true") + `,
    iif(` + isNamed + `, -1, 3 * ` + sortsLast + ` + ` + ref.Nearness("?15") + `) as place,
    m.updated_at as changed,
    count(*) over () as total
  from memories m
  where ?1 = ''
    and (` + isNamed + ` or ` + question.Passes + `)
)
where ?11 = 0
  or place > ?12
  or place = ?12 and (changed < ?13 or changed = ?13 and id > coalesce((select l.id from memories l where l.key = ?14), ''))
order by place, changed desc, id
limit ?10`

const isNamed = `m.key in (select value from json_each(?16))`
