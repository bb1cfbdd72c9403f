package main

import (
	"os"
	"regexp"
)

// waits finds a passage of a page that is true until Hence is published and, as a comment
// below it, the one that is true afterwards.
var waits = regexp.MustCompile(`(?s)<!-- Until it is published: -->\n.*?<!-- Once it is:\n(.*?)-->\n`)

// publishPages turns all pages to what holds once Hence is published.
func (r *release) publishPages() error {
	pages, err := r.pages()
	if err != nil {
		return err
	}
	for _, page := range pages {
		text, err := os.ReadFile(page.from)
		if err != nil {
			return err
		}
		if !waits.Match(text) {
			continue
		}
		if err := os.WriteFile(page.from, waits.ReplaceAll(text, []byte("$1")), 0o644); err != nil {
			return err
		}
	}
	return nil
}
