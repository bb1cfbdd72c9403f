package tools

import (
	"hence/edges"
	"hence/edges/walk"
	"hence/tools/show"
)

func graphTools(g walk.Graph) []Tool {
	return in(GraphSet,
		memoryPath(g),
		expand(g),
		getNeighborhood(g),
		memoryHistory(edges.Graph(g)),
		memoryTrace(g),
		graphOverview(g),
	)
}

func memoryPath(g walk.Graph) Tool {
	return define(about{
		name: "memory_path", title: "Find a path",
		description: "How one memory leads to another: the shortest or strongest way along the edges. Use expand when you know only where to start.",
		hints:       reads,
	}, g.Path, show.Paths)
}

func expand(g walk.Graph) Tool {
	return define(about{
		name: "expand", title: "Expand from memories",
		description: "What lies around one or more memories, nearest first, each with the route to it; by direction, type of edge and properties. " +
			"Use get_neighborhood for every edge around one memory.",
		hints: reads,
	}, g.Expand, show.Expanded)
}

func getNeighborhood(g walk.Graph) Tool {
	return define(about{
		name: "get_neighborhood", title: "Get a neighbourhood",
		description: "What is around one memory or note, and every edge among that. Use expand for several seeds, directions or filters.",
		hints:       reads,
	}, g.Neighborhood, show.Neighborhood)
}

func memoryHistory(g edges.Graph) Tool {
	return define(about{
		name: "memory_history", title: "Follow a memory's history",
		description: "What a memory replaced and what replaced it, oldest first, with the reasons, and which one is current. Use memory_path for other edges.",
		hints:       reads,
	}, g.History, show.History)
}

func memoryTrace(g walk.Graph) Tool {
	return define(about{
		name: "memory_trace", title: "Trace reasons or consequences",
		description: "Why a memory holds, or what breaks if it does not, each with its route and whether it is stale. " +
			"Use expand for other edges.",
		hints: reads,
	}, g.Trace, func(r walk.TraceResult) show.Doc { return show.Traced(r) })
}

func graphOverview(g walk.Graph) Tool {
	return define(about{
		name: "graph_overview", title: "See the whole graph",
		description: "The whole at a glance: counts, most linked, orphans, stale, contradictions, causal loops. Use memory_list for the memories themselves.",
		hints:       reads,
	}, g.Overview, show.Overview)
}
