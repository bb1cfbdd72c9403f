package tools

import (
	"context"
	"reflect"
	"strconv"

	"hence/internal/fault"
)

// defaultBudget is the token_budget of a call over MCP that names none.
const defaultBudget = 4000

// maxBudget is the largest token_budget of a call over MCP.
const maxBudget = 50000

// unlimitedKey marks the context of a call from within this program. Such a call has a token
// budget only if it names one, and of any size.
type unlimitedKey struct{}

// budgetOf returns the limit of tokens for the answer to a call, after room for the warning.
// It writes that limit to the field TokenBudget of the arguments that pointer points to, if
// they have one. It fails with invalid_argument for more than maxBudget over MCP. The schemas
// do not name maxBudget, because that would cost a hundred tokens of every conversation.
func budgetOf(ctx context.Context, tool string, pointer any) (int, error) {
	v := reflect.ValueOf(pointer).Elem()
	field, hasField := v.Type().FieldByName("TokenBudget")
	if !hasField {
		return reserve(ctx, defaultBudget), nil
	}
	value := v.FieldByIndex(field.Index)
	if text, ok := field.Tag.Lookup("default"); ok && value.IsZero() {
		tokens, err := strconv.Atoi(text)
		if err != nil {
			panic(err) // a wrong tag, which any test finds
		}
		if remaining := reserve(ctx, tokens); remaining < tokens {
			value.SetInt(int64(remaining))
			return remaining, nil
		}
		return tokens, nil
	}
	isLimited := ctx.Value(unlimitedKey{}) == nil
	if value.IsZero() && isLimited {
		value.SetInt(defaultBudget)
	}
	if value.IsZero() {
		return defaultBudget, nil
	}
	if isLimited && value.Int() > maxBudget {
		return 0, fault.New(fault.InvalidArgument, "%s: token_budget is %d, and must be at most %d", tool, value.Int(), maxBudget)
	}
	value.SetInt(int64(reserve(ctx, int(value.Int()))))
	return int(value.Int()), nil
}
