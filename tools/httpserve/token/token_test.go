package token_test

import (
	"os"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/tools/httpserve/token"
)

func TestAdd_ListOfRevoke(t *testing.T) {
	d := dbtest.New(t)
	secrets := map[string]string{}
	for _, want := range []token.Token{{Name: "all"}, {Name: "ci", Namespace: "builds", ReadOnly: true}} {
		secret, err := token.Add(t.Context(), d, "person", want)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(secret, "hence_") || len(secret) < 50 {
			t.Errorf("the secret is %q", secret)
		}
		secrets[want.Name] = secret
	}
	if secrets["all"] == secrets["ci"] {
		t.Error("two tokens have one secret")
	}
	all, err := token.List(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || all[0].Name != "all" || all[1].Namespace != "builds" || !all[1].ReadOnly || all[0].CreatedAt == "" {
		t.Errorf("list: %+v", all)
	}
	for name, secret := range secrets {
		if got, ok := token.Find(all, secret); !ok || got.Name != name {
			t.Errorf("the secret of %s opens %+v, %v", name, got, ok)
		}
	}
	for _, wrong := range []string{"", "hence_", secrets["ci"] + "x", db.Hash(secrets["ci"]), strings.ToUpper(secrets["ci"])} {
		if got, ok := token.Find(all, wrong); ok {
			t.Errorf("%q opens %+v", wrong, got)
		}
	}
	if err := token.Revoke(t.Context(), d, "person", "ci"); err != nil {
		t.Fatal(err)
	}
	all, err = token.List(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := token.Find(all, secrets["ci"]); ok || len(all) != 1 {
		t.Errorf("after revoking, %+v", all)
	}
	if err := token.Revoke(t.Context(), d, "person", "ci"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("revoked twice: %v", err)
	}
}

// The file contains the hash of a secret, but not the secret.
func TestAdd_KeepsOnlyTheHash(t *testing.T) {
	d := dbtest.New(t)
	secret, err := token.Add(t.Context(), d, "person", token.Token{Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	isKnown := false
	for _, path := range []string{d.Path(), d.Path() + "-wal"} {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), secret) || strings.Contains(string(raw), strings.TrimPrefix(secret, "hence_")) {
			t.Errorf("%s has the secret", path)
		}
		isKnown = isKnown || strings.Contains(string(raw), db.Hash(secret))
	}
	if !isKnown {
		t.Error("the hash is nowhere either")
	}
}

func TestAdd_Errors(t *testing.T) {
	d := dbtest.New(t)
	if _, err := token.Add(t.Context(), d, "person", token.Token{Name: "a"}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		token token.Token
		want  fault.Code
	}{
		"Taken":         {token.Token{Name: " a "}, fault.Exists},
		"NoName":        {token.Token{Name: " "}, fault.InvalidArgument},
		"LongName":      {token.Token{Name: strings.Repeat("x", 101)}, fault.InvalidArgument},
		"LongNamespace": {token.Token{Name: "b", Namespace: strings.Repeat("x", 101)}, fault.InvalidArgument},
	} {
		if _, err := token.Add(t.Context(), d, "person", c.token); fault.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
