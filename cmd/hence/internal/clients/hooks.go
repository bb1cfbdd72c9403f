package clients

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/pattern"
)

// hook is an event of a client at which the client runs Hence.
type hook struct {
	Event   string
	Matcher string   // of the group; "" for none
	When    Optional // the kind that a person turns on; "" for always
	// HasPromptsFlag says that the hook is always there and has a flag that turns prompts off.
	HasPromptsFlag bool `json:"has_prompts_flag"`
	// For says that the hook has a flag that names its kind: a client may run hooks of two kinds at one
	// event, and some run them for tools that the matcher leaves out.
	For bool
	// Refuses says that a client which runs the hook too, as Copilot CLI runs Claude Code's, refuses the
	// tool if the command fails, so where there is no Hence.
	Refuses bool
}

// orNothing ends the command line of a hook that must not fail. sh, cmd and PowerShell 7 know it.
const orNothing = " || exit 0"

// who returns the words that follow --client in the command line of the hook.
func (h hook) who(client string) string {
	if h.For {
		return client + forKind + string(h.When)
	}
	return client
}

// forKind begins the flag that names the kind of a hook.
const forKind = " --for="

// Optional is a kind of hook that is only there if a person turns it on.
type Optional string

// The optional kinds of hooks.
const (
	Prompts     Optional = "prompts"     // memories beside a prompt
	Checkpoints Optional = "checkpoints" // ask for a checkpoint after many edits
	Helpers     Optional = "helpers"     // memories before the task of a helper
	Actions     Optional = "actions"     // memories beside edits and commands
)

// hooksOf describes the hooks of a client: their file, their form and their events.
type hooksOf struct {
	User, Project place
	Flat          bool // an entry is {"command"}, else {"matcher", "hooks": [{"type", "command"}]}
	Timeout       int  // in the unit of the client; its own default is a minute or more
	Version       int  // the member version that the file must have; 0: none
	Events        []hook
}

// group and command are the entries in the order in which they are written.
type group struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []command `json:"hooks"`
}

type command struct {
	Type    string `json:"type,omitempty"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
}

// ofKind finds the flag of a hook that says what of its event it answers.
var ofKind = pattern.Lazy(` --for[= ](\w+)`)

// isOurs reports whether a command line runs Hence as the hook of a client for an event, with
// any path of the program and any flags, for the client's hook.who. It compares whole names of events and clients.
func isOurs(line, event, who string) bool {
	client, kind, _ := strings.Cut(who, forKind)
	its := ""
	if found := ofKind().FindStringSubmatch(line); found != nil {
		its = found[1]
	}
	ours := regexp.MustCompile(`\bhence(\.exe)?["']? hook ` + regexp.QuoteMeta(event) + ` (.* )?--client[= ]` + regexp.QuoteMeta(client) + `([^\w.-]|$)`)
	return kind == its && ours.MatchString(line)
}

// foundHook is the place of a hook of Hence: its index in a list, and its index within a
// group if the list has groups.
type foundHook struct {
	list    *hujson.Value
	at      int
	inner   *hujson.Value // the list of the group; nil where the list is flat
	innerAt int
	command *hujson.Value // the command line, a string
}

// findHook finds the first hook of Hence for an event in the list at a path.
func findHook(document *hujson.Value, path []string, client string) (f foundHook, ok bool, err error) {
	list, missing, err := walk(document, path)
	if err != nil || len(missing) > 0 {
		return f, false, err
	}
	array, isArray := list.Value.(*hujson.Array)
	if !isArray {
		return f, false, fault.New(fault.InvalidArgument, "the configuration has a value other than a list at %s; repair it first", strings.Join(path, "."))
	}
	event := path[len(path)-1]
	for i := range array.Elements {
		element := &array.Elements[i]
		if c := textOf(element, "command"); c != nil && isOurs(c.Value.(hujson.Literal).String(), event, client) {
			return foundHook{list: list, at: i, command: c}, true, nil
		}
		object, isObject := element.Value.(*hujson.Object)
		if !isObject {
			continue
		}
		hooks := findMember(object, "hooks")
		if hooks < 0 {
			continue
		}
		inner := &object.Members[hooks].Value
		for j, one := range valuesOf(inner) {
			if c := textOf(one, "command"); c != nil && isOurs(c.Value.(hujson.Literal).String(), event, client) {
				return foundHook{list, i, inner, j, c}, true, nil
			}
		}
	}
	return f, false, nil
}

// oldMatchers are those that earlier releases wrote; a person's own matcher stays.
var oldMatchers = []string{"startup|resume|clear|compact"}

// matcher returns the string by which the group of a hook chooses events, or nil.
func (f foundHook) matcher() *hujson.Value {
	if f.inner == nil {
		return nil
	}
	return textOf(&f.list.Value.(*hujson.Array).Elements[f.at], "matcher")
}

// textOf returns the string at a member of an object, or nil.
func textOf(v *hujson.Value, member string) *hujson.Value {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	i := findMember(object, member)
	if i < 0 || object.Members[i].Value.Value.Kind() != '"' {
		return nil
	}
	return &object.Members[i].Value
}

// putHook returns a text with an entry in the list at a path. If the list has an entry of
// Hence, it only changes its command line and an old matcher, and keeps what a person added to
// the entry.
func putHook(text string, path []string, client, line string, entry any) (string, error) {
	if strings.TrimSpace(text) == "" {
		text = "{}\n"
	}
	document, err := parseJSON(text)
	if err != nil {
		return "", err
	}
	former, ok, err := findHook(&document, path, client)
	if err != nil {
		return "", err
	}
	if at := former.matcher(); ok && at != nil {
		is := at.Value.(hujson.Literal).String()
		if wanted, grouped := entry.(group); grouped && is != wanted.Matcher && slices.Contains(oldMatchers, is) {
			return putHook(text[:at.StartOffset]+db.JSON(wanted.Matcher)+text[at.EndOffset:], path, client, line, entry)
		}
	}
	if ok {
		line = mergeHook(former.command.Value.(hujson.Literal).String(), line)
		if former.command.Value.(hujson.Literal).String() == line {
			return text, nil
		}
		return text[:former.command.StartOffset] + db.JSON(line) + text[former.command.EndOffset:], nil
	}
	at, missing, err := walk(&document, path)
	if err != nil {
		return "", err
	}
	return addLast(text, document, at, func(indent, unit, newline string) string {
		if len(missing) == 0 {
			return indentJSON(entry, indent, unit, newline)
		}
		return nest(missing, indent, unit, newline, func(indent string) string {
			return "[" + newline + indent + unit + indentJSON(entry, indent+unit, unit, newline) + newline + indent + "]"
		})
	}), nil
}

// hookWord matches a word of a command line, with its quotes. hookLine divides one at the program, the
// event, the words after it, and what does not belong to the command: a pipe, another command.
var (
	oneWord  = `(?:\$\([^()]*\)|\x60[^\x60]*\x60|[^\s'"\\|&;<>()\x60]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+`
	hookWord = pattern.Lazy(oneWord)
	hookLine = pattern.Lazy(`(?s)^((?:(?:` + oneWord + `)?[\s|&;<>()])*?)(` + oneWord + `) hook (\S+)((?:\s+` + oneWord + `)*?)(\s*|\s*\d?[|&;<>()].*|\s+#.*)$`)
)

// mergeHook returns the command line of a hook, with what a person added to the one that is there: flags,
// a launcher or variables before it, what follows it. It leaves a line that it cannot divide.
func mergeHook(there, line string) string {
	theirs, ours := hookLine().FindStringSubmatch(there), hookLine().FindStringSubmatch(line)
	if theirs == nil || ours == nil {
		return there
	}
	program, words, tail := ours[2], theirs[4], theirs[5]
	if head := append(strings.Fields(theirs[1]), theirs[2]); isLauncher(head) { // an earlier init wrote it
		theirs[1] = ""
	} else if slices.ContainsFunc(head[:len(head)-1], func(word string) bool { return !strings.Contains(word, "=") }) {
		program = theirs[2] // a launcher may find no other
	}
	if strings.TrimSpace(tail) == "" || tail == orNothing {
		tail = ours[5]
	}
	wanted, is := hookWord().FindAllString(ours[4], -1), hookWord().FindAllString(words, -1)
	kept := slices.DeleteFunc(slices.Clone(is), func(word string) bool {
		return " "+word == noPrompts && !slices.Contains(wanted, word)
	})
	if kept = mergeFlags(kept, wanted); !slices.Equal(kept, is) {
		words = " " + strings.Join(kept, " ")
	}
	return theirs[1] + program + " hook " + theirs[3] + words + tail
}

// cutHook returns a text without the hooks of Hence in the list at a path.
func cutHook(text string, path []string, client string) (string, error) {
	for {
		document, err := parseJSON(text)
		if err != nil {
			return "", err
		}
		entry, ok, err := findHook(&document, path, client)
		switch {
		case err != nil || !ok:
			return text, nil
		case entry.inner != nil && len(valuesOf(entry.inner)) > 1:
			text = cutAt(text, entry.inner, entry.innerAt)
		default:
			text = cutAt(text, entry.list, entry.at)
		}
	}
}

// hasHook reports whether a list has a hook of Hence.
func hasHook(text string, path []string, client string) bool {
	document, err := parseJSON(text)
	if err != nil {
		return false
	}
	_, ok, err := findHook(&document, path, client)
	return err == nil && ok
}

// indentJSON returns a value as JSON. Its lines are indented, except for the first.
func indentJSON(value any, indent, unit, newline string) string {
	var text bytes.Buffer
	_ = json.Indent(&text, []byte(db.JSON(value)), indent, unit) // it is JSON
	return strings.ReplaceAll(text.String(), "\n", newline)
}
