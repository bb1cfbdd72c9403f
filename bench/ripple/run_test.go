package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// oracle is an adapter around the reference: a system that answers everything rightly, or
// all but what it is told to forget. Its handles are the numbers of statements.
type oracle struct {
	*reference
	at     []time.Time
	last   int
	about  []string
	lacks  string // a word that it does not have
	silent string // a request that it answers with nothing
}

func (oracle) Close() error { return nil }

func (o *oracle) Do(r Request) (answer Answer, err error) {
	answer.Calls = 1
	number := func(handle string) int { n, _ := strconv.Atoi(handle); return n }
	numbers := func(handles []string) (all []int) {
		for _, handle := range handles {
			all = append(all, number(handle))
		}
		return all
	}
	day := func(text string) int {
		t, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return 0
		}
		return t.YearDay()
	}
	s := o.now()
	show := func(ids []int) {
		for _, id := range ids {
			answer.Shown = append(answer.Shown, Shown{strconv.Itoa(id), s.said[id].text, marks(!s.holds(id), s.doubtful(id), len(s.clash(id)) > 0, false)})
		}
	}
	if r.Do == o.silent {
		return answer, nil
	}
	switch r.Do {
	case "has":
		all := "read rests_on derives_from supersedes contradicts correct note until withdraw undo erase day instant rests came why list export doubt conflict"
		answer.Has = slices.DeleteFunc(strings.Fields(all), func(word string) bool { return word == o.lacks })
		return answer, nil
	case "find":
		for i, at := range o.at {
			if r.Instant != "" && at.UTC().Format(time.RFC3339Nano) <= r.Instant {
				s = o.states[i]
			}
		}
		for _, id := range s.those(func(id int) bool { return r.Words == o.about[s.said[id].matter] }) {
			matter := s.said[id].matter
			if held := s.heldOn(matter, day(r.Day)); r.Day != "" && slices.Contains(held, id) || r.Day == "" && s.holds(id) {
				show([]int{id})
			}
		}
	case "read":
		show([]int{number(r.Handle)})
	case "rests":
		show(s.restsOn(number(r.Handle)))
	case "came":
		show(s.cameFrom(number(r.Handle)))
	case "list":
		show(s.those(s.holds))
	case "why":
		for _, route := range s.routes(number(r.Handle)) {
			answer.Routes = append(answer.Routes, strings.Fields(list(route)))
		}
	case "export":
		answer.Text = fmt.Sprint(s)
	default:
		e := event{kind: r.Do, id: number(r.Handle), text: r.Text, from: day(r.From), until: day(r.Until), on: numbers(r.RestsOn), sources: numbers(r.DerivesFrom), against: number(r.Supersedes) + number(r.Contradicts)}
		if r.Do == "store" {
			o.last++
			e.id, e.kind = o.last, evState
			if r.Supersedes != "" {
				e.kind = evSupersede
			}
			if r.Contradicts != "" {
				e.kind = evContradict
			}
			if e.matter = slices.Index(o.about, r.About); e.matter < 0 {
				e.matter, o.about = len(o.about), append(o.about, r.About)
			}
		}
		o.tell(e)
		o.at = append(o.at, time.Now())
		answer.Handle = strconv.Itoa(e.id)
	}
	return answer, nil
}

// scored lets a system answer the episodes of some seeds.
func scored(t *testing.T, open func(string) (Adapter, error), seeds ...uint64) map[string]*Score {
	t.Helper()
	r, err := newRunner(system{Name: "tested", open: open}, t.TempDir(), testing.Verbose())
	if err != nil {
		t.Fatal(err)
	}
	for _, seed := range seeds {
		if err := r.declared(seed); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.faults) > 0 {
		t.Error(r.faults)
	}
	return r.scores
}

func TestWhoAnswersAsTheReferenceIsAlwaysRight(t *testing.T) {
	t.Parallel()
	for _, lacks := range []string{"", "note", "undo", "contradicts", "supersedes", "withdraw", "rests_on", "until", "correct"} {
		scores := scored(t, func(string) (Adapter, error) {
			return &oracle{reference: newReference(), at: []time.Time{time.Now()}, lacks: lacks}, nil
		}, 1)
		for question, score := range scores {
			if score.Right != score.Asked {
				t.Errorf("without %q: %s: %d of %d are right", lacks, question, score.Right, score.Asked)
			}
		}
		if lacks == "" && len(scores) < 18 {
			t.Errorf("only %d questions were asked", len(scores))
		}
	}
}

func TestWhoSaysNothingIsWrong(t *testing.T) {
	t.Parallel()
	for silent, question := range map[string]string{
		"find": "what holds now is found", "read": "the old one is readable when asked for", "why": "what changed is named, with a true route to it",
		"rests": "what rests on what changed, 1 to 6 steps away, and nothing else", "came": "what came from it, directly or by derivation", "list": "what is left without doubt when it was wrong",
		"undo": "answers are as before", "correct": "a corrected text reads as corrected",
	} {
		scores := scored(t, func(string) (Adapter, error) {
			return &oracle{reference: newReference(), at: []time.Time{time.Now()}, silent: silent}, nil
		}, 1)
		if score := scores[question]; score == nil || score.Asked == 0 || score.Right == score.Asked {
			t.Errorf("who does not answer %q has %+v in %q", silent, score, question)
		}
	}
}

// TestASeedIsAnEpisode: the same seed makes the same events, another one others, and no text is in another.
func TestASeedIsAnEpisode(t *testing.T) {
	for seed := range uint64(20) {
		one, same := declared(seed), declared(seed)
		a, _ := json.Marshal(fmt.Sprint(one.events))
		b, _ := json.Marshal(fmt.Sprint(same.events))
		if string(a) != string(b) {
			t.Fatalf("seed %d makes two episodes", seed)
		}
		if len(one.events) != len(declared(seed+1).events) {
			t.Errorf("seed %d has another shape", seed)
		}
		for i, e := range one.events {
			for j, other := range one.events {
				if i != j && e.text != "" && strings.Contains(other.text, e.text) {
					t.Errorf("%q is in %q", e.text, other.text)
				}
			}
		}
	}
}

// TestPlainTextsMeetInAllWordings: each seed has the same number of each pair of wordings of each attribute.
func TestPlainTextsMeetInAllWordings(t *testing.T) {
	for seed := range uint64(20) {
		e := undeclared(seed)
		counts, texts := map[[3]int]int{}, map[int]string{}
		wording := func(m matter, text string) int {
			return slices.IndexFunc(m.attribute.wordings, func(w string) bool {
				for part := range strings.SplitSeq(strings.NewReplacer("%[1]s", m.subject.name, "%[2]s", "\n").Replace(w), "\n") {
					if !strings.Contains(text, part) {
						return false
					}
				}
				return true
			})
		}
		for _, one := range e.events {
			texts[one.id] = one.text
			if m := e.matters[one.matter]; one.kind == evSupersede {
				i := slices.IndexFunc(attributes, func(a attribute) bool { return a.name == m.attribute.name })
				counts[[3]int{i, wording(m, texts[one.against]), wording(m, one.text)}]++
			}
		}
		for pair, n := range counts {
			if n != 3 || len(counts) != 4*len(attributes) {
				t.Fatalf("seed %d has %d times the pair %v, and %d pairs", seed, n, pair, len(counts))
			}
		}
	}
}

// TestAnAdapterHasEightyLines, and the reference two hundred: without blank lines and comments.
func TestAnAdapterHasEightyLines(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	adapters := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		most := 0
		switch {
		case file == "reference.go":
			most = 200
		case regexp.MustCompile(`(?m)^func open[A-Z]`).Match(text):
			most, adapters = 80, adapters+1
		default:
			continue
		}
		lines := 0
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				lines++
			}
		}
		if lines > most {
			t.Errorf("%s has %d lines, more than %d", file, lines, most)
		}
	}
	if adapters != 5 {
		t.Errorf("%d adapters were found", adapters)
	}
}

// TestHenceIsAsked needs the program that make build makes, and skips without it.
func TestHenceIsAsked(t *testing.T) {
	t.Parallel()
	binary, err := filepath.Abs("../../bin/hence")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(binary); err != nil {
		t.Skip("there is no bin/hence")
	}
	scores := scored(t, opens(binary, openHence), 1)
	for _, question := range []string{
		"what holds now is found", "what no longer holds is out of the way", "the old one is readable when asked for",
		"what rests on what changed, 1 to 6 steps away, and nothing else", "who reads one of these is told of the doubt", "who reads another one is not",
		"what changed is named, with a true route to it", "what held on a day", "both sides are shown, as in conflict", "answers are as before",
	} {
		if score := scores[question]; score == nil || score.Asked == 0 || score.Right != score.Asked {
			t.Errorf("%s: %+v", question, score)
		}
	}
}

func TestAFolderIsAsked(t *testing.T) {
	t.Parallel()
	scores := scored(t, openFolder, 1)
	for _, question := range []string{
		"what holds now is found", "what no longer holds is out of the way", "a corrected text reads as corrected",
		"what rests on what changed, 1 to 6 steps away, and nothing else", "what came from it, directly or by derivation",
		"both sides are shown, as in conflict", "when one gave way, the other is shown without", "none of the texts is in a file",
	} {
		if score := scores[question]; score == nil || score.Asked == 0 || score.Right != score.Asked {
			t.Errorf("%s: %+v", question, score)
		}
	}
}

// TestSystemsBesideEachOther have the scores that they have alone, in the order in which they are given.
func TestSystemsBesideEachOther(t *testing.T) {
	t.Parallel()
	systems := []system{}
	for _, lacks := range []string{"undo", "note", "conflict"} {
		systems = append(systems, system{Name: lacks, open: func(string) (Adapter, error) {
			return &oracle{reference: newReference(), at: []time.Time{time.Now()}, lacks: lacks}, nil
		}})
	}
	systems = append(systems, system{Name: "none", open: func(string) (Adapter, error) { return nil, errors.New("it does not start") }})
	columns := askAll(systems, t.TempDir(), []uint64{1, 2}, 0, false)
	for i, s := range systems {
		if columns[i].Name != s.Name {
			t.Fatalf("column %d is %s", i, columns[i].Name)
		}
		if s.Name == "none" {
			if len(columns[i].Scores) > 0 || fmt.Sprint(columns[i].Faults) != "[it does not start]" {
				t.Errorf("what does not start has %+v", columns[i])
			}
			continue
		}
		for question, alone := range scored(t, s.open, 1, 2) {
			if got := columns[i].Scores[question]; got == nil || *got != *alone {
				t.Errorf("%s: %s: %+v, alone %+v", s.Name, question, got, alone)
			}
		}
	}
}

// TestAdaptersOfOthersAreAsked runs the adapter that docs/ripple.md shows.
func TestAdaptersOfOthersAreAsked(t *testing.T) {
	page, err := os.ReadFile("../../docs/ripple.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(page), "```python\n")
	code, _, _ = strings.Cut(code, "```")
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3")
	}
	file := filepath.Join(t.TempDir(), "yours.py")
	if err := os.WriteFile(file, []byte(code), 0o755); err != nil {
		t.Fatal(err)
	}
	systems, err := installed("", "", file)
	if err != nil {
		t.Fatal(err)
	}
	scores := scored(t, systems[0].open, 1)
	if score := scores["what holds now is found"]; score == nil || score.Right == 0 {
		t.Errorf("%+v", scores)
	}
}
