package httpserve

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"hence/internal/db"
	"hence/internal/node"
)

// health answers, without a token, whether the store can be read and, on a cluster, how far
// behind it may be.
type health struct {
	db  *db.DB
	lag func() node.Lag // nil: the store is a plain file
}

// live answers with 200 while the store can be read.
func (h health) live(w http.ResponseWriter, r *http.Request) {
	if h.isReadable(r.Context(), w) {
		_, _ = io.WriteString(w, "ok\n")
	}
}

// ready answers with 200 while the store can be read and is not outdated. On a cluster, the
// answer says how far behind the store may be.
func (h health) ready(w http.ResponseWriter, r *http.Request) {
	if !h.isReadable(r.Context(), w) {
		return
	}
	if h.lag == nil {
		_, _ = io.WriteString(w, "ok\n")
		return
	}
	l := h.lag()
	state := fmt.Sprintf("heard from the leader %.1f s ago, %d entries behind", l.Silence.Seconds(), l.Behind)
	if l.Leads {
		state = "the node leads"
	}
	if l.Old {
		http.Error(w, "outdated: "+state, http.StatusServiceUnavailable)
		return
	}
	_, _ = io.WriteString(w, "ok\n"+state+"\n")
}

// isReadable reports whether the store can be read, and answers the request if it cannot.
func (h health) isReadable(ctx context.Context, w http.ResponseWriter) bool {
	err := h.db.Read(ctx, func(reader *db.Reader) error {
		_, _, err := db.One[int](ctx, reader, `pragma user_version`)
		return err
	})
	if err != nil {
		http.Error(w, "the store cannot be read", http.StatusServiceUnavailable)
	}
	return err == nil
}

// metrics writes the lag of the store in the text format of Prometheus. It writes nothing for
// a plain file.
func (h health) metrics(w io.Writer) {
	if h.lag == nil {
		return
	}
	l, number := h.lag(), map[bool]float64{true: 1}
	for _, m := range []struct {
		name, help string
		value      float64
	}{
		{"hence_cluster_silence_seconds", "Time since the store's node heard from its leader.", l.Silence.Seconds()},
		{"hence_cluster_entries_behind", "Entries of the log that the store's node knows of and has not carried out.", float64(l.Behind)},
		{"hence_cluster_leads", "Whether the store's node leads the cluster.", number[l.Leads]},
		{"hence_cluster_outdated", "Whether answers say that they may be outdated.", number[l.Old]},
	} {
		_, _ = fmt.Fprintf(w, "# HELP %[1]s %[2]s\n# TYPE %[1]s gauge\n%[1]s %[3]g\n", m.name, m.help, m.value)
	}
}
