package main

import (
	"path"
	"time"

	"hence/internal/ref"
	"hence/tools/show"
)

// statusSpan returns a status for use after a title; nothing for current.
func statusSpan(status string) show.Span {
	if status == "current" || status == "" {
		return show.Span{}
	}
	return warn(" (" + status + ")")
}

// faint returns the span of a remark.
func faint(text string) show.Span { return show.Span{Text: text, Role: show.Faint} }

// strong returns the span of a name.
func strong(text string) show.Span { return show.Span{Text: text, Role: show.Strong} }

// good returns the span of a success.
func good(text string) show.Span { return show.Span{Text: text, Role: show.Good} }

// warn returns the span of what a person should look at.
func warn(text string) show.Span { return show.Span{Text: text, Role: show.Warn} }

// bad returns the span of what was refused or is wrong.
func bad(text string) show.Span { return show.Span{Text: text, Role: show.Bad} }

// did returns the span of an action: that it was done or, for a dry run, would be.
func did(dry bool, past, would string) show.Span {
	if dry {
		return warn(would)
	}
	return good(past)
}

// spanToCopy returns the span of an id or path that a person may copy, for the end of a line.
func spanToCopy(text string) show.Span {
	if text == "" {
		return show.Span{}
	}
	return faint("  " + text)
}

// name returns the identifier of a memory besides its title: the path of a note, or else the
// short id.
func name(id, uri string) string {
	if uri != "" {
		return show.NotePath(uri)
	}
	return ref.ShortID(id)
}

// besideTitle returns name for a line that shows the title too. If the file of a note is
// called like the title, it returns only the folder.
func besideTitle(title, id, uri string) string {
	whole := name(id, uri)
	folder, file := path.Split(whole)
	if whole != uri && (file == title+".md" || file == title) {
		return folder
	}
	return whole
}

// day and moment return a stored time in the time zone of the person.
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
