package hooks

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hence/internal/db"
)

// keepTime is how long the file of a session is kept after its last event.
const keepTime = 7 * 24 * time.Hour

const (
	mostTouched = 6        // files that a session edited last, which are compared with what rests on them
	mostRead    = 32 << 20 // bytes of a file: some 200,000 edits
	mostRemoved = 200      // old files that one session removes
)

// Session is the state that hooks keep of one agent in one session of a client.
type Session struct {
	Began     time.Time
	Seen      []string // ids of the memories that the session was shown
	Acted     []string // ids of those that it was shown beside an act
	Doubted   []string // ids of those that it was told are stale because of its edits
	Touched   []string // files that it edited last, each once
	Edits     int      // how many times the agent has changed a file
	Compacted bool     // the context was compacted, and no briefing followed yet
	Told      string   // the hash of the briefing that came last
	file      string   // "": the state is not kept
	own       string   // the file of the session's own agent; of a helper another one
	claims    map[string]claim
	edits     map[string]map[string]bool // ids of edits, by the event that told of them
}

// claim is the right to say a thing.
type claim struct {
	at    time.Time
	nonce string // of the call that has the right
}

// Open reads the state of the agent of a call from its file in a folder. The first Note makes
// the file. The state of a session without an id is not kept. The file is the same whichever
// client's settings have the hook, because some clients run the hooks of others too.
func Open(folder string, c Call, now time.Time) Session {
	s := Session{Began: now}
	if c.Session == "" || folder == "" || c.Event == HelperBegan && c.Agent == "" {
		return s
	}
	if c.Event == Edited {
		c.Agent = "" // who asks for a checkpoint at the end is the session's own agent
	}
	fileOf := func(agent string) string { return filepath.Join(folder, db.Hash(c.Session + "\x00" + agent)[:32]) }
	s.file, s.own = fileOf(c.Agent), fileOf("")
	s.read()
	return s
}

func (s *Session) read() {
	f, err := os.Open(s.file)
	if err != nil {
		return
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostRead))
	if err != nil {
		return
	}
	s.claims, s.edits = map[string]claim{}, map[string]map[string]bool{}
	for line := range strings.Lines(string(text)) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "began":
			if at, err := time.Parse(time.RFC3339Nano, rest); err == nil && at.Before(s.Began) {
				s.Began = at
			}
		case "seen":
			s.Seen = append(s.Seen, strings.Fields(rest)...)
		case "acted":
			s.Acted = append(s.Acted, strings.Fields(rest)...)
		case "doubted":
			s.Doubted = append(s.Doubted, strings.Fields(rest)...)
		case "touched":
			s.Touched = append(slices.DeleteFunc(s.Touched, func(path string) bool { return path == rest }), rest)
			s.Touched = s.Touched[max(0, len(s.Touched)-mostTouched):]
		case "edited":
			event, id, _ := strings.Cut(rest, " ")
			if s.edits[event] == nil {
				s.edits[event] = map[string]bool{}
			}
			s.edits[event][id] = true
			s.Edits = max(s.Edits, len(s.edits[event])) // a client may tell of an edit in two ways
		case "claim":
			s.readClaim(strings.Fields(rest))
		case "compacted":
			s.Compacted = true
		case "briefed":
			s.Compacted, s.Told = false, rest
		}
	}
}

// readClaim takes in a line of a claim: key, time, life, nonce. The line counts if no earlier
// one does, or if that was longer ago than the life.
func (s *Session) readClaim(words []string) {
	if len(words) != 4 {
		return
	}
	at, err := time.Parse(time.RFC3339Nano, words[1])
	life, lifeErr := time.ParseDuration(words[2])
	if former, ok := s.claims[words[0]]; err == nil && lifeErr == nil && (!ok || life > 0 && at.Sub(former.at) > life) {
		s.claims[words[0]] = claim{at, words[3]}
	}
}

// IsTaken reports whether the right to say a thing was claimed when the session was read, at
// most a life before now; with a life of 0 for good.
func (s Session) IsTaken(key string, life time.Duration, now time.Time) bool {
	c, ok := s.claims[key]
	return ok && (life == 0 || now.Sub(c.at) <= life)
}

// Claim reports whether this call gets the right to say a thing, named by a key without
// spaces. Of several processes that claim it at the same moment, or within a life, one gets
// it: each appends a line, and the one whose line stands first has it. Where nothing can be
// kept, each gets it.
func (s Session) Claim(key string, life time.Duration, now time.Time) bool {
	nonce := rand.Text()
	if s.file == "" || s.Note("claim", key, now.UTC().Format(time.RFC3339Nano), life.String(), nonce) != nil {
		return true
	}
	after := Session{file: s.file}
	after.read()
	c, ok := after.claims[key]
	return !ok || c.nonce == nonce
}

// NoteEdit records the edit that a call tells of. What is told twice by its id counts once.
func (s Session) NoteEdit(c Call) error {
	id := rand.Text()
	if c.ID != "" {
		id = db.Hash(c.ID)[:32] // of any length, on one line
	}
	return s.Note("edited", c.name, id)
}

// NoteTouched records that the agent edits a file, for the session's own agent too: it goes on with
// what a helper has made.
func (s Session) NoteTouched(path string) error {
	if strings.ContainsAny(path, "\r\n") {
		return nil // the record has a line for each
	}
	err := s.Note("touched", path)
	if s.own != s.file {
		err = errors.Join(err, Session{Began: s.Began, file: s.own}.Note("touched", path))
	}
	return err
}

// Note appends a line to the file: a word and its values. It only appends, so that hooks
// that run at the same time keep each other's lines.
func (s Session) Note(word string, rest ...string) error {
	if s.file == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(s.file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	line := strings.Join(append([]string{word}, rest...), " ") + "\n"
	if info, statErr := f.Stat(); statErr == nil && info.Size() == 0 {
		line = "began " + s.Began.UTC().Format(time.RFC3339Nano) + "\n" + line
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}

// Sweep removes files of sessions whose last event is longer ago than keepTime.
func Sweep(folder string, now time.Time) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return // the folder does not exist yet
	}
	removed := 0
	for _, e := range entries {
		info, err := e.Info()
		if removed < mostRemoved && err == nil && info.Mode()&fs.ModeType == 0 && now.Sub(info.ModTime()) > keepTime {
			_ = os.Remove(filepath.Join(folder, e.Name()))
			removed++
		}
	}
}
