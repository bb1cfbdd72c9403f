package oauth

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/internal/db"
	"hence/internal/fault"
)

// Rule is a row of the map of tokens: what a token with a value of a claim gives access to.
type Rule struct {
	Claim     string  `json:"claim"` // scope, groups, sub, email …
	Value     string  `json:"value"`
	Namespace string  `json:"namespace,omitempty"` // the only one; "": all
	ReadOnly  bool    `json:"read_only"`
	Rate      float64 `json:"rate,omitempty"`     // requests a second; 0: as the server has it
	MaxBody   int64   `json:"max_body,omitempty"` // bytes of a request; 0: as the server has it
	CreatedAt string  `json:"created_at"`
}

const maxText = 200 // characters of a claim's name or value

// Map adds a row to the map, or changes the one of the same claim and value. It fails with
// invalid_argument for a claim without a name or value.
func Map(ctx context.Context, d *db.DB, actor string, r Rule) error {
	r.Claim, r.Value = strings.TrimSpace(r.Claim), strings.TrimSpace(r.Value)
	for _, text := range []string{r.Claim, r.Value} {
		if n := utf8.RuneCountInString(text); n == 0 || n > maxText {
			return fault.New(fault.InvalidArgument, "token map: a claim and its value have 1 to %d characters: hence token map scope hence:read", maxText)
		}
	}
	if r.Claim == "scope" && strings.ContainsFunc(r.Value, unicode.IsSpace) {
		return fault.New(fault.InvalidArgument, "token map: %q is several scopes; map one at a time", r.Value)
	}
	if r.Rate < 0 || r.MaxBody < 0 {
		return fault.New(fault.InvalidArgument, "token map: a rate or size must be at least 0")
	}
	now := db.Now()
	_, err := d.Write(ctx, actor, now, db.S(`
insert into token_map (claim, value, namespace, read_only, rate, max_body, created_at)
values (?1, ?2, nullif(?3, ''), ?4, nullif(?5, 0), nullif(?6, 0), ?7)
on conflict (claim, value) do update set
  namespace = excluded.namespace,
  read_only = excluded.read_only,
  rate = excluded.rate,
  max_body = excluded.max_body`, r.Claim, r.Value, r.Namespace, r.ReadOnly, r.Rate, r.MaxBody, now))
	return err
}

// Unmap removes a row. It fails with not_found if there is none.
func Unmap(ctx context.Context, d *db.DB, actor, claim, value string) error {
	_, err := d.Write(ctx, actor, db.Now(),
		db.Expect(`exists (select 1 from token_map where claim = ? and value = ?)`,
			fault.New(fault.NotFound, "token map: nothing is mapped for %s %s; hence token map shows the rows", claim, value), claim, value),
		db.S(`delete from token_map where claim = ? and value = ?`, claim, value))
	return err
}

// Rules returns the map, in the order in which its rows were added.
func Rules(ctx context.Context, d *db.DB) ([]Rule, error) {
	return db.Select(ctx, d, db.Fields(func(r *Rule) []any {
		return []any{&r.Claim, &r.Value, &r.Namespace, &r.ReadOnly, &r.Rate, &r.MaxBody, &r.CreatedAt}
	}), `
select
  claim,
  value,
  coalesce(namespace, ''),
  read_only,
  coalesce(rate, 0.0),
  coalesce(max_body, 0),
  created_at
from token_map
order by key`)
}

// Right returns what a token gives access to by the rows of the map that it has. A row with
// a namespace confines it to that one, whatever other rows give; of several namespaces the
// first that was added decides. The rows of one claim add up, and claims confine each other:
// a token writes if each claim with a row for that place lets it, so that a group does not
// give what the scope withholds. Of limits the least holds. It reports false for a token
// without a row: nothing is given by default.
func Right(rules []Rule, c Claims) (right Rule, ok bool) {
	has := []Rule{}
	for _, r := range rules {
		if slices.Contains(c.values[r.Claim], r.Value) {
			has, right.Namespace = append(has, r), cmp.Or(right.Namespace, r.Namespace)
		}
	}
	writes := map[string]bool{} // by claim
	for _, r := range has {
		if r.Namespace == "" || r.Namespace == right.Namespace {
			writes[r.Claim] = writes[r.Claim] || !r.ReadOnly
			right.Rate, right.MaxBody = least(right.Rate, r.Rate), least(right.MaxBody, r.MaxBody)
		}
	}
	for _, may := range writes {
		right.ReadOnly = right.ReadOnly || !may
	}
	return right, len(has) > 0
}

// least returns the smaller of two limits, of which 0 is none.
func least[T int64 | float64](a, b T) T {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// ScopeToWrite returns the first row of a scope that would let a token write where it may
// only read.
func ScopeToWrite(rules []Rule, c Claims) (needed Rule, ok bool) {
	now, _ := Right(rules, c)
	for _, r := range rules {
		if r.Claim != "scope" {
			continue
		}
		more := Claims{values: maps.Clone(c.values)}
		more.values["scope"] = append(slices.Clone(c.values["scope"]), r.Value)
		if then, _ := Right(rules, more); !then.ReadOnly && then.Namespace == now.Namespace {
			return r, true
		}
	}
	return needed, false
}
