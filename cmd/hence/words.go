package main

import (
	"net/url"
	"path"
	"strings"
	"time"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/edges"
	"hence/internal/ref"
	"hence/tools/show"
)

// edgeSpan is an arrow with the space after it.
func edgeSpan(kind edges.Kind, rel, direction string) screen.Span {
	return screen.Span{Text: show.Arrow(kind, rel, direction) + " ", Style: screen.Arrow}
}

// deeper is the indentation of what an entry under a line wraps to.
const deeper = "      "

// statusSpan says a status that is not the usual one, behind a title.
func statusSpan(status string) screen.Span {
	if status == "current" || status == "" {
		return screen.Span{}
	}
	return screen.Span{Text: " (" + status + ")", Style: screen.Warn}
}

// faint is what may be copied: an id or a place, behind the rest.
func faint(text string) screen.Span {
	if text == "" {
		return screen.Span{}
	}
	return screen.Span{Text: "  " + text, Style: screen.Faint}
}

// name is how a person may name a memory again, beside its title: a note by
// its path, another by its short id.
func name(id, uri string) string {
	if uri != "" {
		return notePath(uri)
	}
	return ref.ShortID(id)
}

// besideTitle is name for where the title is shown and every line counts: of
// a note that is called like its file, the folder says the rest.
func besideTitle(title, id, uri string) string {
	whole := name(id, uri)
	folder, file := path.Split(whole)
	if whole != uri && (file == title+".md" || file == title) {
		return folder
	}
	return whole
}

// notePath returns the path of a note in its vault from its uri.
func notePath(uri string) string {
	rest, ok := strings.CutPrefix(uri, "obsidian-fs://")
	_, file, found := strings.Cut(rest, "/")
	if !ok || !found {
		return uri
	}
	if plain, err := url.PathUnescape(file); err == nil {
		return plain
	}
	return file
}

// day and moment show a stored time where the person is.
func day(stored string) string    { return local(stored, "2006-01-02") }
func moment(stored string) string { return local(stored, "2006-01-02 15:04") }

func local(stored, layout string) string {
	t, err := time.Parse(time.RFC3339, stored)
	if err != nil {
		return stored
	}
	return t.Local().Format(layout)
}

// warn writes warnings, each on a line of its own.
func (v *view) warn(warnings []string) {
	for _, w := range warnings {
		v.Item("! ", screen.Span{Text: w, Style: screen.Warn})
	}
}

// orRaise says how to see what an answer left out, or, where the argument is as
// large as it may be, what was given in place of it.
func orRaise(a any, next, atMost string) string {
	if flags.AtMost(a, next) {
		return atMost
	}
	return "for more, " + raise(next)
}

// raise names the flag that brings what was left out.
func raise(next string) string { return "raise --" + strings.ReplaceAll(next, "_", "-") }

// more says that something was left out, and which argument brings it.
func (v *view) more(truncated bool, next string) {
	if truncated {
		v.Line(screen.Span{Text: "there is more: " + raise(next), Style: screen.Faint})
	}
}
