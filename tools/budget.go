package tools

import (
	"context"
	"reflect"
	"strconv"

	"hence/internal/fault"
)

// defaultBudget is the token_budget of a call over MCP that gives none.
const defaultBudget = 4000

// maxBudget is the largest token_budget of a call over MCP.
const maxBudget = 50000

// unlimitedKey marks the context of a call from within this program: it has a budget
// only where it gives one.
type unlimitedKey struct{}

// budgetOf returns the most tokens that the answer to a call may take. It sets the
// default in the arguments that pointer points to, if they have a token_budget. It
// fails with invalid_argument for more than maxBudget over MCP. The bound is not in the
// schemas, where it would cost a hundred tokens of every conversation.
func budgetOf(ctx context.Context, tool string, pointer any) (int, error) {
	v := reflect.ValueOf(pointer).Elem()
	field, has := v.Type().FieldByName("TokenBudget")
	if !has {
		return reserve(ctx, defaultBudget), nil
	}
	value := v.FieldByIndex(field.Index)
	if usual, ok := field.Tag.Lookup("default"); ok && value.IsZero() {
		tokens, err := strconv.Atoi(usual)
		if err != nil {
			panic(err) // a wrong tag, which the first test shows
		}
		if left := reserve(ctx, tokens); left < tokens {
			value.SetInt(int64(left))
			return left, nil
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
