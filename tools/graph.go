package tools

import (
	"hence/edges"
	"hence/edges/walk"
	"hence/tools/show"
)

func graphTools(g walk.Graph) []Tool {
	return in(GraphSet,
		define("memory_path", "Find a path", reads,
			"How one memory leads to another: the shortest or strongest way along the edges. Use expand when you know only where to start.",
			g.Path, show.Paths),
		define("expand", "Expand from memories", reads,
			"What lies around one or more memories, nearest first, each with the route to it; by direction, type of edge and properties. "+
				"Use get_neighborhood for every edge around one memory.",
			g.Expand, show.Expanded),
		define("get_neighborhood", "Get a neighbourhood", reads,
			"What is around one memory or note, and every edge among that. Use expand for several seeds, directions or filters.",
			g.Neighborhood, show.Neighborhood),
		define("memory_history", "Follow a memory's history", reads,
			"What a memory replaced and what replaced it, oldest first, with the reasons, and which one is current. Use memory_path for other edges.",
			edges.Graph(g).History, show.History),
		define("memory_trace", "Trace reasons or consequences", reads,
			"Why a memory holds, or what breaks if it does not, each with its route and whether it is stale. "+
				"Use expand for other edges.",
			g.Trace, func(r walk.TraceResult) show.Doc { return show.Traced(r) }),
		define("graph_overview", "See the whole graph", reads,
			"The whole at a glance: counts, most linked, orphans, stale, contradictions, causal loops. Use memory_list for the memories themselves.",
			g.Overview, show.Overview),
	)
}
