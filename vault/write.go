package vault

import (
	"context"
	"errors"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory"
	"hence/vault/note"
	"hence/vault/writing/edit"
)

// CreateNoteArgs are a new note.
type CreateNoteArgs struct {
	Path    string `json:"path" jsonschema:"folders are made, .md is added"`
	Vault   string `json:"vault,omitempty"`
	Content string `json:"content,omitempty" jsonschema:"the whole file, frontmatter included"`
}

// UpdateNoteArgs are a change of a note's text.
type UpdateNoteArgs struct {
	Path                string  `json:"path"`
	Vault               string  `json:"vault,omitempty"`
	Mode                string  `json:"mode" enum:"replace,append,prepend,patch" jsonschema:"replace: the whole file; prepend: after the frontmatter"`
	Content             *string `json:"content,omitempty" jsonschema:"not for patch"`
	Find                *string `json:"find,omitempty" jsonschema:"for patch: a text there once"`
	Replace             *string `json:"replace,omitempty" jsonschema:"for patch: in its place"`
	ReplaceAll          bool    `json:"replace_all,omitempty" jsonschema:"for patch: every place"`
	DryRun              bool    `json:"dry_run,omitempty" jsonschema:"only show the difference"`
	ExpectedContentHash string  `json:"expected_content_hash,omitempty" jsonschema:"of read_note: refuse if the file has changed"`
}

// SetFrontmatterArgs are a change of a note's properties.
type SetFrontmatterArgs struct {
	Path                string        `json:"path"`
	Vault               string        `json:"vault,omitempty"`
	Set                 db.Properties `json:"set,omitempty" jsonschema:"properties and their values"`
	Remove              []string      `json:"remove,omitempty" jsonschema:"names of properties"`
	DryRun              bool          `json:"dry_run,omitempty"`
	ExpectedContentHash string        `json:"expected_content_hash,omitempty"`
}

// WriteResult is a note that was written, and what has changed in the store by
// it. After a dry run nothing has: it holds the difference instead, and the hash
// that the file would have.
type WriteResult struct {
	Vault        string   `json:"vault"`
	Path         string   `json:"path"`
	ID           string   `json:"id,omitempty"`
	Changed      bool     `json:"changed" jsonschema:"false: it was so already"`
	Replacements int      `json:"replacements,omitempty"` // places that patch changed
	Diff         string   `json:"diff,omitempty" jsonschema:"of a dry run"`
	Effect       Effect   `json:"effect"`
	ContentHash  string   `json:"content_hash" jsonschema:"to write against next"`
	Warnings     []string `json:"warnings"`
}

// CreateNote writes a new note and takes it into the store. It fails with exists
// where something is at the path, be it by a name that differs in case only,
// with outside_vault for a path that leaves the vault, that import leaves out or
// that not every system can hold, with invalid_argument for a name that no link
// can hold, with ambiguous where there are several vaults and none is named, and
// with too_large.
func (i Importer) CreateNote(ctx context.Context, a CreateNoteArgs) (result WriteResult, err error) {
	const operation = "create_note"
	if err := args.Check(operation, &a); err != nil {
		return result, err
	}
	s, err := i.vacant(ctx, operation, a.Vault, a.Path, ".md")
	if err != nil {
		return result, err
	}
	s.Disk = i.disk
	defer func() { err = errors.Join(err, s.Close()) }()
	unlock, err := i.hold(ctx, operation, s.opened)
	if err != nil {
		return result, err
	}
	defer unlock()
	if err := s.Occupied(operation, s.Path); err != nil {
		return result, err
	}
	content := []byte(a.Content)
	if err := checkSize(operation, s.Path, content); err != nil {
		return result, err
	}
	return i.carry(ctx, operation, s, content, nil, func() error { return s.Create(operation, s.Path, content) })
}

// UpdateNote changes a note's text and takes the change into the store. Line
// ends and a byte order mark stay as the file has them. The file is written
// whole or not at all, keeps its permissions, and a link stays a link to the
// file that is written. It fails with conflict where the file is not the one
// that was expected, or find is there more than once; with not_found where there
// is no such note or no such text; and as Existing does.
func (i Importer) UpdateNote(ctx context.Context, a UpdateNoteArgs) (WriteResult, error) {
	const operation = "update_note"
	if err := args.Check(operation, &a); err != nil {
		return WriteResult{}, err
	}
	if err := a.check(operation); err != nil {
		return WriteResult{}, err
	}
	w := writing{operation, a.Vault, a.Path, a.ExpectedContentHash, a.DryRun, a.Mode == "replace"}
	count := 0
	result, err := i.rewrite(ctx, w, func(path string, source []byte) (content []byte, err error) {
		switch a.Mode {
		case "append":
			return edit.Append(source, *a.Content), nil
		case "prepend":
			return edit.Prepend(source, *a.Content), nil
		case "patch":
			content, count, err = a.patch(operation, path, source)
			return content, err
		}
		return edit.Replace(source, *a.Content), nil
	})
	result.Replacements = count
	return result, err
}

// check says which arguments go with which mode.
func (a UpdateNoteArgs) check(operation string) error {
	patch := a.Mode == "patch"
	switch {
	case patch && (a.Find == nil || a.Replace == nil || *a.Find == ""):
		return fault.New(fault.InvalidArgument, "%s: mode patch wants find, which is not empty, and replace", operation)
	case patch && a.Content != nil:
		return fault.New(fault.InvalidArgument, "%s: mode patch takes find and replace, not content", operation)
	case !patch && a.Content == nil:
		return fault.New(fault.InvalidArgument, "%s: mode %s wants content", operation, a.Mode)
	case !patch && (a.Find != nil || a.Replace != nil || a.ReplaceAll):
		return fault.New(fault.InvalidArgument, "%s: find, replace and replace_all go with mode patch", operation)
	}
	return nil
}

// patch puts a text in the place of another, and returns the number of places.
func (a UpdateNoteArgs) patch(operation, path string, source []byte) (content []byte, count int, err error) {
	content, count, err = edit.Patch(source, *a.Find, *a.Replace, a.ReplaceAll)
	var wrong *edit.CountError
	if !errors.As(err, &wrong) {
		return content, count, err
	}
	refusal := fault.New(fault.NotFound, "%s: the text to find is not in %s; read the note again", operation, path)
	switch {
	case wrong.Count == 0 && strings.Contains(composed(string(source)), composed(*a.Find)):
		// To read it again would not help: both look the same.
		refusal = fault.New(fault.NotFound, "%s: the text to find is in %s with its accented letters composed otherwise (é as one character, or as e and an accent); find a part of it that has none", operation, path)
	case wrong.Count > 0:
		refusal = fault.New(fault.Conflict, "%s: in %s %v; give more of the text around it, or replace_all", operation, path, wrong)
	}
	return nil, 0, refusal.With("count", wrong.Count).With("lines", wrong.Lines)
}

// composed is a text in the one of its forms that have the same letters, and line
// ends that count as equal.
func composed(text string) string {
	return norm.NFC.String(strings.ReplaceAll(text, "\r\n", "\n"))
}

// SetFrontmatter sets and removes properties of a note and takes the change into
// the store. All other lines, comments, the order and the way values are quoted
// stay, see edit.Set: frontmatter is made where there is none, and taken away
// when the last property goes and no comment is left. It fails with
// invalid_argument, and the line, for frontmatter that is not valid or could not
// be changed without changing more, and as UpdateNote does.
func (i Importer) SetFrontmatter(ctx context.Context, a SetFrontmatterArgs) (WriteResult, error) {
	const operation = "set_frontmatter"
	if err := args.Check(operation, &a); err != nil {
		return WriteResult{}, err
	}
	if len(a.Set)+len(a.Remove) == 0 {
		return WriteResult{}, fault.New(fault.InvalidArgument, "%s: name a property in set or in remove", operation)
	}
	for _, name := range a.Remove {
		if _, both := a.Set[name]; both {
			return WriteResult{}, fault.New(fault.InvalidArgument, "%s: %q is both in set and in remove", operation, name)
		}
	}
	w := writing{operation, a.Vault, a.Path, a.ExpectedContentHash, a.DryRun, false}
	return i.rewrite(ctx, w, func(path string, source []byte) ([]byte, error) {
		content, err := edit.Set(source, a.Set, a.Remove)
		var broken *edit.YAMLError
		if errors.As(err, &broken) {
			return nil, fault.New(fault.InvalidArgument, "%s: %s, %v", operation, path, broken).With("line", broken.Line)
		}
		return content, err
	})
}

// writing is which note is to be written, and under what conditions.
type writing struct {
	operation, vault, name, expected string
	dryRun                           bool
	whole                            bool // nothing of the file stays
}

// rewrite reads a note, changes its bytes and writes them, while no other writer
// of ours does.
func (i Importer) rewrite(ctx context.Context, w writing, change func(path string, source []byte) ([]byte, error)) (result WriteResult, err error) {
	s, err := i.Existing(ctx, w.operation, w.vault, w.name)
	if err != nil {
		return result, err
	}
	s.Disk = i.disk
	defer func() { err = errors.Join(err, s.Close()) }()
	if !IsNote(s.Path) {
		return result, fault.New(fault.InvalidArgument, "%s: %s is no note, and only notes (.md) are written", w.operation, s.Path)
	}
	if !w.dryRun {
		unlock, err := i.hold(ctx, w.operation, s.opened)
		if err != nil {
			return result, err
		}
		defer unlock()
	}
	source, err := s.read(w.operation)
	if err != nil {
		return result, err
	}
	if err := w.check(s.Path, source); err != nil {
		return result, err
	}
	content, err := change(s.Path, source)
	if err != nil {
		return result, err
	}
	if err := checkSize(w.operation, s.Path, content); err != nil {
		return result, err
	}
	if w.dryRun {
		return s.foresee(source, content), nil
	}
	result, err = i.carry(ctx, w.operation, s, content, source, func() error { return s.Replace(w.operation, s.Path, content) })
	result.Changed = string(source) != string(content)
	return result, err
}

// check fails with conflict where the file is not the one that the caller read.
// A hash that the store gives, which leaves the frontmatter out, counts too
// where what it leaves out is not overwritten.
func (w writing) check(path string, source []byte) error {
	now := db.Hash(source)
	expected := strings.ToLower(strings.TrimSpace(w.expected))
	if expected == "" || expected == now {
		return nil
	}
	if n := note.Parse(source); !w.whole && expected == db.Hash(body(n.Text, n.Frontmatter.Last)) {
		return nil
	}
	return fault.New(fault.Conflict, "%s: %s has changed since it was read; read it again and write against its content_hash %s", w.operation, path, now).
		With("content_hash", now)
}

func checkSize(operation, path string, content []byte) error {
	if len(content) > MaxFile {
		return fault.New(fault.TooLarge, "%s: %s would have %d bytes, and notes of more than %d are not read", operation, path, len(content), MaxFile)
	}
	return nil
}

// carry writes a file by write, unless it holds the content already, and takes
// the change into the store. The source is nil for a new file. The bytes before
// are kept for Undo.
func (i Importer) carry(ctx context.Context, operation string, s File, content, source []byte, write func() error) (result WriteResult, err error) {
	before, err := i.linksOf(ctx, s)
	if err != nil {
		return result, err
	}
	if source == nil || string(source) != string(content) {
		c := change{before: s.Path, after: s.Path, source: source, hashBefore: db.Hash(source), hashAfter: db.Hash(content)}
		if source == nil {
			c.before, c.hashBefore, c.folders = "", "", len(s.MissingFolders(s.Path))
		}
		i.batch, err = i.begin(ctx, memory.Batch{Operation: operation, Vault: s.Name, Namespace: s.Namespace, What: s.Path}, []change{c})
		if err != nil {
			return result, err
		}
		if err := write(); err != nil {
			return result, i.abandon(ctx, operation, s.opened, i.batch, err)
		}
	}
	if err := i.reproject(ctx, operation, s); err != nil {
		return result, err
	}
	if err := i.finish(ctx, i.batch); err != nil {
		return result, err
	}
	after, err := i.linksOf(ctx, s)
	if err != nil {
		return result, err
	}
	return WriteResult{
		Vault: s.Name, Path: s.Path, ID: after.id, Changed: true,
		ContentHash: db.Hash(content), Effect: before.effect(after), Warnings: warningsOf(source, content),
	}, nil
}

// foresee is the result of a dry run.
func (s File) foresee(source, content []byte) WriteResult {
	return WriteResult{
		Vault: s.Name, Path: s.Path, Changed: string(source) != string(content),
		Diff: strings.ToValidUTF8(edit.Diff(s.Path, source, content), "\uFFFD"), ContentHash: db.Hash(content),
		Effect: links{}.effect(links{}), Warnings: warningsOf(source, content),
	}
}

// warningsOf are what cannot be read as written in a note, and that its
// properties went where they did.
func warningsOf(source, content []byte) []string {
	n := note.Parse(content)
	all := WarningsOf(n)
	if was := note.Parse(source).Properties; len(was) > 0 && n.Frontmatter.Last == 0 {
		names := []string{}
		for name := range was {
			names = append(names, name)
		}
		slices.Sort(names)
		all = append(all, "the note has no properties any more; it had "+strings.Join(names, ", "))
	}
	return all
}
