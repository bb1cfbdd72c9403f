package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

// crashing is how long TestNothingAcknowledgedIsLost runs at least: HENCE_CRASH
// is a duration; where it is not set, a few kills are enough.
func crashing(t *testing.T) time.Duration {
	text := os.Getenv("HENCE_CRASH")
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func program(t *testing.T) string {
	path, err := exec.LookPath("hence")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// agent is a process of hence serve and our end of its pipes.
type agent struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	calls   int
	last    int           // the call after whose answer the process dies, 0 for none
	moment  time.Duration // how long after it
	death   *time.Timer
}

func startAgent(program, file string) (*agent, error) {
	a := &agent{process: exec.Command(program, "serve", "--db", file)}
	var err error
	if a.in, err = a.process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := a.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.out = bufio.NewReader(out)
	return a, a.process.Start()
}

// errGone is that the process was killed before it answered.
var errGone = errors.New("the process is gone")

// call calls a tool and returns the structured result, errGone when the
// process did not answer any more, or another error when the tool refused.
func (a *agent) call(tool string, arguments map[string]any, into any) error {
	a.calls++
	message, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": a.calls, "method": "tools/call",
		"params": map[string]any{"name": tool, "arguments": arguments},
	})
	if err != nil {
		return err
	}
	if _, err := a.in.Write(append(message, '\n')); err != nil {
		return errGone
	}
	line, err := a.out.ReadBytes('\n')
	if err != nil {
		return errGone
	}
	if a.calls == a.last {
		a.dies(a.moment)
	}
	var answer struct {
		Error  json.RawMessage `json:"error"`
		Result struct {
			IsError    bool            `json:"isError"`
			Structured json.RawMessage `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return fmt.Errorf("%q: %w", line, err)
	}
	if answer.Error != nil || answer.Result.IsError {
		return fmt.Errorf("%s refused: %s", tool, line)
	}
	return json.Unmarshal(answer.Result.Structured, into)
}

// dies kills the process in some time.
func (a *agent) dies(after time.Duration) {
	a.death = time.AfterFunc(after, func() { _ = a.process.Process.Kill() })
}

func (a *agent) kill() {
	_ = a.process.Process.Kill()
	_ = a.process.Wait()
}

// acknowledged is what the store has promised to keep.
type acknowledged struct {
	sync.Mutex
	memories map[string]string // content by id
	edges    map[string]string // "from to" by id
	sessions map[string]string // the session by the id of what was learned in it
	accepted pairs
	through  map[string]int // how often a command beside came through
	refused  []error
	kills    int
}

// work stores and links until the process is gone or there has been enough.
func (a *agent) work(name string, promised *acknowledged, goesOn func() bool) {
	last := ""
	for n := 0; goesOn(); n++ {
		content := fmt.Sprintf("memory %d of %s %s", n, name, strings.Repeat("x", rand.IntN(2000)))
		var stored struct{ Memory struct{ ID string } }
		if !promised.took(a.call("memory_store", map[string]any{"content": content, "dedup": "off"}, &stored)) {
			return
		}
		id := stored.Memory.ID
		promised.keep(func() { promised.memories[id] = content })
		if last != "" {
			var linked struct{ Edge struct{ ID string } }
			if !promised.took(a.call("memory_link", map[string]any{"from": id, "to": last, "type": "depends-on"}, &linked)) {
				return
			}
			from, to := id, last
			promised.keep(func() { promised.edges[linked.Edge.ID] = from + " " + to })
		}
		last = id
		if n%8 == 5 && !a.checkpoints(fmt.Sprintf("session %d of %s", n, name), promised) {
			return
		}
		if n%16 == 3 && !a.tidies(fmt.Sprintf("text %d of %s, twice", n, name), promised) {
			return
		}
	}
}

func (p *acknowledged) keep(f func()) {
	p.Lock()
	defer p.Unlock()
	f()
}

// took reports whether a call was answered. A refusal is kept: none may fail,
// on a lock or otherwise.
func (p *acknowledged) took(err error) bool {
	if err != nil && !errors.Is(err, errGone) {
		p.keep(func() { p.refused = append(p.refused, err) })
	}
	return err == nil
}

// TestNothingAcknowledgedIsLost runs eight servers on one file, kills them at
// random moments and starts them again, for some time and until there were some
// kills and promises. What was acknowledged is there at the end, the file is
// whole, and no call has failed. Beside them commands sync the store with files and folders and import source code, and
// are killed too. Most servers die a moment after some answers, so
// that a busy machine only takes longer; each fourth may die while it opens the store.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	const (
		processes = 8
		kills     = 12
		edges     = 50
	)
	file := filepath.Join(dbtest.Folder(t), "hence.db")
	hence := program(t)
	until := time.Now().Add(crashing(t))
	promised := &acknowledged{memories: map[string]string{}, edges: map[string]string{}, sessions: map[string]string{}, accepted: pairs{}, through: map[string]int{}}
	others := newBeside(t, hence, file)
	goesOn := func() bool {
		promised.Lock()
		defer promised.Unlock()
		return time.Now().Before(until) || promised.kills < kills || len(promised.edges) < edges || len(promised.sessions) == 0 || len(promised.accepted) == 0
	}
	var running sync.WaitGroup
	others.start(&running, promised, goesOn)
	for p := range processes {
		running.Go(func() {
			for life := 0; goesOn(); life++ {
				a, err := startAgent(hence, file)
				if err != nil {
					t.Error(err)
					return
				}
				if life%4 == 3 {
					a.dies(rand.N(time.Second))
				} else {
					a.last, a.moment = 2+rand.IntN(40), rand.N(20*time.Millisecond)
				}
				a.work(fmt.Sprint(p, ".", life), promised, goesOn)
				if a.death != nil && !a.death.Stop() {
					promised.keep(func() { promised.kills++ })
				}
				a.kill()
			}
		})
	}
	running.Wait()
	t.Logf("%d memories, %d edges, %d sessions' memories and %d proposals were acknowledged, %d processes killed; beside, %v came through",
		len(promised.memories), len(promised.edges), len(promised.sessions), len(promised.accepted), promised.kills, promised.through)
	for _, err := range promised.refused {
		t.Error(err)
	}
	promised.check(t, file, others)
}

// check compares what was promised with what is there.
func (p *acknowledged) check(t *testing.T, file string, others *beside) {
	d, err := db.Open(t.Context(), file, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if problems, err := d.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("the file is not whole: %q, %v", problems, err)
	}
	compare(t, "memory", p.memories, dbtest.Texts(t, d, `select id || char(10) || content from memories`))
	compare(t, "edge", p.edges, dbtest.Texts(t, d, `
select e.id || char(10) || f.id || ' ' || t.id
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key`))
	compare(t, "what was learned", p.sessions, dbtest.Texts(t, d, `
select f.id || char(10) || t.id
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
where e.kind = 'part-of'`))
	for key, ids := range p.accepted {
		if n := dbtest.Count(t, d, `select count(*) from memories where status = 'current' and id in (select value from json_each(?))`, db.List(ids)); n == len(ids) {
			t.Errorf("%s was accepted, and changed nothing", key)
		}
	}
	others.check(t, d)
}

func compare(t *testing.T, what string, promised map[string]string, rows []string) {
	t.Helper()
	there := map[string]string{}
	for _, row := range rows {
		id, text, _ := strings.Cut(row, "\n")
		there[id] = text
	}
	for id, text := range promised {
		if there[id] != text {
			t.Errorf("%s %s was acknowledged, and is lost", what, id)
		}
	}
}

func TestDurableReachesTheStore(t *testing.T) {
	for _, durable := range []bool{true, false} {
		s := &session{}
		if err := s.root().PersistentFlags().Parse([]string{fmt.Sprint("--durable=", durable)}); err != nil {
			t.Fatal(err)
		}
		if o := s.options(); o.Durable != durable {
			t.Errorf("--durable=%v opens with %+v", durable, o)
		}
	}
}

// TestAKilledImportGoesOn kills an import of lines again and again, each time
// a little later, until one comes through.
func TestAKilledImportGoesOn(t *testing.T) {
	dbtest.SkipUnderRace(t)
	folder := dbtest.Folder(t)
	file, lines := filepath.Join(folder, "hence.db"), filepath.Join(folder, "in.jsonl")
	const memories = 600
	blank := strings.Repeat(" ", 3000) // for batches of bytes
	var text strings.Builder
	for i := range memories {
		fmt.Fprintf(&text, "{\"type\":\"memory\",\"id\":\"m%04d\",\"title\":\"M%d\",\"content\":\"words%sof %d\"}\n", i, i, blank, i)
		if i > 0 {
			fmt.Fprintf(&text, "{\"type\":\"edge\",\"id\":\"e%04d\",\"from\":\"m%04d\",\"to\":\"m%04d\",\"edge_type\":\"follows\"}\n", i, i, i-1)
		}
	}
	if err := os.WriteFile(lines, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	hence := program(t)
	first := exec.Command(hence, "import", lines, "--db", file)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	_ = first.Process.Kill()
	if err := first.Wait(); err == nil {
		t.Error("an import that was killed at once came through")
	}
	for patience := 60 * time.Millisecond; ; patience = patience * 8 / 5 {
		running := exec.Command(hence, "import", lines, "--db", file)
		if err := running.Start(); err != nil {
			t.Fatal(err)
		}
		death := time.AfterFunc(patience, func() { _ = running.Process.Kill() })
		err := running.Wait()
		if death.Stop() && err != nil {
			t.Fatal(err)
		}
		if err == nil {
			break
		}
	}
	d, err := db.Open(t.Context(), file, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if n := dbtest.Count(t, d, `select count(*) from memories`); n != memories {
		t.Errorf("%d memories, want %d", n, memories)
	}
	if n := dbtest.Count(t, d, `select count(*) from edges`); n != memories-1 {
		t.Errorf("%d edges, want %d", n, memories-1)
	}
	if problems, err := d.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("the file is not whole: %q, %v", problems, err)
	}
	if n := dbtest.Count(t, d, `select count(*) from section_search where section_search match 'words'`); n != memories {
		t.Errorf("search finds %d of %d", n, memories)
	}
}
