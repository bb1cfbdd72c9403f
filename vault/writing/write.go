package writing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/secret"
	"hence/memory/journal"
	"hence/projection/folder"
	"hence/projection/undolog"
	"hence/vault"
	"hence/vault/note"
	"hence/vault/writing/edit"
)

// CreateNoteArgs describe a new note.
type CreateNoteArgs struct {
	Path    string `json:"path" jsonschema:"folders are made, .md is added"`
	Vault   string `json:"vault,omitempty"`
	Content string `json:"content,omitempty" jsonschema:"the whole file, frontmatter included"`
}

// UpdateNoteArgs describe a change of a note's text.
type UpdateNoteArgs struct {
	Path                string  `json:"path"`
	Vault               string  `json:"vault,omitempty"`
	Mode                string  `json:"mode,omitempty" enum:"replace,append,prepend,patch" jsonschema:"replace: the whole file; prepend: after the frontmatter; default: patch if find is given"`
	Content             *string `json:"content,omitempty" jsonschema:"not for patch"`
	Find                *string `json:"find,omitempty" jsonschema:"for patch: a text there once"`
	Replace             *string `json:"replace,omitempty" jsonschema:"for patch: in its place"`
	ReplaceAll          bool    `json:"replace_all,omitempty" jsonschema:"for patch: every place"`
	DryRun              bool    `json:"dry_run,omitempty"`
	AllowBroken         bool    `json:"allow_broken,omitempty"`
	ExpectedContentHash string  `json:"expected_content_hash,omitempty" jsonschema:"of read_note: refuse if the file has changed"`
}

// SetFrontmatterArgs describe a change of a note's properties.
type SetFrontmatterArgs struct {
	Path                string        `json:"path"`
	Vault               string        `json:"vault,omitempty"`
	Set                 db.Properties `json:"set,omitempty"`
	Remove              []string      `json:"remove,omitempty" jsonschema:"names of properties"`
	DryRun              bool          `json:"dry_run,omitempty"`
	ExpectedContentHash string        `json:"expected_content_hash,omitempty"`
}

// WriteResult is a note that was written, and the effect of the write on the store. After a
// dry run it has Diff instead of Effect, and the hash that the file would have.
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

// CreateNote writes a new note and imports it. It fails with exists if there is a file at
// the path, even if its name differs in case; with outside_vault for a path that leads out
// of the vault, that import leaves out or that some system does not allow; with
// invalid_argument for a name that no link can contain; with ambiguous if there are several
// vaults and none is named; and with too_large.
func (w Writer) CreateNote(ctx context.Context, a CreateNoteArgs) (result WriteResult, err error) {
	const operation = "create_note"
	if err := args.Check(operation, &a); err != nil {
		return result, err
	}
	f, err := w.vaults().Vacant(ctx, operation, a.Vault, a.Path, ".md")
	if err != nil {
		return result, err
	}
	release, err := w.hold(ctx, operation, f.OpenVault, false)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := f.CheckFree(operation, f.Path); err != nil {
		return result, err
	}
	content := []byte(a.Content)
	if err := checkSize(operation, f.Path, content); err != nil {
		return result, err
	}
	return w.write(ctx, operation, f, nil, content)
}

// UpdateNote changes a note's text and imports the change. Line ends and a byte order mark
// stay as the file has them. The file is replaced in one step and keeps its permissions. If
// the path is a symbolic link, the file behind it is written. It fails with conflict if the
// file does not have the expected hash, or Find occurs more than once; with not_found if
// there is no such note or text; with invalid_argument and the detail `line` if frontmatter
// that could be read could not any more, unless AllowBroken; and as vault.Importer.FindNote
// does.
func (w Writer) UpdateNote(ctx context.Context, a UpdateNoteArgs) (WriteResult, error) {
	const operation = "update_note"
	if err := args.Check(operation, &a); err != nil {
		return WriteResult{}, err
	}
	if a.Mode == "" && a.Find != nil && a.Content == nil {
		a.Mode = "patch"
	}
	if err := a.check(operation); err != nil {
		return WriteResult{}, err
	}
	r := rewrite{operation, a.Vault, a.Path, a.ExpectedContentHash, a.DryRun, a.Mode == "replace"}
	count := 0
	result, err := w.rewrite(ctx, r, func(path string, source []byte) (content []byte, err error) {
		switch a.Mode {
		case "append":
			content = edit.Append(source, *a.Content)
		case "prepend":
			content = edit.Prepend(source, *a.Content)
		case "patch":
			content, count, err = a.patch(operation, path, source)
		default:
			content = edit.Replace(source, *a.Content)
		}
		if err != nil || a.AllowBroken {
			return content, err
		}
		if broken := edit.Broken(source, content, a.Mode == "replace"); broken != nil {
			return nil, fault.New(fault.InvalidArgument, "%s: the frontmatter of %s could be read, and could not with this change: %v; nothing was written; correct the text, use set_frontmatter, or set allow_broken", operation, path, broken).With("line", broken.Line)
		}
		return content, nil
	})
	result.Replacements = count
	return result, err
}

// check fails with invalid_argument for arguments that do not belong to the mode.
func (a UpdateNoteArgs) check(operation string) error {
	patch := a.Mode == "patch"
	switch {
	case a.Mode == "":
		return fault.New(fault.InvalidArgument, "%s: mode is missing; give one of replace, append, prepend, patch", operation)
	case patch && (a.Find == nil || a.Replace == nil || *a.Find == ""):
		return fault.New(fault.InvalidArgument, "%s: mode patch needs find, which is not empty, and replace", operation)
	case patch && a.Content != nil:
		return fault.New(fault.InvalidArgument, "%s: mode patch takes find and replace, not content", operation)
	case !patch && a.Content == nil:
		return fault.New(fault.InvalidArgument, "%s: mode %s needs content", operation, a.Mode)
	case !patch && (a.Find != nil || a.Replace != nil || a.ReplaceAll):
		return fault.New(fault.InvalidArgument, "%s: find, replace and replace_all are for mode patch only", operation)
	}
	return nil
}

// patch replaces a.Find by a.Replace, and returns the number of places. It fails with
// not_found or conflict, with the lines, for another number of places than expected.
func (a UpdateNoteArgs) patch(operation, path string, source []byte) (content []byte, count int, err error) {
	content, count, err = edit.Patch(source, *a.Find, *a.Replace, a.ReplaceAll)
	wrong, ok := errors.AsType[*edit.CountError](err)
	if !ok {
		return content, count, err
	}
	refusal := fault.New(fault.NotFound, "%s: the text to find is not in %s; read the note again", operation, path)
	switch {
	case wrong.Count == 0 && strings.Contains(compose(string(source)), compose(*a.Find)):
		// To read the note again would not help: both texts look the same.
		refusal = fault.New(fault.NotFound, "%s: the text to find is in %s only with its accented letters in another Unicode form (é as one character, or as e and an accent); find a part without such letters", operation, path)
	case wrong.Count > 0:
		refusal = fault.New(fault.Conflict, "%s: in %s %v; give more of the text around it, or replace_all", operation, path, wrong)
	}
	return nil, 0, refusal.With("count", wrong.Count).With("lines", wrong.Lines)
}

// compose returns a text with its letters and line ends in one form, so that texts that look
// the same are equal.
func compose(text string) string {
	return norm.NFC.String(strings.ReplaceAll(text, "\r\n", "\n"))
}

// SetFrontmatter sets and removes properties of a note and imports the change. All other text
// stays as it is (see edit.Set). Frontmatter is added if there is none, and removed with its
// last property if it has no comment. It fails with invalid_argument if nothing is set or
// removed, if a name is in both, or if the frontmatter is not valid or cannot be changed without
// changing other properties (then with detail `line`). It also fails as UpdateNote does.
func (w Writer) SetFrontmatter(ctx context.Context, a SetFrontmatterArgs) (WriteResult, error) {
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
	r := rewrite{operation, a.Vault, a.Path, a.ExpectedContentHash, a.DryRun, false}
	return w.rewrite(ctx, r, func(path string, source []byte) ([]byte, error) {
		content, err := edit.Set(source, a.Set, a.Remove)
		if broken, ok := errors.AsType[*edit.YAMLError](err); ok {
			return nil, fault.New(fault.InvalidArgument, "%s: %s, %v", operation, path, broken).With("line", broken.Line)
		}
		return content, err
	})
}

// rewrite names a note to rewrite, and the conditions.
type rewrite struct {
	operation, vault, path, expected string // expected is the content hash, or ""
	dryRun                           bool
	replacesAll                      bool // the whole file is replaced
}

// rewrite reads a note, changes its bytes and writes them, under the vault's lock.
func (w Writer) rewrite(ctx context.Context, r rewrite, change func(path string, source []byte) ([]byte, error)) (result WriteResult, err error) {
	f, err := w.vaults().FindNote(ctx, r.operation, r.vault, r.path)
	if err != nil {
		return result, err
	}
	release, err := w.hold(ctx, r.operation, f.OpenVault, r.dryRun)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, release()) }()
	source, err := f.Bytes(r.operation)
	if err != nil {
		return result, err
	}
	// The hash that the store returns, which is that of the body, is accepted too, unless
	// the frontmatter changes.
	err = folder.CheckExpected(r.operation, f.Path, r.expected, db.Hash(source))
	if err != nil && (r.replacesAll || folder.CheckExpected(r.operation, f.Path, r.expected, db.Hash(vault.Body(note.Parse(source)))) != nil) {
		return result, err
	}
	ofBody := err
	content, err := change(f.Path, source)
	if err == nil && ofBody != nil && frontmatterOf(source) != frontmatterOf(content) {
		err = ofBody
	}
	if err != nil {
		return result, err
	}
	if err := checkSize(r.operation, f.Path, content); err != nil {
		return result, err
	}
	if r.dryRun {
		return WriteResult{
			Vault: f.Name, Path: f.Path, Changed: string(source) != string(content),
			Diff: strings.ToValidUTF8(edit.Diff(f.Path, source, content), "\uFFFD"), ContentHash: db.Hash(content),
			Effect: links{}.effect(links{}), Warnings: warningsOf(source, content),
		}, nil
	}
	return w.write(ctx, r.operation, f, source, content)
}

// frontmatterOf returns the text of a note's frontmatter, with its marks.
func frontmatterOf(source []byte) string {
	n := note.Parse(source)
	return strings.Join(strings.SplitAfterN(n.Text, "\n", n.Frontmatter.Last+1)[:n.Frontmatter.Last], "")
}

func checkSize(operation, path string, content []byte) error {
	if len(content) > vault.MaxFile {
		return fault.New(fault.TooLarge, "%s: %s would have %d bytes, and notes of more than %d are not read", operation, path, len(content), vault.MaxFile)
	}
	return nil
}

// write gives a file its new content, unless the file has it already, and imports the file.
// source is nil for a new file. The old bytes are kept for Undo.
func (w Writer) write(ctx context.Context, operation string, f vault.File, source, content []byte) (result WriteResult, err error) {
	before, err := w.linksOf(ctx, f)
	if err != nil {
		return result, err
	}
	batch := journal.Batch{Operation: operation, Vault: f.Name, Namespace: f.Namespace, What: f.Path}
	changed := source == nil || string(source) != string(content)
	project := func(b journal.Batch) error { return w.vaults().Project(ctx, b, f) }
	if changed {
		c := undolog.Change{Before: f.Path, After: f.Path, Source: source, HashBefore: db.Hash(source), HashAfter: db.Hash(content)}
		file, writeFile := folder.Rewrite{Path: f.Path, Source: source, Content: content}, f.Replace
		if source == nil {
			c.Before, c.HashBefore, c.Folders = "", "", len(f.MissingFolders(f.Path))
			writeFile = f.Create
		}
		_, err = w.log().Write(ctx, f.Folder, batch, []undolog.Change{c}, func() error { return writeFile(operation, file) }, project)
	} else {
		err = project(batch)
	}
	if err != nil {
		return result, err
	}
	after, err := w.linksOf(ctx, f)
	if err != nil {
		return result, err
	}
	return WriteResult{
		Vault: f.Name, Path: f.Path, ID: after.id, Changed: changed,
		ContentHash: db.Hash(content), Effect: before.effect(after), Warnings: warningsOf(source, content),
	}, nil
}

// warningsOf returns warnings about the new content of a note: for each part that cannot be
// read as written, for the loss of all properties, and for each part that looks like a
// secret and is not in source. A secret stays, because the file belongs to its owner.
func warningsOf(source, content []byte) []string {
	n := note.Parse(content)
	all := vault.WarningsOf(n)
	if old := note.Parse(source).Properties; len(old) > 0 && n.Frontmatter.Last == 0 {
		all = append(all, "the note has no properties any more; it had "+strings.Join(slices.Sorted(maps.Keys(old)), ", "))
	}
	for _, f := range secret.Find(string(content)) {
		if !bytes.Contains(source, content[f.Start:f.End]) {
			line := 1 + bytes.Count(content[:f.Start], []byte("\n"))
			all = append(all, fmt.Sprintf("line %d looks like a secret (%s), and stays in the file; remove it, unless it is not a secret", line, f.Kind))
		}
	}
	return all
}
