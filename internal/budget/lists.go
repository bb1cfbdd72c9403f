package budget

import (
	"context"
	"reflect"
	"slices"
)

// HoldLists is Hold for a struct whose entries are in several lists: the fields with the given
// names, which are slices, or structs of a slice Items with its counts. It takes entries from the
// lists in turn. Where it cuts texts, it also empties the lists within an entry. The struct has the
// fields Truncated and Next.
func HoldLists[R any](ctx context.Context, operation string, budget int, result R, names ...string) (R, error) {
	lengths, entries := make([]int, len(names)), 0
	for i, name := range names {
		lengths[i] = itemsOf(reflect.ValueOf(&result).Elem().FieldByName(name)).Len()
		entries += lengths[i]
	}
	return Hold(ctx, operation, budget, entries, func(n, bytes int) R {
		short := result
		s := reflect.ValueOf(&short).Elem()
		for i, share := range Share(n, lengths...) {
			list := s.FieldByName(names[i])
			shorten(itemsOf(list), share, bytes)
			if list.Kind() == reflect.Struct {
				list.FieldByName("ReturnedCount").SetInt(int64(share))
				list.FieldByName("Truncated").SetBool(int64(share) < list.FieldByName("TotalCount").Int())
			}
		}
		if n < entries || bytes < Whole {
			s.FieldByName("Truncated").SetBool(true)
			s.FieldByName("Next").SetString(Next)
		}
		return short
	})
}

// itemsOf returns the slice of a list.
func itemsOf(list reflect.Value) reflect.Value {
	if list.Kind() == reflect.Struct {
		return list.FieldByName("Items")
	}
	return list
}

// shorten sets a slice to a copy of its first n items, with each text cut to a number of bytes.
func shorten(items reflect.Value, n, bytes int) {
	first := reflect.MakeSlice(items.Type(), n, n)
	reflect.Copy(first, items)
	for i := range n {
		if bytes < Whole {
			cutTexts(first.Index(i), bytes)
		}
	}
	items.Set(first)
}

// texts are the fields of an entry that are cut. Others are ids, paths, times and words of the
// vocabulary.
var texts = []string{"Title", "Name", "Note", "Target", "Text", "Why"}

func cutTexts(entry reflect.Value, bytes int) {
	for i := range entry.NumField() {
		switch field := entry.Field(i); field.Kind() {
		case reflect.Struct:
			cutTexts(field, bytes)
		case reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 0, 0))
		case reflect.String:
			if slices.Contains(texts, entry.Type().Field(i).Name) {
				text, _ := Cut(field.String(), bytes)
				field.SetString(text)
			}
		}
	}
}
