package memory

import (
	"fmt"

	"hence/internal/args"
	"hence/internal/db"
)

// HoldsWords says in words which valid_from, valid_to and confidence the change sets, such as
// "valid_to to none".
func (a UpdateArgs) HoldsWords() (what []string) {
	for _, one := range []struct {
		name  string
		value *string
	}{{"valid_from", a.ValidFrom}, {"valid_to", a.ValidTo}} {
		switch {
		case one.value == nil:
		case args.Removes(*one.value):
			what = append(what, one.name+" to none")
		default:
			what = append(what, one.name+" to "+*one.value)
		}
	}
	switch {
	case a.Confidence == nil:
	case args.Removes(*a.Confidence):
		what = append(what, "confidence to none")
	default:
		what = append(what, fmt.Sprintf("confidence to %.2g", *a.Confidence))
	}
	return what
}

// validity returns the values that a change gives to the columns confidence, valid_from and
// valid_to: nil removes the value, "keep" leaves it.
func (a UpdateArgs) validity() (columns map[string]any, err error) {
	columns = map[string]any{"confidence": "keep", "valid_from": "keep", "valid_to": "keep"}
	set := func(column string, value any) {
		if args.Removes(value) {
			value = nil
		}
		columns[column] = value
	}
	from, to := "", ""
	if a.ValidFrom != nil {
		from = *a.ValidFrom
	}
	if a.ValidTo != nil {
		to = *a.ValidTo
	}
	if from, to, err = db.ParseSpan(from, to); err != nil {
		return nil, err
	}
	if a.ValidFrom != nil {
		set("valid_from", from)
	}
	if a.ValidTo != nil {
		set("valid_to", to)
	}
	if a.Confidence != nil {
		set("confidence", *a.Confidence)
	}
	return columns, nil
}
