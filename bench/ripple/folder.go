package main

import (
	"cmp"
	"os"
	"slices"
	"strings"
)

// folder is what an agent has by itself: Markdown, a file a fact, edited in place and found
// by grep. A file has a heading, the fact, and lines that say what it rests on, derives from
// and contradicts, and until when it held. A newer fact is written over the one that it
// supersedes, so the old one is gone, and links to it now mean the new one. It has no equivalent of what was
// known when, of undo and of merge, for which one would keep the folder in git, nor of what
// held on a day, since grep compares no dates.
type folder struct{ files }

func openFolder(path string) (Adapter, error) {
	has := "read rests_on derives_from supersedes contradicts correct note until withdraw erase rests came conflict"
	return native{nil, has, folder{files(path)}.do}, nil
}

func (f folder) do(r Request) (answer Answer, err error) {
	answer.Calls = 1
	switch r.Do {
	case "store":
		if answer.Handle = r.Supersedes; r.Supersedes == "" {
			answer.Handle, err = free(Request{About: cmp.Or(r.About, strings.Join(strings.Fields(r.Text)[:8], " "))}, f.open)
		} else {
			f.settle(r.Supersedes)
		}
		lines := []string{"# " + cmp.Or(r.About, answer.Handle), r.Text}
		for _, tie := range ties(r, answer.Handle) {
			if tie.RelationType != "supersedes" {
				lines = append(lines, tie.RelationType+" [["+tie.To+"]]")
			}
			if tie.RelationType == "contradicts" { // both files say so
				err = f.write(tie.To, append(f.lines(tie.To), "contradicts [["+answer.Handle+"]]"))
			}
		}
		if err == nil {
			err = f.write(answer.Handle, lines)
		}
	case "correct", "edit":
		err = f.write(r.Handle, slices.Replace(f.lines(r.Handle), 1, 2, r.Text))
	case "until":
		err = f.write(r.Handle, append(f.lines(r.Handle), obsUntil+r.Until))
	case "withdraw", "erase":
		f.settle(r.Handle)
		err = os.Remove(f.file(r.Handle))
	case "find":
		var g graph
		g, err = f.open(f.best(r.Words)...)
		answer.Shown = g.shown()
	case "read":
		return follow(r, f.open)
	default:
		looks := 0
		answer, err = follow(r, func(names ...string) (graph, error) {
			looks++
			return f.look(names...)
		})
		answer.Calls = looks
	}
	return answer, err
}

// settle takes the conflict with a file out of the others.
func (f folder) settle(name string) {
	line := "contradicts [[" + name + "]]"
	for _, other := range f.grep("-lxF", line) {
		f.write(other, slices.DeleteFunc(f.lines(other), func(one string) bool { return one == line }))
	}
}

// best returns the ten files that have most of a question, or of its longer words; the newest first among equals.
func (f folder) best(question string) []string {
	arguments := []string{"-oiF", "-e", question}
	for _, word := range strings.Fields(question) {
		if len(word) > 3 {
			arguments = append(arguments, "-e", word)
		}
	}
	found, scores := f.grep(arguments...), map[string]int{}
	slices.Sort(found)
	for _, line := range slices.Compact(found) {
		name, part, _ := strings.Cut(line, ":")
		scores[name] += 1 + strings.Count(part, " ")
	}
	names := slices.DeleteFunc(f.run("ls", "-t"), func(name string) bool { return scores[name] == 0 })
	slices.SortStableFunc(names, func(a, b string) int { return scores[b] - scores[a] })
	return names[:min(10, len(names))]
}
