package ref

import (
	"context"
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
	eachNamed(reflect.ValueOf(result), func(id string, v reflect.Value) {
		if trust := v.FieldByName("Trust"); trust.CanSet() && trust.String() == "" {
			unmarked[id] = append(unmarked[id], trust)
		}
	})
	if len(unmarked) == 0 {
		return nil
	}
	return q.Read(ctx, func(r *db.Reader) error {
		has, _, err := db.One[bool](ctx, r, `select `+LeastRank+` < ?`, RankOfAgent)
		if err != nil || !has {
			return err
		}
		ids := map[int64]string{}
		err = db.Fill(ctx, r, ids, `
select
  m.key,
  m.id
from json_each(?) i
cross join memories m on m.id = i.value`, db.List(slices.Collect(maps.Keys(unmarked))))
		if err != nil {
			return err
		}
		trust, err := Trust(ctx, r, slices.Collect(maps.Keys(ids)))
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
	pending, _ := ctx.Value(pendingKey{}).(map[string]bool)
	return budget.Marking(ctx, func(ctx context.Context, result any) error {
		if len(pending) > 0 {
			eachNamed(reflect.ValueOf(result), func(id string, v reflect.Value) {
				if status := v.FieldByName("Status"); pending[id] && status.Kind() == reflect.String && status.CanSet() && status.String() == "current" {
					status.SetString("pending")
				}
			})
		}
		return Mark(db.Within(ctx), q, result)
	})
}

type pendingKey struct{}

// WithPending returns a context in which Marked also sets the status of memories that wait for a person, by their ids.
func WithPending(ctx context.Context, ids map[string]bool) context.Context {
	return context.WithValue(ctx, pendingKey{}, ids)
}

// MarkError marks what the details of an error name, as budget.Mark does for a result, and
// returns the error.
func MarkError(ctx context.Context, err error) error {
	if known, ok := errors.AsType[*fault.Error](err); ok {
		if failed := budget.Mark(ctx, known.Details); failed != nil {
			return failed
		}
	}
	return err
}

// eachNamed calls visit with each struct within a value that names a memory.
func eachNamed(v reflect.Value, visit func(id string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			eachNamed(v.Elem(), visit)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			eachNamed(v.MapIndex(key), visit)
		}
	case reflect.Slice, reflect.Array:
		if k := v.Type().Elem().Kind(); k == reflect.Struct || k == reflect.Pointer || k == reflect.Slice || k == reflect.Interface {
			for i := range v.Len() {
				eachNamed(v.Index(i), visit)
			}
		}
	case reflect.Struct:
		if IsNamed(v.Type()) && v.FieldByName("ID").String() != "" && v.FieldByName("Title").String() != "" {
			visit(v.FieldByName("ID").String(), v)
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !(f.Anonymous && f.Type == reflect.TypeFor[Named]()) {
				eachNamed(v.Field(i), visit)
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
