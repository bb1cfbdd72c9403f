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

// kept is how long the file of a session is kept after its last event.
const kept = 7 * 24 * time.Hour

const (
	mostRead    = 256 << 10 // bytes of a file
	mostRemoved = 200       // old files that one session removes
)

// Session is what is known of one session of a client.
type Session struct {
	Began     time.Time
	Seen      []string // ids of memories that it was shown
	Edits     int
	Asked     bool // for a checkpoint
	Compacted bool // and not briefed since
	file      string
}

// Open reads what is known of a session from its file in a folder. The file is made by
// the first Note. A session without an id is not kept.
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

// Note adds a line to the file: a word and what belongs to it. Lines are only added, so
// that hooks which run at the same moment do not lose each other's.
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

// Sweep removes the files of sessions that have ended long ago.
func Sweep(folder string, now time.Time) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return // there are none
	}
	removed := 0
	for _, e := range entries {
		info, err := e.Info()
		if removed < mostRemoved && err == nil && info.Mode()&fs.ModeType == 0 && now.Sub(info.ModTime()) > kept {
			_ = os.Remove(filepath.Join(folder, e.Name()))
			removed++
		}
	}
}
