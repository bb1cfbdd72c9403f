package httpserve

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"hence/internal/node"
)

func TestReadyz(t *testing.T) {
	lag := func(l node.Lag) func() node.Lag { return func() node.Lag { return l } }
	for _, c := range []struct {
		name   string
		lag    func() node.Lag
		status int
		body   string
	}{
		{"PlainFile", nil, http.StatusOK, "ok\n"},
		{"Follower", lag(node.Lag{Silence: 1300 * time.Millisecond, Behind: 2}), http.StatusOK, "ok\nheard from the leader 1.3 s ago, 2 entries behind\n"},
		{"Leader", lag(node.Lag{Leads: true}), http.StatusOK, "ok\nthe node leads\n"},
		{"Outdated", lag(node.Lag{Silence: 14 * time.Second, Old: true}), http.StatusServiceUnavailable, "outdated: heard from the leader 14.0 s ago, 0 entries behind\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := open(t, Options{Lag: c.lag, Metrics: true})
			if a := w.get("/readyz"); a.status != c.status || a.body != c.body {
				t.Errorf("readyz: %d %q, want %d %q", a.status, a.body, c.status, c.body)
			}
			if a := w.get("/healthz"); a.status != http.StatusOK { // what can be read is served
				t.Errorf("healthz: %d %q", a.status, a.body)
			}
			told := strings.Contains(w.get("/metrics").body, "hence_cluster_silence_seconds")
			if told != (c.lag != nil) {
				t.Errorf("the metrics tell the lag: %v", told)
			}
		})
	}
}

func TestMetricsOfACluster(t *testing.T) {
	w := open(t, Options{Metrics: true, Lag: func() node.Lag { return node.Lag{Silence: 14500 * time.Millisecond, Behind: 3, Old: true} }})
	body := w.get("/metrics").body
	for _, want := range []string{
		"\nhence_cluster_silence_seconds 14.5\n", "\nhence_cluster_entries_behind 3\n", "\nhence_cluster_leads 0\n", "\nhence_cluster_outdated 1\n",
		"# TYPE hence_cluster_silence_seconds gauge\n",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the metrics lack %q:\n%s", want, body)
		}
	}
}
