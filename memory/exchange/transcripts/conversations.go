package transcripts

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/plural"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory"
	"hence/memory/exchange/lines"
	"hence/memory/record"
)

// Args say which conversations to import.
type Args struct {
	Path     string // of a file, or of a folder with files at any depth
	Format   string // one of Formats
	Outputs  bool   // keep the outputs of commands too, in memories of their own
	DryRun   bool
	Progress func(done, total int) // may be nil
	Hear     func(Conversation)    // is told each session of an agent with its steps; may be nil
}

// Imported is the result of an import of conversations.
type Imported struct {
	Conversations int `json:"conversations"`
	Turns         int `json:"turns"`
	Commands      int `json:"commands,omitempty"`
	lines.Imported
}

// A conversation is not what somebody made for later, so it is of little importance.
const (
	sessionImportance = 0.2
	turnImportance    = 0.1

	compressed      = ".zst"
	magic           = "\x28\xb5\x2f\xfd" // with which a compressed file begins
	maxDecompressed = 4 << 30            // bytes of a file
	maxWindow       = 64 << 20           // bytes of memory to decompress it
)

// Import stores each conversation as a memory of kind session, and each
// turn as one of kind turn that is part of it and follows the turn before. The commands of an agent are
// one more such memory, of origin import, which grows with the conversation. Ids are
// derived from theirs, so that a second import adds only what is new, and nothing that was purged. Secrets and private parts
// are taken out. A line that cannot be read is left out, and the first three are
// reported. Symbolic links in a folder are not followed. It fails with
// invalid_argument for an unknown format and where there is no conversation, and with
// unavailable if a file cannot be read.
func Import(ctx context.Context, s ref.View, a Args) (done Imported, err error) {
	if !slices.Contains(Formats(), a.Format) {
		return done, fault.New(fault.InvalidArgument, "import %s: %q is not a format of conversations; the formats are %s", a.Path, a.Format, strings.Join(Formats(), ", "))
	}
	temp, err := os.CreateTemp("", "hence-import-*")
	if err != nil {
		return done, fault.Wrap(fault.Unavailable, err, "import %s: a temporary file cannot be made", a.Path)
	}
	_ = os.Remove(temp.Name()) // so that a killed process leaves nothing; Windows removes it only once it is closed
	defer func() {
		err = errors.Join(err, temp.Close())
		_ = os.Remove(temp.Name())
	}()
	out := bufio.NewWriter(temp)
	t := &teller{
		store: s, format: a.Format, namespace: s.Caller.Namespace, person: s.Caller.Actor, file: out, out: json.NewEncoder(out), told: map[string]bool{}, purged: map[string]bool{},
		keepsOutputs: a.Outputs, hear: a.Hear, heard: map[string][]heardTurn{}, withCommands: map[string]*Conversation{},
	}
	t.out.SetEscapeHTML(false)
	if err := db.Fill(ctx, s.DB, t.purged, `select id, true from purged`); err != nil {
		return done, err
	}
	if err := t.read(ctx, a.Path); err != nil {
		return done, err
	}
	for _, tell := range []func(context.Context) error{t.tellForks, t.tellHelpers, t.tellCommands} {
		if err := tell(ctx); err != nil {
			return done, err
		}
	}
	if t.conversations == 0 {
		why := "; docs/conversations.md says which files are read"
		if len(t.wrong.First) > 0 {
			why = ": " + strings.Join(t.wrong.Messages(), "; ")
		}
		return done, fault.New(fault.InvalidArgument, "import %s: no conversation of %s is there%s", a.Path, a.Format, why)
	}
	if err := out.Flush(); err != nil {
		return done, fault.Wrap(fault.Unavailable, err, "import %s: a temporary file cannot be written", a.Path)
	}
	lines, err := lines.Import(ctx, s, temp, lines.ImportArgs{Name: a.Path, DryRun: a.DryRun, Progress: a.Progress})
	if err != nil {
		return done, err
	}
	// The secrets were taken out before the import of the lines, which therefore warns of none.
	lines.Warnings = slices.Concat(t.wrong.Messages(), t.clean.Warnings(), lines.Warnings)
	if t.leftOut > 0 {
		lines.Warnings = append(lines.Warnings, plural.Count(t.leftOut, "memory", "memories")+" of these conversations had been erased or purged here, and stay out")
	}
	return Imported{t.conversations, t.turns, t.commands, lines}, nil
}

// teller writes conversations as lines of memories and edges.
type teller struct {
	store                     ref.View
	format, namespace, person string
	file                      io.Writer
	out                       *json.Encoder   // into file
	told                      map[string]bool // ids
	purged                    map[string]bool // ids of memories that are not told again
	leftOut                   int             // of them
	clean                     secret.Cleaner
	wrong                     lines.WrongPlaces
	keepsOutputs              bool
	hear                      func(Conversation)

	conversations, turns, commands int

	withCommands map[string]*Conversation // by id of the memory of the session
	sessionIDs   []string                 // its keys, in the order in which they were told
	helpers      []helper

	sessions []Conversation         // of Codex
	heard    map[string][]heardTurn // turns by id of their conversation, of Codex
	shared   map[string]string      // ids of memories by id of the turns that the present conversation repeats
}

// read reads a file, or the files of a folder that may hold conversations.
func (t *teller) read(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return unreadable(path, err)
	}
	if !info.IsDir() {
		f, err := os.Open(path)
		if err != nil {
			return unreadable(path, err)
		}
		return errors.Join(t.readFile(ctx, path, f), f.Close())
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return unreadable(path, err)
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return fault.Wrap(fault.Unavailable, ctx.Err(), "import %s: stopped", path)
		case err != nil:
			t.wrong.Add("%s was left out: it cannot be read", name)
			return nil
		case !d.Type().IsRegular() || !Holds(t.format, d.Name()):
			return nil
		}
		f, err := root.Open(name)
		if err != nil {
			t.wrong.Add("%s was left out: it cannot be read", name)
			return nil
		}
		return errors.Join(t.readFile(ctx, name, f), f.Close())
	})
}

func unreadable(path string, err error) error {
	code := fault.Unavailable
	if errors.Is(err, fs.ErrNotExist) {
		code = fault.NotFound
	}
	return fault.Wrap(code, err, "import %s: it cannot be read", path)
}

func (t *teller) readFile(ctx context.Context, name string, file io.Reader) error {
	in, isCompressed, done, err := decompress(file)
	if err != nil {
		return unreadable(name, err)
	}
	defer done()
	if formatOf(t.format).element != nil {
		return t.readExport(ctx, name, in)
	}
	name = strings.TrimSuffix(name, compressed)
	r := NewReader(t.format, strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)))
	r.clean, r.keepsOutputs, r.keepsSteps = &t.clean, t.keepsOutputs, t.hear != nil
	read := 0
	err = lines.EachLine(in, func(n int, line []byte, wrong error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if wrong == nil {
			wrong = r.Line(n, line)
		}
		if wrong != nil {
			t.wrong.Add("%s: line %d was left out: %v", name, n, wrong)
		}
		read = n
		return nil
	})
	switch {
	case ctx.Err() != nil || err != nil && !isCompressed:
		return unreadable(name, err)
	case err != nil:
		t.wrong.Add("%s: what comes after line %d was left out: %v", name, read, err)
	}
	c := r.Conversation()
	if t.hear != nil {
		t.hear(c)
		c.Steps = nil
	}
	if t.format == Codex {
		t.sessions = append(t.sessions, c)
		return nil
	}
	return t.tell(c)
}

// decompress returns the text of a file, which may be compressed, up to maxDecompressed bytes. done ends the reading.
func decompress(file io.Reader) (in io.Reader, isCompressed bool, done func(), err error) {
	plain := bufio.NewReader(file)
	if begin, _ := plain.Peek(len(magic)); string(begin) != magic {
		return plain, false, func() {}, nil
	}
	d, err := zstd.NewReader(plain, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, true, nil, err
	}
	return io.MultiReader(io.LimitReader(d, maxDecompressed), tooLong{d}), true, d.Close, nil
}

// tooLong fails if there is more to read.
type tooLong struct{ io.Reader }

func (r tooLong) Read(p []byte) (n int, err error) {
	if n, err = r.Reader.Read(p); n > 0 {
		return 0, fmt.Errorf("it has more than %d bytes", int64(maxDecompressed))
	}
	return 0, err
}

// readExport reads a list of conversations.
func (t *teller) readExport(ctx context.Context, name string, in io.Reader) (failed error) {
	err := ReadExport(t.format, lines.LineText(in), func(number int, c Conversation, wrong error) error {
		if failed = ctx.Err(); failed != nil {
			return failed
		}
		if wrong != nil {
			t.wrong.Add("%s: conversation %d was left out: %v", name, number, wrong)
			return nil
		}
		failed = t.tell(c)
		return failed
	})
	if failed == nil && err != nil {
		t.wrong.Add("%s: %v", name, err)
	}
	return failed
}

// tell writes a conversation in which something was said.
func (t *teller) tell(c Conversation) error {
	if len(c.Turns) == 0 || c.Helps != "" && !saysSomething(c) {
		return nil
	}
	t.conversations++
	at := cmp.Or(c.At, c.Turns[0].At)
	session, err := t.session(c, at)
	if err != nil {
		return err
	}
	t.keepCommands(session, c, at)
	if c.Helps != "" {
		t.helpers = append(t.helpers, helper{session, lines.IdOf(t.format, t.namespace, c.Helps), at})
	}
	for _, turn := range c.Turns {
		turn.At = cmp.Or(turn.At, at)
		if err := t.turn(c, session, turn); err != nil {
			return err
		}
	}
	return nil
}

// session writes the memory of a conversation and returns its id. The memory does not say how
// long the conversation is, so that it stays the same while the conversation grows.
func (t *teller) session(c Conversation, at time.Time) (id string, err error) {
	id = lines.IdOf(t.format, t.namespace, c.ID)
	title := t.title(c, at)
	properties := map[string]any{"session_id": c.ID, "client": t.format}
	if c.Helps != "" {
		properties["helps"] = c.Helps
	}
	if c.Folder != "" {
		properties["folder"] = t.clean.Clean(c.Folder)
	}
	if c.Branch != "" {
		properties["branch"] = t.clean.Clean(c.Branch)
	}
	raw, err := json.Marshal(properties)
	if err != nil {
		return id, err
	}
	m := lines.Memory{Properties: raw, Memory: record.Memory{ID: id, Kind: "session", Title: title, Content: title, Importance: sessionImportance, Origin: "import", Source: ref.Agent, Actor: t.format}}
	return id, t.memory(m, at)
}

// title returns the conversation's title, or else one of its format, date and first words.
func (t *teller) title(c Conversation, at time.Time) string {
	if title := memory.FirstLine(secret.Mask(c.Title)); title != "" {
		return title
	}
	title := t.format
	if c.Helps != "" {
		title += " helper"
	}
	if at := lineTime(at); at != "" {
		title += ", " + db.Day(at)
	}
	for _, turn := range c.Turns {
		if turn.Person || c.Helps != "" {
			var unheard secret.Cleaner // the turn itself is counted
			return memory.FirstLine(title + ": " + memory.FirstLine(unheard.Clean(turn.Text)))
		}
	}
	return title
}

func (t *teller) turn(c Conversation, session string, turn Turn) error {
	text := cmp.Or(strings.TrimSpace(t.clean.Clean(turn.Text)), "(private)")
	m := lines.Memory{Memory: record.Memory{ID: t.turnID(c, turn.ID), Kind: "turn", Content: text, Importance: turnImportance, Origin: "agent", Source: ref.Agent, Actor: t.format}}
	switch {
	case turn.Person:
		m.Origin, m.Source, m.Actor = "person", ref.Person, t.person
	case turn.Model != "":
		m.Actor = db.WithoutControls(turn.Model)
	}
	if !t.told[m.ID] && !t.purged[m.ID] {
		t.turns++
	}
	if err := t.memory(m, turn.At); err != nil {
		return err
	}
	if err := t.edge(m.ID, session, edges.PartOf, turn.At); err != nil || turn.After == "" {
		return err
	}
	return t.edge(m.ID, t.turnID(c, turn.After), edges.Follows, turn.At)
}

// turnID returns an id for a turn. Claude Code repeats turns under the same id in the
// file of a session that was continued.
func (t *teller) turnID(c Conversation, id string) string {
	if memory, isShared := t.shared[id]; isShared {
		return memory
	}
	if t.format == ClaudeCode {
		return lines.IdOf(t.format, t.namespace, "turn", id)
	}
	return lines.IdOf(t.format, t.namespace, c.ID, id)
}

func (t *teller) memory(m lines.Memory, at time.Time) error {
	if t.told[m.ID] {
		return nil
	}
	t.told[m.ID] = true
	if t.purged[m.ID] {
		t.leftOut++
		return nil
	}
	m.CreatedAt = lineTime(at)
	return t.out.Encode(m)
}

func (t *teller) edge(from, to string, kind edges.Kind, at time.Time) error {
	if key := from + to + string(kind); from == to || t.told[key] || t.purged[from] || t.purged[to] {
		return nil
	} else {
		t.told[key] = true
	}
	_, err := fmt.Fprintf(t.file, edgeLine, from, to, kind, lineTime(at))
	return err
}

// edgeLine is the line of an edge. Its id is made of the line, so that it stays as it is.
const edgeLine = `{"type":"edge","id":"","from":%q,"to":%q,"edge_type":%q,"rel":"","weight":null,"origin":"","actor":null,"note":"",` +
	`"valid_from":null,"valid_to":null,"created_at":%q,"sites":null}` + "\n"

// lineTime returns a time in the form of a line; "" makes an import use its own time.
func lineTime(at time.Time) string {
	if at.IsZero() || at.UTC().Year() < 0 || at.UTC().Year() > 9999 {
		return ""
	}
	return db.Time(at)
}
