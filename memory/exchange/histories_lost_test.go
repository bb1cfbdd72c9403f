package exchange_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hence/memory"
	"hence/memory/exchange/lines"
)

// nothingIsLost checks what the stores acknowledged against the state that all have in the end.
func (r *trial) nothingIsLost(state []string) {
	of := make([]ended, len(r.histories))
	for n := range of {
		of[n] = ended{memories: map[string]lines.Memory{}, edges: map[string]bool{}, texts: map[string]bool{}}
	}
	for _, line := range state {
		n := historyOf(line)
		if n < 0 {
			continue
		}
		e := &of[n]
		switch {
		case strings.HasPrefix(line, `["stale"`):
		case strings.HasPrefix(line, `{"type":"memory"`):
			var m lines.Memory
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				r.fail(n, "%s: %v", line, err)
			}
			e.memories[m.ID], e.texts[m.Content] = m, true
		default:
			var edge struct {
				Type, From, To, Kind string
				EdgeType             string `json:"edge_type"`
			}
			if err := json.Unmarshal([]byte(line), &edge); err != nil {
				r.fail(n, "%s: %v", line, err)
			}
			name := cmp.Or(edge.EdgeType, edge.Kind)
			e.edges[edge.From+" "+name+" "+edge.To] = true
			e.edges[edge.To+" "+name+" "+edge.From] = true
		}
	}
	for n, h := range r.histories {
		for _, loss := range h.losses(r.past, prefixOf(n), of[n]) {
			r.fail(n, "%s", loss)
		}
	}
}

// ended is what is there of a history in the end.
type ended struct {
	memories map[string]lines.Memory
	texts    map[string]bool
	edges    map[string]bool // "from kind to", in both directions; also those that were removed or are to be settled
}

// losses returns what a store acknowledged and nobody has in the end.
func (h history) losses(p past, prefix string, e ended) (losses []string) {
	purged, again, all, editedSame := map[string]bool{}, map[string]bool{}, map[operation]bool{}, map[string]bool{}
	for _, done := range h {
		for i, o := range done {
			before := func(verb string) bool { return slices.Contains(done[:i], operation{verb: verb, from: o.from}) }
			purged[o.from], all[o] = purged[o.from] || o.verb == "purge", true
			again[o.from] = again[o.from] || strings.HasPrefix(o.verb, "store") && before("purge")
			editedSame[o.from] = editedSame[o.from] || o.verb == "edit" && before("store the same")
		}
	}
	for store, done := range h {
		said, linked := map[string]string{}, map[operation]bool{}
		for _, m := range p.memories {
			said[m] = ""
		}
		isForgotten := map[string]bool{}
		for i, o := range done {
			switch o.verb {
			case "store", "edit":
				said[o.from] = textOf(store, i)
			case "store the same":
				said[o.from] = "the same"
			case "forget":
				isForgotten[o.from] = true
			case "restore":
				isForgotten[o.from] = false
			case "link":
				linked[o] = true
			case "unlink":
				o.verb = "link"
				delete(linked, o)
			}
		}
		for _, m := range slices.Sorted(maps.Keys(said)) {
			id := prefix + m
			there, ok := e.memories[id]
			switch {
			case purged[m]:
				if ok && !again[m] {
					losses = append(losses, fmt.Sprintf("%s was purged, and is there", m))
				}
				continue
			case !ok:
				losses = append(losses, fmt.Sprintf("%s is gone", m))
			case said[m] == "the same" && editedSame[m]:
			case said[m] != "" && !e.texts[prefix+said[m]]:
				losses = append(losses, fmt.Sprintf("%q of %s is gone", said[m], m))
			}
			touched := slices.ContainsFunc([]string{"edit", "restore", "verify", "store", "store the same"}, func(verb string) bool { return all[operation{verb: verb, from: m}] })
			if isForgotten[m] && !touched && there.Status != memory.Forgotten {
				losses = append(losses, fmt.Sprintf("%s was forgotten, and nobody edited, verified or stored it, and is not forgotten", m))
			}
			if all[operation{verb: "verify", from: m}] && there.VerifiedAt == "" {
				losses = append(losses, fmt.Sprintf("the verification of %s is gone", m))
			}
		}
		for _, o := range slices.SortedFunc(maps.Keys(linked), func(a, b operation) int { return cmp.Compare(a.String(), b.String()) }) {
			if !purged["a"] && !purged["b"] && !e.edges[prefix+o.from+" "+string(o.kind)+" "+prefix+o.to] {
				losses = append(losses, fmt.Sprintf("%s is gone", o))
			}
		}
	}
	return losses
}
