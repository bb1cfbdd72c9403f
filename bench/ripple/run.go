package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"
)

// A system is one that can be asked.
type system struct {
	Name    string
	Version string
	open    func(folder string) (Adapter, error)
}

// A Score says how many questions were answered rightly, and by how many calls.
type Score struct {
	Right int `json:"right"`
	Asked int `json:"asked"`
	Calls int `json:"calls"`
}

// A runner asks one system.
type runner struct {
	system
	has     []string
	scores  map[string]*Score
	faults  []string
	calls   int
	counts  sync.Mutex // guards calls and last: several adapters may write at once
	seconds float64
	scratch string
	stores  int
	wrong   bool   // print wrong answers
	last    string // the request that was asked last, and its answer
}

// counter adds an adapter's calls to those of its runner, and keeps what was asked last.
type counter struct {
	Adapter
	runner *runner
}

func (c counter) Do(request Request) (Answer, error) {
	answer, err := c.Adapter.Do(request)
	c.runner.counts.Lock()
	defer c.runner.counts.Unlock()
	c.runner.calls += answer.Calls
	if len(request.Many) == 0 {
		asked, _ := json.Marshal(request) // of texts and booleans alone
		got, _ := json.Marshal(answer)
		c.runner.last = fmt.Sprintf("\n  %s\n  %.2000s", asked, got)
	}
	return answer, err
}

func newRunner(s system, scratch string, wrong bool) (*runner, error) {
	r := &runner{system: s, scores: map[string]*Score{}, scratch: scratch, wrong: wrong}
	adapter, _, err := r.fresh()
	if err != nil {
		return r, err
	}
	defer adapter.Close()
	answer, err := adapter.Do(Request{Do: "has"})
	r.has = answer.Has
	return r, err
}

// fresh opens an empty store in a folder of its own.
func (r *runner) fresh() (Adapter, string, error) {
	r.stores++
	folder := filepath.Join(r.scratch, strconv.Itoa(r.stores))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, "", err
	}
	adapter, err := r.openAt(folder)
	return adapter, folder, err
}

// freshAsker opens an empty store that is told and asked of a world.
func (r *runner) freshAsker(w *world) (*asker, string, error) {
	adapter, folder, err := r.fresh()
	if err != nil {
		return nil, "", err
	}
	return r.newAsker(adapter, w), folder, nil
}

func (r *runner) openAt(folder string) (Adapter, error) {
	adapter, err := r.open(folder)
	if err != nil {
		return nil, err
	}
	_, err = adapter.Do(Request{Do: "has"}) // first in each process, so that an adapter can set itself up
	return counter{adapter, r}, err
}

func (r *runner) can(what string) bool { return slices.Contains(r.has, what) }

// failed keeps the first errors for the report.
func (r *runner) failed(err error) {
	if err != nil && len(r.faults) < 5 && !slices.Contains(r.faults, err.Error()) {
		r.faults = append(r.faults, err.Error())
	}
}

// timed adds the time that some questions take.
func (r *runner) timed(ask func() error) {
	begun := time.Now()
	if r.has != nil {
		r.failed(ask())
	}
	r.seconds += time.Since(begun).Seconds()
}

// column returns what was found out.
func (r *runner) column() Column {
	c := Column{Name: r.Name, Version: r.Version, Seconds: r.seconds, Scores: r.scores, Faults: r.faults, Cells: map[string]string{}}
	for _, q := range questions {
		c.Cells[q.question] = c.cell(q.question)
	}
	return c
}

// score returns the score of a question, nil if the system lacks what it needs.
func (r *runner) score(question string) *Score {
	i := slices.IndexFunc(questions, func(q asked) bool { return q.question == question })
	for _, need := range questions[i].needs {
		if !r.can(need) {
			return nil
		}
	}
	if r.scores[question] == nil {
		r.scores[question] = &Score{}
	}
	return r.scores[question]
}

// check asks a question and scores it: right if what was answered prints as what was expected.
func (r *runner) check(question string, ask func() (got, want any)) {
	score := r.score(question)
	if score == nil {
		return
	}
	before := r.calls
	got, want := ask()
	score.Asked++
	score.Calls += r.calls - before
	if fmt.Sprint(got) == fmt.Sprint(want) {
		score.Right++
	} else if r.wrong {
		fmt.Fprintf(os.Stderr, "%s: %s: %v, expected %v%s\n", r.Name, question, got, want, r.last)
	}
}

// run asks everything of some seeds but the track many.
func (r *runner) run(seeds []uint64, others int) error {
	for i, seed := range seeds {
		successors, err := r.undeclared(seed)
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		scenes := []func(uint64) error{r.declared, r.merge, successors}
		if i == 0 { // what is slow, once
			scenes = append(scenes, func(seed uint64) error { return r.find(seed, others) })
		}
		for _, scene := range scenes {
			if err := scene(seed); err != nil {
				return fmt.Errorf("seed %d: %w", seed, err)
			}
		}
	}
	return nil
}

func (r *runner) declared(seed uint64) error {
	e := declared(seed)
	a, folder, err := r.told(e, told(e.events, r.has), true)
	if err != nil {
		return err
	}
	if err := a.adapter.Close(); err != nil {
		return err
	}
	return r.askErased(e.events, a, folder)
}

// told tells events to a fresh store, and asks after each if it should.
func (r *runner) told(e *episode, events []event, asks bool) (*asker, string, error) {
	a, folder, err := r.freshAsker(e.world)
	if err != nil {
		return nil, "", err
	}
	for i, one := range events {
		if i+1 < len(events) && events[i+1].kind == evUndo && r.can("export") {
			export, err := a.adapter.Do(Request{Do: "export"})
			r.failed(err)
			a.export = export.Text
		}
		if err := a.tell(one, a.about(one.matter)); err != nil {
			a.adapter.Close()
			return nil, "", err
		}
		if asks {
			a.ask(one)
		}
	}
	return a, folder, nil
}

// undeclared tells plain texts, and returns what tells their successors and asks for the newest of two. That
// waits until a second has passed, since some keep the times of what they store in seconds.
func (r *runner) undeclared(seed uint64) (successors func(uint64) error, err error) {
	e := undeclared(seed)
	a, _, err := r.freshAsker(e.world)
	if err != nil {
		return nil, err
	}
	tell := func(kind string) {
		for _, one := range e.events {
			if err == nil && one.kind == kind {
				err = a.tell(event{kind: evState, id: one.id, matter: one.matter, text: one.text}, "")
			}
		}
	}
	tell(evState)
	next := time.Now().Truncate(time.Second).Add(time.Second)
	return func(uint64) error {
		defer a.adapter.Close()
		time.Sleep(time.Until(next))
		tell(evSupersede)
		for _, one := range e.events {
			if one.kind == evSupersede {
				a.askNewest(one)
			}
		}
		return err
	}, nil
}

func (a *asker) askNewest(e event) {
	a.check("of plain texts, the newest comes first", func() (any, any) {
		for _, shown := range a.find(e.matter, 0, 0).Shown {
			if id := a.which(shown); id != 0 && a.reference.now().said[id].matter == e.matter {
				return id, e.id
			}
		}
		return 0, e.id
	})
}
