// Package token manages the tokens for HTTP. The store keeps the rights of each token, and
// only a hash of its secret.
package token

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"strings"
	"unicode/utf8"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/permit"
)

// Token holds the rights of a token, without its secret.
type Token struct {
	Name      string  `json:"name"`
	Namespace string  `json:"namespace,omitempty"` // the only one that it gives access to; "": all
	ReadOnly  bool    `json:"read_only"`
	Code      bool    `json:"code,omitempty"`     // may change and run source code, where a person allowed it
	Rate      float64 `json:"rate,omitempty"`     // requests a second; 0: the server's limit
	MaxBody   int64   `json:"max_body,omitempty"` // bytes of a request; 0: the server's limit
	CreatedAt string  `json:"created_at"`
	Elsewhere bool    `json:"elsewhere,omitempty"` // it came with a store that was not made or adopted here, and gives no access
	hash      string
}

const (
	prefix  = "hence_" // so that people and secret scanners recognise a secret
	maxName = 100      // characters
)

// Add stores a token and returns its secret, which is not stored. It fails with exists if the
// name is in use, and with invalid_argument for a name, a limit or rights that are not valid.
func Add(ctx context.Context, d *db.DB, actor string, t Token) (secret string, err error) {
	t.Name = strings.TrimSpace(t.Name)
	switch {
	case t.Name == "" || utf8.RuneCountInString(t.Name) > maxName:
		return "", fault.New(fault.InvalidArgument, "token add: the name must have 1 to %d characters", maxName)
	case t.ReadOnly && t.Code:
		return "", fault.New(fault.InvalidArgument, "token add: a token that is read-only cannot change or run source code; leave out --read-only or --code")
	case t.Rate < 0 || t.MaxBody < 0:
		return "", fault.New(fault.InvalidArgument, "token add: a rate or size must be at least 0")
	case utf8.RuneCountInString(t.Namespace) > maxName:
		return "", fault.New(fault.InvalidArgument, "token add: the namespace has more than %d characters", maxName)
	}
	if err := permit.CheckAdopted(ctx, d, "token add"); err != nil {
		return "", err
	}
	// With more than 200 random bits, a plain SHA-256 is safe to store.
	secret = prefix + rand.Text() + rand.Text()
	now := db.Now()
	_, err = d.Write(ctx, actor, now, db.S(`
insert into tokens (name, hash, namespace, read_only, code, rate, max_body, created_at)
values (?, ?, nullif(?, ''), ?, ?, nullif(?, 0), nullif(?, 0), ?)`, t.Name, db.Hash(secret), t.Namespace, t.ReadOnly, t.Code, t.Rate, t.MaxBody, now).
		Or(fault.New(fault.Exists, "token add: there is a token %q already; revoke it first, or choose another name", t.Name)))
	if err != nil {
		return "", err
	}
	return secret, nil
}

// List returns every token, in the order of the names.
func List(ctx context.Context, d *db.DB) (all []Token, err error) {
	records, err := permit.Of(ctx, d, d)
	if err != nil {
		return nil, err
	}
	all, err = db.Select(ctx, d, db.Fields(func(t *Token) []any {
		return []any{&t.Name, &t.Namespace, &t.ReadOnly, &t.Code, &t.Rate, &t.MaxBody, &t.CreatedAt, &t.hash}
	}), `
select
  name,
  coalesce(namespace, ''),
  read_only,
  code,
  coalesce(rate, 0.0),
  coalesce(max_body, 0),
  created_at,
  hash
from tokens
order by name`)
	for i, elsewhere := 0, !records.Adopted(); i < len(all); i++ {
		all[i].Elsewhere = elsewhere
	}
	return all, err
}

// Revoke removes a token. It fails with not_found if no token has that name.
func Revoke(ctx context.Context, d *db.DB, actor, name string) error {
	_, err := d.Write(ctx, actor, db.Now(),
		db.Expect(`exists (select 1 from tokens where name = ?)`, fault.New(fault.NotFound, "token revoke: there is no token %q; hence token list shows them", name), name),
		db.S(`delete from tokens where name = ?`, name))
	return err
}

// Find returns the token of a secret. Its time depends neither on how much of a guess is right
// nor on which token matches.
func Find(all []Token, secret string) (match Token, ok bool) {
	hash := db.Hash(secret)
	for _, t := range all {
		if subtle.ConstantTimeCompare([]byte(hash), []byte(t.hash)) == 1 && !t.Elsewhere {
			match, ok = t, true
		}
	}
	return match, ok
}
