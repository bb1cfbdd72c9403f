package tools

import (
	"context"
	"log/slog"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"hence/memory"
	"hence/memory/briefing"
	"hence/tools/show"
)

// offerBrief registers the prompt that begins a conversation, which a person can request.
func offerBrief(s *server.MCPServer, store memory.Store, log *slog.Logger) {
	const description = "What an agent should know when it begins, as memory_brief tells it"
	s.AddPrompt(mcp.NewPrompt("brief",
		mcp.WithPromptTitle("Begin a conversation"),
		mcp.WithPromptDescription(description),
		mcp.WithArgument("about", mcp.ArgumentDescription("what is worked on: ranks the decisions")),
	), func(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		r, err := briefing.Briefer(store).Brief(ctx, briefing.Args{About: request.Params.Arguments["about"]})
		if err != nil {
			return nil, publicError(ctx, log, "brief", err)
		}
		return mcp.NewGetPromptResult(description, []mcp.PromptMessage{
			mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(show.Text(show.Briefing(r)))),
		}), nil
	})
}
