package edges

// PageArgs ask for a page of a list of the whole store.
type PageArgs struct {
	Limit  int    `json:"limit,omitempty" default:"100" min:"1" max:"500"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next from the previous response"`
}

// Count is how often something occurs.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}
