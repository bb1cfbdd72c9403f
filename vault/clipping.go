package vault

import (
	"strings"

	"hence/edges"
	"hence/projection"
)

// IsClipping reports whether a note is a copy of a page that others wrote: its property
// source is the address, as web clippers write it. The projection marks its memory as
// from the web.
func IsClipping(properties map[string]any) bool {
	address, _ := properties["source"].(string)
	scheme, rest, ok := strings.Cut(address, "://")
	return ok && rest != "" && (scheme == "http" || scheme == "https")
}

// plainly returns a site of a clipping. Whoever wrote the page does not decide what of the
// vault is superseded, or goes back to what: its links are links.
func plainly(s projection.Site) projection.Site {
	switch s.Kind {
	case edges.LinksTo, edges.Embeds, edges.Mentions, edges.RefersTo:
		return s
	}
	if s.Rel == "" {
		s.Rel = string(s.Kind)
	}
	s.Kind, s.Backward = edges.RefersTo, false
	return s
}
