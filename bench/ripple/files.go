package main

import (
	"os"
	"path/filepath"
	"strings"
)

// files is a folder of Markdown, a file a statement, in which a line such as
// depends_on [[port of the job queue]] is a relation.
type files string

// open reads files.
func (f files) open(names ...string) (g graph, err error) {
	for _, name := range names {
		if lines := f.lines(name); len(lines) > 1 {
			g.add(name, lines)
		}
	}
	return g, nil
}

// look reads files, and greps for links to them.
func (f files) look(names ...string) (graph, error) {
	g, err := f.open(names...)
	arguments := []string{"-F"}
	for _, name := range names {
		arguments = append(arguments, "-e", "[["+name+"]]")
	}
	for _, line := range f.grep(arguments...) {
		name, link, _ := strings.Cut(line, ":")
		g.link(name, link)
	}
	return g, err
}

func (f files) grep(arguments ...string) []string {
	return f.run("grep", append([]string{"-r"}, arguments...)...)
}

// run returns the lines that a program prints, with names as links have them.
func (f files) run(program string, arguments ...string) []string {
	out, _ := output(string(f), program, arguments...) // grep ends with 1 where nothing is found
	return strings.FieldsFunc(strings.ReplaceAll(out, ".md", ""), func(r rune) bool { return r == '\n' })
}

func (f files) file(name string) string { return filepath.Join(string(f), name+".md") }

func (f files) lines(name string) []string {
	text, _ := os.ReadFile(f.file(name))
	return strings.Split(string(text), "\n")
}

func (f files) write(name string, lines []string) error {
	return put(f.file(name), strings.Join(lines, "\n"))
}
