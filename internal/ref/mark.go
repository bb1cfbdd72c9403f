package ref

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

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
	eachNamed(reflect.ValueOf(result), "", func(v reflect.Value, id, _ string) {
		if trust := v.FieldByName("Trust"); hasTitle(v) && trust.CanSet() && trust.String() == "" {
			unmarked[id] = append(unmarked[id], trust)
		}
	})
	if len(unmarked) == 0 {
		return nil
	}
	return q.Read(ctx, func(r *db.Reader) error {
		has, err := HasStrangers(ctx, r)
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
			eachNamed(reflect.ValueOf(result), "", func(v reflect.Value, id, _ string) {
				if status := v.FieldByName("Status"); pending[id] && hasTitle(v) && status.Kind() == reflect.String && status.CanSet() && status.String() == "current" {
					status.SetString("pending")
				}
			})
		}
		if r, ok := ctx.Value(snapshotKey{}).(*db.Reader); ok {
			return Mark(ctx, r, result)
		}
		return Mark(db.Within(ctx), q, result)
	})
}

type snapshotKey struct{}

// In returns a context in which Marked reads from a snapshot, for a result that is fitted while it is read: a
// connection more takes as long to open as the store.
func In(ctx context.Context, r *db.Reader) context.Context {
	return context.WithValue(ctx, snapshotKey{}, r)
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

// eachNamed calls visit with each struct within a value that names a memory by its id, and with the name of the list of the
// result in which it stands: why, unless a field within the value has a name.
func eachNamed(v reflect.Value, why string, visit func(v reflect.Value, id, why string)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			eachNamed(v.Elem(), why, visit)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			eachNamed(v.MapIndex(key), why, visit)
		}
	case reflect.Slice, reflect.Array:
		if k := v.Type().Elem().Kind(); k == reflect.Struct || k == reflect.Pointer || k == reflect.Slice || k == reflect.Interface {
			for i := range v.Len() {
				eachNamed(v.Index(i), why, visit)
			}
		}
	case reflect.Struct:
		if IsNamed(v.Type()) {
			if id := v.FieldByName("ID").String(); id != "" {
				visit(v, id, why)
			}
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() || f.Anonymous && f.Type == reflect.TypeFor[Named]() {
				continue
			}
			within := why
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); !f.Anonymous && name != "" && name != "-" {
				within = name
			}
			eachNamed(v.Field(i), within, visit)
		}
	}
}

func hasTitle(v reflect.Value) bool { return v.FieldByName("Title").String() != "" }

// IsNamed reports whether a type of struct names a memory, so that Mark marks it.
func IsNamed(t reflect.Type) bool {
	for _, name := range []string{"ID", "Title", "Trust"} {
		if f, ok := t.FieldByName(name); !ok || f.Type.Kind() != reflect.String {
			return false
		}
	}
	return true
}
