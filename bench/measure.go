package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// row is one server's result for a question: the value that is compared, and
// further cells of the table.
type row struct {
	Server string   `json:"server"`
	Value  float64  `json:"value"`  // in the unit of the table; negative if the server does not offer it
	Beside []string `json:"beside"` // further cells
}

// table is one question with the results of every server, Hence first.
type table struct {
	ID     string   `json:"id"` // names the table in the page, and its panel in a chart
	Title  string   `json:"title"`
	Unit   string   `json:"unit"`   // of the values
	Beside []string `json:"beside"` // headings of further cells
	Rows   []row    `json:"rows"`
	Note   string   `json:"note,omitempty"`
}

// times are the durations of calls.
type times []time.Duration

// percentile returns a percentile of the times, in milliseconds.
func (t times) percentile(percent int) float64 {
	sorted := slices.Sorted(slices.Values(t))
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)].Seconds() * 1e3
}

// timesRow returns the row of a server's times: p50, then p99, with the number of calls if
// patience ended them, and further cells. No times mean that the server does not offer such
// calls.
func timesRow(server string, t times, more ...string) row {
	if len(t) == 0 {
		return row{server, -1, slices.Repeat([]string{"–"}, 1+len(more))}
	}
	p99 := milliseconds(t.percentile(99))
	if t.spent() > patience {
		p99 += fmt.Sprintf(" (%d calls)", len(t))
	}
	return row{server, t.percentile(50), append([]string{p99}, more...)}
}

// patience is the time after which a server gets no more calls of one kind.
const patience = 30 * time.Second

func (t times) spent() (sum time.Duration) {
	for _, one := range t {
		sum += one
	}
	return sum
}

func milliseconds(ms float64) string {
	switch {
	case ms < 10:
		return fmt.Sprintf("%.2f ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f s", ms/1e3)
}

// each makes calls one after another, as long as patience lasts, and returns their
// times. It stops at the first error.
func (r *running) each(ctx context.Context, calls []call) (took times, err error) {
	for _, c := range calls {
		if took.spent() > patience {
			break
		}
		_, t, err := r.ask(ctx, c)
		if err != nil {
			return nil, err
		}
		took = append(took, t)
	}
	return took, nil
}

// search searches for texts by some of their words and returns the times, and how
// many results showed the text. Texts without such words are skipped, and all texts
// once patience has run out.
func (r *running) search(ctx context.Context, c contender, texts []text, words func(text) string) (took times, hits int, err error) {
	for _, t := range texts {
		query := words(t)
		if query == "" || took.spent() > patience {
			continue
		}
		answer, spent, err := r.ask(ctx, c.search(query))
		if err != nil {
			return nil, 0, err
		}
		took = append(took, spent)
		if strings.Contains(answer, c.shows(t.name)) {
			hits++
		}
	}
	return took, hits, nil
}

// startUp starts a server n times, each until it has answered a first search, and
// returns the times. The last server keeps running.
func startUp(ctx context.Context, c contender, dir string, n int) (took times, last *running, err error) {
	for i := range n {
		before := time.Now()
		last, err = start(ctx, c.command(dir))
		if err != nil {
			return nil, nil, err
		}
		if _, _, err := last.ask(ctx, c.search("nothing like this")); err != nil {
			last.stop()
			return nil, nil, err
		}
		took = append(took, time.Since(before))
		if i < n-1 {
			last.stop()
		}
	}
	return took, last, nil
}

func share(part, whole int) string { return fmt.Sprintf("%d %%", 100*part/max(1, whole)) }

func megabytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }
