package main

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

//go:embed page.md.tmpl
var pageText string

// page returns docs/benchmarks.md. A figure that the page names but that was not
// measured is an error.
func (r *results) page() (string, error) { return r.fill(pageText) }

// fill fills in the figures of a template.
func (r *results) fill(text string) (string, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"table":  r.table,
		"metric": r.metric,
		"ratio": func(group, one, other, unit string) (string, error) {
			return r.quotient(group, one, unit, other, unit)
		},
		"times": func(group, name, whole, part string) (string, error) {
			return r.quotient(group, name, whole, name, part)
		},
		"rows": r.rows,
		"list": func(names ...string) []string { return names },
		"ripple": func(question string) (row string, err error) {
			for _, system := range []string{"Hence", "folder and grep", "server-memory", "mcp-memory-libsql"} {
				cell, ok := r.ripple[system][question]
				if !ok {
					return "", fmt.Errorf("%s was not asked %q: make ripple asks it", system, question)
				}
				row += " " + cell + " |"
			}
			return row, nil
		},
		"hasRows":  func(group string) bool { return len(r.Rows[group]) > 0 },
		"measured": func(group, name string) bool { return r.Metrics[group][name] != nil },
	}).Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, r)
	return b.String(), err
}

func (r *results) writePage(docs string) error {
	text, err := r.page()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(docs, "benchmarks.md"), []byte(text), 0o644); err != nil {
		return err
	}
	readme := filepath.Join(docs, "..", "README.md")
	if raw, err := os.ReadFile(readme); err == nil {
		if text, err = r.inReadme(string(raw)); err != nil {
			return err
		}
		if err := os.WriteFile(readme, []byte(text), 0o644); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, c := range charts {
		drawn, err := r.draw(c)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(docs, "pictures", c.file), []byte(drawn), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// table writes a table of servers, Hence first, each with its ratio to Hence.
func (r *results) table(id string) (string, error) {
	t, ok := r.Tables[id]
	if !ok || len(t.Rows) == 0 {
		return "", fmt.Errorf("table %q was not measured", id)
	}
	var b strings.Builder
	heading := cmp.Or(map[string]string{"ms": "p50", "s": "time", "MB": "now"}[t.Unit], t.Unit)
	fmt.Fprintf(&b, "| %s | %s | × Hence |", t.Title, heading)
	for _, name := range t.Beside {
		fmt.Fprintf(&b, " %s |", name)
	}
	b.WriteString("\n|---|---|---|" + strings.Repeat("---|", len(t.Beside)) + "\n")
	for i, row := range t.Rows {
		times := "–"
		if row.Value >= 0 && t.Rows[0].Value > 0 && i > 0 {
			times = short(row.Value / t.Rows[0].Value)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", row.Server, figure(row.Value, t.Unit), times, strings.Join(row.Beside, " | "))
	}
	if t.Note != "" {
		fmt.Fprintf(&b, "\n%s\n", t.Note)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// figure returns a value with its unit, "–" for none.
func figure(value float64, unit string) string {
	switch {
	case value < 0:
		return "–"
	case unit == "ms":
		return milliseconds(value)
	case unit == "s":
		return milliseconds(value * 1e3)
	case unit == "MB":
		return fmt.Sprintf("%.0f MB", value)
	}
	return strconv.FormatFloat(value, 'f', -1, 64)
}

// short returns a number with two or three significant digits.
func short(n float64) string {
	switch {
	case n >= 100:
		return fmt.Sprintf("%.0f", n)
	case n >= 10:
		return fmt.Sprintf("%.1f", n)
	}
	return fmt.Sprintf("%.2f", n)
}

// rows returns the logged rows of a group that have all these cells, without
// headings.
func (r *results) rows(group string, cells ...string) (string, error) {
	rows := []string{}
	for _, row := range r.Rows[group] {
		has := func(cell string) bool { return strings.Contains(row, "| "+cell+" |") }
		if !has("search") && !slices.ContainsFunc(cells, func(c string) bool { return !has(c) }) {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return "", fmt.Errorf("no rows of %s with %v were measured", group, cells)
	}
	return strings.Join(rows, "\n"), nil
}

// number returns the value of a Go benchmark in a unit.
func (r *results) number(group, name, unit string) (float64, error) {
	value, ok := r.Metrics[group][name][unit]
	if !ok {
		return 0, fmt.Errorf("%s of %s in %s was not measured", unit, name, group)
	}
	return value, nil
}

// metric returns a value of a Go benchmark: times in milliseconds, others as short
// numbers.
func (r *results) metric(group, name, unit string) (string, error) {
	value, err := r.number(group, name, unit)
	if err != nil {
		return "", err
	}
	switch {
	case strings.HasSuffix(unit, "-µs"):
		return milliseconds(value / 1e3), nil
	case strings.HasSuffix(unit, "-ms"):
		return milliseconds(value), nil
	case unit == "ns/op":
		return milliseconds(value / 1e6), nil
	case strings.HasPrefix(unit, "recall@"):
		return fmt.Sprintf("%.3f", value), nil
	case strings.HasSuffix(unit, "-precision") || strings.HasSuffix(unit, "-recall") || strings.HasSuffix(unit, "-share"):
		return fmt.Sprintf("%.4f", value), nil
	case value >= 1000:
		return fmt.Sprintf("%.0f", value), nil
	}
	return short(value), nil
}

// quotient returns the value of the second Go benchmark divided by that of the first.
func (r *results) quotient(group, one, oneUnit, other, otherUnit string) (string, error) {
	a, err := r.number(group, one, oneUnit)
	if err != nil {
		return "", err
	}
	b, err := r.number(group, other, otherUnit)
	if err != nil {
		return "", err
	}
	return short(b / a), nil
}
