package tidy

import (
	"context"

	"hence/internal/args"
	"hence/internal/db"
)

// ReconsiderArgs name proposals that were rejected.
type ReconsiderArgs struct {
	Keys []string `json:"keys" jsonschema:"of proposals that still stand, at most 200"`
}

// ReconsiderResult counts the proposals that are listed again.
type ReconsiderResult struct {
	Changed int `json:"changed"`
}

// Reconsider forgets that proposals were rejected. It fails as Tidy does.
func (t Tidier) Reconsider(ctx context.Context, a ReconsiderArgs) (result ReconsiderResult, err error) {
	if err := args.Check("reconsider", &a); err != nil {
		return result, err
	}
	byKey, err := t.findByKeys(ctx, t.Caller.Namespace, a.Keys)
	if err != nil {
		return result, err
	}
	statements := []db.Stmt{}
	for _, key := range a.Keys {
		statements = append(statements, byKey[key].unreject())
	}
	_, err = t.DB.Write(ctx, t.Caller.Actor, db.Now(), statements...)
	return ReconsiderResult{Changed: len(statements)}, err
}
