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
	"hence/internal/permit"
)

// Rule is a row of the map of tokens. It says what a token may do whose claim has a value.
type Rule struct {
	Claim     string  `json:"claim"` // scope, groups, sub, email …
	Value     string  `json:"value"`
	Namespace string  `json:"namespace,omitempty"` // the only one that the token may reach; "": all
	ReadOnly  bool    `json:"read_only"`
	Rate      float64 `json:"rate,omitempty"`     // requests a second; 0: the server's limit
	MaxBody   int64   `json:"max_body,omitempty"` // bytes of a request; 0: the server's limit
	CreatedAt string  `json:"created_at"`
	Elsewhere bool    `json:"elsewhere,omitempty"` // it came with a store that was not made or adopted here, and gives no access
}

const maxText = 200 // characters of a claim's name or value

// Map adds a row to the map, or replaces the row of the same claim and value. It fails with
// invalid_argument if the claim or value is empty or too long, if the value is several scopes,
// or if a limit is negative.
func Map(ctx context.Context, d *db.DB, actor string, r Rule) error {
	r.Claim, r.Value = strings.TrimSpace(r.Claim), strings.TrimSpace(r.Value)
	for _, text := range []string{r.Claim, r.Value} {
		if n := utf8.RuneCountInString(text); n == 0 || n > maxText {
			return fault.New(fault.InvalidArgument, "token map: a claim and its value must have 1 to %d characters, as in: hence token map scope hence:read", maxText)
		}
	}
	if r.Claim == "scope" && strings.ContainsFunc(r.Value, unicode.IsSpace) {
		return fault.New(fault.InvalidArgument, "token map: %q is several scopes; map each in a row of its own", r.Value)
	}
	if r.Rate < 0 || r.MaxBody < 0 {
		return fault.New(fault.InvalidArgument, "token map: a rate or size must be at least 0")
	}
	if err := permit.CheckAdopted(ctx, d, "token map"); err != nil {
		return err
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

// Unmap removes the row of a claim and value. It fails with not_found if there is none.
func Unmap(ctx context.Context, d *db.DB, actor, claim, value string) error {
	_, err := d.Write(ctx, actor, db.Now(),
		db.Expect(`exists (select 1 from token_map where claim = ? and value = ?)`,
			fault.New(fault.NotFound, "token map: there is no row for %s %s; hence token map shows the rows", claim, value), claim, value),
		db.S(`delete from token_map where claim = ? and value = ?`, claim, value))
	return err
}

// Rules returns the rows of the map, in the order in which they were added.
func Rules(ctx context.Context, d *db.DB) ([]Rule, error) {
	records, err := permit.Of(ctx, d, d)
	if err != nil {
		return nil, err
	}
	all, err := db.Select(ctx, d, db.Fields(func(r *Rule) []any {
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
	for i, elsewhere := 0, !records.Adopted(); i < len(all); i++ {
		all[i].Elsewhere = elsewhere
	}
	return all, err
}

// Right returns the access that a token has, from the rows that match its claims. ok is false
// if no row matches: a token has no access by default.
//
// If a matching row names a namespace, the token may reach only that one; if rows name
// several, the row that was added first decides. Rows of
// other namespaces are then ignored. The token may write if, for each claim with a remaining
// row, at least one row of that claim allows it, so that a group cannot grant a right that the
// scope withholds. The smallest limits apply.
func Right(rules []Rule, c Claims) (right Rule, ok bool) {
	matches := []Rule{}
	for _, r := range rules {
		if slices.Contains(c.values[r.Claim], r.Value) && !r.Elsewhere {
			matches, right.Namespace = append(matches, r), cmp.Or(right.Namespace, r.Namespace)
		}
	}
	writable := map[string]bool{} // by claim
	for _, r := range matches {
		if r.Namespace == "" || r.Namespace == right.Namespace {
			writable[r.Claim] = writable[r.Claim] || !r.ReadOnly
			right.Rate, right.MaxBody = smallerLimit(right.Rate, r.Rate), smallerLimit(right.MaxBody, r.MaxBody)
		}
	}
	for _, isWritable := range writable {
		right.ReadOnly = right.ReadOnly || !isWritable
	}
	return right, len(matches) > 0
}

// smallerLimit returns the smaller of two limits; 0 means no limit.
func smallerLimit[T int64 | float64](a, b T) T {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// ScopeToWrite returns the first row of a scope that the token lacks and that would let it
// write in its namespace. ok is false if there is no such row.
func ScopeToWrite(rules []Rule, c Claims) (needed Rule, ok bool) {
	current, _ := Right(rules, c)
	for _, r := range rules {
		if r.Claim != "scope" {
			continue
		}
		extended := Claims{values: maps.Clone(c.values)}
		extended.values["scope"] = append(slices.Clone(c.values["scope"]), r.Value)
		if right, _ := Right(rules, extended); !right.ReadOnly && right.Namespace == current.Namespace {
			return r, true
		}
	}
	return needed, false
}
