package hooks

import (
	"slices"
	"strings"

	"hence/code/moment"
	"hence/internal/pattern"
)

// shellToken matches a word of a command line, quoted or not, or what divides or redirects.
var shellToken = pattern.Lazy(`\n|&&|\|\|?|;|[0-9&]*>>?\|?(?:&[0-9-]?)?|&|<+|(?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|[^\s"'\\;&|<>])+`)

// inPlace matches the flag by which sed and perl write the files that they read.
var inPlace = pattern.Lazy(`^(?:-[a-zE]*i|--in-place)`)

// writes returns the edits of the files that a command line names to write, move or delete, as far as the line says it
// itself: a pattern, a variable or the text of a document below it names none.
func writes(line string) (edits []moment.Edit) {
	if document := strings.Index(line, "<<"); document >= 0 {
		rest, _, _ := strings.Cut(line[document:], "\n")
		line = line[:document] + rest
	}
	names, words, to := []string{}, []string{}, false
	for _, token := range append(shellToken().FindAllString(line, -1), "\n") {
		switch {
		case strings.Contains(token, ">") && strings.Trim(token, "0123456789&>|-") == "":
			to = !strings.Contains(token[strings.Index(token, ">"):], "&") // else it names a stream
		case to:
			names, to = append(names, token), false
		case slices.Contains([]string{"\n", "&&", "|", "||", ";", "&"}, token):
			names, words = append(names, written(words)...), nil
		default:
			words = append(words, token)
		}
	}
	for _, name := range names {
		if name = strings.Trim(name, `"'`); name != "" && name != "/dev/null" && !strings.ContainsAny(name, "$*?`{[\\") {
			edits = append(edits, moment.Edit{Path: name})
		}
	}
	return edits
}

// written returns the arguments of one command that name files which it writes, moves or deletes.
func written(words []string) []string {
	for len(words) > 0 && (words[0] == "sudo" || words[0] == "git" || strings.Contains(words[0], "=")) {
		words = words[1:]
	}
	if len(words) == 0 {
		return nil
	}
	isFlag := func(word string) bool { return strings.HasPrefix(word, "-") }
	names := slices.DeleteFunc(slices.Clone(words[1:]), isFlag)
	switch words[0] {
	case "rm", "mv", "tee":
		return names
	case "sed", "perl":
		if slices.ContainsFunc(words[1:], inPlace().MatchString) && len(names) > 0 {
			return names[1:] // the first is the script
		}
	}
	return nil
}
