package receipts

import (
	"context"
	"database/sql"
	"time"
)

// Mark is what hooks know of a session: see the table marks.
type Mark struct {
	Word, Value, Event string
	At                 int64
}

// ReadMarks returns when a session began, the zero time if nothing is known of it, and its marks in
// their order.
func (b *Book) ReadMarks(ctx context.Context, id, agent string) (began time.Time, all []Mark, err error) {
	err = b.each(ctx, func(row *sql.Rows) error {
		var m Mark
		var at int64
		err := row.Scan(&at, &m.Word, &m.Value, &m.Event, &m.At)
		if began = time.UnixMilli(at); m.Word != "" {
			all = append(all, m)
		}
		return err
	}, `
select
  s.began,
  coalesce(m.word, ''),
  coalesce(m.value, ''),
  coalesce(m.event, ''),
  coalesce(m.at, 0)
from sessions s
left join marks m on m.session = s.key
where s.id = ?
  and s.agent = ?
order by m.at`, id, agent)
	return began, all, err
}

// PutMarks adds marks of one word, and those that are there become the last again. The marks of the words in
// place of which they come go.
func (b *Book) PutMarks(ctx context.Context, id, agent string, began time.Time, word, event string, values []string, inPlaceOf ...string) error {
	if b == nil {
		return nil
	}
	return b.write(ctx, func(tx *sql.Tx) error {
		of, err := session(ctx, tx, id, agent, began, time.Now())
		for _, other := range inPlaceOf {
			if err == nil {
				_, err = tx.ExecContext(ctx, `delete from marks where session = ? and word = ?`, of, other)
			}
		}
		order := time.Now().UnixNano()
		for i, value := range values {
			if err == nil {
				_, err = tx.ExecContext(ctx, `
insert into marks (session, word, value, event, at)
values (?, ?, ?, ?, ?)
on conflict do update
set at = excluded.at`, of, word, value, event, order+int64(i))
			}
		}
		return err
	})
}

// Claim reports whether a call gets the right to say a thing, named by a key. Of several that claim it
// within a life one gets it; with a life of 0 it is had for good.
func (b *Book) Claim(ctx context.Context, id, agent string, began time.Time, key string, life time.Duration, now time.Time) (won bool, err error) {
	err = b.write(ctx, func(tx *sql.Tx) error {
		of, err := session(ctx, tx, id, agent, began, time.Now())
		if err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, `
insert into marks (session, word, value, event, at)
values (?1, 'claim', ?2, '', ?3)
on conflict do update
set at = excluded.at
where ?4 > 0
  and excluded.at - at > ?4`, of, key, now.UnixNano(), life.Nanoseconds())
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		won = n == 1
		return err
	})
	return won, err
}
