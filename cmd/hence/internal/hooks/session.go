package hooks

import (
	stdcontext "context" // the package has a context of its own
	"crypto/rand"
	"time"

	"hence/internal/db"
	"hence/internal/receipts"
)

// mostTouched is how many files that a session edited last are compared with what rests on them.
const mostTouched = 6

// Session is the state that hooks keep of one agent in one session of a client, among the receipts.
type Session struct {
	Began     time.Time
	Seen      []string       // ids of the memories that the session was shown
	Acted     []string       // ids of those that it was shown beside an act
	Doubted   []string       // ids of those that it was told are stale because of its edits
	Touched   []string       // files that it edited last, each once
	Edits     int            // how many times the agent has changed a file
	Compacted bool           // the context was compacted, and no briefing followed yet
	Told      string         // the hash of the briefing that came last
	book      *receipts.Book // nil: the state is not kept
	id, agent string
	claims    map[string]time.Time
}

// Open reads the state of the agent of a call. The state of a session without an id is not kept. It is
// the same whichever client's settings have the hook, because some clients run the hooks of others too.
func Open(b *receipts.Book, c Call, now time.Time) Session {
	s := Session{Began: now}
	if c.Session == "" || c.Event == HelperBegan && c.Agent == "" {
		return s
	}
	if c.Event == Edited {
		c.Agent = "" // who asks for a checkpoint at the end is the session's own agent
	}
	s.book, s.id, s.agent, s.claims = b, c.Session, c.Agent, map[string]time.Time{}
	began, marks, err := b.ReadMarks(stdcontext.Background(), s.id, s.agent)
	if err != nil {
		return s
	}
	if !began.IsZero() && began.Before(now) {
		s.Began = began
	}
	edits := map[string]int{} // by the event that told of them
	lists := map[string]*[]string{"seen": &s.Seen, "acted": &s.Acted, "doubted": &s.Doubted, "touched": &s.Touched}
	for _, m := range marks {
		if list := lists[m.Word]; list != nil {
			*list = append(*list, m.Value)
		}
		switch m.Word {
		case "edited":
			edits[m.Event]++
			s.Edits = max(s.Edits, edits[m.Event]) // a client may tell of an edit in two ways
		case "claim":
			s.claims[m.Value] = time.Unix(0, m.At)
		case "compacted":
			s.Compacted = true
		case "briefed":
			s.Told = m.Value
		}
	}
	s.Touched = s.Touched[max(0, len(s.Touched)-mostTouched):]
	return s
}

// IsTaken reports whether the right to say a thing was claimed when the session was read, at
// most a life before now; with a life of 0 for good.
func (s Session) IsTaken(key string, life time.Duration, now time.Time) bool {
	at, ok := s.claims[key]
	return ok && (life == 0 || now.Sub(at) <= life)
}

// Claim reports whether this call gets the right to say a thing, named by a key. Of several
// processes that claim it at the same moment, or within a life, one gets it. Where nothing can be
// kept, each gets it.
func (s Session) Claim(key string, life time.Duration, now time.Time) bool {
	if s.book == nil {
		return true
	}
	won, err := s.book.Claim(stdcontext.Background(), s.id, s.agent, s.Began, key, life, now)
	return won || err != nil
}

// NoteEdit records the edit that a call tells of. What is told twice by its id counts once.
func (s Session) NoteEdit(c Call) error {
	id := rand.Text()
	if c.ID != "" {
		id = db.Hash(c.ID)[:32] // of any length
	}
	return s.put(s.agent, "edited", c.name, id)
}

// NoteTouched records that the agent edits a file, for the session's own agent too: it goes on with
// what a helper has made.
func (s Session) NoteTouched(path string) error {
	err := s.put(s.agent, "touched", "", path)
	if err == nil && s.agent != "" {
		err = s.put("", "touched", "", path)
	}
	return err
}

// Note records values of a word. A briefing takes the place of the one before, and ends a compaction.
func (s Session) Note(word string, values ...string) error {
	if word == "compacted" {
		values = []string{""}
	}
	if word == "briefed" && s.book != nil {
		return s.book.PutMarks(stdcontext.Background(), s.id, s.agent, s.Began, word, "", values, "briefed", "compacted")
	}
	return s.put(s.agent, word, "", values...)
}

func (s Session) put(agent, word, event string, values ...string) error {
	if s.book == nil || len(values) == 0 {
		return nil
	}
	return s.book.PutMarks(stdcontext.Background(), s.id, agent, s.Began, word, event, values)
}
