package record

// Edge is the record of an edge. From and To are the ids of its ends, for whose keys the table edges has
// the columns from_key and to_key.
type Edge struct {
	ID        string  `json:"id" is:"team"`
	From      string  `json:"from" is:"end"`
	To        string  `json:"to" is:"end team"`
	Kind      string  `json:"kind" is:"line=edge_type team=type"`
	Rel       string  `json:"rel" is:"journaled stamped=said team"`
	Weight    float64 `json:"weight" is:"journaled stamped=said team"`
	Origin    string  `json:"origin" is:"kept team"`
	Actor     string  `json:"actor" is:"kept team=by"`
	Note      string  `json:"note" is:"journaled stamped=said team"`
	Declared  string  `json:"declared" is:""`
	Basis     string  `json:"basis" is:"null kept stamped team"`
	ValidFrom string  `json:"valid_from" is:"null journaled stamped=said team"`
	ValidTo   string  `json:"valid_to" is:"null journaled stamped=said team"`
	CreatedAt string  `json:"created_at" is:"kept team=created"`
}

// Edges are the columns of an edge, but for its ends.
var Edges = Except(Of[Edge](), "from", "to")
