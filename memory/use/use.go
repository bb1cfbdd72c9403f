// Package use finds out which of the memories that an agent was shown it used, and which were corrected: from the steps of a
// conversation, which receipts or a transcript tell. It says that a memory was used, never that it helped.
package use

import (
	"slices"
	"strings"
	"time"

	"hence/internal/prose"
	"hence/memory/recall/lexicon"
)

// Author is who wrote the text of a step.
type Author int

// The authors of steps.
const (
	Agent  Author = iota // an answer, an edit, a command
	Person               // a prompt
	Other                // what a tool answered, and what stood in a file before an edit
	Hence                // memories that the agent was shown
)

// Step is a moment of a conversation.
type Step struct {
	At    time.Time
	By    Author
	Tool  string   // of Hence, that the agent called with the text as its arguments; "" for another text
	Text  string   // of a step by Hence ""
	Shown []string // ids of memories, of a step by Hence
}

// Memory is what of a memory can be found again in what an agent does.
type Memory struct{ ID, Title, Content string }

// Use says how a memory that was shown was used in a conversation.
type Use struct {
	ID        string
	At        time.Time // when it was first shown
	How       []string  // the ways in which it was used, none if it was not
	Corrected string    // "" if it was not
}

// The ways in which a memory is used.
const (
	Opened   = "opened"
	Verified = "verified"
	Linked   = "linked"
	Cited    = "cited"   // by its id or title
	Command  = "command" // one that it has as code was run or written
	File     = "file"    // one that it names was touched
	Words    = "words"   // its rare words were written
)

// The ways in which one is corrected.
const (
	Superseded   = "superseded"
	Forgotten    = "forgotten"
	Contradicted = "contradicted" // by the person
)

const (
	window      = 40 // words within which evidence stands
	enoughWords = 3  // points of words that are evidence of a use: each rare word, or word of a rare pair, has 1, one with digits or parts 2
	enoughDoubt = 2  // and of what a person contradicts
)

// judge follows a conversation.
type judge struct {
	isRare func(text string) bool
	told   map[string]int // the first step in which somebody else than the agent and Hence wrote a word
	did    map[string]int // and the agent
	steps  []Step
	shown  []*shown // in order
	uses   map[string]*Use
}

// shown is a memory and the step in which the agent saw it first.
type shown struct {
	Memory
	features
	at int
}

// Judge returns for each memory that was shown in a conversation how it was used. The steps are in the order of time. isRare
// reports whether few memories of the store have a word or phrase.
func Judge(steps []Step, memories map[string]Memory, isRare func(text string) bool) (uses []Use) {
	j := judge{isRare: isRare, told: map[string]int{}, did: map[string]int{}, steps: steps, uses: map[string]*Use{}}
	for i, s := range steps {
		switch {
		case s.By == Hence:
			j.show(i, s.Shown, memories)
			continue
		case s.By == Person:
			j.doubt(s.Text)
		case s.By == Agent && s.Tool != "":
			j.call(i, s)
		case s.By == Agent:
			j.act(i, s.Text)
		}
		first := j.told
		if s.By == Agent {
			first = j.did
		}
		for _, w := range split(s.Text) {
			for _, stem := range w.stems {
				if _, isKnown := first[stem]; !isKnown {
					first[stem] = i
				}
			}
		}
	}
	for _, m := range j.shown {
		uses = append(uses, *j.uses[m.ID])
	}
	return uses
}

func (j *judge) show(at int, ids []string, memories map[string]Memory) {
	for _, id := range ids {
		m, isKnown := memories[id]
		if _, isShown := j.uses[id]; !isKnown || isShown {
			continue
		}
		j.uses[id] = &Use{ID: id, At: j.steps[at].At}
		j.shown = append(j.shown, &shown{m, featuresOf(m), at})
	}
}

func (j *judge) use(m *shown, how string) {
	if u := j.uses[m.ID]; !slices.Contains(u.How, how) {
		u.How = append(u.How, how)
	}
}

// call reads the call of a tool of Hence, whose arguments may be cut.
func (j *judge) call(at int, s Step) {
	how := ways[s.Tool]
	if how == "" {
		return
	}
	superseded := names(strings.Join(supersedes().FindAllString(s.Text, -1), " "))
	named := names(s.Text)
	for _, m := range j.shown {
		if !m.isIn(named) {
			continue
		}
		j.use(m, how)
		switch {
		case m.isIn(superseded):
			j.uses[m.ID].Corrected = Superseded
		case s.Tool == "memory_forget":
			j.uses[m.ID].Corrected = Forgotten
		}
	}
	if writes[s.Tool] {
		j.act(at, s.Text)
	}
}

// act reads what the agent wrote for evidence of the memories that it saw before.
func (j *judge) act(at int, text string) {
	if len(j.shown) == 0 {
		return
	}
	spaced, flat := lexicon.Spaced(text), prose.OneLine(text)
	for _, m := range j.shown {
		if m.cites(text, spaced) && !j.isTold(m, at, func(before string) bool { return m.cites(before, lexicon.Spaced(before)) }) {
			j.use(m, Cited)
		}
		for _, command := range m.commands {
			if has(flat, command) && j.isTelling(command) && !j.isTold(m, at, func(before string) bool { return has(prose.OneLine(before), command) }) {
				j.use(m, Command)
			}
		}
		for _, file := range m.files {
			if has(flat, file) && j.isRare(file) && !j.isTold(m, at, func(before string) bool { return has(before, file) }) {
				j.use(m, File)
			}
		}
	}
	for part := range windows(split(text)) {
		for _, m := range j.best(part, enoughWords, func(m *shown, stem string) bool {
			told, isTold := j.told[stem]
			did, isDone := j.did[stem]
			return (!isTold || told > at) && (!isDone || did > m.at)
		}) {
			j.use(m, Words)
		}
	}
}

// isTold reports whether a text before a step holds something that a memory has: what others wrote, or the agent before it saw
// the memory.
func (j *judge) isTold(m *shown, at int, holds func(text string) bool) bool {
	for i, s := range j.steps[:at] {
		if (s.By == Person || s.By == Other || s.By == Agent && i < m.at) && holds(s.Text) {
			return true
		}
	}
	return false
}

// doubt reads a prompt for the contradiction of a memory: a denial, and beside it its name or words.
func (j *judge) doubt(text string) {
	denied := false
	for _, sentence := range sentenceEnd().Split(text, -1) {
		wasDenied := denied
		if denied = denial().MatchString(sentence); !denied && !wasDenied {
			continue
		}
		meant, spaced := []*shown{}, lexicon.Spaced(sentence)
		for _, m := range j.shown {
			if m.cites(sentence, spaced) {
				meant = append(meant, m)
			}
		}
		for part := range windows(split(sentence)) {
			meant = append(meant, j.best(part, enoughDoubt, func(*shown, string) bool { return true })...)
		}
		for _, m := range meant {
			if u := j.uses[m.ID]; u.Corrected == "" {
				u.Corrected = Contradicted
			}
		}
	}
}

// best returns the memories of which a text has enough words that count, without those whose words are among the words that
// another one has.
func (j *judge) best(part []word, enough int, counts func(m *shown, stem string) bool) (best []*shown) {
	had := map[*shown]map[string]bool{}
	for _, m := range j.shown {
		stems, points := j.shared(m, part, counts)
		if points >= enough {
			had[m], best = stems, append(best, m)
		}
	}
	return slices.DeleteFunc(best, func(m *shown) bool {
		return slices.ContainsFunc(best, func(other *shown) bool {
			return len(had[other]) > len(had[m]) && isWithin(had[m], had[other])
		})
	})
}

// shared returns the telling stems that a memory and a text have in common, and what they are worth.
func (j *judge) shared(m *shown, part []word, counts func(m *shown, stem string) bool) (stems map[string]bool, points int) {
	stems, last, texts := map[string]bool{}, "", map[string]bool{}
	add := func(stem string) {
		f := m.words[stem]
		if stems[stem] = true; !texts[f.text] {
			texts[f.text] = true
			points += f.points
		}
	}
	for _, w := range part {
		before := m.words[last]
		last = ""
		for _, stem := range w.stems {
			f, isOf := m.words[stem]
			if !isOf || !counts(m, stem) {
				continue
			}
			if j.isRare(f.text) {
				add(stem)
			} else if before.next[stem] && j.isRare(before.text+" "+f.text) {
				add(before.stem)
				add(stem)
			}
			last = stem
		}
	}
	return stems, points
}

func isWithin(some, all map[string]bool) bool {
	for stem := range some {
		if !all[stem] {
			return false
		}
	}
	return true
}
