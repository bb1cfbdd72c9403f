package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
)

// The bounds of a memory.
const (
	MaxContent    = 8 << 20   // bytes
	maxTitle      = 1000      // bytes
	maxProperties = 256 << 10 // bytes of JSON
	maxName       = 200       // characters of a property's name
	MaxDepth      = 500       // levels of properties, which are the first; SQLite reads 1000
	MaxTags       = 200       // of one memory; schema.sql says so too
	MaxTag        = 200       // characters of a tag; schema.sql says so too
	madeTitle     = 120       // characters of a title made from the first line
)

// Similar finds the current memories whose text is similar to that of a new one.
type Similar func(ctx context.Context, a StoreArgs) ([]Duplicate, error)

// Remember stores a memory with its links and supersessions, all or nothing. It
// reports memories with the same text, and those that similar finds. With dedup
// strict it fails with exists if the same text is stored; a similar text is never
// refused, because it may correct the old one. With dedup off, or similar nil,
// nothing similar is looked for.
func (s Store) Remember(ctx context.Context, a StoreArgs, similar Similar) (result StoreResult, err error) {
	if err := args.Check("store", &a); err != nil {
		return result, err
	}
	m, err := s.newMemory(a)
	if err != nil {
		return result, err
	}
	near := []Duplicate{}
	if similar != nil && a.Dedup != "off" {
		if near, err = similar(ctx, a); err != nil {
			return result, err
		}
	}
	var declared []edges.Declaration
	var sameTitle []ref.Memory
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		if declared, err = s.declarations(ctx, r, m, a); err != nil {
			return err
		}
		if result.Duplicates, err = duplicates(ctx, r, m, a.Dedup); err != nil {
			return err
		}
		sameTitle, err = ref.Caller{Namespace: m.Namespace}.SameTitle(ctx, r, m.Title)
		return err
	})
	if err != nil {
		return result, err
	}
	statements := insertStatements(m, a.Dedup)
	for _, d := range declared {
		statements = append(statements, s.graph().DeclareStatements(m.CreatedAt, d)...)
	}
	if _, err := s.DB.Write(ctx, s.Caller.Actor, m.CreatedAt, statements...); err != nil {
		return result, s.graph().Explain(ctx, err, declared...)
	}
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		if err := s.readStored(ctx, r, m.ID, len(declared), &result); err != nil {
			return err
		}
		result.warnOfTitle(sameTitle)
		result.addSimilar(near)
		return nil
	})
	return result, err
}

// newMemory checks the arguments of a new memory and returns its record.
func (s Store) newMemory(a StoreArgs) (m Memory, err error) {
	if strings.TrimSpace(a.Content) == "" {
		return m, fault.New(fault.InvalidArgument, "store: content is blank; say what to remember")
	}
	if err := db.CheckText("store", "content", a.Content, MaxContent); err != nil {
		return m, err
	}
	now := db.Now()
	m = Memory{
		ID: db.NewID(), Kind: strings.TrimSpace(a.Kind), Title: FirstLine(a.Content), Content: a.Content,
		Status: Current, Importance: *a.Importance, Pinned: a.Pinned, Confidence: a.Confidence,
		Origin: s.Caller.Origin, Actor: s.Caller.Actor, ContentHash: db.Hash(a.Content), CreatedAt: now, UpdatedAt: now,
	}
	if m.Origin == "" {
		m.Origin = "person"
	}
	if a.Title != nil {
		if m.Title, err = CheckTitle("store", *a.Title); err != nil {
			return m, err
		}
	}
	if err := checkName("store", "kind", m.Kind, 64); err != nil {
		return m, err
	}
	if m.Namespace, err = s.Caller.Writes(a.Namespace); err != nil {
		return m, err
	}
	if err := checkName("store", "namespace", m.Namespace, 100); err != nil {
		return m, err
	}
	if m.Tags, err = CheckTags("store", a.Tags); err != nil {
		return m, err
	}
	if m.Properties, err = checkProperties("store", a.Properties); err != nil {
		return m, err
	}
	m.ValidFrom, m.ValidTo, err = db.ParseSpan(a.ValidFrom, a.ValidTo)
	return m, err
}

// FirstLine makes a title from a text: its first line that is not blank, without
// leading "#", at most 120 characters.
func FirstLine(content string) string {
	for line := range strings.Lines(content) {
		if title := shortTitle(strings.TrimLeft(strings.TrimSpace(line), "#")); title != "" {
			return title
		}
	}
	return shortTitle(content) // nothing but "#"
}

// shortTitle returns a text on one line, cut to madeTitle characters.
func shortTitle(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) > madeTitle {
		text = strings.TrimSpace(string([]rune(text)[:madeTitle-1])) + "…"
	}
	return text
}

// CheckTitle returns a title on one line. A blank one is invalid_argument.
func CheckTitle(operation, title string) (string, error) {
	if err := db.CheckText(operation, "title", title, maxTitle); err != nil {
		return "", err
	}
	title = strings.Join(strings.Fields(title), " ")
	if title == "" {
		return "", fault.New(fault.InvalidArgument, "%s: the title is empty; give it a word", operation)
	}
	return title, nil
}

// checkName refuses an empty word with invalid_argument, and one of more than
// longest characters with too_large.
func checkName(operation, name, word string, longest int) error {
	if word == "" {
		return fault.New(fault.InvalidArgument, "%s: %s is empty", operation, name)
	}
	if err := db.CheckText(operation, name, word, utf8.UTFMax*longest); err != nil {
		return err
	}
	if n := utf8.RuneCountInString(word); n > longest {
		return fault.New(fault.TooLarge, "%s: %s has %d characters, and at most %d are kept", operation, name, n, longest)
	}
	return nil
}

// CheckTags returns tags sorted, without duplicates and without "#". It fails with
// too_large for more than MaxTags tags, or one longer than MaxTag.
func CheckTags(operation string, tags []string) ([]string, error) {
	clean := []string{}
	for _, tag := range tags {
		tag = strings.Trim(strings.TrimSpace(tag), "#/")
		if err := checkName(operation, "tags", tag, MaxTag); err != nil {
			return nil, err
		}
		clean = append(clean, tag)
	}
	slices.Sort(clean)
	clean = slices.Compact(clean)
	if len(clean) > MaxTags {
		return nil, fault.New(fault.TooLarge, "%s: %d tags are given, and at most %d are kept; give fewer", operation, len(clean), MaxTags)
	}
	return clean, nil
}

// checkProperties refuses properties that are not JSON, too long or too deep.
func checkProperties(operation string, properties db.Properties) (db.Properties, error) {
	if properties == nil {
		return db.Properties{}, nil
	}
	if err := checkValue(operation, map[string]any(properties), 1); err != nil {
		return nil, err
	}
	text, err := json.Marshal(properties)
	if err != nil {
		return nil, fault.Wrap(fault.InvalidArgument, err, "%s: properties are not JSON", operation)
	}
	if len(text) > maxProperties {
		return nil, fault.New(fault.TooLarge, "%s: properties have %d bytes, and at most %d are kept", operation, len(text), maxProperties)
	}
	return properties, nil
}

// checkValue checks a value at a depth; the properties as a whole have depth 1.
func checkValue(operation string, value any, depth int) error {
	switch value.(type) {
	case []any, map[string]any:
		if depth > MaxDepth {
			return fault.New(fault.InvalidArgument, "%s: properties are nested deeper than %d", operation, MaxDepth)
		}
	}
	switch v := value.(type) {
	case string:
		return db.CheckText(operation, "properties", v, maxProperties)
	case []any:
		for _, one := range v {
			if err := checkValue(operation, one, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, one := range v {
			if err := checkName(operation, "a property's name", name, maxName); err != nil {
				return err
			}
			if err := checkValue(operation, one, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// declarations returns the edges of a new memory.
func (s Store) declarations(ctx context.Context, r *db.Reader, m Memory, a StoreArgs) ([]edges.Declaration, error) {
	declared := []edges.Declaration{}
	for _, link := range a.Links {
		d, err := s.declaration(ctx, r, m, link)
		if err != nil {
			return nil, err
		}
		declared = append(declared, d)
	}
	for _, name := range a.Supersedes {
		old, err := s.findBeside(ctx, r, m, name)
		if err != nil {
			return nil, err
		}
		declared = append(declared, edges.Supersession(m.ID, old.ID, a.Reason))
	}
	return declared, db.CheckText("store", "reason", a.Reason, 4000)
}

// findBeside finds the other end of a new memory's edge by its name. It looks in
// the namespace of the new memory, because no edge leaves a namespace. If nothing
// is found there, a caller of all namespaces gets a memory of another one, so that
// the refusal of the edge names it.
func (s Store) findBeside(ctx context.Context, r *db.Reader, m Memory, name string) (ref.Memory, error) {
	beside := s.Caller
	beside.Namespace = m.Namespace
	if s.Caller.Namespace == "" {
		matches, err := beside.Matches(ctx, r, name)
		if err != nil {
			return ref.Memory{}, err
		}
		if len(matches) == 0 {
			beside = s.Caller
		}
	}
	return beside.Find(ctx, r, name)
}

func (s Store) declaration(ctx context.Context, r *db.Reader, m Memory, link NewLink) (d edges.Declaration, err error) {
	if err := args.Check("store: link", &link); err != nil {
		return d, err
	}
	if (link.To == "") == (link.From == "") {
		return d, fault.New(fault.InvalidArgument, "store: a link has either to or from; the new memory is its other end")
	}
	other, err := s.findBeside(ctx, r, m, link.To+link.From)
	if err != nil {
		return d, err
	}
	words := edges.LinkArgs{From: m.ID, To: other.ID, Type: link.Type, Rel: link.Rel, Weight: link.Weight, Note: link.Note}
	if link.From != "" {
		words.From, words.To = other.ID, m.ID
	}
	return words.Declare()
}

// sameText finds a text by its hash. The plus keeps SQLite from reading the whole
// namespace by its index.
const sameText = `
select
  id,
  title,
  status
from memories
where content_hash = ?
  and +namespace = ?
  and status <> 'forgotten'
order by status, id
limit 5`

// duplicates returns up to five memories that have the same text.
func duplicates(ctx context.Context, r *db.Reader, m Memory, dedup string) ([]Duplicate, error) {
	if dedup == "off" {
		return []Duplicate{}, nil
	}
	found, err := db.Select(ctx, r, func(row *sql.Rows) (Duplicate, error) {
		d := Duplicate{Reason: "same_content"}
		err := db.Scan(row, &d.End)
		return d, err
	}, sameText, m.ContentHash, m.Namespace)
	if err == nil && len(found) > 0 && dedup == "strict" {
		err = errStored.With("duplicates", found)
	}
	return found, err
}

var errStored = fault.New(fault.Exists, "store: the same text is stored already; update that memory, or leave dedup to warn")

// insertStatements returns the statement that inserts a memory, and with dedup
// strict the condition that the text is new. json_patch removes properties that are
// null, as in an update.
func insertStatements(m Memory, dedup string) []db.Stmt {
	statements := []db.Stmt{}
	if dedup == "strict" {
		statements = append(statements, db.Expect(`
not exists (select 1 from memories where content_hash = ? and +namespace = ? and status <> 'forgotten')`,
			errStored, m.ContentHash, m.Namespace))
	}
	statements = append(statements, db.S(`
insert into memories (
  id, namespace, kind, title, content, tags, properties, importance, pinned, confidence,
  origin, actor, content_hash, created_at, updated_at, valid_from, valid_to
) values (?, ?, ?, ?, ?, ?, json_patch('{}', ?), ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''), nullif(?, ''))`,
		m.ID, m.Namespace, m.Kind, m.Title, m.Content, db.List(m.Tags), db.List(m.Properties), m.Importance, m.Pinned, m.Confidence,
		m.Origin, m.Actor, m.ContentHash, m.CreatedAt, m.UpdatedAt, m.ValidFrom, m.ValidTo))
	return append(statements, CutStatements(m.ID, m.Title, "[]", db.List(m.Tags), m.Content)...)
}

// readStored reads the stored memory into the result.
func (s Store) readStored(ctx context.Context, r *db.Reader, id string, tied int, result *StoreResult) (err error) {
	if result.Memory, err = readOne(ctx, r, id); err != nil {
		return err
	}
	found, _, err := edges.Between(ctx, r, ref.Memory{Key: result.Memory.key}, max(tied, maxEdges))
	if err != nil {
		return err
	}
	result.Edges, result.Superseded, result.Warnings = found, []ref.End{}, []string{}
	for _, e := range found {
		if e.Type == edges.Supersedes && e.From.ID == id {
			result.Superseded = append(result.Superseded, e.To)
		}
	}
	for _, d := range result.Duplicates {
		if !slices.ContainsFunc(result.Superseded, func(e ref.End) bool { return e.ID == d.ID }) {
			result.Warnings = append(result.Warnings, "the same text is stored already as "+d.ID)
		}
	}
	return nil
}

// warnOfTitle warns of other memories with the same title, except those that the
// new one supersedes or duplicates.
func (r *StoreResult) warnOfTitle(sameTitle []ref.Memory) {
	others := []string{}
	for _, m := range sameTitle {
		superseded := slices.ContainsFunc(r.Superseded, func(e ref.End) bool { return e.ID == m.ID })
		repeated := slices.ContainsFunc(r.Duplicates, func(d Duplicate) bool { return d.ID == m.ID })
		if !superseded && !repeated {
			others = append(others, fmt.Sprintf("%q (%s)", m.Title, ref.ShortID(m.ID)))
		}
	}
	if len(others) > 0 {
		r.Warnings = append(r.Warnings, "the title is taken already by "+strings.Join(others, ", ")+"; name each by its id, or give this one another title")
	}
}

// addSimilar reports similar memories that the result does not name yet.
func (r *StoreResult) addSimilar(near []Duplicate) {
	named := map[string]bool{}
	for _, d := range r.Duplicates {
		named[d.ID] = true
	}
	for _, e := range r.Superseded {
		named[e.ID] = true
	}
	for _, d := range near {
		if !named[d.ID] {
			r.Duplicates = append(r.Duplicates, d)
			r.Warnings = append(r.Warnings, "about the same is stored already as "+d.ID+"; supersede it where this replaces it")
		}
	}
}
