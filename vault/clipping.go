package vault

import (
	"cmp"
	"strings"

	"hence/edges"
)

// IsClipping reports whether a note is a copy of a page that others wrote: its property
// source is the address, as web clippers write it. The projection marks its memory as
// from the web.
func IsClipping(properties map[string]any) bool {
	address, _ := properties["source"].(string)
	scheme, rest, ok := strings.Cut(address, "://")
	return ok && rest != "" && (scheme == "http" || scheme == "https")
}

// plainly returns what a link of a clipping declares. Whoever wrote the page does not
// decide what of the vault is superseded, or goes back to what: its links are links.
func plainly(d declaration) declaration {
	switch d.kind {
	case edges.LinksTo, edges.Embeds, edges.Mentions, edges.RefersTo:
		return d
	}
	return declaration{kind: edges.RefersTo, rel: cmp.Or(d.rel, string(d.kind)), origin: d.origin}
}
