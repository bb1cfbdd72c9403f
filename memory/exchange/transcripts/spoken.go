package transcripts

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// A program, its hooks and its helpers write in the person's name too: as messages of their own,
// which the formats mark, and between tags within a message, around which the person wrote.

// marks tell what a program writes in the person's name.
type marks struct {
	tag    *regexp.Regexp // the first tag of what stands between two tags, at the beginning of a text; the groups have its name
	begins *regexp.Regexp // the beginning of a text that is the program's as a whole
	lines  *regexp.Regexp // a line that is the program's
}

var claudeMarks = marks{
	tag: regexp.MustCompile(`^<(system-reminder|(?:user-prompt-submit|session-(?:start|end)|(?:pre|post)-tool-use|(?:subagent-)?stop|notification|pre-compact)-hook|teammate-message|task-notification|` +
		`command-(?:name|message|args|contents)|local-command-(?:stdout|stderr|caveat)|bash-(?:input|stdout|stderr)|user-memory-input|ide_(?:opened_file|selection|diagnostics)|` +
		`new-diagnostics|persisted-output|tool_use_error|fork-boilerplate|cross-session-message)(?:\s[^<>]*)?>`),
	begins: regexp.MustCompile(`^(Caveat: The messages below|This session is being continued from a previous conversation|` +
		`(Subagent)?Stop hook (feedback|blocking error)|(Pre|Post)ToolUse(:\S+)? hook |UserPromptSubmit (hook|operation blocked by hook)|Session(Start|End)(:\S+)? hook |(TaskCompleted|TeammateIdle) hook )`),
	lines: regexp.MustCompile(`(?m)^\[Request interrupted by user[^\]\n]*\][ \t]*$`),
}

var codexMarks = marks{
	tag: regexp.MustCompile(`^<(?:(skill)>\s*<name>|(environment_context|user_instructions|permissions[ a-z]*|turn_aborted|user_shell_command|INSTRUCTIONS|skills_instructions|` +
		`plugins_instructions|apps_instructions|collaboration_mode|model_switch|personality_spec|subagent_notification|hook_prompt)(?:\s[^<>]*)?>)`),
	begins: regexp.MustCompile(`^Another language model started to solve this problem`),
	lines:  regexp.MustCompile(`(?m)^# AGENTS\.md instructions[^\n]*$`),
}

// strip returns what a person wrote in a text of theirs: without what stands between two tags of a
// program, unless it is quoted as code. A tag at the beginning without an end takes the whole text.
func (m marks) strip(text string) string {
	if m.tag == nil {
		return text
	}
	text = strings.TrimSpace(m.lines.ReplaceAllString(text, ""))
	if m.begins.MatchString(text) {
		return ""
	}
	kept, fences, open := []string{}, 0, map[string]bool{} // open: tags that have no end in the rest
	from, counted := 0, 0
	for at := 0; at < len(text); at++ {
		next := strings.IndexByte(text[at:], '<')
		if next < 0 {
			break
		}
		at += next
		fences, counted = fences+strings.Count(text[counted:at], "```"), at
		name, length := m.match(text[at:])
		if name == "" || open[name] || fences%2 == 1 || at > 0 && text[at-1] == '`' {
			continue
		}
		end := strings.Index(text[at+length:], "</"+name+">")
		switch {
		case end >= 0:
			length += end + len("</"+name+">")
		case strings.TrimSpace(text[:at]) == "":
			return ""
		default:
			open[name] = true
			continue
		}
		kept = append(kept, text[from:at])
		from, counted = at+length, at+length
		at = from - 1
	}
	if from == 0 {
		return text
	}
	kept = append(kept, text[from:])
	for i, part := range kept {
		kept[i] = strings.TrimSpace(part)
	}
	return strings.Join(slices.DeleteFunc(kept, func(part string) bool { return part == "" }), "\n\n")
}

// match returns the name of the tag at the beginning of a text, "" if it is none of a program's,
// and its length.
func (m marks) match(text string) (name string, length int) {
	groups := m.tag.FindStringSubmatch(text)
	for i := 1; i < len(groups); i++ {
		name += groups[i]
	}
	if groups != nil {
		length = len(groups[0])
	}
	return name, length
}

// isHelpers reports whether a format says of a message or session that somebody else than a
// person wrote it. It is a word or an object with a kind, such as {"kind": "human"}, or
// {"subagent": …}.
func isHelpers(source json.RawMessage) bool {
	var word string
	var object map[string]json.RawMessage
	if json.Unmarshal(source, &word) != nil && json.Unmarshal(source, &object) == nil {
		if _, isSubagent := object["subagent"]; isSubagent {
			return true
		}
		_ = json.Unmarshal(object["kind"], &word)
	}
	return !slices.Contains([]string{"", "human", "user", "person", "cli", "vscode", "exec", "mcp", "appServer", "unknown"}, word)
}
