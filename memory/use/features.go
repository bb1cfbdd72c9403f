package use

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"hence/internal/pattern"
	"hence/internal/prose"
	"hence/internal/script"
	"hence/memory/recall/lexicon"
	"hence/memory/recall/near"
)

// features are what of a memory can be found again.
type features struct {
	words           map[string]feature // by stem
	commands, files []string
	title           string // its words, "" if they say too little
}

// feature is a word of a memory.
type feature struct {
	stem, text string
	points     int
	next       map[string]bool // stems of the words that follow it
}

// word is a word of a text: its own stem, and those of its parts if it is an identifier.
type word struct {
	text  string
	stems []string
}

const (
	mostSpan     = 200 // bytes of code that is a command
	titleWords   = 3   // of a title that may be cited
	shortestWord = 3   // letters
)

var (
	inCode     = pattern.Lazy("`([^`\n]+)`|(?m)^\\s*\\$ (.+)$")
	pathLike   = pattern.Lazy(`[\pL\pN_.@~-]*(?:/[\pL\pN_.@-]+)+|\b[\pL\pN_-]+\.[a-z][a-z0-9]{0,5}\b`)
	named      = pattern.Lazy(`"((?:[^"\\]|\\.)*)"`)
	supersedes = pattern.Lazy(`"supersedes"\s*:\s*(?:\[[^\]]*\]?|"[^"]*")`)
	// denial is how a person says that something does not hold.
	denial = pattern.Lazy(`(?i)^\W*(no|nope)\b|\b(wrong|incorrect|untrue|outdated|obsolete|mistaken|actually|out of date|no longer|not (true|right|any ?more|correct)|any ?more|` +
		`(that|this|it)( is|['’]s) (not|stale)|has changed|we (moved|switched|changed))\b`)
	sentenceEnd = pattern.Lazy(`[.!?](\s|$)|\n`)
)

// ways says of which tools of Hence a call that names a memory uses it, and how.
var ways = map[string]string{
	"memory_get": Opened, "fetch": Opened, "read_note": Opened, "memory_history": Opened, "memory_trace": Opened, "memory_path": Opened, "expand": Opened,
	"get_neighborhood": Opened, "find_related": Opened, "memory_verify": Verified, "memory_link": Linked, "memory_unlink": Linked, "memory_store": Linked,
	"memory_checkpoint": Linked, "memory_update": Linked, "memory_forget": Linked,
}

// writes are the tools whose arguments are what the agent says.
var writes = map[string]bool{"memory_store": true, "memory_checkpoint": true, "memory_update": true}

// ToolOf returns the name of a tool of Hence without what a client puts before it, and reports whether it is one.
func ToolOf(name string) (tool string, isHence bool) {
	tool = name
	if at := strings.LastIndex(tool, "__"); at >= 0 {
		tool = tool[at+2:]
	}
	tool = tool[strings.LastIndexAny(tool, "./:")+1:]
	return tool, strings.HasPrefix(tool, "memory_") || strings.Contains(strings.ToLower(name), "hence")
}

// names returns the texts in quotes among arguments, folded.
func names(arguments string) map[string]bool {
	all := map[string]bool{}
	for _, m := range named().FindAllStringSubmatch(arguments, -1) {
		all[script.Key(m[1])] = true
	}
	return all
}

// isIn reports whether the memory is among names: by its id, its short id, a beginning of it, or its title.
func (m *shown) isIn(names map[string]bool) bool {
	if names[script.Key(m.ID)] || names[m.short()] || m.Title != "" && names[script.Key(m.Title)] {
		return true
	}
	for name := range names {
		if len(name) >= shortID && strings.HasPrefix(m.ID, name) {
			return true
		}
	}
	return false
}

const shortID = 8

func (m *shown) short() string { return m.ID[max(0, len(m.ID)-shortID):] }

// cites reports whether a text names the memory, by its id or title.
func (m *shown) cites(text, spaced string) bool {
	return has(text, m.short()) || has(text, m.ID) || m.title != "" && strings.Contains(spaced, m.title)
}

// has reports whether a text has a part, not within a longer word.
func has(text, part string) bool {
	for from := 0; part != ""; {
		at := strings.Index(text[from:], part)
		if at < 0 {
			return false
		}
		begin, end := from+at, from+at+len(part)
		if (begin == 0 || !isWordByte(text[begin-1])) && (end == len(text) || !isWordByte(text[end])) {
			return true
		}
		from = begin + 1
	}
	return false
}

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
}

func featuresOf(m Memory) features {
	text := m.Title + "\n" + m.Content
	f := features{words: map[string]feature{}}
	last := ""
	for _, w := range split(text) {
		for i, stem := range w.stems {
			v, ok := f.words[stem]
			if !ok {
				v = feature{stem: stem, text: w.text, points: 1, next: map[string]bool{}}
				if i == 0 && (len(w.stems) > 1 || strings.ContainsFunc(stem, unicode.IsDigit)) {
					v.points = 2
				}
				f.words[stem] = v
			}
			if before, ok := f.words[last]; ok {
				before.next[stem] = true
			}
		}
		last = ""
		if len(w.stems) > 0 {
			last = w.stems[len(w.stems)-1]
		}
	}
	for _, span := range inCode().FindAllStringSubmatch(text, -1) {
		if code := prose.OneLine(strings.TrimSpace(span[1] + span[2])); strings.Contains(code, " ") && len(code) <= mostSpan {
			f.commands = append(f.commands, code)
		}
	}
	for _, path := range pathLike().FindAllString(text, -1) {
		if path = strings.TrimLeft(path, "./~"); strings.ContainsAny(path, "./") && !slices.Contains(f.files, path) {
			f.files = append(f.files, path)
		}
	}
	if words := slices.Collect(lexicon.Words(m.Title)); len(words) >= titleWords {
		f.title = lexicon.Spaced(m.Title)
	}
	return f
}

// split returns the words of a text that say something of what it is about, and an empty word for each of the others.
func split(text string) (words []word) {
	for run := range script.Runs(text) {
		w := word{text: strings.ToLower(run)}
		if isTelling(w.text) {
			w.stems = append(w.stems, stemOf(w.text))
			for _, part := range script.Humps(run) {
				if part = strings.ToLower(part); part != w.text && isTelling(part) {
					w.stems = append(w.stems, stemOf(part))
				}
			}
		}
		words = append(words, w)
	}
	return words
}

func isTelling(word string) bool {
	if strings.ContainsFunc(word, unicode.IsDigit) {
		return len(word) > 1
	}
	return len(word) >= shortestWord && near.IsTelling(word)
}

// stemOf returns a word without its ending.
func stemOf(word string) string {
	for _, ending := range []string{"ing", "ed", "es", "s"} {
		if stem, ok := strings.CutSuffix(word, ending); ok && len(stem) > shortestWord {
			word = stem
			break
		}
	}
	if len(word) > shortestWord+1 {
		word = strings.TrimSuffix(word, "e")
	}
	return word
}

// isTelling reports whether a command has a rare word that tells it from others.
func (j *judge) isTelling(command string) bool {
	return j.isRare(command) && slices.ContainsFunc(split(command), func(w word) bool { return len(w.stems) > 0 && j.isRare(w.text) })
}

// windows yields parts of a text that overlap.
func windows(words []word) iter.Seq[[]word] {
	return func(yield func([]word) bool) {
		for from := 0; from == 0 || from+window/2 < len(words); from += window / 2 {
			if !yield(words[from:min(len(words), from+window)]) {
				return
			}
		}
	}
}
