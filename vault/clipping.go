package vault

import (
	"cmp"
	"strings"

	"hence/edges"
)

// IsClipping reports whether a note is a copy of a web page: its property source is the
// page's address, as web clippers write it. The projection marks its memory as from the
// web.
func IsClipping(properties map[string]any) bool {
	address, _ := properties["source"].(string)
	scheme, rest, ok := strings.Cut(address, "://")
	return ok && rest != "" && (scheme == "http" || scheme == "https")
}

// plainly returns the declaration of a link in a clipping: refers-to instead of a stronger
// kind, because the author of a page must not decide what is superseded in the vault, or
// what rests on what.
func plainly(d declaration) declaration {
	switch d.kind {
	case edges.LinksTo, edges.Embeds, edges.Mentions, edges.RefersTo:
		return d
	}
	return declaration{kind: edges.RefersTo, rel: cmp.Or(d.rel, string(d.kind)), origin: d.origin}
}
