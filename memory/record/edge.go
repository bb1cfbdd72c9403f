package record

// Edge is the record of an edge. From and To are the ids of its ends, for whose keys the table edges has
// the columns from_key and to_key.
type Edge struct {
	ID        string  `json:"id" is:""`
	From      string  `json:"from"`
	To        string  `json:"to"`
	Kind      string  `json:"kind" is:""`
	Rel       string  `json:"rel" is:"journaled stamped=said"`
	Weight    float64 `json:"weight" is:"journaled stamped=said"`
	Origin    string  `json:"origin" is:"kept"`
	Actor     string  `json:"actor" is:"kept"`
	Note      string  `json:"note" is:"journaled stamped=said"`
	Declared  string  `json:"declared" is:""`
	Basis     string  `json:"basis" is:"null kept stamped"`
	ValidFrom string  `json:"valid_from" is:"null journaled stamped=said"`
	ValidTo   string  `json:"valid_to" is:"null journaled stamped=said"`
	CreatedAt string  `json:"created_at" is:"kept"`
}

// Edges are the columns of an edge, but for its ends.
var Edges = Of[Edge]()
