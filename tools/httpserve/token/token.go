// Package token is who may come in over the network: secrets of which the
// store keeps only the hashes, each with what it opens.
package token

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"database/sql"
	"strings"
	"unicode/utf8"

	"hence/internal/db"
	"hence/internal/fault"
)

// Token is a right to come in. The secret is not part of it.
type Token struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"` // the only one it sees; "" for all
	ReadOnly  bool   `json:"read_only"`
	CreatedAt string `json:"created_at"`
	hash      string
}

const (
	prefix  = "hence_" // tells a person, and a scanner of secrets, what it is
	maxName = 100      // letters
)

// Add makes a token and returns its secret, which is not kept. It fails with
// exists for a name that is taken.
func Add(ctx context.Context, d *db.DB, actor string, t Token) (secret string, err error) {
	t.Name = strings.TrimSpace(t.Name)
	switch {
	case t.Name == "" || utf8.RuneCountInString(t.Name) > maxName:
		return "", fault.New(fault.InvalidArgument, "a token has a name of at most %d letters", maxName)
	case utf8.RuneCountInString(t.Namespace) > maxName:
		return "", fault.New(fault.InvalidArgument, "a namespace has a name of at most %d letters", maxName)
	}
	// More than 200 random bits, so that a plain SHA-256 of it tells nothing.
	secret = prefix + rand.Text() + rand.Text()
	now := db.Now()
	_, err = d.Write(ctx, actor, now, db.S(`
insert into tokens (name, hash, namespace, read_only, created_at)
values (?, ?, nullif(?, ''), ?, ?)`, t.Name, db.Hash(secret), t.Namespace, t.ReadOnly, now).
		Or(fault.New(fault.Exists, "there is a token %q already; revoke it first, or take another name", t.Name)))
	if err != nil {
		return "", err
	}
	return secret, nil
}

// List returns every token, by name.
func List(ctx context.Context, d *db.DB) (all []Token, err error) {
	err = d.Read(ctx, func(r *db.Reader) error {
		all, err = db.Select(ctx, r, scan, `
select
  name,
  coalesce(namespace, ''),
  read_only,
  created_at,
  hash
from tokens
order by name`)
		return err
	})
	return all, err
}

func scan(row *sql.Rows) (t Token, err error) {
	err = row.Scan(&t.Name, &t.Namespace, &t.ReadOnly, &t.CreatedAt, &t.hash)
	return t, err
}

// Revoke removes a token. It fails with not_found where there is none of that
// name.
func Revoke(ctx context.Context, d *db.DB, actor, name string) error {
	_, err := d.Write(ctx, actor, db.Now(),
		db.Expect(`exists (select 1 from tokens where name = ?)`, fault.New(fault.NotFound, "there is no token %q; hence token list shows them", name), name),
		db.S(`delete from tokens where name = ?`, name))
	return err
}

// Of returns which of the tokens a secret is. Its time does not depend on how
// much of a guess is right, nor on which token it is.
func Of(all []Token, secret string) (found Token, ok bool) {
	hash := db.Hash(secret)
	for _, t := range all {
		if subtle.ConstantTimeCompare([]byte(hash), []byte(t.hash)) == 1 {
			found, ok = t, true
		}
	}
	return found, ok
}
