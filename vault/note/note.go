// Package note reads the bytes of one Obsidian note or canvas file into plain
// data: properties, headings, tags, blocks, sections and every link with its
// position. Package resolve finds the file that a link means.
//
// Obsidian is the authority. A link that Obsidian does not see but a person may
// have meant has a reason in Link.Lenient, so that the graph that Obsidian shows
// can be distinguished.
//
// Frontmatter ends at the next line "---", as in Obsidian, and not at "..." or at "---" with
// a comment, which end a YAML document. If the two ends differ, the first YAML document is
// read, with a warning, and package edit refuses to change it, because it is unclear which
// text belongs to a property.
package note

// Version is the version of the results of Parse and ParseCanvas. It is raised when
// they read anything differently, so that derived data can be updated.
const Version = 7

// OwnProperties is the name of the property, a mapping, whose members are only data:
// whatever their names and values are, they make no edge, tag, alias or status. The
// export of memories as notes writes properties there that an import would otherwise
// read as more than data.
const OwnProperties = "hence-properties"

// Note holds the contents of one file. Slices are in source order and nil when empty.
type Note struct {
	// Text is the source. Contexts, bodies and stretches share its memory.
	Text string
	// Properties is the frontmatter as JSON-able values: map[string]any, []any,
	// string, int64, float64, bool, nil. Dates and numbers that JSON cannot hold
	// (.inf, .nan) are texts as written. Nil without frontmatter.
	Properties map[string]any
	// Frontmatter is the frontmatter's first and last line, fences included.
	Frontmatter Lines
	// Aliases are the names given under `aliases` or `alias`.
	Aliases  []string
	Tags     []Tag
	Headings []Heading
	Blocks   []Block
	Links    []Link
	// Values are the texts and integers in frontmatter that contain no link. Each is a Link
	// whose Lenient is Bare: it counts as a link only if the text is a note's name.
	Values   []Link
	Sections []Section
	// Plain is the plain text, headings included, which may mention notes by name. A canvas
	// has none.
	Plain    []Stretch
	Warnings []Warning
}

// Lines is a range of lines, 1-based and inclusive; zero for none.
type Lines struct{ First, Last int }

// Pos is a place in the source.
type Pos struct {
	Offset int // bytes from the start of the source, a byte order mark included
	Line   int // 1-based
}

// Span is the source from Start up to, not including, End.
type Span struct{ Start, End Pos }

// Tag is one occurrence of a tag.
type Tag struct {
	Name string // without '#', as written
	Span Span   // of the text in the body, '#' included; of the value in frontmatter
	// Property says that the tag is in frontmatter, not in the body.
	Property bool
}

// Heading is an ATX or setext heading at the top level of the note. Headings inside quotes,
// lists and comments do not count, as in Obsidian.
type Heading struct {
	Level int    // 1 to 6
	Text  string // the heading's source without its marks
	Span  Span
}

// Block is a block that carries an id (`text ^id`), which [[note#^id]] names.
type Block struct {
	ID   string // without '^', as written
	Span Span   // of the block: the paragraph, list item, table…
}

// Section is a heading's text up to the next heading of any level. The text
// before the first heading is a section with Level 0, if it is not blank.
type Section struct {
	Heading   string
	Level     int // 0 to 6
	Ordinal   int // 0-based index in the note's sections
	StartLine int // the heading's line
	EndLine   int // inclusive
	// Body is the text of these lines without the heading, as valid UTF-8; line
	// ends are kept.
	Body string
}

// Warning is something in the file that could not be read as written.
type Warning struct {
	Line int // 1-based; 0 for the file
	Text string
}

// Form is how a link is written.
type Form string

// The forms of links.
const (
	Wikilink      Form = "wikilink"       // [[x]]
	Embed         Form = "embed"          // ![[x]]
	Markdown      Form = "markdown"       // [text](x.md)
	MarkdownEmbed Form = "markdown-embed" // ![text](x.png)
	Property      Form = "property"       // in a frontmatter value, however written
	CanvasFile    Form = "canvas-file"    // a canvas's file node
)

// KeyKind is the kind of place that holds a link's Key.
type KeyKind string

// The kinds of keys.
const (
	KeyNone        KeyKind = ""
	KeyProperty    KeyKind = "property"     // Key is a property path: "rel.0", "meta.up"
	KeyInlineField KeyKind = "inline-field" // causes:: [[X]], [causes:: [[X]]], (causes:: [[X]])
	KeyRelation    KeyKind = "relation"     // - depends_on [[X]], below a heading "Relations"
)

// Lenience is the reason why Obsidian does not see a link.
type Lenience string

// The kinds of lenience.
const (
	Faithful Lenience = ""         // Obsidian sees this link
	Unquoted Lenience = "unquoted" // `up: [[x]]`: a nested list to YAML
	Partial  Lenience = "partial"  // a property's value is not just one wikilink
	Bare     Lenience = "bare"     // a property's value is a note's name without brackets
)

// Link is a reference as written. Its target need not exist.
type Link struct {
	Form Form
	// Target is the path part: percent-decoded in markdown links, trimmed,
	// up to the first '#'. Empty for the note itself.
	Target string
	// Anchor is "#Heading#Sub" or "#^block" as written, or "".
	Anchor string
	// Display is the text shown for the link: the text after the first '|', or the
	// text of a Markdown link. At most 200 runes of valid UTF-8.
	Display string
	// Key is the word that gives the link its type, as written.
	Key     string
	KeyKind KeyKind
	// Property is Key without the indexes of lists: "rel" for "rel.0". A name may
	// contain dots and digits itself.
	Property string
	Lenient  Lenience
	// Span is the link's source. In frontmatter it is exact if the value is written
	// plainly, else it is the value's line; in a canvas it is the node.
	Span Span
	// Context is the line around the link, at most 200 runes of valid UTF-8.
	Context string
}
