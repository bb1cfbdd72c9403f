package rank

import (
	"context"
	"database/sql"

	"hence/internal/db"
	"hence/memory/recall/question"
)

// LastListed is the last memory of a page of a list by time.
type LastListed struct {
	Group int
	At    string // when it was changed
	Key   int64
}

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
    ` + question.FirstSection + ` as section,
    m.id as id,
    octet_length(m.content) as size,
    iif(` + isNamed + `, ` + namedGroup + `, 3 * ` + sortsLast + ` + ` + nearnessTo + `) as last,
    m.updated_at as changed,
    count(*) over () as total
  from memories m
  where ?1 = ''
    and (` + isNamed + ` or ` + question.Passes + `)
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

// ListLatest returns the memories that pass the filter of a question, and their number: first
// those whose title is the question's text, then those of a project, the last changed first.
// It starts after the memory after.
func ListLatest(ctx context.Context, r *db.Reader, q question.Query, f question.Filter, project string, limit int, after LastListed) (all []*Candidate, matching Total, err error) {
	namesakes, err := findNamesakes(ctx, r, q, nil, f)
	if err != nil {
		return nil, Total{}, err
	}
	keys, nameMatch := []int64{}, map[int64]int{}
	for _, n := range namesakes {
		keys, nameMatch[n.Memory] = append(keys, n.Memory), n.nameMatch
	}
	matching.Exact = true
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		c := &Candidate{}
		all = append(all, c)
		err := row.Scan(append(c.fields(), &c.Group, &c.Changed, &matching.Count)...)
		c.NameMatch = nameMatch[c.Memory]
		return err
	}, selectByTime, f.Bind("", limit, after.Key != 0, after.Group, after.At, after.Key, project, db.List(keys))...)
	if err == nil {
		err = readTrust(ctx, r, all)
	}
	return all, matching, err
}
