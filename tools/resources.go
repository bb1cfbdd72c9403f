package tools

import (
	"context"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"hence/edges/walk"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/briefing"
	"hence/tools/show"
)

// The addresses of the resources.
const (
	memoryURI   = "hence://memory/"
	noteURI     = "hence://note/"
	overviewURI = "hence://overview"
	briefURI    = "hence://brief"

	memoryTemplate = memoryURI + "{id}"
	noteTemplate   = noteURI + "{vault}/{+path}"

	asMarkdown = "text/markdown"
)

// library serves memories and notes as resources. A resource has the text that the tools
// return to the same caller.
type library struct {
	store memory.Store
	graph walk.Graph
	o     Options
}

// offer registers the resources with a server.
func (l library) offer(s *server.MCPServer) {
	for _, r := range []struct{ uri, name, title, description string }{
		{overviewURI, "overview", "The graph", "Counts, most linked, stale memories and open contradictions"},
		{briefURI, "brief", "A briefing", "What an agent should know when it begins, as memory_brief tells it"},
	} {
		s.AddResource(mcp.NewResource(r.uri, r.name, mcp.WithResourceTitle(r.title), mcp.WithResourceDescription(r.description), mcp.WithMIMEType(asMarkdown)), l.serve)
	}
	for _, r := range []struct{ uri, name, title, description string }{
		{memoryTemplate, "memory", "A memory", "A memory with its edges, by id or title"},
		{noteTemplate, "note", "A note", "A note of a vault with its edges, by its path"},
	} {
		s.AddResourceTemplate(mcp.NewResourceTemplate(r.uri, r.name, mcp.WithTemplateTitle(r.title), mcp.WithTemplateDescription(r.description), mcp.WithTemplateMIMEType(asMarkdown)), l.serve)
	}
}

// serve answers a request for a resource in the types of mcp-go.
func (l library) serve(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	start := l.o.begin(ctx, true)
	text, result, err := l.open(ctx, request.Params.URI)
	l.o.observeReading(ctx, start, "resource", request.Params.URI, l.store.Caller, result, text, err)
	if err != nil {
		return nil, publicError(ctx, l.o.Log, request.Params.URI, err)
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: request.Params.URI, MIMEType: asMarkdown, Text: text}}, nil
}

// open returns the text of the resource at a uri, and the result that it is of. It fails with not_found
// for an unknown uri, and as memory.Store.Open does.
func (l library) open(ctx context.Context, uri string) (text string, result any, err error) {
	switch uri {
	case overviewURI:
		overview, err := l.graph.Overview(ctx, walk.OverviewArgs{})
		if err == nil {
			err = ref.Mark(ctx, l.store.DB, &overview)
		}
		return show.Text(show.Overview(overview)), overview, err
	case briefURI:
		r, err := briefing.Briefer(l.store).Brief(ctx, briefing.Args{})
		return show.Text(show.Briefing(r)), r, err
	}
	name, err := memoryName(uri)
	if err != nil {
		return "", nil, err
	}
	opened, err := l.store.Open(ref.Marked(ctx, l.store.DB), memory.GetArgs{ID: name})
	if err == nil {
		err = ref.Mark(ctx, l.store.DB, &opened)
	}
	if err != nil {
		return "", nil, err
	}
	return show.Whole(opened.Memories[0]), opened, nil
}

// memoryName returns the name of the memory or note that a uri identifies. It fails with
// not_found for any other uri.
func memoryName(uri string) (string, error) {
	if rest, ok := strings.CutPrefix(uri, memoryURI); ok {
		if name, err := url.PathUnescape(rest); err == nil && name != "" {
			return name, nil
		}
	}
	if rest, ok := strings.CutPrefix(uri, noteURI); ok {
		if name, err := url.PathUnescape(rest); err == nil && strings.Contains(name, "/") {
			return ref.NoteScheme + "://" + name, nil
		}
	}
	return "", fault.New(fault.NotFound, "there is no resource %q; they are %s, %s, %s and %s", uri, memoryTemplate, noteTemplate, overviewURI, briefURI)
}

// maxCompletions is the number of values that the protocol allows in an answer.
const maxCompletions = 100

// completer completes names of the memories, vaults and notes that the caller may see.
type completer struct{ store memory.Store }

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
