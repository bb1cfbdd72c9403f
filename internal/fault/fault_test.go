package fault_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"hence/internal/fault"
)

func TestCodeOf(t *testing.T) {
	known := fault.New(fault.Conflict, "moved on")
	for _, c := range []struct {
		name string
		err  error
		want fault.Code
	}{
		{"Nil", nil, ""},
		{"OfAnother", io.EOF, fault.Internal},
		{"Itself", known, fault.Conflict},
		{"Wrapped", fmt.Errorf("while linking: %w", known), fault.Conflict},
		{"Joined", errors.Join(io.EOF, known), fault.Conflict},
		{"TheOuterOfTwo", fault.Wrap(fault.Unavailable, known, "later"), fault.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := fault.CodeOf(c.err); got != c.want {
				t.Errorf("CodeOf = %q, want %q", got, c.want)
			}
		})
	}
}

func TestWrapKeepsTheCause(t *testing.T) {
	err := fault.Wrap(fault.Internal, os.ErrNotExist, "read %s", "a.db")
	if !errors.Is(err, os.ErrNotExist) {
		t.Error("the cause is lost")
	}
	if want := "read a.db: file does not exist"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	if want := "100%"; fault.New(fault.Internal, "%d%%", 100).Error() != want {
		t.Errorf("%q, want %q", fault.New(fault.Internal, "%d%%", 100), want)
	}
}

// Errors may be shared, so With must not modify them.
func TestWithLeavesTheOriginalAlone(t *testing.T) {
	shared := fault.New(fault.Cycle, "cycle").With("a", 1)
	one, two := shared.With("b", 2), shared.With("a", 3)
	if len(shared.Details) != 1 || shared.Details["a"] != 1 {
		t.Errorf("the original has %v", shared.Details)
	}
	if len(one.Details) != 2 || one.Details["a"] != 1 || one.Details["b"] != 2 || two.Details["a"] != 3 {
		t.Errorf("%v and %v", one.Details, two.Details)
	}
	if one.Code != fault.Cycle || one.Message != "cycle" {
		t.Errorf("the copy is %+v", one)
	}
}

func TestCodesAreThoseOfTheContract(t *testing.T) {
	const contract = "invalid_argument not_found ambiguous cycle conflict outcome_unknown exists outside_vault read_only unavailable too_large internal"
	got := []string{}
	for _, c := range fault.Codes() {
		got = append(got, string(c))
	}
	if !slices.Equal(got, strings.Fields(contract)) {
		t.Errorf("Codes() = %v, want %s", got, contract)
	}
}
