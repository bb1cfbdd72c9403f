package main

import (
	"path"
	"time"

	"hence/cmd/hence/internal/screen"
	"hence/internal/ref"
	"hence/tools/show"
)

// arrow is an edge between two memories.
func arrow(l show.Link) screen.Span {
	return screen.Span{Text: l.Arrow(), Style: screen.Arrow}
}

// statusSpan shows a status other than current, after a title.
func statusSpan(status string) screen.Span {
	if status == "current" || status == "" {
		return screen.Span{}
	}
	return screen.Span{Text: " (" + status + ")", Style: screen.Warn}
}

// faint is a remark.
func faint(text string) screen.Span { return screen.Span{Text: text, Style: screen.Faint} }

// strong is a name.
func strong(text string) screen.Span { return screen.Span{Text: text, Style: screen.Strong} }

// good says what was done.
func good(text string) screen.Span { return screen.Span{Text: text, Style: screen.Good} }

// spanToCopy is an id or a path to copy, after the rest of a line.
func spanToCopy(text string) screen.Span {
	if text == "" {
		return screen.Span{}
	}
	return faint("  " + text)
}

// name is what identifies a memory besides its title: the path of a note, else
// the short id.
func name(id, uri string) string {
	if uri != "" {
		return show.NotePath(uri)
	}
	return ref.ShortID(id)
}

// besideTitle is name where the title is shown too: if a note has the title of
// its file, only the folder.
func besideTitle(title, id, uri string) string {
	whole := name(id, uri)
	folder, file := path.Split(whole)
	if whole != uri && (file == title+".md" || file == title) {
		return folder
	}
	return whole
}

// day and moment show a stored time where the person is.
func day(stored string) string    { return local(show.Time{At: stored}) }
func moment(stored string) string { return local(show.Time{At: stored, Minute: true}) }

func local(stored show.Time) string {
	t, err := time.Parse(time.RFC3339, stored.At)
	switch {
	case err != nil:
		return stored.At
	case stored.Minute:
		return t.Local().Format("2006-01-02 15:04")
	}
	return t.Local().Format(time.DateOnly)
}
