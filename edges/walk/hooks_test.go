package walk

import "context"

// OverviewWithin is Graph.Overview with limits on the numbers of memories and edges examined.
func OverviewWithin(ctx context.Context, g Graph, a OverviewArgs, memories, edges int) (OverviewResult, error) {
	return g.overview(ctx, a, scanLimits{memories, edges})
}
