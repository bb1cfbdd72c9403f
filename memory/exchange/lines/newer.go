package lines

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/secret"
	"hence/memory"
	"hence/memory/record"
)

// An import compares a line with what the store has under its id, or an earlier line of the
// file. The one with the later updated_at stands; a field that a line does not state stays as
// it is. The text of a file replaces no text that is trusted more. The observations of an
// entity of the MCP memory server, whose file has no times, are added to those that are there.

// Undecided is a line that differs from what the store has, and neither stands by its time.
type Undecided struct {
	Line  int    `json:"line"`
	ID    string `json:"id"`
	Title string `json:"title" jsonschema:"of a memory; of an edge its kind"`
	Trust string `json:"trust,omitempty"` // see ref.Named
	Why   string `json:"why"`
	Here  string `json:"here" jsonschema:"the text in the store"`
	There string `json:"there" jsonschema:"the text of the line"`
}

// maxUndecided is how many undecided lines an import lists.
const maxUndecided = 100

// leaveUndecided lists a line that is not imported.
func (b *chunk) leaveUndecided(u Undecided) {
	const most = 4000 // bytes of a text
	if b.done.LeftOut++; len(b.done.Undecided) < maxUndecided {
		u.Here, _ = budget.Cut(secret.Mask(u.Here), most)
		u.There, _ = budget.Cut(secret.Mask(u.There), most)
		u.Title = secret.Mask(u.Title)
		b.done.Undecided = append(b.done.Undecided, u)
	}
}

// statedFields returns the names of the fields that a line states.
func statedFields(line []byte) map[string]json.RawMessage {
	stated := map[string]json.RawMessage{}
	_ = json.Unmarshal(line, &stated) // the line has been read before
	return stated
}

// memoryWith returns a memory of the store as it would be with a line taken in.
func memoryWith(ours Memory, line numberedRecord) Memory {
	m := *line.Memory
	if line.Foreign {
		return ours.withObservationsOf(m)
	}
	stated := statedFields(line.text)
	has := func(names ...string) bool {
		return stated["revision"] != nil || slices.ContainsFunc(names, func(name string) bool { return stated[name] != nil }) // a line with a revision is an export's, and whole
	}
	if !has("title") && has("content") && ours.Title != memory.FirstLine(ours.Content) {
		m.Title = ours.Title
	}
	for _, f := range merged {
		names := record.Names(ColumnsOf(f))
		if f == "title" { // without a title, the first line is it
			names = append(names, "content")
		}
		if !has(names...) {
			m.takeField(f, &ours)
		}
	}
	if !has("properties") || reflect.DeepEqual(readableOf(m.Properties), readableOf(ours.Properties)) {
		m.Properties = ours.Properties
	}
	if !has("tags") {
		m.Tags = ours.Tags
	}
	if !has("status", "forgotten_at") {
		m.ForgottenAt, m.ForgetReason = ours.ForgottenAt, ours.ForgetReason
	}
	if len(m.Changed) > 0 {
		m.Changed = JoinMemories(ours, m).Changed
	}
	m.CreatedAt, m.Origin, m.Actor, m.Verifications = ours.CreatedAt, ours.Origin, ours.Actor, nil
	m.VerifiedAt, m.VerifyNote = ours.VerifiedAt, ours.VerifyNote
	m.Revision = ours.Revision + 1
	return m
}

// readableOf returns the values of properties, so that the order of keys makes no difference.
func readableOf(properties json.RawMessage) (values any) {
	_ = json.Unmarshal(properties, &values) // fillProperties has read them
	return values
}

// compareMemory returns what a memory of the store would be with a line, and what stands: the line (1), what
// there is (-1, because it is newer), or both, which are equal. why is "" unless it cannot be decided.
func (i *importer) compareMemory(ours Memory, line numberedRecord) (m Memory, order int, why string) {
	if !line.Foreign && !isEdited(&ours, line.Memory) {
		return ours, 0, ""
	}
	m = memoryWith(ours, line)
	switch {
	case !isEdited(&ours, &m):
		return ours, 0, ""
	case line.Foreign && ours.Status != memory.Current:
		return m, 0, "it is " + ours.Status + " here"
	case line.Memory.rank() < ours.rank():
		return m, 0, "it is trusted less than the text here"
	case line.Foreign:
		m.UpdatedAt, m.Revision = i.reader.Now, ours.Revision+1
		return m, 1, ""
	case statedFields(line.text)["updated_at"] == nil:
		return m, 0, "it has no updated_at; give it a later one, or store its text with hence update"
	case m.UpdatedAt < ours.UpdatedAt:
		return ours, -1, ""
	case m.UpdatedAt == ours.UpdatedAt:
		return m, 0, "both were updated at " + m.UpdatedAt
	case m.UpdatedAt > i.latest:
		return m, 0, fmt.Sprintf("its time %s is more than %d years from now", m.UpdatedAt, MaxAhead)
	case ours.URI != "":
		return m, 0, "it is a note or code here, whose file decides"
	case len(line.Memory.Changed) > 0 && losesText(ours, *line.Memory):
		return m, 0, "both were edited apart; hence import --merge keeps both"
	}
	return m, 1, ""
}

// losesText reports whether the writer of a line had not seen the text of the store.
func losesText(ours, line Memory) bool {
	return slices.ContainsFunc(JoinMemories(ours, line).GaveWay, func(m Memory) bool { return m.Content == ours.Content && m.Title == ours.Title })
}

// decide counts a line of what the store has already, and reports whether the line stands.
func (b *chunk) decide(came *Came, order int, undecided Undecided, older func() string) bool {
	switch {
	case undecided.Why != "":
		b.leaveUndecided(undecided)
	case order < 0:
		b.done.Older++
		b.warn(older())
	case order == 0:
		came.Present++
	default:
		came.Changed++
		return true
	}
	return false
}

// decideMemories returns the new memories of lines, and adds statements for those that change what the store
// has, which fail with ErrMoved if that changes.
func (i *importer) decideMemories(ctx context.Context, lines []numberedRecord, b *chunk) (inserts []numberedRecord, err error) {
	ids := []string{}
	for _, line := range lines {
		if line.Memory != nil {
			ids = append(ids, line.Memory.ID)
		}
	}
	stored, pending, updates := map[string]Memory{}, map[string]int{}, map[string]Revision{}
	if err := ReadMemories(ctx, i.store.DB, ids, stored); err != nil {
		return nil, err
	}
	uris, err := i.idsOfURIs(ctx, lines)
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		if line.Memory == nil {
			continue
		}
		id := line.Memory.ID
		at, isPending := pending[id]
		ours, isStored := stored[id]
		switch uri := line.Memory.URI; {
		case isPending:
			ours = *inserts[at].Memory
		case !isStored && uri != "" && cmp.Or(uris[uri], id) != id:
			return nil, i.wrong(fault.Conflict, line.n, "another memory already has the uri %q", uri)
		case !isStored:
			pending[id], inserts, uris[uri] = len(inserts), append(inserts, line), id
			continue
		}
		if ours.Namespace != line.Memory.Namespace {
			return nil, i.wrong(fault.Conflict, line.n, "the id %q belongs to a memory of another namespace than %q; give the line another id, or import it into that namespace", id, line.Memory.Namespace)
		}
		m, order, why := i.compareMemory(ours, line)
		undecided := Undecided{}
		if why != "" {
			undecided = Undecided{line.n, id, ours.Title, ours.Named().Trust, why, textOf(ours, m), textOf(m, ours)}
		}
		stands := b.decide(&b.done.Memories, order, undecided, func() string {
			return fmt.Sprintf("line %d is older than %q%s, which was updated at %s; it was left out", line.n, secret.Mask(ours.Title), ours.Named().Mark(), ours.UpdatedAt)
		})
		switch first, isUpdated := updates[id]; {
		case !stands:
		case isPending:
			m.Revision = max(line.Memory.Revision, ours.Revision)
			inserts[at].Memory = &m
		default:
			if !isUpdated {
				first.Old = ours
			}
			m.Revision = first.Old.Revision + 1
			updates[id], stored[id] = Revision{first.Old, m}, m
		}
	}
	b.add(db.Expect(`(select count(*) from memories where id in (select value from json_each(?1))) = ?2`, ErrMoved, db.List(ids), len(stored)))
	all, stamped := []Revision{}, []Revision{}
	for _, id := range slices.Sorted(maps.Keys(updates)) {
		u := updates[id]
		b.add(db.Expect(`(select revision from memories where id = ?1) = ?2`, ErrMoved, u.Old.ID, u.Old.Revision))
		if all = append(all, u); len(u.New.Changed) > 0 {
			stamped = append(stamped, u)
		}
	}
	b.add(UpdateMemories(all)...)
	b.add(StampUpdated(stamped, nil)...)
	return inserts, nil
}

// idsOfURIs returns the ids of the memories of the store that have the uris of lines.
func (i *importer) idsOfURIs(ctx context.Context, lines []numberedRecord) (ids map[string]string, err error) {
	uris := []string{}
	for _, line := range lines {
		if line.Memory != nil && line.Memory.URI != "" {
			uris = append(uris, line.Memory.URI)
		}
	}
	ids = map[string]string{}
	if len(uris) > 0 {
		err = db.Fill(ctx, i.store.DB, ids, `
select
  m.uri,
  m.id
from json_each(?1) j
cross join memories m on m.uri = j.value`, db.List(uris))
	}
	return ids, err
}

// textOf returns the text of a memory, or what else differs from another one.
func textOf(m, other Memory) string {
	if m.Content != other.Content {
		return m.Content
	}
	parts := []string{}
	for _, name := range Differences(&m, &other) {
		switch name {
		case "title":
			parts = append(parts, name+" "+db.JSON(m.Title))
		case "tags":
			parts = append(parts, name+" "+strings.Join(m.Tags, ", "))
		case "properties":
			parts = append(parts, name+" "+string(m.Properties))
		default:
			parts = append(parts, name+" "+strings.Trim(m.fieldValue(name), "[]"))
		}
	}
	if m.ForgottenAt != other.ForgottenAt {
		parts = append(parts, "status "+m.Status)
	}
	return strings.Join(parts, "; ")
}

// decideEdges decides edges as decideMemories does memories. It returns the lines without the
// edges that the store has.
func (i *importer) decideEdges(ctx context.Context, lines []numberedRecord, b *chunk) (rest []numberedRecord, err error) {
	pairs, ids := db.Rows{}, []string{}
	for _, line := range lines {
		if e := line.Edge; e != nil && e.Unsettled == "" {
			pairs.Row(e.From, e.To)
			if edges.Kind(e.Kind).Symmetric() {
				pairs.Row(e.To, e.From)
			}
			ids = append(ids, e.ID)
		}
	}
	stored, err := i.storedEdges(ctx, ids, pairs, b)
	if err != nil {
		return nil, err
	}
	known, byID, pending := map[Place]Edge{}, map[string]Edge{}, map[string]int{} // pending: places in rest, by id
	for _, e := range stored {
		e.FromURI, e.ToURI = "", ""
		known[e.Place()], byID[e.ID] = e, e
	}
	joinedByID, sites := map[string]Edge{}, []db.Stmt{}
	for _, line := range lines {
		e := line.Edge
		if e == nil || e.Unsettled != "" {
			rest = append(rest, line)
			continue
		}
		place := placeOf(e.From, e.To, e.Kind, e.Rel)
		ours, isKnown := known[place]
		other, hasID := byID[e.ID]
		if !isKnown && !hasID {
			known[place], byID[e.ID], pending[e.ID] = *e, *e, len(rest)
			rest = append(rest, line)
			continue
		}
		var joined Edge
		order, why := 0, "its id belongs to another edge here"
		if isKnown {
			joined, order, why = i.compareEdge(ours, line)
		} else {
			ours = other
		}
		stands := b.decide(&b.done.Edges, order, Undecided{line.n, ours.ID, ours.Kind, "", why, ours.told(), e.told()}, func() string {
			return fmt.Sprintf("line %d is older than the edge %s, which was linked at %s; it was left out", line.n, ours.Kind, ours.LinkedAt())
		})
		switch at, isPending := pending[ours.ID]; {
		case isPending && isKnown:
			if !stands {
				joined = ours
			}
			joined.takeBeside(ours, *e)
			known[place], rest[at].Edge = joined, &joined
			continue
		case stands:
			known[place], joinedByID[joined.ID] = joined, joined
		}
		if len(e.Sites) > 0 {
			sites = append(sites, db.S(insertSites, e.ID, db.List(e.Sites)))
		}
	}
	all := lists.Map(slices.Sorted(maps.Keys(joinedByID)), func(id string) Edge { return joinedByID[id] })
	b.add(UpdateEdges(all)...)
	b.add(StampUpdated(nil, all)...)
	b.add(sites...)
	return rest, nil
}

// takeBeside sets what two lines of one edge have beside its columns.
func (e *Edge) takeBeside(one, other Edge) {
	e.Declared, e.Word = new(one.IsDeclared() || other.IsDeclared()), cmp.Or(one.Word, other.Word)
	if e.Sites = one.Sites; len(e.Sites) == 0 {
		e.Sites = other.Sites
	}
}

// storedEdges returns the edges of the store that have some ids, or lead from the first to the second memory of a pair. The
// statement that it adds fails with ErrMoved if somebody changes these or adds others.
func (i *importer) storedEdges(ctx context.Context, ids []string, pairs db.Rows, b *chunk) (stored []Edge, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	last := int64(0)
	err = i.store.DB.Read(ctx, func(r *db.Reader) error {
		if last, _, err = db.One[int64](ctx, r, `select coalesce(max(seq), 0) from journal`); err == nil {
			stored, err = db.Select(ctx, r, ScanEdge, EdgeColumns+"where e.id in (select value from json_each(?2))\nunion all\n"+EdgesBetween, pairs.Arg(), db.List(ids))
		}
		return err
	})
	for _, e := range stored {
		ids = append(ids, e.ID)
	}
	b.add(db.Expect(`
not exists (
  select 1
  from journal j
  left join edges e on e.id = j.id
  where j.seq > ?1
    and j.thing = 'edge'
    and (
      j.id in (select value from json_each(?2))
      or exists (
        select 1
        from json_each(?3) g
        cross join memories f on f.id = g.value ->> 0 and f.key = e.from_key
        cross join memories t on t.id = g.value ->> 1 and t.key = e.to_key
      )
    )
)`, ErrMoved, last, db.List(ids), pairs.Arg()))
	return stored, err
}

// proposeClaims turns the claims of lines about what a person wrote into proposals.
func (i *importer) proposeClaims(ctx context.Context, lines []numberedRecord, b *chunk) error {
	ends := []string{}
	for _, line := range lines {
		if line.Edge != nil && line.Edge.IsClaim() {
			ends = append(ends, line.Edge.To)
		}
	}
	if len(ends) == 0 {
		return nil
	}
	persons, err := db.Select(ctx, i.store.DB, db.Value[string], `
select m.id
from json_each(?1) j
join memories m on m.id = j.value
where `+IsPersons+`
  and not exists (select 1 from json_each(m.tags) where value = ?2)`, db.List(ends), memory.OtherEdit)
	for _, line := range lines {
		if line.Edge != nil && line.Edge.IsClaim() && line.Edge.Word == 0 && slices.Contains(persons, line.Edge.To) {
			line.Edge.Propose()
			b.warn(fmt.Sprintf("line %d is kept as a proposal: a person wrote what the edge would replace, and the line does not say that a person declared it; hence tidy lists it", line.n))
		}
	}
	return err
}

// compareEdge does for edges what compareMemory does for memories.
func (i *importer) compareEdge(ours Edge, line numberedRecord) (e Edge, order int, why string) {
	stated := statedFields(line.text)
	e = *line.Edge
	for _, c := range told {
		isSpan := strings.HasPrefix(c.Name, "valid_") && (stated["valid_from"] != nil || stated["valid_to"] != nil)
		if stated[c.Line] == nil && !isSpan {
			c.Copy(&e, &ours)
		}
	}
	at, here := e.LinkedAt(), ours.LinkedAt()
	switch {
	case !slices.ContainsFunc(told, func(c record.Column) bool { return !c.Same(&e, &ours) }):
		return ours, 0, ""
	case i.reader.isStrangers():
		return ours, 0, "it is trusted less than an edge here"
	case stated["created_at"] == nil && len(e.Changed) == 0:
		return ours, 0, "it has no created_at; give it a later one, or state it with hence link"
	case at < here:
		return ours, -1, ""
	case at == here:
		return ours, 0, "both were linked at " + at
	case at > i.latest:
		return ours, 0, fmt.Sprintf("its time %s is more than %d years from now", at, MaxAhead)
	}
	joined := JoinEdges(ours, e)
	joined.ID, joined.From, joined.To = ours.ID, ours.From, ours.To
	return joined, 1, ""
}

// told are the columns of what an edge says besides its place.
var told = slices.DeleteFunc(slices.Clone(edgeColumns), func(c record.Column) bool { return c.Stamp != SaidField || c.Name == "rel" })

// told returns what an edge says besides its place in words.
func (e *Edge) told() string {
	return fmt.Sprintf("weight %v, note %q, from %s to %s", e.Weight, e.Note, cmp.Or(e.ValidFrom, "ever"), cmp.Or(e.ValidTo, "ever"))
}

// withObservationsOf returns the memory of an entity with the observations of a line that it lacks. A
// second type of the entity becomes a tag.
func (m Memory) withObservationsOf(line Memory) Memory {
	known := observationsIn(m.Content)
	for _, one := range observationsIn(line.Content) {
		if slices.Contains(known, one) {
			continue
		}
		if m.Content != "" && !strings.HasSuffix(m.Content, "\n") {
			m.Content += "\n"
		}
		known, m.Content = append(known, one), m.Content+"- "+one+"\n"
	}
	if line.Kind != m.Kind && len(m.Tags) < memory.MaxTags {
		m.Tags = CleanTags(append([]string{line.Kind}, m.Tags...))
	}
	m.ContentHash, m.Changed, m.Verifications = db.Hash(m.Content), nil, nil
	return m
}

// observationsIn returns the points of the list that a text is.
func observationsIn(text string) []string {
	return strings.Split("\n"+strings.TrimRight(text, "\n"), "\n- ")[1:]
}
