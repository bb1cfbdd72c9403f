package tools

import (
	"hence/edges"
	"hence/edges/walk"
	"hence/tools/show"
)

func graphTools(g walk.Graph) []Tool {
	return setToolset(GraphSet,
		define("memory_path", "Find a path", reads,
			"Find how one memory leads to another: the shortest or strongest path. Use expand if you know only the start.",
			g.Path, show.Paths),
		define("expand", "Expand from memories", reads,
			"Walk from memories, nearest first; filter by direction, type of edge and properties. "+
				"Use get_neighborhood for all edges around one memory.",
			g.Expand, show.Expanded),
		define("get_neighborhood", "Get a neighbourhood", reads,
			"List the memories around one memory or note, and all edges among them. Use expand for several seeds, directions or filters.",
			g.Neighborhood, show.Neighborhood),
		define("memory_history", "Follow a memory's history", reads,
			"List what a memory replaced and what replaced it, oldest first, with the reasons, and which one is current. Use expand for other edges.",
			edges.Graph(g).History, show.History),
		define("memory_trace", "Trace reasons or consequences", reads,
			"Find why a memory holds, or what breaks if it does not, each with its route and whether it is stale. Use expand for other edges.",
			g.Trace, func(r walk.TraceResult) show.Doc { return show.Traced(r) }),
		define("graph_overview", "Summarise the graph", reads,
			"Summarise the graph: counts, most linked, orphans, stale, contradictions, causal cycles. Use memory_list for the memories themselves.",
			g.Overview, show.Overview),
	)
}
