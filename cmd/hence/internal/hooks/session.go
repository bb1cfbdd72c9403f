package hooks

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hence/internal/db"
)

// keepTime is how long the file of a session is kept after its last event.
const keepTime = 7 * 24 * time.Hour

const (
	mostRead    = 256 << 10 // bytes of a file
	mostRemoved = 200       // old files that one session removes
)

// Session is the state that hooks keep of one session of a client.
type Session struct {
	Began     time.Time
	Seen      []string // ids of the memories that the session was shown
	Edits     int      // how many times the agent has changed a file
	Asked     bool     // a checkpoint was asked for
	Compacted bool     // the context was compacted, and no briefing followed yet
	file      string   // "": the state is not kept
}

// Open reads the state of the session of a call from its file in a folder. The first Note
// makes the file. The state of a session without an id is not kept.
func Open(folder string, c Call, now time.Time) Session {
	s := Session{Began: now}
	if c.Session == "" || folder == "" {
		return s
	}
	s.file = filepath.Join(folder, c.client+"-"+db.Hash(c.client + "\x00" + c.Session)[:32])
	f, err := os.Open(s.file)
	if err != nil {
		return s
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, mostRead))
	for lines.Scan() {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "began":
			if at, err := time.Parse(time.RFC3339Nano, rest); err == nil && at.Before(s.Began) {
				s.Began = at
			}
		case "seen":
			s.Seen = append(s.Seen, strings.Fields(rest)...)
		case "edited":
			s.Edits++
		case "asked":
			s.Asked = true
		case "compacted":
			s.Compacted = true
		case "briefed":
			s.Compacted = false
		}
	}
	return s
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
