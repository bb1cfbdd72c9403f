package tools

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"hence/memory"
)

// maxCompletions is the number of values that the protocol allows in an answer.
const maxCompletions = 100

// completer completes names of the memories, vaults and notes that the caller may see.
type completer struct{ store memory.Store }

var (
	_ server.PromptCompletionProvider   = completer{}
	_ server.ResourceCompletionProvider = completer{}
)

// CompletePromptArgument completes the argument topic with titles of memories.
func (c completer) CompletePromptArgument(ctx context.Context, _ string, a mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	if a.Name != "topic" {
		return &mcp.Completion{Values: []string{}}, nil
	}
	return completion(c.store.Titles(ctx, a.Value, maxCompletions+1))
}

// CompleteResourceArgument completes the parts of a resource's uri: titles of memories,
// names of vaults, and paths of notes.
func (c completer) CompleteResourceArgument(ctx context.Context, _ string, a mcp.CompleteArgument, rest mcp.CompleteContext) (*mcp.Completion, error) {
	switch a.Name {
	case "id":
		return completion(c.store.Titles(ctx, a.Value, maxCompletions+1))
	case "vault":
		return completion(c.store.Vaults(ctx, a.Value, maxCompletions+1))
	case "path":
		return completion(c.store.Paths(ctx, rest.Arguments["vault"], a.Value, maxCompletions+1))
	}
	return &mcp.Completion{Values: []string{}}, nil
}

// completion returns the first maxCompletions values, and says whether there are more.
func completion(values []string, err error) (*mcp.Completion, error) {
	if err != nil {
		return nil, err
	}
	first := values[:min(len(values), maxCompletions)]
	return &mcp.Completion{Values: first, HasMore: len(values) > len(first)}, nil
}
