package main

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed readme.md.tmpl
var readmeTable string

// The lines before and after the figures in README.md.
const (
	figuresBegin = "<!-- Written by make bench-page, from docs/ripple.json. -->\n"
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
