package tools

import (
	"context"
	"reflect"
	"strconv"
)

// defaultBudget is the token_budget of a call over MCP that gives none.
const defaultBudget = 4000

// unlimitedKey marks the context of a call from within this program: it has a budget
// only where it gives one.
type unlimitedKey struct{}

// budgetOf returns the most tokens that the answer to a call may take. It sets the
// default in the arguments that pointer points to, if they have a token_budget.
func budgetOf(ctx context.Context, pointer any) int {
	v := reflect.ValueOf(pointer).Elem()
	field, has := v.Type().FieldByName("TokenBudget")
	if !has {
		return defaultBudget
	}
	value := v.FieldByIndex(field.Index)
	if usual, ok := field.Tag.Lookup("default"); ok && value.IsZero() {
		tokens, err := strconv.Atoi(usual)
		if err != nil {
			panic(err) // a wrong tag, which the first test shows
		}
		return tokens
	}
	if value.IsZero() && ctx.Value(unlimitedKey{}) == nil {
		value.SetInt(defaultBudget)
	}
	if value.IsZero() {
		return defaultBudget
	}
	return int(value.Int())
}
