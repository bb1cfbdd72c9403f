package tools

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"hence/memory"
	"hence/memory/briefing"
	"hence/tools/show"
)

// offerBrief registers the prompt that begins a conversation, which a person can request.
func offerBrief(s *server.MCPServer, store memory.Store, o Options) {
	const description = "What an agent should know when it begins, as memory_brief tells it"
	s.AddPrompt(mcp.NewPrompt("brief",
		mcp.WithPromptTitle("Begin a conversation"),
		mcp.WithPromptDescription(description),
		mcp.WithArgument("about", mcp.ArgumentDescription("what is worked on: ranks the decisions")),
	), func(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		start, about := o.begin(ctx, true), request.Params.Arguments["about"]
		r, err := briefing.Briefer(store).Brief(ctx, briefing.Args{About: about})
		text := show.Text(show.Briefing(r))
		o.observeReading(ctx, start, "prompt:brief", about, store.Caller, r, text, err)
		if err != nil {
			return nil, publicError(ctx, o.Log, "brief", err)
		}
		return mcp.NewGetPromptResult(description, []mcp.PromptMessage{
			mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text)),
		}), nil
	})
}
