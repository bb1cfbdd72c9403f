package main

import (
	"cmp"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// folder is what an agent has by itself: Markdown, a file a fact, edited in place and found
// by grep. A file has a heading, the fact, and lines that say what it rests on, derives from
// and contradicts, and until when it held. A newer fact is written over the one that it
// supersedes, so the old one is gone, and links to it now mean the new one. It has no equivalent of what was
// known when, of undo and of merge, for which one would keep the folder in git, nor of what
// held on a day, since grep compares no dates.
type folder struct{ path string }

func openFolder(path string) (Adapter, error) { return folder{path}, nil }

func (folder) Close() error { return nil }

func (f folder) Do(r Request) (answer Answer, err error) {
	answer.Calls = 1
	switch r.Do {
	case "has":
		answer.Has = []string{"read", "rests_on", "derives_from", "supersedes", "contradicts", "correct", "note", "until", "withdraw", "erase", "rests", "came", "conflict"}
	case "store":
		about := cmp.Or(r.About, strings.Join(strings.Fields(r.Text)[:8], " "))
		lines := []string{"# " + about, r.Text}
		for _, tie := range ties(r) {
			if tie[0] != "supersedes" {
				lines = append(lines, tie[0]+" [["+tie[1]+"]]")
			}
		}
		if answer.Handle = r.Supersedes; r.Supersedes == "" {
			answer.Handle, err = f.create(about)
		} else {
			err = f.settle(r.Supersedes)
		}
		if err != nil {
			return answer, err
		}
		if r.Contradicts != "" { // both files say so
			err = f.write(r.Contradicts, append(f.lines(r.Contradicts), "contradicts [["+answer.Handle+"]]"))
		}
		if err == nil {
			err = f.write(answer.Handle, lines)
		}
	case "correct", "edit":
		lines := f.lines(r.Handle)
		lines[1] = r.Text
		err = f.write(r.Handle, lines)
	case "until":
		err = f.write(r.Handle, append(f.lines(r.Handle), obsUntil+r.Until))
	case "withdraw", "erase":
		if err = f.settle(r.Handle); err == nil {
			err = os.Remove(f.file(r.Handle))
		}
	case "find": // the phrase, in a heading first, else the files with most of the words
		names := append(f.grep("-lixF", "# "+r.Words), f.grep("-liF", r.Words)...)
		if len(names) == 0 {
			names = f.most(strings.Fields(r.Words))
		}
		answer.Shown = f.show(names[:min(10, len(names))])
	case "read":
		answer.Shown = f.show([]string{r.Handle})
	case "rests", "came":
		seen := []string{r.Handle}
		for i := 0; i < len(seen); i++ { // a grep for each file that the last one showed
			link := []string{"-lxF", "-e", "derived_from [[" + seen[i] + "]]"}
			if r.Do == "rests" {
				link = append(link, "-e", "depends_on [["+seen[i]+"]]")
			}
			for _, name := range f.grep(link...) {
				if !slices.Contains(seen, name) {
					seen = append(seen, name)
				}
			}
		}
		answer.Calls, answer.Shown = len(seen), f.show(seen[1:])
	default:
		err = errLacks
	}
	return answer, err
}

// settle takes the conflict with a file out of the others.
func (f folder) settle(name string) (err error) {
	line := "contradicts [[" + name + "]]"
	for _, other := range f.grep("-lxF", line) {
		if err == nil {
			err = f.write(other, slices.DeleteFunc(f.lines(other), func(one string) bool { return one == line }))
		}
	}
	return err
}

// show reads files, and says of each what it says of itself.
func (f folder) show(names []string) (all []Shown) {
	for _, name := range names {
		text := strings.Join(f.lines(name), "\n")
		all = append(all, Shown{name, text, marks(false, false, strings.Contains(text, "contradicts [["), strings.Contains(text, obsUntil))})
	}
	return all
}

// most returns the files that have most of some words; short ones stand everywhere.
func (f folder) most(words []string) []string {
	arguments := []string{"-oiF"}
	for _, word := range words {
		if len(word) > 3 {
			arguments = append(arguments, "-e", word)
		}
	}
	has := map[string]map[string]bool{}
	for _, line := range f.grep(arguments...) {
		name, word, _ := strings.Cut(line, ":")
		if has[name] == nil {
			has[name] = map[string]bool{}
		}
		has[name][strings.ToLower(word)] = true
	}
	return slices.SortedFunc(maps.Keys(has), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(has[b]), len(has[a])), cmp.Compare(a, b))
	})
}

// grep returns its lines, with names as links have them.
func (f folder) grep(arguments ...string) []string {
	command := exec.Command("grep", append([]string{"-r"}, arguments...)...)
	command.Dir = f.path
	out, _ := command.Output() // it ends with 1 where nothing is found
	return strings.FieldsFunc(strings.ReplaceAll(string(out), ".md", ""), func(r rune) bool { return r == '\n' })
}

// create makes a file for a fact, with a number from the second on.
func (f folder) create(about string) (name string, err error) {
	for name = about; ; name += "+" {
		file, err := os.OpenFile(f.file(name), os.O_CREATE|os.O_EXCL, 0o644)
		if !os.IsExist(err) {
			file.Close()
			return name, err
		}
	}
}

func (f folder) file(name string) string { return filepath.Join(f.path, name+".md") }

func (f folder) lines(name string) []string {
	text, _ := os.ReadFile(f.file(name))
	return append(strings.Split(string(text), "\n"), "", "")[:max(2, strings.Count(string(text), "\n")+1)]
}

func (f folder) write(name string, lines []string) error {
	return os.WriteFile(f.file(name), []byte(strings.Join(lines, "\n")), 0o644)
}
