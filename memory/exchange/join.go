package exchange

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/memory"
)

// field is a value of a memory that is changed by itself.
type field struct {
	name  string // as the table stamps has it
	value func(m *memoryLine) string
	take  func(into, from *memoryLine)
}

// creationText returns what the mark of a field's creation is made of.
func (f field) creationText(m *memoryLine) string {
	if f.name == "content" {
		return m.ContentHash
	}
	return f.value(m)
}

// fieldOf returns the field of one column.
func fieldOf[T any](name string, place func(m *memoryLine) *T) field {
	return field{
		name:  name,
		value: func(m *memoryLine) string { return db.List(*place(m)) },
		take:  func(into, from *memoryLine) { *place(into) = *place(from) },
	}
}

// fields are the columns of a memory that a merge takes one by one. A column that
// travels has one line here and one in the trigger memory_stamped.
var fields = []field{
	fieldOf("kind", func(m *memoryLine) *string { return &m.Kind }),
	{
		name:  "title",
		value: func(m *memoryLine) string { return m.Title },
		take:  func(into, from *memoryLine) { into.Title = from.Title },
	},
	{
		name:  "content",
		value: func(m *memoryLine) string { return m.Content },
		take:  func(into, from *memoryLine) { into.Content, into.ContentHash = from.Content, from.ContentHash },
	},
	fieldOf("aliases", func(m *memoryLine) *[]string { return &m.Aliases }),
	fieldOf("importance", func(m *memoryLine) **float64 { return &m.Importance }),
	fieldOf("pinned", func(m *memoryLine) *bool { return &m.Pinned }),
	fieldOf("confidence", func(m *memoryLine) **float64 { return &m.Confidence }),
	fieldOf("source", func(m *memoryLine) **string { return &m.Source }),
	fieldOf("source_url", func(m *memoryLine) **string { return &m.SourceURL }),
	fieldOf("confirmed", func(m *memoryLine) **string { return &m.Confirmed }),
	{
		name:  "valid",
		value: func(m *memoryLine) string { return value(m.ValidFrom) + " " + value(m.ValidTo) },
		take:  func(into, from *memoryLine) { into.ValidFrom, into.ValidTo = from.ValidFrom, from.ValidTo },
	},
}

const forgottenField = "forgotten"

// joinedMemory is what two sides of a memory make together.
type joinedMemory struct {
	memoryLine
	gaveWay []memoryLine // texts that were not known to whoever wrote the later ones
}

// joinMemories joins two sides of a memory. The order of the sides makes no difference,
// and to join the result with either side gives it again. Both are of one namespace.
func joinMemories(a, b memoryLine) joinedMemory {
	if linesEqual(&a, &b) {
		return joinedMemory{memoryLine: a}
	}
	j := joinedMemory{memoryLine: a}
	j.Changed = fieldStamps{}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(a.Changed)), slices.Collect(maps.Keys(b.Changed))) {
		j.Changed[name] = joinStamps(name, a.Changed[name], b.Changed[name])
	}
	lost := [2]bool{}
	for _, f := range fields {
		one, other := a.Changed.versions(f.name, f.creationText(&a)), b.Changed.versions(f.name, f.creationText(&b))
		winner, conflict := laterSide(one, other, f.value(&a), f.value(&b))
		f.take(&j.memoryLine, [2]*memoryLine{&a, &b}[winner])
		j.stamp(f.name, f.creationText(&j.memoryLine), one, other)
		lost[1-winner] = lost[1-winner] || conflict && hasPast(f.name)
	}
	for side := range j.joinProperties(&a, &b) {
		lost[side] = true
	}
	j.joinTags(&a, &b)
	j.joinRecord(&a, &b)
	j.joinForgotten(&a, &b)
	j.Revision = max(a.Revision, b.Revision)
	for side, m := range [2]*memoryLine{&a, &b} {
		if lost[side] {
			j.gaveWay = append(j.gaveWay, *m)
		}
		if isEdited(m, &j.memoryLine) { // a revision that nobody has seen there
			j.Revision = max(j.Revision, m.Revision+1)
		}
	}
	if len(j.Changed) == 0 {
		j.Changed = nil
	}
	return j
}

// differences returns the names of the fields that differ, with properties and tags.
func differences(old, new *memoryLine) (names []string) {
	for _, f := range fields {
		if f.value(old) != f.value(new) {
			names = append(names, f.name)
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

// isEdited reports whether a column differs whose change the schema counts.
func isEdited(old, new *memoryLine) bool {
	return len(differences(old, new)) > 0 ||
		value(old.ForgottenAt) != value(new.ForgottenAt) || value(old.ForgetReason) != value(new.ForgetReason)
}

func linesEqual(a, b any) bool {
	one, err := json.Marshal(a)
	other, err2 := json.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(one, other)
}

// stamp stamps a field with what both sides know of it. That it is as it was created
// needs no stamp.
func (j *joinedMemory) stamp(name, created string, stamps, others []string) {
	if all := joinStamps(name, stamps, others); len(all) > 1 || len(all) == 1 && all[0] != creation(created) {
		j.Changed[name] = all
	}
}

// laterSide returns which of two values of a field stands, 0 or 1, and whether its
// writer had not seen the other one.
func laterSide(a, b []string, av, bv string) (winner int, conflict bool) {
	if av == bv {
		return 0, false
	}
	if cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(db.Hash(av), db.Hash(bv)), cmp.Compare(av, bv)) < 0 {
		return 1, !knows(b, a)
	}
	return 0, !knows(a, b)
}

// joinProperties joins the properties by key, and returns the sides of which a value
// gave way unseen.
func (j *joinedMemory) joinProperties(a, b *memoryLine) map[int]bool {
	lost := map[int]bool{}
	if bytes.Equal(a.Properties, b.Properties) {
		return lost
	}
	sides := [2]map[string]json.RawMessage{propertiesOf(a), propertiesOf(b)}
	all := map[string]json.RawMessage{}
	for name := range maps.Keys(sides[0]) {
		all[name] = nil
	}
	for name := range maps.Keys(sides[1]) {
		all[name] = nil
	}
	for name := range all {
		field, one, other := propertyField+name, sides[0][name], sides[1][name]
		stamps, others := a.Changed.versions(field, createdAs(one)), b.Changed.versions(field, createdAs(other))
		winner, conflict := laterSide(stamps, others, string(one), string(other))
		if (one == nil) != (other == nil) && last(stamps) == last(others) {
			winner, conflict = 0, false // what is there stands beside what is not
			if one == nil {
				winner = 1
			}
		}
		if conflict && sides[1-winner][name] != nil {
			lost[1-winner] = true
		}
		all[name] = sides[winner][name]
		j.stamp(field, createdAs(all[name]), stamps, others)
		if all[name] == nil {
			delete(all, name)
		}
	}
	j.Properties = json.RawMessage(jsonText(all)) // sorted by key
	return lost
}

// createdAs returns what the mark of a property's creation is made of, as the trigger
// memory_stamped does: its type and value as SQLite has them, "" if there is none.
func createdAs(property json.RawMessage) string {
	if property == nil {
		return ""
	}
	switch property[0] {
	case '"':
		var text string
		_ = json.Unmarshal(property, &text) // propertiesOf has read it
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

func propertiesOf(m *memoryLine) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(m.Properties, &all); err != nil {
		panic(err) // fillProperties has read them
	}
	return all
}

// joinTags joins the tags one by one.
func (j *joinedMemory) joinTags(a, b *memoryLine) {
	all := slices.Concat(a.Tags, b.Tags)
	j.Tags = []string{}
	for _, tag := range cleanTags(all) {
		inA, inB := slices.Contains(a.Tags, tag), slices.Contains(b.Tags, tag)
		order := cmp.Compare(a.Changed.head(tagField+tag), b.Changed.head(tagField+tag))
		if inA && inB || order == 0 || order > 0 && inA || order < 0 && inB {
			j.Tags = append(j.Tags, tag)
		}
	}
	// More tags than a memory may have: the first ones stand.
	j.Tags = j.Tags[:min(len(j.Tags), memory.MaxTags)]
}

// joinRecord joins what is said of the memory besides its fields.
func (j *joinedMemory) joinRecord(a, b *memoryLine) {
	first, last := a, b
	if a.createdAfter(b) {
		first, last = b, a
	}
	j.CreatedAt, j.Origin, j.Actor = first.CreatedAt, first.Origin, first.Actor
	j.UpdatedAt = max(a.UpdatedAt, b.UpdatedAt)
	verified := first
	if cmp.Or(cmp.Compare(value(last.VerifiedAt), value(first.VerifiedAt)), cmp.Compare(value(last.VerifyNote), value(first.VerifyNote))) > 0 {
		verified = last
	}
	j.VerifiedAt, j.VerifyNote = verified.VerifiedAt, verified.VerifyNote
	j.Verifications = joinVerifications(a.Verifications, b.Verifications)
	j.Status = memory.Current // unless it is forgotten, or an edge says otherwise
}

// createdAfter reports whether another side of the memory tells of its creation.
func (m *memoryLine) createdAfter(other *memoryLine) bool {
	return cmp.Or(cmp.Compare(m.CreatedAt, other.CreatedAt), cmp.Compare(m.Origin, other.Origin), cmp.Compare(*m.Actor, *other.Actor)) > 0
}

// joinVerifications returns all verifications, each once, with its first time.
func joinVerifications(a, b []verification) (all []verification) {
	all = slices.Concat(a, b)
	order := func(v, w verification) int {
		return cmp.Or(strings.Compare(v.Because, w.Because), strings.Compare(v.Reason, w.Reason), strings.Compare(v.Mark, w.Mark))
	}
	slices.SortFunc(all, func(v, w verification) int { return cmp.Or(order(v, w), strings.Compare(v.At, w.At)) })
	return slices.CompactFunc(all, func(v, w verification) bool { return order(v, w) == 0 })
}

// joinForgotten decides whether the memory is forgotten: if that is the last that was
// said, and no field was changed later, and it was not created elsewhere later.
func (j *joinedMemory) joinForgotten(a, b *memoryLine) {
	aHead, bHead := a.forgottenHead(), b.forgottenHead()
	order := cmp.Compare(aHead, bHead)
	if order == 0 && (a.ForgottenAt == nil) != (b.ForgottenAt == nil) {
		order = 1
		if a.ForgottenAt != nil {
			order = -1
		}
	}
	order = cmp.Or(order, cmp.Compare(value(a.ForgottenAt), value(b.ForgottenAt)), cmp.Compare(value(a.ForgetReason), value(b.ForgetReason)))
	last, other, head := a, b, aHead
	if order < 0 {
		last, other, head = b, a, bHead
	}
	j.ForgottenAt, j.ForgetReason = last.ForgottenAt, last.ForgetReason
	if j.ForgottenAt == nil {
		return
	}
	edited := ""
	for name, stamps := range j.Changed {
		if name != forgottenField && !isCreation(stamps[0]) {
			edited = max(edited, stamps[0])
		}
	}
	if other.ForgottenAt == nil && other.CreatedAt > head {
		edited = max(edited, other.CreatedAt+"~")
	}
	if edited > head {
		j.ForgottenAt, j.ForgetReason, j.Changed[forgottenField] = nil, nil, []string{edited}
		return
	}
	j.Status = memory.Forgotten
}

// undone is why an undo forgets a memory that came with what it takes back. Who only
// took back a merge did not decide anything about the memory.
const undone = "undone"

// forgottenHead returns the stamp of the last forgetting or restoring. Stores that
// write no stamps say when a memory was forgotten.
func (m *memoryLine) forgottenHead() string {
	head := m.Changed.head(forgottenField)
	if head == "" && m.ForgottenAt != nil && value(m.ForgetReason) != undone {
		return *m.ForgottenAt
	}
	return head
}

// escape is JSON as encoding/json writes it: lines, files of a team and stores may spell
// one text in two ways.
func escape(text json.RawMessage) string {
	var one bytes.Buffer
	json.HTMLEscape(&one, text)
	return one.String()
}

// otherText returns the memory that holds a text that gave way, and the edge by which the
// memory supersedes it. Ids are made of the memory's and of the text, so that every
// store that merges them makes the same.
func (m memoryLine) otherText(text memoryLine) (memoryLine, edgeLine) {
	at := timeOf(max(text.Changed.head("content"), text.Changed.head("title")))
	if at == "" || isCreation(at) {
		at = text.CreatedAt
	}
	other := memoryLine{
		Type: typeMemory, ID: idOf("other text", m.ID, text.Title, text.Content, escape(text.Properties)), Namespace: m.Namespace, Kind: text.Kind,
		Title: text.Title + " (other edit)", Content: text.Content, ContentHash: text.ContentHash,
		Tags: cleanTags(append([]string{memory.OtherEdit}, text.Tags...)), Properties: text.Properties, Status: memory.Superseded,
		Importance: text.Importance, Pinned: false, Confidence: text.Confidence, Origin: text.Origin, Actor: text.Actor,
		CreatedAt: at, UpdatedAt: at, ValidFrom: text.ValidFrom, ValidTo: text.ValidTo, Revision: 1, Aliases: text.Aliases,
		Source: text.Source, SourceURL: text.SourceURL,
	}
	other.Tags = other.Tags[:min(len(other.Tags), memory.MaxTags)]
	return other, edgeLine{
		Type: typeEdge, ID: idOf("other text, edge", other.ID), From: m.ID, To: other.ID, EdgeType: "supersedes", Weight: new(1.0),
		Origin: "import", Actor: new("merge"), Note: "Both texts were edited apart; this one was edited earlier, or decided by its hash.",
		CreatedAt: at, Sites: []site{},
	}
}
