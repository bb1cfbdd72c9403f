package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
)

const (
	MaxLearned    = 100    // memories of one checkpoint
	maxPassage    = 20_000 // bytes of goal, done and next
	manyLearned   = 10     // with more memories, each has fewer neighbours, with shorter snippets
	nearInAll     = 30     // neighbours in one answer then
	shortSnippet  = 80     // bytes of a snippet then
	sessionKind   = "session"
	sessionLayout = "2006-01-02T15:04"
)

// CheckpointArgs are the outcome of a session.
type CheckpointArgs struct {
	Goal       string        `json:"goal,omitempty"`
	Done       string        `json:"done,omitempty"`
	Next       string        `json:"next,omitempty" jsonschema:"where to go on"`
	Learned    []StoreArgs   `json:"learned,omitempty" outline:"true" text:"content" jsonschema:"texts, or as for memory_store {content, title?, kind?, links?, supersedes? …}; to, from and supersedes may name #1, #2 … of this list"`
	Source     string        `json:"source,omitempty" enum:"person,agent,note,code,tool,web,import" jsonschema:"default for the items"`
	SourceURL  string        `json:"source_url,omitempty"`
	Properties db.Properties `json:"properties,omitempty" jsonschema:"session_id, branch, commit …"`
	Namespace  string        `json:"namespace,omitempty"`
}

// CheckpointResult is a session that was stored, with what was learned in it.
type CheckpointResult struct {
	Session  SessionStored `json:"session"`
	Memories []Learned     `json:"memories"`
	Settle   string        `json:"settle,omitempty"`
	belief.Consequences
	Warnings []string `json:"warnings"`
}

// SessionStored is the memory of a session.
type SessionStored struct {
	ref.Named
	Follows *ref.Named `json:"follows,omitempty"` // the last session of the project
}

// Learned is a memory that was learned in a session.
type Learned struct {
	ref.Named
	Created bool   `json:"created"`
	Near    []Near `json:"near"`
}

// Checkpoint stores a memory of kind session that follows the last one of the caller's
// project, and what was learned in it as parts of it, all or nothing and as one change
// for undo. Memories that exist already are not stored again, nor is a checkpoint
// that says the same as the last one. It fails with invalid_argument if it says nothing.
func (s Store) Checkpoint(ctx context.Context, a CheckpointArgs, near Neighbours) (result CheckpointResult, err error) {
	if err := args.Check("checkpoint", &a); err != nil {
		return result, err
	}
	c, err := s.newCheckpoint(ctx, a, near)
	if err != nil {
		return result, err
	}
	if err := s.DB.Read(ctx, func(r *db.Reader) error { return s.resolve(ctx, r, &c) }); err != nil {
		return result, err
	}
	if !c.repeatsLast {
		statements, declared := []db.Stmt{}, []edges.Declaration{}
		for _, d := range c.learned {
			if d.there == nil {
				statements, declared = append(statements, d.insert()...), append(declared, d.declared...)
			}
		}
		now := c.session.memory.CreatedAt
		statements = append(statements, c.session.insert()...) // after the items: one may have its text
		statements = append(statements, s.declareAll(now, append(declared, c.session.declared...))...)
		if _, err := s.DB.Write(ctx, s.Caller.Actor, now, statements...); err != nil {
			return result, s.explain(ctx, err, c)
		}
	}
	return db.From(ctx, s.DB.ReadBack, func(r *db.Reader) (CheckpointResult, error) { return s.readCheckpoint(ctx, r, c) })
}

// checkpoint is a session that is being stored.
type checkpoint struct {
	session     draft
	learned     []draft
	last        *Memory // the session before it
	repeatsLast bool    // the last session says the same, and nothing new was learned
	watch       belief.Watch
	warnings    []string
}

// newCheckpoint checks the arguments, and finds what is near each memory.
func (s Store) newCheckpoint(ctx context.Context, a CheckpointArgs, near Neighbours) (c checkpoint, err error) {
	if strings.TrimSpace(a.Goal+a.Done+a.Next) == "" && len(a.Learned) == 0 {
		return c, fault.New(fault.InvalidArgument, "checkpoint: it says nothing; give goal, done, next or learned")
	}
	if len(a.Learned) > MaxLearned {
		return c, fault.New(fault.TooLarge, "checkpoint: %d memories are learned, and at most %d are stored in one call", len(a.Learned), MaxLearned)
	}
	for _, text := range [][2]string{{"goal", a.Goal}, {"done", a.Done}, {"next", a.Next}} {
		if err := db.CheckText("checkpoint", text[0], text[1], maxPassage); err != nil {
			return c, err
		}
	}
	now := db.NowIn(ctx)
	session, cleaned := s.sessionOf(ctx, a).WithoutSecrets()
	if c.session, err = s.draft(ctx, session, nil); err != nil {
		return c, err
	}
	c.warnings = append(c.warnings, cleaned...)
	for i, one := range a.Learned {
		one.Namespace = cmp.Or(one.Namespace, c.session.memory.Namespace)
		if one.Source == "" {
			one.Source, one.SourceURL = a.Source, a.SourceURL
		}
		one, cleaned := one.WithoutSecrets()
		d, err := s.draft(ctx, one, near)
		if err == nil && d.memory.Namespace != c.session.memory.Namespace {
			err = fault.New(fault.InvalidArgument, "store: it is of another namespace than the session; store it by itself")
		}
		if err != nil {
			return c, errorOfItem(i, err)
		}
		c.learned, c.warnings = append(c.learned, d), append(c.warnings, cleaned...)
	}
	c.setTime(now)
	return c, nil
}

// setTime sets the time of all memories.
func (c *checkpoint) setTime(at string) {
	c.session.memory.CreatedAt, c.session.memory.UpdatedAt = at, at
	for i := range c.learned {
		c.learned[i].memory.CreatedAt, c.learned[i].memory.UpdatedAt = at, at
	}
}

// errorOfItem adds to an error the number of the learned memory that it is about.
func errorOfItem(i int, err error) error {
	known, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	itemError := *known
	itemError.Message = fmt.Sprintf("checkpoint: #%d of learned: %s", i+1, itemError.Message)
	return &itemError
}

// sessionOf returns the arguments that store a session's memory. Its properties are goal,
// done and next, then those of a, then those that the context has (see WithSession); the
// earlier ones win.
func (s Store) sessionOf(ctx context.Context, a CheckpointArgs) StoreArgs {
	lines, properties := []string{}, db.Properties{}
	if around, ok := ctx.Value(sessionFacts{}).(func() map[string]string); ok {
		for name, value := range around() {
			properties[name] = value
		}
	}
	if s.Caller.Project != "" {
		properties["project"] = s.Caller.Project
	}
	if s.Caller.Origin == "agent" && s.Caller.Actor != "" && properties["client"] == nil {
		properties["client"] = s.Caller.Actor
	}
	maps.Copy(properties, a.Properties)
	for _, passage := range []struct{ name, text string }{{"goal", a.Goal}, {"done", a.Done}, {"next", a.Next}} {
		if text := strings.TrimSpace(passage.text); text != "" {
			properties[passage.name] = text
			lines = append(lines, strings.ToUpper(passage.name[:1])+passage.name[1:]+": "+text)
		}
	}
	if len(lines) == 0 {
		lines = append(lines, fmt.Sprintf("%d memories were learned.", len(a.Learned)))
	}
	title := a.Titled(db.AskedIn(ctx))
	return StoreArgs{
		Title: &title, Content: strings.Join(lines, "\n"), Kind: sessionKind, Namespace: a.Namespace,
		Properties: properties, Importance: new(0.5), Dedup: "off", Source: a.Source, SourceURL: a.SourceURL,
	}
}

// Titled returns the title of a session of some time.
func (a CheckpointArgs) Titled(at string) string {
	about := cmp.Or(strings.TrimSpace(a.Goal), strings.TrimSpace(a.Done), strings.TrimSpace(a.Next))
	if about != "" {
		about = ": " + about
	}
	return ShortTitle("Session of " + strings.Replace(at[:len(sessionLayout)], "T", " ", 1) + about)
}

// sessionFacts is the key of the context value that WithSession adds.
type sessionFacts struct{}

// WithSession returns a context with facts about the session: session_id, client, branch,
// commit. Checkpoint calls the function and keeps the facts as properties.
func WithSession(ctx context.Context, facts func() map[string]string) context.Context {
	return context.WithValue(ctx, sessionFacts{}, facts)
}

// resolve finds the last session, the learned memories that are stored already, and the edges
// to declare.
func (s Store) resolve(ctx context.Context, r *db.Reader, c *checkpoint) (err error) {
	last, ok, err := db.First(ctx, r, scanMemory, selectMemory+LastSession, c.session.memory.Namespace, s.Caller.Own())
	if err != nil {
		return err
	}
	if ok {
		c.last = &last
		if at, err := time.Parse(time.RFC3339, last.CreatedAt); err == nil { // the clock may have been set back since
			c.setTime(max(c.session.memory.CreatedAt, db.Time(at.Add(time.Millisecond))))
		}
	}
	for i := range c.learned {
		if err := s.recognise(ctx, r, &c.learned[i]); err != nil {
			return errorOfItem(i, err)
		}
	}
	if err := s.declareItems(ctx, r, c.learned); err != nil {
		return err
	}
	ids, all := []string{}, true
	for _, d := range c.learned {
		if d.there != nil {
			continue
		}
		ids, all = append(ids, d.touchedIDs()...), false
		c.session.declared = append(c.session.declared, edges.Declaration{ID: db.NextID(ctx), From: d.memory.ID, To: c.session.memory.ID, Kind: edges.PartOf})
	}
	if c.last != nil {
		c.repeatsLast = all && saysSameAs(c.session.memory, *c.last) && holdsAt(*c.last, c.session.memory.CreatedAt)
		c.session.declared = append(c.session.declared, edges.Declaration{ID: db.NextID(ctx), From: c.session.memory.ID, To: c.last.ID, Kind: edges.Follows})
	}
	c.watch, err = belief.NewWatch(ctx, r, ids...)
	return err
}

// declareItems resolves the edges of the learned memories. A memory that is there may lack an edge and
// is then stored a second time, under another id, so that all edges are resolved again.
func (s Store) declareItems(ctx context.Context, r *db.Reader, learned []draft) error {
	items := map[string]string{}
	for again := true; again; {
		again = false
		for i := range learned {
			learned[i].matchEarlier(learned[:i])
			items[fmt.Sprint("#", i+1)] = cmp.Or(learned[i].there, &learned[i].memory).ID
		}
		for i := range learned {
			there := learned[i].there
			if err := s.declare(ctx, r, &learned[i], items); err != nil {
				return errorOfItem(i, err)
			}
			again = again || learned[i].there != there
		}
	}
	return nil
}

// matchEarlier sets d.repeats if an earlier item of the same checkpoint says the same as d, and
// d.there if that one makes d superfluous. It may be called again when there of an earlier one
// has changed.
func (d *draft) matchEarlier(earlier []draft) {
	if d.repeats {
		d.there = nil
	}
	if d.there != nil || d.args.Dedup != "warn" {
		return
	}
	for _, one := range earlier {
		m := one.memory
		if d.args.Title != nil && !saysTheSame(m.Title, d.memory.Title) || !saysTheSame(m.Content, d.memory.Content) || !holdsAt(m, d.memory.CreatedAt) {
			continue
		}
		d.repeats = true
		if stored := cmp.Or(one.there, &m); len(d.args.Links)+len(d.args.Supersedes) == 0 && !addsTo(d.memory, *stored) {
			d.there = stored
			return
		}
	}
}

// saysSameAs reports whether two sessions have the same goal, done, next and session_id, and
// any of the first three.
func saysSameAs(m, other Memory) bool {
	for _, name := range []string{"goal", "done", "next", "session_id"} {
		if db.List(m.Properties[name]) != db.List(other.Properties[name]) {
			return false
		}
	}
	return m.Properties["goal"] != nil || m.Properties["done"] != nil || m.Properties["next"] != nil
}

// explain adds to a refusal which learned memory it is about, and names the memories #1, #2 …
// as their links do.
func (s Store) explain(ctx context.Context, err error, c checkpoint) error {
	stored, declared, items := map[string]ref.Named{}, []edges.Declaration{}, []int{}
	for i, d := range c.learned {
		stored[d.memory.ID] = ref.Named{ID: fmt.Sprint("#", i+1), Title: d.memory.Title}
		for _, one := range d.declared {
			declared, items = append(declared, one), append(items, i)
		}
	}
	at, explained := s.graph().ExplainBatch(ctx, err, stored, declared)
	if at < 0 {
		return explained
	}
	return errorOfItem(items[at], explained)
}

// readCheckpoint reads the result of a checkpoint that was stored.
func (s Store) readCheckpoint(ctx context.Context, r *db.Reader, c checkpoint) (CheckpointResult, error) {
	session := c.session.memory
	if c.repeatsLast {
		session = *c.last
	}
	result := CheckpointResult{Session: SessionStored{Named: ref.Named{ID: session.ID, Title: session.Title}}, Memories: []Learned{}, Warnings: []string{}}
	if c.repeatsLast {
		result.Warnings = append(result.Warnings, "nothing was stored: the last session says the same")
	} else if c.last != nil {
		result.Session.Follows = &ref.Named{ID: c.last.ID, Title: c.last.Title}
	}
	most, created := MaxNear, []string{}
	if len(c.learned) > manyLearned {
		most = max(1, nearInAll/len(c.learned))
	}
	stored := map[string]bool{session.ID: true}
	for _, d := range c.learned {
		stored[d.memory.ID] = true
	}
	for i, d := range c.learned {
		one, err := s.readStored(ctx, r, d, stored)
		if err != nil {
			return result, err
		}
		near := one.Near[:min(len(one.Near), most)]
		for i := range near {
			if len(c.learned) > manyLearned {
				near[i].Snippet, _ = budget.Cut(near[i].Snippet, shortSnippet)
			}
		}
		if d.there == nil {
			created = append(created, one.Memory.ID)
			result.Settle = cmp.Or(result.Settle, settle(ctx, near))
		}
		for _, warning := range one.Warnings {
			result.Warnings = append(result.Warnings, fmt.Sprintf("#%d: %s", i+1, warning))
		}
		result.Memories = append(result.Memories, Learned{ref.Named{ID: one.Memory.ID, Title: one.Memory.Title}, one.Created, near})
	}
	result.Warnings = append(result.Warnings, c.warnings...)
	var err error
	result.Consequences, err = c.watch.Consequences(ctx, r, created...)
	return result, err
}
