package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// store is one that both binaries build and are asked about.
type store struct {
	name      string
	build     func(ctx context.Context, s *side) error
	questions func() ([]string, error) // nil: made of the words of its memories
	searches  int
	sort      sort
}

// sort says which tools a store's server has beside those of memories.
type sort int

const (
	memories sort = iota
	notes
	symbols
)

// absent is what a store is made of where that is not on this machine.
type absent struct{ what string }

func (a absent) Error() string { return a.what + " is absent" }

// stores returns the stores, the smallest first.
func stores(project string) []store {
	shared := filepath.Join(filepath.Dir(project), "shared")
	if folders, _ := filepath.Glob(filepath.Join(project, "../../shared")); len(folders) > 0 && !isThere(shared) {
		shared = folders[0]
	}
	all := []store{{name: "example", build: vault(filepath.Join(project, "examples/vault")), searches: 30, sort: notes}}
	for _, name := range []string{"obsidian-export-testdata", "kepano-obsidian", "foam-docs", "tasks-demo", "dataview-test-vault"} {
		all = append(all, store{name: "vault-" + name, build: vault(filepath.Join(shared, "vaults", name)), searches: 30, sort: notes})
	}
	return append(all,
		store{name: "code-hence", build: code(filesOf(project, "edges", "internal/args", "internal/ref", "tools/explore/web/src")), searches: 30, sort: symbols},
		store{name: "code-go", build: code(module("github.com/mark3labs/mcp-go", "mcp")), searches: 30, sort: symbols},
		store{name: "code-grammars", build: code(module("github.com/tree-sitter/tree-sitter-rust"), module("github.com/tree-sitter/tree-sitter-python"),
			module("github.com/tree-sitter/tree-sitter-java"), module("github.com/tree-sitter/tree-sitter-c")), searches: 30, sort: symbols},
		store{name: "locomo", build: locomo(shared), questions: locomoQuestions(shared, 0), searches: 140},
		store{name: "beam", build: beam(shared), questions: beamQuestions(shared), searches: 100},
		store{name: "merged", build: merged(shared), questions: locomoQuestions(shared, 1), searches: 90},
	)
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// vault imports a copy of a vault, whose files have the same times on both sides.
func vault(dir string) func(context.Context, *side) error {
	return func(ctx context.Context, s *side) error {
		if !isThere(dir) {
			return absent{dir}
		}
		copied := filepath.Join(s.dir, filepath.Base(dir))
		if err := copyFolder(dir, copied, "."); err != nil {
			return err
		}
		return s.must(ctx, s.file(), "import", copied)
	}
}

// source is where the code of a repository comes from.
type source func() (dir string, parts []string, err error)

func filesOf(dir string, parts ...string) source {
	return func() (string, []string, error) { return dir, parts, nil }
}

// module returns a module that this one requires, so that it is in the cache.
func module(path string, parts ...string) source {
	return func() (string, []string, error) {
		out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", path).Output()
		dir := strings.TrimSpace(string(out))
		if err != nil || dir == "" {
			return "", nil, absent{path}
		}
		if parts == nil {
			parts = []string{"."}
		}
		return dir, parts, nil
	}
}

// code imports copies of the sources as one repository. With several, each is a folder in it.
func code(sources ...source) func(context.Context, *side) error {
	return func(ctx context.Context, s *side) error {
		copied := filepath.Join(s.dir, "repository")
		for _, from := range sources {
			dir, parts, err := from()
			if err != nil {
				return err
			}
			to := copied
			if len(sources) > 1 {
				name, _, _ := strings.Cut(filepath.Base(dir), "@")
				to = filepath.Join(copied, name)
			}
			for _, part := range parts {
				if err := copyFolder(dir, to, part); err != nil {
					return err
				}
			}
			if mod := filepath.Join(dir, "go.mod"); isThere(mod) {
				if err := copyFile(mod, filepath.Join(to, "go.mod")); err != nil {
					return err
				}
			}
		}
		return s.must(ctx, s.file(), "import", "--code", copied)
	}
}

// copyFolder copies a part of a folder. Links are followed by none of its readers and left out;
// so are parsers that a program has written, which are over a megabyte.
func copyFolder(from, to, part string) error {
	return filepath.WalkDir(filepath.Join(from, part), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return copyFile(path, filepath.Join(to, relative))
	})
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(to, text, 0o644); err != nil {
		return err
	}
	at := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	return os.Chtimes(to, at, at)
}

// read decodes a file of shared.
func read(shared, name string, into any) error {
	text, err := os.ReadFile(filepath.Join(shared, name))
	if errors.Is(err, fs.ErrNotExist) {
		return absent{filepath.Join(shared, name)}
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

type locomoConversation struct {
	Name         string                      `json:"sample_id"`
	Conversation map[string]json.RawMessage  `json:"conversation"`
	QA           []struct{ Question string } `json:"qa"`
}

// lines are lines of an import. Their ids are the conversation's, so both sides have the same.
type lines struct{ bytes.Buffer }

func (l *lines) add(line map[string]any) {
	text, err := json.Marshal(line)
	if err != nil {
		panic(err) // a map of strings
	}
	l.Write(append(text, '\n'))
}

func (l *lines) memory(id, kind, title, content, actor string, at time.Time) {
	l.add(map[string]any{"type": "memory", "id": id, "kind": kind, "title": title, "content": content,
		"origin": "person", "actor": actor, "created_at": at.Format(time.RFC3339), "updated_at": at.Format(time.RFC3339)})
}

func (l *lines) edge(from, kind, to string) {
	if to != "" {
		l.add(map[string]any{"type": "edge", "from": from, "to": to, "edge_type": kind})
	}
}

// locomoLines writes the sessions from first on, before last, and what was said in them. Each
// turn is part of its session and follows the one before.
func (c locomoConversation) lines(first, last int, edited string) (*lines, error) {
	l := &lines{}
	before := ""
	for n := first; n < last; n++ {
		name := fmt.Sprintf("session_%d", n)
		if c.Conversation[name] == nil {
			continue
		}
		var date string
		var turns []struct {
			Speaker, Text string
			ID            string `json:"dia_id"`
		}
		if err := errors.Join(json.Unmarshal(c.Conversation[name], &turns), json.Unmarshal(c.Conversation[name+"_date_time"], &date)); err != nil {
			return nil, err
		}
		at, err := time.Parse("3:04 pm on 2 January, 2006", date)
		if err != nil {
			return nil, err
		}
		whole := c.Name + " " + name
		l.memory(whole, "session", date, "", "", at)
		l.edge(whole, "follows", before)
		before = whole
		said := ""
		for i, t := range turns {
			id, text := c.Name+" "+t.ID, t.Speaker+": "+t.Text
			at := at.Add(time.Duration(i) * time.Minute)
			if edited != "" && i%7 == 3 {
				text, at = text+" ("+edited+")", at.AddDate(0, 1, len(edited)%3)
			}
			l.memory(id, "turn", date, text, t.Speaker, at)
			l.edge(id, "part-of", whole)
			l.edge(id, "follows", said)
			said = id
		}
	}
	return l, nil
}

func (s *side) importLines(ctx context.Context, file, name string, l *lines) error {
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, l.Bytes(), 0o644); err != nil {
		return err
	}
	return s.must(ctx, file, "import", path)
}

func readLocomo(shared string) (all []locomoConversation, err error) {
	if err = read(shared, "locomo/dev.json", &all); err == nil && len(all) < 2 {
		err = errors.New("locomo/dev.json has fewer than two conversations")
	}
	return all, err
}

func locomo(shared string) func(context.Context, *side) error {
	return func(ctx context.Context, s *side) error {
		all, err := readLocomo(shared)
		if err != nil {
			return err
		}
		l, err := all[0].lines(1, 100, "")
		if err != nil {
			return err
		}
		return s.importLines(ctx, s.file(), "locomo.jsonl", l)
	}
}

func locomoQuestions(shared string, n int) func() ([]string, error) {
	return func() ([]string, error) {
		all, err := readLocomo(shared)
		if err != nil {
			return nil, err
		}
		asked := []string{}
		for _, q := range all[n].QA {
			asked = append(asked, q.Question)
		}
		return asked, nil
	}
}

// merged imports two overlapping parts of a conversation, edited apart, into two stores and
// merges them.
func merged(shared string) func(context.Context, *side) error {
	return func(ctx context.Context, s *side) error {
		all, err := readLocomo(shared)
		if err != nil {
			return err
		}
		other := filepath.Join(s.dir, "other.db")
		for _, one := range []struct {
			file, name, edited string
			first, last        int
		}{{s.file(), "ours", "as we heard it", 1, 9}, {other, "theirs", "as they heard it", 6, 14}} {
			l, err := all[1].lines(one.first, one.last, one.edited)
			if err != nil {
				return err
			}
			if err := s.importLines(ctx, one.file, one.name+".jsonl", l); err != nil {
				return err
			}
		}
		id := func(item string) string { return all[1].Name + " " + item }
		for _, words := range [][]string{
			{"forget", id("D6:2")}, {"unlink", id("D7:2"), "follows", id("D7:1")}, {"link", id("D6:4"), "supports", id("D7:3")},
			{"store", "They agreed in the end.", "--title", "Agreement", "--supersedes", id("D8:1")},
		} {
			if err := s.must(ctx, other, words...); err != nil {
				return err
			}
		}
		for _, words := range [][]string{
			{"link", id("D7:3"), "supports", id("D6:4")}, {"update", id("D6:2"), "--content", "Said again, otherwise."},
			{"store", "They did not agree.", "--title", "Agreement", "--supersedes", id("D8:1")}, {"sync", other}, {"sync", other},
		} {
			if err := s.must(ctx, s.file(), words...); err != nil {
				return err
			}
		}
		theirs, err := s.output(ctx, other, "export")
		if err != nil {
			return err
		}
		ours, err := s.output(ctx, s.file(), "export")
		if err != nil {
			return err
		}
		s.record("both export the same", fmt.Sprint(ours == theirs))
		return nil
	}
}

type beamChat struct {
	Name     string
	Messages []struct {
		ID                  int
		Role, Time, Content string
	}
	Questions []struct{ Question string }
}

// beam imports the two first chats of BEAM as an export of claude.ai.
func beam(shared string) func(context.Context, *side) error {
	return func(ctx context.Context, s *side) error {
		var all []beamChat
		if err := read(shared, "beam/dev.json", &all); err != nil {
			return err
		}
		conversations := []map[string]any{}
		for _, chat := range all[:min(2, len(all))] {
			at := time.Date(2024, 3, 1, 9, 0, 0, 0, time.UTC)
			said := []map[string]any{}
			for _, m := range chat.Messages {
				if day, err := time.Parse("January-02-2006", m.Time); err == nil {
					at = day
				}
				at = at.Add(time.Minute)
				sender := "human"
				if m.Role == "assistant" {
					sender = "assistant"
				}
				said = append(said, map[string]any{"uuid": fmt.Sprintf("%s-%d", chat.Name, m.ID), "sender": sender, "text": m.Content, "created_at": at.Format(time.RFC3339)})
			}
			conversations = append(conversations, map[string]any{"uuid": "chat-" + chat.Name, "name": "Chat " + chat.Name, "created_at": "2024-03-01T09:00:00Z", "chat_messages": said})
		}
		text, err := json.Marshal(conversations)
		if err != nil {
			return err
		}
		file := filepath.Join(s.dir, "conversations.json")
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
		return s.must(ctx, s.file(), "import", "--from", "claude", file)
	}
}

func beamQuestions(shared string) func() ([]string, error) {
	return func() ([]string, error) {
		var all []beamChat
		if err := read(shared, "beam/dev.json", &all); err != nil {
			return nil, err
		}
		asked := []string{}
		for _, chat := range all {
			for _, q := range chat.Questions {
				asked = append(asked, q.Question)
			}
		}
		return asked, nil
	}
}
