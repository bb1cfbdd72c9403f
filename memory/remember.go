package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory/record"
)

// The bounds of a memory.
const (
	MaxContent    = 8 << 20   // bytes
	maxTitle      = 1000      // bytes
	maxProperties = 256 << 10 // bytes of JSON
	maxName       = 200       // characters of a property's name
	MaxDepth      = 500       // levels of nesting, the properties themselves being the first; SQLite reads 1000
	MaxTags       = 200       // of one memory; schema.sql says so too
	MaxTag        = 200       // characters of a tag; schema.sql says so too
	madeTitle     = 120       // characters of a title made from the first line
	maxTold       = 20        // edges listed in the answer to a new memory
)

// Remember stores a memory with its links and supersessions, all or nothing. If one with
// the same title and text holds, dedup strict fails with exists, and dedup warn
// stores nothing and returns that one, unless the new one adds edges, validity or other
// metadata to it. The result has the nearest memories; with near nil, only those that
// are the same.
func (s Store) Remember(ctx context.Context, a StoreArgs, near Neighbours) (result StoreResult, err error) {
	if err := args.Check("store", &a); err != nil {
		return result, err
	}
	a, cleaned := a.WithoutSecrets()
	d, err := s.draft(ctx, a, near)
	if err != nil {
		return result, err
	}
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		if err := s.recognise(ctx, r, &d); err != nil {
			return err
		}
		if err := s.declare(ctx, r, &d, nil); err != nil {
			return err
		}
		d.watch, err = belief.NewWatch(ctx, r, d.touchedIDs()...)
		return err
	})
	if err != nil {
		return result, err
	}
	if d.there == nil {
		statements := append(d.insert(), s.link(d)...)
		_, err := s.DB.Write(ctx, s.Caller.Actor, d.memory.CreatedAt, statements...)
		if err == errStored && a.Dedup == "warn" { // by another writer, just now
			result, err = s.Remember(ctx, a, near)
			result.Warnings = append(result.Warnings, cleaned...)
			return result, err
		}
		if err != nil {
			_, explained := s.graph().ExplainBatch(ctx, err, map[string]ref.Named{d.memory.ID: {ID: "new", Title: d.memory.Title}}, d.declared)
			return result, explained
		}
	}
	result, err = db.From(ctx, s.DB.ReadBack, func(r *db.Reader) (StoreResult, error) { return s.readStored(ctx, r, d, nil) })
	result.Warnings = append(result.Warnings, cleaned...)
	return result, err
}

// draft is a memory that is being stored.
type draft struct {
	args      StoreArgs
	memory    Memory
	declared  []edges.Declaration
	same      []Memory // stored memories with its title and text
	sameTitle []ref.Memory
	near      []Near
	there     *Memory // the stored memory that says the same; nothing is stored then
	repeats   bool    // an earlier item of the same checkpoint says the same
	watch     belief.Watch
	warnings  []string // of where its text comes from
}

// draft checks the arguments of a new memory and finds its neighbours.
func (s Store) draft(ctx context.Context, a StoreArgs, near Neighbours) (d draft, err error) {
	d.args = a
	if d.memory, err = s.newMemory(ctx, a); err != nil || near == nil {
		return d, err
	}
	text := d.memory.Content
	if a.Title != nil {
		text = d.memory.Title + "\n" + text
	}
	d.near, err = near(ctx, d.memory.Namespace, text)
	return d, err
}

// recognise finds the memories that say the same, and sets d.there if one of them makes the
// new memory superfluous, as far as that does not depend on edges. With dedup strict it fails
// with exists if one of them has its title.
func (s Store) recognise(ctx context.Context, r *db.Reader, d *draft) (err error) {
	m := d.memory
	if d.sameTitle, err = (ref.Caller{Namespace: m.Namespace}).SameTitle(ctx, r, m.Title); err != nil {
		return err
	}
	if d.same, err = d.findSame(ctx, r); err != nil {
		return err
	}
	if err := s.quote(ctx, r, d); err != nil {
		return err
	}
	if d.memory.Everywhere && s.Caller.MaxRank(d.memory.Source) < ref.RankOfPerson {
		d.memory.Everywhere, d.warnings = false, append(d.warnings, notEverywhere)
	}
	m = d.memory
	if d.args.Dedup == "strict" && len(d.same) > 0 {
		ends := lists.Map(d.same, func(one Memory) ref.End {
			return ref.End{Named: ref.Named{ID: one.ID, Title: one.Title}, Status: one.Status}
		})
		return errStored.With("same", ends)
	}
	if d.args.Dedup != "warn" || len(d.args.Supersedes) > 0 {
		return nil
	}
	echoes, err := echoesOf(ctx, r, m)
	for i := range echoes { // one of another project serves this one too
		echoes[i].Tags = append(echoes[i].Tags, s.Caller.AddProject(nil)...)
	}
	for _, one := range slices.Concat(d.same, echoes) {
		if !addsTo(m, one) {
			d.there = &one
			break
		}
	}
	return err
}

// newMemory checks the arguments of a new memory and returns its record.
func (s Store) newMemory(ctx context.Context, a StoreArgs) (m Memory, err error) {
	if strings.TrimSpace(a.Content) == "" {
		return m, fault.New(fault.InvalidArgument, "store: content is blank; say what to remember")
	}
	if err := db.CheckText("store", "content", a.Content, MaxContent); err != nil {
		return m, err
	}
	now := db.NowIn(ctx)
	m = Memory{
		ID: db.NextID(ctx), Status: Current, Origin: cmp.Or(s.Caller.Origin, ref.Person), Actor: s.Caller.Actor,
		ContentHash: db.Hash(a.Content), Revision: 1, CreatedAt: now, UpdatedAt: now,
	}
	record.Fill(&m, &a, stored)
	m.Title, m.Kind = FirstLine(a.Content), record.Kind(a.Kind)
	if m.SourceURL, err = ref.CheckSource("store", a.Source, a.SourceURL); err != nil {
		return m, err
	}
	if a.Title != nil {
		if m.Title, err = CheckTitle("store", *a.Title); err != nil {
			return m, err
		}
	}
	if err := checkWord("store", "kind", m.Kind, 64); err != nil {
		return m, err
	}
	if m.Namespace, err = s.Caller.Writes(a.Namespace); err != nil {
		return m, err
	}
	if err := checkWord("store", "namespace", m.Namespace, 100); err != nil {
		return m, err
	}
	if m.Tags, err = CheckTags("store", s.Caller.AddProject(a.Tags)); err != nil {
		return m, err
	}
	if m.Properties, err = checkProperties("store", a.Properties); err != nil {
		return m, err
	}
	m.Properties = withoutNulls(m.Properties)
	m.ValidFrom, m.ValidTo, err = db.ParseSpan(a.ValidFrom, a.ValidTo)
	return m, err
}

// FirstLine makes a title from a text: its first line that is not blank, without
// leading "#", at most 120 characters.
func FirstLine(content string) string {
	for line := range strings.Lines(content) {
		if title := ShortTitle(strings.TrimLeft(strings.TrimSpace(line), "#")); title != "" {
			return title
		}
	}
	return ShortTitle(content) // nothing but "#"
}

// withoutBreaks returns a text without line ends and other control characters, and with one blank
// where there are several.
func withoutBreaks(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// ShortTitle returns a text on one line, cut to madeTitle characters.
func ShortTitle(text string) string {
	text = withoutBreaks(text)
	if utf8.RuneCountInString(text) > madeTitle {
		text = secret.Mask(text) // a part of a key does not look like one
	}
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
	title = withoutBreaks(title)
	if title == "" {
		return "", fault.New(fault.InvalidArgument, "%s: the title is empty; give it a word", operation)
	}
	return title, nil
}

// checkName refuses an empty word with invalid_argument, and one of more than
// longest characters with too_large.
func checkName(operation, name, word string, longest int) error {
	if word == "" {
		return fault.New(fault.InvalidArgument, "%s: %s is empty; give it at least one character", operation, name)
	}
	if err := db.CheckText(operation, name, word, utf8.UTFMax*longest); err != nil {
		return err
	}
	if n := utf8.RuneCountInString(word); n > longest {
		return fault.New(fault.TooLarge, "%s: %s has %d characters, and at most %d are kept; shorten it", operation, name, n, longest)
	}
	return nil
}

// checkWord is checkName for a word that texts show within a line.
func checkWord(operation, name, word string, longest int) error {
	if err := checkName(operation, name, word, longest); err != nil {
		return err
	}
	return db.CheckLine(operation, name, word, utf8.UTFMax*longest)
}

// Tag returns a tag as the store keeps it, so that tags that look the same are the same:
// composed (NFC), without "#", blanks around it and a slash at its end.
func Tag(text string) string {
	return norm.NFC.String(strings.Trim(strings.TrimSpace(text), "#/"))
}

// CheckTags returns tags sorted, without duplicates and without "#". It fails with
// too_large for more than MaxTags tags, or one longer than MaxTag.
func CheckTags(operation string, tags []string) ([]string, error) {
	clean := []string{}
	for _, tag := range tags {
		tag = Tag(tag)
		if err := checkWord(operation, "tags", tag, MaxTag); err != nil {
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
		return nil, fault.Wrap(fault.InvalidArgument, err, "%s: properties are not JSON; give texts, numbers, booleans, null, lists and objects", operation)
	}
	if len(text) > maxProperties {
		return nil, fault.New(fault.TooLarge, "%s: properties have %d bytes, and at most %d are kept; shorten them", operation, len(text), maxProperties)
	}
	return properties, nil
}

// withoutNulls returns an object without members that are null, as a change of one removes them.
func withoutNulls(object map[string]any) map[string]any {
	some := map[string]any{}
	for name, value := range object {
		if inner, ok := value.(map[string]any); ok {
			some[name] = withoutNulls(inner)
		} else if value != nil {
			some[name] = value
		}
	}
	return some
}

// checkValue checks a value at a depth; the properties as a whole have depth 1.
func checkValue(operation string, value any, depth int) error {
	switch value.(type) {
	case []any, map[string]any:
		if depth > MaxDepth {
			return fault.New(fault.InvalidArgument, "%s: properties are nested deeper than %d levels; flatten them", operation, MaxDepth)
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
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if err := checkName(operation, "a property's name", name, maxName); err != nil {
				return err
			}
			if err := checkValue(operation, v[name], depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// stored are the columns that the arguments of a new memory give, and changed those of a change.
var stored, changed = record.Of[StoreArgs](), record.Of[UpdateArgs]()

var insertMemory = record.Insert("memories", record.Memories)

// insert returns the statements that insert a memory. The first one fails with exists if the
// same text is stored and dedup forbids that.
func (d draft) insert() []db.Stmt {
	m, statements := d.memory, []db.Stmt{}
	if d.args.Dedup == "strict" || d.args.Dedup == "warn" && len(d.same) == 0 && len(d.declared) == 0 && !d.repeats {
		statements = append(statements, db.Expect("not exists ("+sameText+")", errStored, m.ContentHash, m.Namespace, d.givenTitle(), m.CreatedAt))
	}
	rows := db.Rows{}
	rows.Row(record.Values(record.Memories, &m)...)
	statements = append(statements, db.S(insertMemory, rows.Arg()))
	return append(statements, CutStatements(Whole{m.ID, m.Title, "[]", db.List(m.Tags), m.Content, db.List(m.Properties)})...)
}

// Compose returns the statements that store a memory with its links, for a larger
// transaction. Its errors go through edges.Graph.Explain.
func (s Store) Compose(ctx context.Context, r *db.Reader, a StoreArgs) ([]db.Stmt, error) {
	if err := args.Check("store", &a); err != nil {
		return nil, err
	}
	d, err := s.draft(ctx, a, nil)
	if err != nil {
		return nil, err
	}
	if err := s.declare(ctx, r, &d, nil); err != nil {
		return nil, err
	}
	return append(d.insert(), s.link(d)...), nil
}

// readStored reads the result for a memory that was stored, or that existed already. Near
// leaves out the ids in skip.
func (s Store) readStored(ctx context.Context, r *db.Reader, d draft, skip map[string]bool) (result StoreResult, err error) {
	result = StoreResult{Created: d.there == nil, Edges: []edges.Edge{}, Superseded: []ref.End{}, Warnings: []string{}}
	id := d.memory.ID
	if d.there != nil {
		id = d.there.ID
		result.Warnings = append(result.Warnings, "nothing was stored: it is there as "+d.there.Named().Text())
	}
	if result.Memory, err = readOne(ctx, r, id); err != nil {
		return result, err
	}
	between, _, err := edges.ReadEdges(ctx, r, ref.Memory{Key: result.Memory.Key}, false, max(len(d.declared), maxEdges))
	if err != nil {
		return result, err
	}
	result.Near = nearOf(result.Memory, d.same, d.near, between, skip)
	result.Memory.Content = "" // the caller has it
	if d.there != nil {
		result.Consequences = belief.NoConsequences()
		return result, nil
	}
	if result.Consequences, err = d.watch.Consequences(ctx, r, id); err != nil {
		return result, err
	}
	for i := range result.TakesOver {
		result.TakesOver[i].From = ref.Named{} // the caller has it
	}
	toReplaced, err := edges.WarnOfSuperseded(ctx, r, id, d.declared...)
	if err != nil {
		return result, err
	}
	proposed, err := edges.WarnOfProposals(ctx, r, d.declared...)
	if err != nil {
		return result, err
	}
	result.Warnings = append(result.Warnings, slices.Concat(d.warnings, toReplaced, proposed)...)
	result.Settle, result.Edges = settle(ctx, result.Near), between[:min(len(between), maxTold)]
	if len(between) > maxTold {
		result.EdgeCount = len(between)
	}
	for i := range result.Edges {
		result.Edges[i].Note = "" // the caller has it
	}
	for _, e := range between {
		if e.Type == edges.Supersedes && e.From.ID == id {
			result.Superseded = append(result.Superseded, e.To)
		}
	}
	if len(result.Superseded) > 0 {
		if from := result.Memory.ValidFrom; from > db.Now() {
			result.Warnings = append(result.Warnings, "it holds from "+db.Day(from)+" only, but what it replaces counts as superseded from now on; as_of tells what holds until then")
		}
	}
	if err := ref.Mark(ctx, r, &d.sameTitle); err != nil {
		return result, err
	}
	result.Warnings = append(result.Warnings, takenTitle(d.sameTitle, result.Superseded)...)
	return result, nil
}
