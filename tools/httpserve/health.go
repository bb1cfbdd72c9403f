package httpserve

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"hence/internal/db"
	"hence/internal/node"
	"hence/internal/receipts"
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
	_, _, err := db.One[int](ctx, h.db, `pragma user_version`)
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

// metrics counts requests and calls of tools. It answers a request with the counts in the text
// format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/
type metrics struct {
	open   atomic.Int64 // requests being served
	mu     sync.Mutex
	series map[string]float64 // by name and labels
}

// add adds to the count with a name and labels.
func (m *metrics) add(value float64, format string, labels ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.series[fmt.Sprintf(format, labels...)] += value
}

// call counts a call of a tool.
func (m *metrics) call(c receipts.Receipt) {
	m.add(1, "hence_calls_total{tool=%q,outcome=%q}", c.Tool, c.Outcome)
	m.add(c.Took.Seconds(), "hence_call_seconds_total{tool=%q}", c.Tool)
}

// count returns a handler that counts the requests to next by the status of their answers.
func (m *metrics) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.open.Add(1)
		defer m.open.Add(-1)
		recorder := &statusWriter{ResponseWriter: w}
		next.ServeHTTP(recorder, r)
		m.add(1, "hence_http_requests_total{code=\"%d\"}", cmp.Or(recorder.status, http.StatusOK))
	})
}

func (m *metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	m.mu.Lock()
	series := maps.Clone(m.series)
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = fmt.Fprintf(w, "# HELP hence_open_requests Requests being served, streams among them.\n# TYPE hence_open_requests gauge\nhence_open_requests %d\n", m.open.Load())
	for _, family := range [][2]string{
		{"hence_http_requests_total", "Requests by the status of the answer."},
		{"hence_calls_total", "Calls of tools by outcome: ok, or the code of the error."},
		{"hence_call_seconds_total", "Time spent in calls of tools."},
	} {
		_, _ = fmt.Fprintf(w, "# HELP %[1]s %[2]s\n# TYPE %[1]s counter\n", family[0], family[1])
		for _, name := range slices.Sorted(maps.Keys(series)) {
			if strings.HasPrefix(name, family[0]+"{") {
				_, _ = io.WriteString(w, name+" "+strconv.FormatFloat(series[name], 'f', -1, 64)+"\n")
			}
		}
	}
}

// statusWriter records the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap gives http.ResponseController access to the writer below.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush implements http.Flusher.
func (w *statusWriter) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }
