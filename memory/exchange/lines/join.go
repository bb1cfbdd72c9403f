package lines

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/memory"
	"hence/memory/record"
)

// Joined is the result of joining two sides of a memory.
type Joined struct {
	Memory
	GaveWay []Memory // losing texts that the writers of the winning ones had not seen
}

// JoinMemories joins two sides of a memory. The order of the sides makes no difference,
// and to join the result with either side gives it again. Both are of one namespace. One that
// was stored again after a later purge replaces the other.
func JoinMemories(a, b Memory) Joined {
	switch order := cmp.Compare(a.Changed.Head(PurgedField), b.Changed.Head(PurgedField)); {
	case order > 0 || LinesEqual(&a, &b):
		return Joined{Memory: a}
	case order < 0:
		return Joined{Memory: b}
	}
	j := Joined{Memory: a}
	j.Changed = Stamps{}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(a.Changed)), slices.Collect(maps.Keys(b.Changed))) {
		j.Changed[name] = JoinStamps(name, a.Changed[name], b.Changed[name])
	}
	lost := [2]bool{}
	for _, f := range merged {
		one, other := a.Changed.versions(f, a.creationText(f)), b.Changed.versions(f, b.creationText(f))
		winner, conflict := laterSide(one, other, a.fieldValue(f), b.fieldValue(f))
		j.takeField(f, [2]*Memory{&a, &b}[winner])
		j.stamp(f, j.creationText(f), one, other)
		lost[1-winner] = lost[1-winner] || conflict && HasPast(f)
	}
	j.joinProperties(&a, &b, &lost)
	j.joinTags(&a, &b)
	j.joinRecord(&a, &b)
	j.joinForgotten(&a, &b)
	j.Revision = max(a.Revision, b.Revision)
	for side, m := range [2]*Memory{&a, &b} {
		if lost[side] {
			j.GaveWay = append(j.GaveWay, *m)
		}
		if isEdited(m, &j.Memory) { // this side has not had the new revision yet
			j.Revision = max(j.Revision, m.Revision+1)
		}
	}
	if len(j.Changed) == 0 {
		j.Changed = nil
	}
	return j
}

// Differences returns the names of the fields that differ, with properties and tags.
func Differences(old, new *Memory) (names []string) {
	for _, f := range merged {
		if old.fieldValue(f) != new.fieldValue(f) {
			names = append(names, f)
		}
	}
	if string(old.Properties) != string(new.Properties) {
		names = append(names, "properties")
	}
	if !slices.Equal(old.Tags, new.Tags) {
		names = append(names, "tags")
	}
	return names
}

// isEdited reports whether a column differs whose change counts as a revision in the schema.
func isEdited(old, new *Memory) bool {
	return len(Differences(old, new)) > 0 ||
		old.ForgottenAt != new.ForgottenAt || old.ForgetReason != new.ForgetReason
}

func LinesEqual(a, b any) bool {
	one, err := json.Marshal(a)
	other, err2 := json.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(one, other)
}

// stamp sets the joined stamps of a field. A field as it was created needs none.
func (j *Joined) stamp(name, created string, stamps, others []string) {
	if all := JoinStamps(name, stamps, others); len(all) > 1 || len(all) == 1 && all[0] != Creation(created) {
		j.Changed[name] = all
	}
}

// laterSide returns which of two values of a field wins, 0 or 1, and whether the writer of
// the winning value had not seen the other one.
func laterSide(a, b []string, av, bv string) (winner int, conflict bool) {
	if av == bv {
		return 0, false
	}
	if cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(db.Hash(av), db.Hash(bv)), cmp.Compare(av, bv)) < 0 {
		return 1, !hasSeen(b, a)
	}
	return 0, !hasSeen(a, b)
}

// joinProperties joins the properties by key, and sets the sides of which a value lost
// unseen.
func (j *Joined) joinProperties(a, b *Memory, lost *[2]bool) {
	if bytes.Equal(a.Properties, b.Properties) {
		return
	}
	sides := [2]map[string]json.RawMessage{PropertiesOf(a), PropertiesOf(b)}
	all := maps.Clone(sides[0])
	maps.Copy(all, sides[1])
	for name := range all {
		field, one, other := PropertyField+name, sides[0][name], sides[1][name]
		stamps, others := a.Changed.versions(field, CreatedAs(one)), b.Changed.versions(field, CreatedAs(other))
		winner, conflict := laterSide(stamps, others, string(one), string(other))
		if (one == nil) != (other == nil) && last(stamps) == last(others) {
			winner, conflict = 0, false // at equal stamps, a value wins over none
			if one == nil {
				winner = 1
			}
		}
		if conflict && sides[1-winner][name] != nil {
			lost[1-winner] = true
		}
		all[name] = sides[winner][name]
		j.stamp(field, CreatedAs(all[name]), stamps, others)
		if all[name] == nil {
			delete(all, name)
		}
	}
	j.Properties = json.RawMessage(db.JSON(all)) // sorted by key
}

// CreatedAs returns the text from which the creation mark of a property is computed, as in
// the upkeep of internal/db: its type and value in SQLite, "" if there is no such property.
func CreatedAs(property json.RawMessage) string {
	if property == nil {
		return ""
	}
	switch property[0] {
	case '"':
		var text string
		_ = json.Unmarshal(property, &text) // PropertiesOf has read it
		return "text " + text
	case '{':
		return "object " + string(property)
	case '[':
		return "array " + string(property)
	case 't', 'f', 'n':
		return string(property) + " " + map[byte]string{'t': "1", 'f': "0"}[property[0]]
	}
	kind := "integer "
	if bytes.ContainsAny(property, ".eE") {
		kind = "real "
	}
	return kind + string(property)
}

func PropertiesOf(m *Memory) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(m.Properties, &all); err != nil {
		panic(err) // fillProperties has read them
	}
	return all
}

// joinTags joins the tags one by one.
func (j *Joined) joinTags(a, b *Memory) {
	all := slices.Concat(a.Tags, b.Tags)
	j.Tags = []string{}
	for _, tag := range CleanTags(all) {
		inA, inB := slices.Contains(a.Tags, tag), slices.Contains(b.Tags, tag)
		order := cmp.Compare(a.Changed.Head(TagField+tag), b.Changed.Head(TagField+tag))
		if inA && inB || order == 0 || order > 0 && inA || order < 0 && inB {
			j.Tags = append(j.Tags, tag)
		}
	}
	// Beyond the most tags that a memory may have, the last ones are dropped.
	j.Tags = j.Tags[:min(len(j.Tags), memory.MaxTags)]
}

// joinRecord joins what a memory has besides its fields: times, origin, actor and
// verifications.
func (j *Joined) joinRecord(a, b *Memory) {
	first, last := a, b
	if a.CreatedAfter(b) {
		first, last = b, a
	}
	j.CreatedAt, j.Origin, j.Actor = first.CreatedAt, first.Origin, first.Actor
	j.UpdatedAt = max(a.UpdatedAt, b.UpdatedAt)
	verified := first
	if cmp.Or(cmp.Compare(last.VerifiedAt, first.VerifiedAt), cmp.Compare(last.VerifyNote, first.VerifyNote)) > 0 {
		verified = last
	}
	j.VerifiedAt, j.VerifyNote = verified.VerifiedAt, verified.VerifyNote
	j.Verifications = JoinVerifications(a.Verifications, b.Verifications)
	j.Status = memory.Current // unless it is forgotten, or an edge says otherwise
}

// CreatedAfter reports whether the other side has the earlier creation.
func (m *Memory) CreatedAfter(other *Memory) bool {
	return cmp.Or(cmp.Compare(m.CreatedAt, other.CreatedAt), cmp.Compare(m.Origin, other.Origin), cmp.Compare(m.Actor, other.Actor)) > 0
}

// JoinVerifications returns all verifications of both, each once, with its earliest time.
func JoinVerifications(a, b []Verification) (all []Verification) {
	all = slices.Concat(a, b)
	order := func(v, w Verification) int {
		return cmp.Or(strings.Compare(v.Because, w.Because), strings.Compare(v.Reason, w.Reason), strings.Compare(v.Mark, w.Mark))
	}
	slices.SortFunc(all, func(v, w Verification) int { return cmp.Or(order(v, w), strings.Compare(v.At, w.At)) })
	return slices.CompactFunc(all, func(v, w Verification) bool { return order(v, w) == 0 })
}

// joinForgotten decides whether the memory is forgotten: if it was forgotten after it was
// last restored, and since then no field was changed and it was not created elsewhere.
func (j *Joined) joinForgotten(a, b *Memory) {
	aHead, bHead := a.forgottenHead(), b.forgottenHead()
	order := cmp.Or(cmp.Compare(aHead, bHead), lists.CompareFlags(a.ForgottenAt != "", b.ForgottenAt != ""),
		cmp.Compare(a.ForgottenAt, b.ForgottenAt), cmp.Compare(a.ForgetReason, b.ForgetReason))
	last, other, head := a, b, aHead
	if order < 0 {
		last, other, head = b, a, bHead
	}
	j.ForgottenAt, j.ForgetReason = last.ForgottenAt, last.ForgetReason
	if j.ForgottenAt == "" {
		return
	}
	edited := false
	for name, stamps := range j.Changed {
		edited = edited || name != ForgottenField && !isCreation(stamps[0]) && stamps[0] > head
	}
	// Two stores may have edited it since, and meet in any order: the stamp stays that of the forgetting.
	created := other.ForgottenAt == "" && other.CreatedAt > head
	if created {
		j.Changed[ForgottenField] = []string{other.CreatedAt + "~"}
	}
	if edited || created {
		j.ForgottenAt, j.ForgetReason = "", ""
		return
	}
	j.Status = memory.Forgotten
}

// undone is the reason with which an undo forgets a memory that came with what it undoes. It
// is no decision about the memory.
const undone = "undone"

// forgottenHead returns the stamp of the last forgetting or restoring. A store that writes no
// stamps gives only the time of forgetting.
func (m *Memory) forgottenHead() string {
	head := m.Changed.Head(ForgottenField)
	if head == "" && m.ForgottenAt != "" && m.ForgetReason != undone {
		return m.ForgottenAt
	}
	return head
}

// escape returns JSON in the spelling of encoding/json, because lines, a team's files and
// stores may spell one text in two ways.
func escape(text json.RawMessage) string {
	var one bytes.Buffer
	json.HTMLEscape(&one, text)
	return one.String()
}

// OtherText returns the memory that keeps a losing text, and the edge by which the winning
// memory supersedes it. Their ids are derived from the memory's id and the text, so that
// every store that merges them makes the same ones.
func (m Memory) OtherText(text Memory) (Memory, Edge) {
	at := TimeOf(max(text.Changed.Head("content"), text.Changed.Head("title")))
	if at == "" || isCreation(at) {
		at = text.CreatedAt
	}
	other := Memory{Memory: text.Memory, Properties: text.Properties}
	other.ID, other.Namespace = IdOf("other text", m.ID, text.Title, text.Content, escape(text.Properties)), m.Namespace
	other.Title, other.Status = text.Title+" (other edit)", memory.Superseded
	other.Tags = CleanTags(append([]string{memory.OtherEdit}, text.Tags...))
	other.CreatedAt, other.UpdatedAt, other.Revision = at, at, 1
	other.Pinned, other.URI, other.Confirmed = false, "", ""
	other.VerifiedAt, other.VerifyNote, other.ForgottenAt, other.ForgetReason = "", "", "", ""
	other.Tags = other.Tags[:min(len(other.Tags), memory.MaxTags)]
	return other, Edge{Sites: []Site{}, Edge: record.Edge{
		ID: IdOf("other text, edge", other.ID), From: m.ID, To: other.ID, Kind: string(edges.Supersedes), Weight: 1, CreatedAt: at,
		Origin: "import", Actor: "merge", Note: "Both texts were edited apart; this one was edited earlier, or decided by its hash.",
	}}
}

// Place identifies an edge without its id: by its ends, kind and word.
type Place struct{ From, To, Kind, Rel string }

// placeOf returns the place of an edge or removal between two ends (see endName). A symmetric
// edge has its ends sorted, and supersedes has no word.
func placeOf(from, to, kind, rel string) Place {
	k := edges.Kind(kind)
	if k.Symmetric() && from > to {
		from, to = to, from
	}
	if k == edges.Supersedes {
		rel = ""
	}
	return Place{from, to, kind, rel}
}

// EndName returns the uri of an end, if it has one, because its id differs from store to
// store; else its id.
func EndName(id, uri string) string { return cmp.Or(uri, id) }

func (e *Edge) Place() Place {
	return placeOf(EndName(e.From, e.FromURI), EndName(e.To, e.ToURI), e.Kind, e.Rel)
}

func (l *Removed) Place() Place {
	return placeOf(EndName(l.From, l.FromURI), EndName(l.To, l.ToURI), l.Kind, l.Rel)
}

// The fields of an edge that have their own stamps.
const (
	SaidField    = "said"
	basisField   = "basis"
	createdField = "created" // when each store that made the edge did, and the id that it has there: several make one edge apart
)

// LinkedAt is the SQL expression for when an edge e was last declared, as Edge.LinkedAt.
const LinkedAt = `max(e.created_at, coalesce((select substr(at, 1, 24) from stamps where id = e.id and field = '` + SaidField + `'), ''))`

// LinkedAt returns when the edge was last declared.
func (e *Edge) LinkedAt() string {
	return max(e.CreatedAt, TimeOf(e.Changed.Head(SaidField)))
}

// head returns the stamp of a field; a field that was never changed has the edge's.
func (e *Edge) head(name string) string {
	return cmp.Or(e.Changed.Head(name), e.CreatedAt+"~")
}

// creations returns the stamps of createdField.
func (e *Edge) creations() []string {
	if all := e.Changed[createdField]; len(all) > 0 {
		return all
	}
	return []string{e.CreatedAt + "~" + e.ID}
}

// create gives the edge the time and the id of the first of its creations, which are in order, the last first.
func (e *Edge) create(all []string) {
	e.CreatedAt, e.ID, _ = strings.Cut(all[len(all)-1], "~")
	e.Changed[createdField] = all
	maps.DeleteFunc(e.Changed, func(name string, stamps []string) bool {
		return name == createdField && len(all) == 1 || name != createdField && stamps[0] == e.CreatedAt+"~"
	})
	if len(e.Changed) == 0 {
		e.Changed = nil
	}
}

// After returns the edge as it is after a removal, at or after which it was linked: without its creations before that.
// If it was linked again only by a store that did not know of the removal, it has its first creation still.
func (e Edge) After(removal string) Edge {
	all := e.creations()
	later := slices.DeleteFunc(slices.Clone(all), func(stamp string) bool { return TimeOf(stamp) <= removal })
	if len(later) == 0 {
		later = all[len(all)-1:]
	}
	if e.Changed = maps.Clone(e.Changed); e.Changed == nil {
		e.Changed = Stamps{}
	}
	e.create(later)
	return e
}

// stated are the columns of all that an edge says besides its place.
var stated = record.InOrder(slices.DeleteFunc(slices.Clone(edgeColumns), func(c record.Column) bool {
	return c.Stamp != SaidField && c.Name != "origin" && c.Name != "actor"
}), "rel note origin actor valid_from valid_to weight")

// Statement returns all that an edge says besides its place.
func (e *Edge) Statement() string {
	parts := []string{EndName(e.From, e.FromURI)}
	for _, c := range stated {
		parts = append(parts, fmt.Sprint(c.Value(e)))
	}
	return strings.Join(parts, "\x00")
}

// JoinEdges joins two sides of the edge of one place, as JoinMemories does.
func JoinEdges(a, b Edge) Edge {
	if LinesEqual(&a, &b) {
		return a
	}
	both := []Edge{a, b}
	statement := slices.MaxFunc(both, func(x, y Edge) int {
		return cmp.Or(cmp.Compare(x.head(SaidField), y.head(SaidField)), cmp.Compare(x.Statement(), y.Statement()))
	})
	basis := slices.MaxFunc(both, func(x, y Edge) int {
		return cmp.Or(cmp.Compare(x.head(basisField), y.head(basisField)), cmp.Compare(x.Basis, y.Basis))
	})
	j := statement
	j.Basis = basis.Basis
	// A value of the edge that was created later counts as a change of the earlier one.
	j.Changed = Stamps{SaidField: {statement.head(SaidField)}, basisField: {basis.head(basisField)}}
	j.create(JoinStamps(createdField, a.creations(), b.creations()))
	return j
}
