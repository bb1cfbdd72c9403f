package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Report is what was measured of all systems.
type Report struct {
	Date    string   `json:"date"`
	Seeds   string   `json:"seeds"`
	Others  int      `json:"others"` // number of other statements in the store for the rows among many others
	Systems []Column `json:"systems"`
}

// A Column is one system: its score for each question that it could be asked, and the first
// errors that it or its adapter gave.
type Column struct {
	Name    string            `json:"name"`
	Version string            `json:"version"`
	Seconds float64           `json:"seconds"`
	Scores  map[string]*Score `json:"scores"`
	Cells   map[string]string `json:"cells"` // of the table, by question
	Faults  []string          `json:"faults,omitempty"`
}

// table is the report in Markdown.
func (r Report) table() string {
	b := &strings.Builder{}
	heads, rule := "| track | question |", "|---|---|"
	for _, s := range r.Systems {
		heads += " " + strings.TrimSpace(s.Name+" "+s.Version) + " |"
		rule += "---|"
	}
	fmt.Fprintln(b, heads+"\n"+rule)
	track := ""
	for _, q := range questions {
		name := q.track
		if name == track {
			name = ""
		}
		track = q.track
		fmt.Fprintf(b, "| %s | %s |", name, q.question)
		for _, s := range r.Systems {
			fmt.Fprintf(b, " %s |", s.cell(q.question))
		}
		fmt.Fprintln(b)
	}
	for _, s := range r.Systems {
		for _, fault := range s.Faults {
			fmt.Fprintf(b, "\n%s: %s.\n", s.Name, strings.TrimSpace(fault))
		}
	}
	return b.String()
}

// cell is a share in percent, and how many calls a question took where that is more than one.
func (c Column) cell(question string) string {
	score := c.Scores[question]
	if score == nil || score.Asked == 0 {
		return "–"
	}
	cell := percent(score.Right, score.Asked)
	if calls := float64(score.Calls) / float64(score.Asked); walks(question) && calls >= 1.05 {
		cell += fmt.Sprintf(" in %.1f calls", calls)
	}
	return cell
}

// percent is 100 only where all were right, and 0 only where none was.
func percent(right, asked int) string {
	share := 100 * float64(right) / float64(asked)
	if right < asked && share > 99.9 || right > 0 && share < 0.1 {
		return fmt.Sprintf("%.2f %%", share)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", math.Round(share*10)/10), ".0") + " %"
}

// walks says whether a question may take an adapter several calls.
func walks(question string) bool {
	for _, q := range questions {
		if q.question == question {
			return q.track == "ripple" || q.track == "why" || q.track == "source"
		}
	}
	return false
}

// over returns an older report with these columns in the place of its own of the same systems. Columns are
// beside each other only if they were asked the same.
func (r Report) over(old Report) (Report, error) {
	if old.Seeds != r.Seeds || old.Others != r.Others {
		return r, fmt.Errorf("the table is of seeds %s and %d others: ask these, or all systems", old.Seeds, old.Others)
	}
	for _, c := range r.Systems {
		i := slices.IndexFunc(old.Systems, func(other Column) bool { return other.Name == c.Name })
		if i < 0 {
			return r, fmt.Errorf("the table has no column %s: ask all systems", c.Name)
		}
		old.Systems[i] = c
	}
	r.Systems = old.Systems
	return r, nil
}

// readReport reads what was written to ripple.json.
func readReport(docs string) (r Report, err error) {
	file, err := os.ReadFile(filepath.Join(docs, "ripple.json"))
	if err == nil {
		err = json.Unmarshal(file, &r)
	}
	return r, err
}

// The lines before and after the table in ripple.md.
const (
	tableBegin = "<!-- Written by make ripple. -->\n"
	tableEnd   = "<!-- To here. -->\n"
)

// write writes the report to ripple.json, and its table into ripple.md.
func (r Report) write(docs string) error {
	file, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(docs, "ripple.json"), append(file, '\n'), 0o644); err != nil {
		return err
	}
	path := filepath.Join(docs, "ripple.md")
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, begins := strings.Cut(string(page), tableBegin)
	_, after, ends := strings.Cut(rest, tableEnd)
	if !begins || !ends {
		return fmt.Errorf("%s has no place for the table: the lines %q and %q", path, tableBegin, tableEnd)
	}
	heading := fmt.Sprintf("Measured on %s, seeds %s, %d others.\n\n", r.Date, r.Seeds, r.Others)
	return os.WriteFile(path, []byte(before+tableBegin+heading+r.table()+tableEnd+after), 0o644)
}
