package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/early"
	"hence/cmd/hence/internal/hooks"
	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/receipts"
	"hence/internal/ref"
)

const (
	startTime   = 3 * time.Second        // the default limit of a hook at a start, when nobody is typing
	hookTime    = 150 * time.Millisecond // and of the others
	hookMargin  = 30 * time.Millisecond  // the part of it kept for writing the answer and ending
	startMargin = 200 * time.Millisecond // the same at a start, where a busy machine is waited for
	hookLists   = 20 * time.Millisecond  // with less time than this left, a briefing leaves out lists
	hookWait    = 40 * time.Millisecond  // the longest wait for a lock of another process on the store
	startWait   = time.Second            // the same at a start
	hookInput   = 4 << 20                // most bytes of input that are read
	aboutTime   = 100 * time.Millisecond // the limit of asking git what is worked on
	manyEdits   = 5                      // edits after which a checkpoint is asked for
	promptBytes = 1000                   // most bytes of memories beside a prompt: 250 tokens
	sameMoment  = 30 * time.Second       // two calls about one thing, from the settings of two clients, are closer
)

// lateText is what a start is told if time runs out.
const lateText = "Hence had no time for its briefing; memory_brief gives it."

// hookOptions are the flags of hence hook.
type hookOptions struct {
	client  string
	prompts bool
	only    string        // forActions or forHelpers; "": both
	within  time.Duration // 0: by the event
}

func hookCommand(s *session) *cobra.Command {
	o := hookOptions{}
	cmd := bare("hook", count{1, 1}, func(cmd *cobra.Command, words []string) error {
		hookRun{session: s, o: o}.run(cmd.Context(), words[0])
		return nil
	})
	cmd.Flags().StringVar(&o.client, "client", "", "the `client` that runs the hook: "+strings.Join(hooks.Clients(), ", "))
	cmd.Flags().BoolVar(&o.prompts, "prompts", true, "answer prompts with memories that they name")
	cmd.Flags().DurationVar(&o.within, "within", 0, "answer within this `time` (default 3s when a session or a helper begins and after a compaction, else 150ms)")
	cmd.Flags().StringVar(&o.only, "for", "", "of tools, answer `what`: "+forActions+" (edits, commands) or "+forHelpers+" (their tasks); default: both")
	_ = cmd.RegisterFlagCompletionFunc("client", cobra.FixedCompletions(hooks.Clients(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// reply is the answer to a hook.
type reply struct {
	line  []byte
	claim func() bool     // claims the rights to give the answer, and reports whether it has them
	note  func()          // records the answer in the session's state once it is written; may be nil
	stamp *receipts.Stamp // of what it shows; nil: there is nothing to keep a receipt of
}

// hookRun is a call of a hook.
type hookRun struct {
	*session
	o     hookOptions
	call  hooks.Call
	book  *receipts.Book // nil: nothing is kept
	known hooks.Session
	shown *[]ref.Shown  // what the answer shows
	about func() string // words that say what is worked on; set for events with a briefing
}

// run writes the answer to an event. If the answer is not ready in time, it says so at a
// start, and else writes nothing.
func (s hookRun) run(ctx context.Context, event string) {
	s.call, _ = hooks.Read(s.o.client, event, nil)
	s.shown = &[]ref.Shown{}
	end := s.deadline()
	if grace := time.Now().Add(hookMargin); grace.After(end) {
		end = grace // even a call that is late says what happened, and a start must know whether its session was briefed
	}
	met, ok := inTime(ctx, end, func() hookRun { return s.meet(event) })
	if ok {
		s = met // after a compaction there may be more time for a prompt
		defer s.book.Close()
	}
	if note := s.noteAlone(); ok && note != nil && s.hasStore() {
		note() // this needs no store, and no time
		return
	}
	r := reply{}
	if ok && s.call.Event != hooks.Unknown {
		deadline := s.deadline()
		r, ok = inTime(ctx, deadline, func() reply {
			ctx, stop := context.WithDeadline(ctx, deadline)
			defer stop()
			return s.replyTo(ctx)
		})
	}
	if !ok && s.begins() {
		r = s.late()
	}
	if len(r.line) > 0 && !r.claim() {
		return
	}
	if _, err := s.out.Write(r.line); err == nil && r.note != nil {
		r.note()
	}
	if r.stamp != nil {
		s.keep(r)
	}
}

// inTime returns the result of a function, or false if that is not there at a time.
func inTime[T any](ctx context.Context, end time.Time, do func() T) (result T, ok bool) {
	ctx, stop := context.WithDeadline(ctx, end)
	defer stop()
	done := make(chan T, 1)
	go func() {
		var result T
		defer func() {
			_ = recover() // nothing may end a hook with an error
			done <- result
		}()
		result = do()
	}()
	select {
	case <-ctx.Done():
		return result, false
	case result = <-done:
		return result, ctx.Err() == nil
	}
}

// begins reports whether the agent has a context that knows nothing of Hence yet.
func (s hookRun) begins() bool {
	e := s.call.Event
	return e == hooks.Began || e == hooks.Compacted || e == hooks.HelperBegan || e == hooks.Prompted && s.known.Compacted
}

// deadline is when the answer must be there.
func (s hookRun) deadline() time.Time {
	limit, margin := hookTime, hookMargin
	if s.begins() {
		limit, margin = startTime, startMargin
	}
	if s.o.within > 0 {
		limit, margin = s.o.within, min(margin, s.o.within/5)
	}
	return started().Add(limit - margin)
}

// started returns when this process was started, as far as the system says: on a busy machine some
// time before its packages were initialised. It asks the system once.
var started = sync.OnceValue(func() time.Time {
	stat, statErr := os.ReadFile("/proc/self/stat")
	uptime, err := os.ReadFile("/proc/uptime")
	if statErr != nil || err != nil {
		return early.Loaded
	}
	const ticks, ticksField = 100, 19 // a second, and where they stand after the program's name, in parentheses
	now, after := strings.Fields(string(uptime)), strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(now) == 0 || len(after) <= ticksField {
		return early.Loaded
	}
	seconds, err := strconv.ParseFloat(now[0], 64)
	began, beganErr := strconv.ParseFloat(after[ticksField], 64)
	at := time.Now().Add(-time.Duration((seconds - began/ticks) * float64(time.Second)))
	if err != nil || beganErr != nil || at.After(early.Loaded) || early.Loaded.Sub(at) > time.Second {
		return early.Loaded // a program that lived for long has become this one
	}
	return at
})

// hasStore reports whether there is a store, without opening it.
func (s hookRun) hasStore() bool {
	path, err := s.path()
	if err == nil && !db.IsCluster(path) {
		_, err = os.Stat(path)
	}
	return err == nil
}

// late is the answer to a start whose time has run out.
func (s hookRun) late() reply {
	if !s.hasStore() || slices.ContainsFunc(s.rights(), s.isTaken) {
		return reply{} // there is nothing to ask for, or another hook has briefed the session
	}
	return reply{line: s.call.Answer(lateText), claim: func() bool { return s.known.Claim("late", sameMoment, time.Now()) }}
}

// meet reads the call from standard input, and what is known of its session. The event is
// Unknown if there is nothing to answer.
func (s hookRun) meet(event string) hookRun {
	s.call.Event = hooks.Unknown
	input := []byte{}
	if !screen.IsTerminal(s.in) {
		var err error
		if input, err = io.ReadAll(io.LimitReader(s.in, hookInput)); err != nil {
			return s
		}
	}
	call, ok := hooks.Read(s.o.client, event, input)
	if !ok || s.standIn(call.Folder) != nil {
		return s
	}
	s.call = call
	state, err := stateHere()
	if err == nil && call.Session != "" && s.hasStore() {
		wait := hookWait
		if s.begins() {
			wait = startWait
		}
		s.book, _ = receipts.Open(context.Background(), state, wait) // nil if it cannot be opened
	}
	s.known = hooks.Open(s.book, call, time.Now())
	return s
}

// keep adds the receipt of an answer. Where nothing was said it is kept if the session was shown something
// before, because what an agent does next says whether that was used.
func (s hookRun) keep(r reply) {
	if s.book == nil || len(r.line) == 0 && len(s.known.Seen)+len(s.known.Acted) == 0 {
		return
	}
	arguments := s.call.Given()
	_ = s.book.Add(context.Background(), receipts.Receipt{ // a hook does not fail because of it
		Session: s.call.Session, Agent: s.call.Agent, Actor: s.o.client, Namespace: s.namespace, At: started(), Took: time.Since(started()), Tool: "hook:" + s.call.Event.String(),
		Arguments: arguments, BytesIn: len(arguments), BytesOut: len(r.line), Hash: receipts.HashOf(r.line), Stamp: *r.stamp,
	})
}

// replyTo returns the answer to the call. It returns an empty reply if anything fails.
func (s hookRun) replyTo(ctx context.Context) (r reply) {
	if s.call.Event == hooks.Began {
		defer func() {
			noted := r.note
			r.note = func() {
				if noted != nil {
					noted()
				}
				_ = s.book.Sweep(context.Background(), time.Now())
			}
		}()
	}
	rights := s.rights()
	if !s.hasStore() || s.isSilent() || slices.ContainsFunc(rights, s.isTaken) {
		return r
	}
	wait := hookWait
	if s.begins() {
		wait = startWait
		s.about = askWorkedOn(ctx, s.call.Folder)
	}
	path, err := s.path()
	if err != nil {
		return r
	}
	// A hook neither makes nor changes the store, and hardly waits for other processes. It does not close it: the
	// process ends, and until then to give back what the engine has in memory would take a twentieth of its time.
	d, err := db.Open(ctx, path, db.Options{ReadOnly: true, Wait: wait})
	text, note, stamp, seen := "", func() {}, receipts.Stamp{}, int64(0)
	if err == nil {
		if seen, err = receipts.Seen(ctx, d); err == nil {
			text, note, err = s.answer(ctx, d)
		}
		if err == nil {
			stamp, err = receipts.StampOf(ctx, d, seen, *s.shown)
		}
	}
	switch {
	case db.IsBusy(err) && s.begins():
		return s.late() // another process has the store for itself
	case err != nil:
		return r
	}
	isLost := func(r right) bool { return !s.known.Claim(r.key, r.life, time.Now()) }
	return reply{s.call.Answer(text), func() bool { return !slices.ContainsFunc(rights, isLost) }, note, &stamp}
}

// right is what a call must have to give its answer, because the settings of two clients may
// ask for it: a name, and how long it lasts.
type right struct {
	key  string
	life time.Duration // 0: for good
}

func (s hookRun) isTaken(r right) bool { return s.known.IsTaken(r.key, r.life, time.Now()) }

// rights returns the rights that the answer to the call needs. A session and each of its helpers
// is briefed once, and again in a new context; a prompt is answered once.
func (s hookRun) rights() []right {
	const briefing = "briefing"
	switch e := s.call.Event; e {
	case hooks.Began, hooks.HelperBegan, hooks.Compacted:
		if s.call.Source == "" || s.call.Source == "startup" || s.call.Source == "new" {
			return []right{{briefing, 0}}
		}
		all := []right{{briefing + "-" + db.Hash(s.call.Source), sameMoment}}
		if !s.known.IsTaken(briefing, 0, time.Now()) {
			all = append(all, right{briefing, 0})
		}
		return all
	case hooks.Acting, hooks.Failed:
		if s.call.ID == "" {
			return nil
		}
		return []right{{fmt.Sprintf("act-%d-%s", e, db.Hash(s.call.ID)), sameMoment}}
	case hooks.Prompted:
		r := right{key: "prompt-" + db.Hash(s.call.ID+"\x00"+s.call.Prompt)}
		if s.call.ID == "" {
			r.life = sameMoment
		}
		return []right{r}
	case hooks.Stopped:
		return []right{{"asked", 0}}
	}
	return nil
}

// isSilent reports whether nothing is said of the event, whatever the store holds. A checkpoint
// is asked for only where much was edited.
func (s hookRun) isSilent() bool {
	switch s.call.Event {
	case hooks.Acted:
		return s.o.only != forActions
	case hooks.Stopped:
		return s.call.IsContinuation || s.known.Edits < manyEdits
	}
	return false
}

// noteAlone returns the function that records an event of which nothing is said, or nil.
func (s hookRun) noteAlone() func() {
	switch {
	case s.call.Event == hooks.Compacting:
		return s.note("compacted")
	case s.call.Event == hooks.Edited && s.o.only != forActions:
		return each(func() { _ = s.known.NoteEdit(s.call) }, s.noteTouched(s.call.Act()))
	}
	return nil
}

// note returns a function that records a line in the session's file. Without the record, a
// session may be told a thing twice.
func (s hookRun) note(word string, rest ...string) func() {
	return func() { _ = s.known.Note(word, rest...) }
}

// standIn makes the client's folder the current one. The repository in it is the project,
// unless --project names another.
func (s hookRun) standIn(folder string) error {
	s.project = cmp.Or(s.project, "auto")
	if folder == "" {
		return s.leavePlugin()
	}
	return s.goTo(folder)
}

// askWorkedOn calls workedOn in the background, while the store is opened, for at most aboutTime.
// The function that it returns waits for the words and can be called once.
func askWorkedOn(ctx context.Context, folder string) func() string {
	about := make(chan string, 1)
	go func() {
		ctx, stop := context.WithTimeout(ctx, aboutTime)
		defer stop()
		words := ""
		defer func() {
			_ = recover() // nothing may end a hook with an error
			about <- words
		}()
		words = workedOn(ctx, folder)
	}()
	return func() string { return <-about }
}
