// Package suite runs test suites: commands that a person stores as lists of arguments, and
// that run without a shell. A caller can only choose a suite and fill its placeholders.
//
// A suite runs the repository's own code, with the rights of the person who started
// Hence. So only a person can allow a suite, and a repository cannot bring its own.
package suite

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/internal/fault"
	"hence/internal/pattern"
)

// Suite is a command that a person allowed.
type Suite struct {
	Name        string   `json:"name"`
	Arguments   []string `json:"arguments"`             // the program first; {package}, {run} and {package:default} are placeholders
	Folder      string   `json:"folder,omitempty"`      // where it runs, from the repository's root; "": the root
	TimeoutS    int      `json:"timeout_s"`             // time limit of a run, in seconds
	Environment []string `json:"environment,omitempty"` // names of variables that it gets besides the few that all get
}

// Values fill the placeholders of a suite; "" means that none is given.
type Values struct {
	Package string // for {package}
	Run     string // for {run}
}

const (
	maxValue     = 1000 // bytes
	maxArguments = 100
	maxSeconds   = 3600
)

var placeholder = pattern.Lazy(`\{(package|run)(?::([^{}]*))?\}`)

// Check fails with invalid_argument for a suite that cannot be run.
func (s Suite) Check(operation string) error {
	switch {
	case !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`).MatchString(s.Name):
		return fault.New(fault.InvalidArgument, "%s: %.80q is not a name of a suite; use up to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit", operation, s.Name)
	case len(s.Arguments) == 0 || strings.TrimSpace(s.Arguments[0]) == "":
		return fault.New(fault.InvalidArgument, "%s: the suite %s has no program; give its arguments behind --, as in -- go test ./{package:...}", operation, s.Name)
	case len(s.Arguments) > maxArguments:
		return fault.New(fault.InvalidArgument, "%s: the suite %s has %d arguments, and may have at most %d", operation, s.Name, len(s.Arguments), maxArguments)
	case placeholder().MatchString(s.Arguments[0]):
		return fault.New(fault.InvalidArgument, "%s: the program of the suite %s holds a placeholder; write the program out, as a caller may not choose it", operation, s.Name)
	case slices.ContainsFunc(s.Arguments, func(argument string) bool { return strings.ContainsRune(argument, 0) }):
		return fault.New(fault.InvalidArgument, "%s: an argument of the suite %s holds a NUL character", operation, s.Name)
	case s.TimeoutS < 1 || s.TimeoutS > maxSeconds:
		return fault.New(fault.InvalidArgument, "%s: the suite %s may run for %d seconds; give 1 to %d", operation, s.Name, s.TimeoutS, maxSeconds)
	}
	return nil
}

// fill returns the arguments of a run with their placeholders filled. Each stays one
// argument whatever its value holds. An argument whose placeholder has neither value nor
// default is left out. It fails with invalid_argument for a value that is not allowed.
func (s Suite) fill(operation string, v Values) ([]string, error) {
	values, used := map[string]string{"package": v.Package, "run": v.Run}, map[string]bool{}
	for _, argument := range s.Arguments {
		for _, parts := range placeholder().FindAllStringSubmatch(argument, -1) {
			used[parts[1]] = true
		}
	}
	for _, name := range []string{"package", "run"} {
		if err := checkValue(operation, name, values[name]); err != nil {
			return nil, err
		}
		if values[name] != "" && !used[name] {
			return nil, fault.New(fault.InvalidArgument, "%s: the suite %s has no {%s}; leave %s out", operation, s.Name, name, name)
		}
	}
	arguments := []string{}
	for _, argument := range s.Arguments {
		missing := false
		text := placeholder().ReplaceAllStringFunc(argument, func(mark string) string {
			parts := placeholder().FindStringSubmatch(mark)
			if value := values[parts[1]]; value != "" {
				return value
			}
			missing = missing || !strings.Contains(mark, ":")
			return parts[2]
		})
		if !missing {
			arguments = append(arguments, text)
		}
	}
	return arguments, nil
}

// checkValue fails with invalid_argument for a value that a program could take for an
// option, that leads out of the repository, that is too long, or that is not text.
func checkValue(operation, name, value string) error {
	refuse := func(why string) error {
		return fault.New(fault.InvalidArgument, "%s: %s %.100q %s", operation, name, value, why)
	}
	switch {
	case value == "":
		return nil
	case len(value) > maxValue:
		return fault.New(fault.InvalidArgument, "%s: %s has %d bytes, and may have at most %d", operation, name, len(value), maxValue)
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		return refuse("holds a character that is not text")
	case strings.HasPrefix(strings.TrimLeftFunc(value, unicode.IsSpace), "-"):
		return refuse("begins with -, and would be an option")
	case name == "package" && slices.Contains(strings.FieldsFunc(value, func(r rune) bool { return r == '/' || r == '\\' }), ".."):
		return refuse("leads out of the repository")
	case name == "package" && (strings.HasPrefix(value, "/") || strings.HasPrefix(value, `\`)):
		return refuse("is an absolute path; give one from the root")
	}
	return nil
}
