package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed readme.md.tmpl
var readmeTable string

// The lines before and after the figures in README.md.
const (
	figuresBegin = "<!-- Written by make bench-page, from docs/benchmarks.json. -->\n"
	figuresEnd   = "<!-- To here. -->\n"
)

// inReadme returns the text of README.md with the newest figures.
func (r *results) inReadme(text string) (string, error) {
	figures, err := r.fill(readmeTable)
	if err != nil {
		return "", err
	}
	before, rest, begins := strings.Cut(text, figuresBegin)
	_, after, ends := strings.Cut(rest, figuresEnd)
	if !begins || !ends {
		return "", fmt.Errorf("README.md has no place for figures: the lines %q and %q", figuresBegin, figuresEnd)
	}
	return before + figuresBegin + figures + figuresEnd + after, nil
}

// row returns the row of a server in a table.
func (r *results) row(id, server string) (t table, line row, err error) {
	t = r.Tables[id]
	i := slices.IndexFunc(t.Rows, func(one row) bool { return one.Server == server })
	if i < 0 {
		return t, line, fmt.Errorf("%s was not measured in table %q", server, id)
	}
	return t, t.Rows[i], nil
}

// beside returns a further figure of a server in a table.
func (r *results) beside(id, server, name string) (string, error) {
	t, line, err := r.row(id, server)
	if err != nil {
		return "", err
	}
	i := slices.Index(t.Beside, name)
	if i < 0 || i >= len(line.Beside) {
		return "", fmt.Errorf("table %q has no %q", id, name)
	}
	return line.Beside[i], nil
}

// share returns the share in the last cell of the only row of a group that has all these
// cells, without the numbers that it is made of.
func (r *results) share(group string, cells ...string) (string, error) {
	body, err := r.rows(group, cells...)
	if err != nil {
		return "", err
	}
	if strings.Contains(body, "\n") {
		return "", fmt.Errorf("several rows of %s have %v", group, cells)
	}
	all := strings.Split(strings.Trim(body, "| "), "|")
	share, _, _ := strings.Cut(strings.TrimSpace(all[len(all)-1]), " (")
	return share, nil
}
