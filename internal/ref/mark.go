package ref

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"reflect"
	"slices"

	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
)

// Mark sets the field Trust of every memory that a result names and whose text is a
// stranger's: of every struct within it that has an ID, a Title and a Trust. result is a
// pointer. Whoever shows a result calls it, so that no query has to remember the mark; see
// budget.Mark.
func Mark(ctx context.Context, q db.Source, result any) error {
	unmarked := map[string][]reflect.Value{}
	findNames(reflect.ValueOf(result), unmarked)
	if len(unmarked) == 0 {
		return nil
	}
	return q.Read(ctx, func(r *db.Reader) error {
		has, _, err := db.One[bool](ctx, r, `select `+LeastRank+` < ?`, RankOfAgent)
		if err != nil || !has {
			return err
		}
		ids, keys := map[int64]string{}, []int64{}
		err = db.Each(ctx, r, func(row *sql.Rows) error {
			var key int64
			var id string
			err := row.Scan(&key, &id)
			ids[key], keys = id, append(keys, key)
			return err
		}, `
select
  m.key,
  m.id
from json_each(?) i
cross join memories m on m.id = i.value`, db.List(slices.Collect(maps.Keys(unmarked))))
		if err != nil {
			return err
		}
		trust, err := Trust(ctx, r, keys)
		for key, mark := range trust {
			for _, field := range unmarked[ids[key]] {
				field.SetString(mark)
			}
		}
		return err
	})
}

// Marked returns a context in which budget.Mark, and whatever fits a result into a budget,
// marks what the result names: see Mark.
func Marked(ctx context.Context, q db.Source) context.Context {
	return budget.Marking(ctx, func(ctx context.Context, result any) error { return Mark(db.Within(ctx), q, result) })
}

// MarkError marks what the details of an error name, as budget.Mark does for a result, and
// returns the error.
func MarkError(ctx context.Context, err error) error {
	var known *fault.Error
	if errors.As(err, &known) {
		if failed := budget.Mark(ctx, known.Details); failed != nil {
			return failed
		}
	}
	return err
}

// findNames adds the empty fields Trust of the memories within a value to all, by their ids.
func findNames(v reflect.Value, all map[string][]reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			findNames(v.Elem(), all)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			findNames(v.MapIndex(key), all)
		}
	case reflect.Slice, reflect.Array:
		if k := v.Type().Elem().Kind(); k == reflect.Struct || k == reflect.Pointer || k == reflect.Slice || k == reflect.Interface {
			for i := range v.Len() {
				findNames(v.Index(i), all)
			}
		}
	case reflect.Struct:
		id, title, trust := v.FieldByName("ID"), v.FieldByName("Title"), v.FieldByName("Trust")
		if IsNamed(v.Type()) && id.String() != "" && title.String() != "" && trust.CanSet() && trust.String() == "" {
			all[id.String()] = append(all[id.String()], trust)
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !(f.Anonymous && f.Type == reflect.TypeFor[Named]()) {
				findNames(v.Field(i), all)
			}
		}
	}
}

// IsNamed reports whether a type of struct names a memory, so that Mark marks it.
func IsNamed(t reflect.Type) bool {
	for _, name := range []string{"ID", "Title", "Trust"} {
		if f, ok := t.FieldByName(name); !ok || f.Type.Kind() != reflect.String {
			return false
		}
	}
	return true
}
