package vault

import (
	"cmp"
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/ref"
	"hence/projection"
	"hence/projection/folder/ignore"
)

// takeSource sets where the document's text came from, if not from a person. A memory that
// was exported as a note keeps its source, unless that has more trust than a note's.
func (s settings) takeSource(d *document) {
	exported, _ := d.Properties["hence-source"].(string)
	switch {
	case IsClipping(d.Properties):
		d.TextSource, d.SourceURL = ref.Web, d.Properties["source"].(string)
	case slices.Contains([]string{ref.Agent, ref.Code, ref.Import, ref.Tool, ref.Web}, exported):
		d.TextSource = exported
		d.SourceURL, _ = d.Properties["hence-source-url"].(string)
	case s.isMemory(d.Path):
		d.TextSource = ref.Agent
	}
}

// isMemory reports whether a file is below a folder where agents keep their memories.
func (s settings) isMemory(path string) (is bool) {
	patterns := s.memory
	if s.memoryTexts == nil {
		patterns = memoryFolders
	}
	for end := range len(path) + 1 {
		if end < len(path) && path[end] != '/' {
			continue
		}
		if matches, decided := patterns.Decide(path[:end], end < len(path)); decided {
			is = matches
		}
	}
	return is
}

// memoryFolders are the folders where agents keep their memories, unless the settings name
// others.
var memoryFolders = ignore.Parse("_memory/")

// IsClipping reports whether a note is a copy of a web page: its property source is the
// page's address, as web clippers write it.
func IsClipping(properties map[string]any) bool {
	address, _ := properties["source"].(string)
	scheme, rest, ok := strings.Cut(address, "://")
	return ok && rest != "" && (scheme == "http" || scheme == "https")
}

// makePlain makes what a link in a clipping declares refers-to instead of a stronger
// kind, because the author of a page must not decide what is superseded in the vault, or
// what rests on what.
func makePlain(s *projection.Site) {
	if !slices.Contains([]edges.Kind{edges.LinksTo, edges.Embeds, edges.Mentions, edges.RefersTo}, s.Kind) {
		s.Kind, s.Rel, s.Backward = edges.RefersTo, cmp.Or(s.Rel, string(s.Kind)), false
	}
}
