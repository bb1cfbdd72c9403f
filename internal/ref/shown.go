package ref

import (
	"context"
	"database/sql"
	"reflect"
	"slices"
	"strings"

	"hence/internal/db"
)

// Shown is a memory in an answer.
type Shown struct {
	ID  string // or the short id
	Why string // the name of the list of the answer in which it stands, such as results
	Range
	Text string // its content, where the answer tells what calls that wait would do; "" elsewhere
}

// Range is a part of a memory's content, in bytes. It is empty where only the title is shown; with a To
// of -1 it reaches to the end.
type Range struct{ From, To int }

// ReadTexts sets the texts of memories, and their whole ids.
func ReadTexts(ctx context.Context, q db.Source, all []Shown) error {
	for i := range all {
		err := db.Each(ctx, q, func(row *sql.Rows) error { return db.Scan(row, &all[i].ID, &all[i].Text) }, `
select
  id,
  content
from memories
where id = ?1
  or length(?1) = 8 and substr(id, -8) = ?1`, all[i].ID)
		if err != nil {
			return err
		}
	}
	return nil
}

// RangeOf returns where in a content a part of it is, which may end with an ellipsis; the whole content if
// it does not stand there word for word.
func RangeOf(content, part string) Range {
	part = strings.TrimSuffix(part, "…")
	if i := strings.Index(content, part); i >= 0 {
		return Range{i, i + len(part)}
	}
	return Range{0, len(content)}
}

// ranger is a memory within a result that shows a part of its content.
type ranger interface{ ShownRange() Range }

// ShownIn returns the memories that a result names, in order, each once for each part of it that is
// shown: every struct within it that Mark could mark. A part says itself where it is, by ShownRange.
func ShownIn(result any) []Shown {
	all, seen, ranged := []Shown{}, map[Shown]bool{}, map[string]bool{} // ids of memories of which a part is shown
	eachNamed(reflect.ValueOf(result), "named", func(v reflect.Value, id, why string) {
		one := Shown{ID: id, Why: why}
		if r, ok := v.Interface().(ranger); ok {
			if one.Range = r.ShownRange(); one.From == one.To {
				one.Range = Range{}
			}
		}
		key := Shown{ID: id, Range: one.Range}
		if seen[key] {
			return
		}
		seen[key], all = true, append(all, one)
		ranged[id] = ranged[id] || one.Range != (Range{})
	})
	return slices.DeleteFunc(all, func(one Shown) bool { return one.Range == (Range{}) && ranged[one.ID] })
}
