package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hence/internal/db"
	"hence/memory"
)

// People edit the files by hand, and git merges them line by line. A title or text that is
// not the one of its mark was edited, and so was a changed field that is not as it is with
// its stamps. A field that was never changed was, if it has a value that the store has not.

// stampEdits stamps what was edited by hand in the files since the store had it.
func (t *team) stampEdits(ctx context.Context, ours map[string]memoryLine) error {
	for _, f := range t.read {
		if m, here := ours[f.sides[0].ID]; here {
			stampFields(f.sides, &m)
			if s := &f.sides[0]; len(f.sides) == 1 && s.createdAfter(&m) {
				t.done.Merged.Warnings = warn(t.done.Merged.Warnings, f.name+": created, by and origin stay as they were here")
			}
		}
	}
	return t.stampLinks(ctx)
}

// edit notes that a field was edited by hand. was is the mark of what it was created as, if
// it was never changed.
func (s *teamSide) edit(field, value, was string) {
	after := s.last
	if field == forgottenField {
		after = s.lastChange() // what was edited besides does not bring it back
	}
	if s.Changed == nil {
		s.Changed = fieldStamps{}
	}
	stamps := []string{stampAfter(after, value)}
	if s.Changed[field] == nil && hasPast(field) {
		stamps = append(stamps, was)
	}
	s.Changed[field] = joinStamps(field, s.Changed[field], stamps)
}

// stampAfter returns the stamp of an edit by hand. It follows what the file says, and is
// made of nothing else, so that every machine that reads the file stamps the edit alike.
func stampAfter(last, value string) string {
	const digits = 8 // of a hash, as the stamps of the schema have them
	at, err := time.Parse(time.RFC3339, last)
	if err != nil {
		panic(err) // it was checked when the file was read
	}
	next, ok := storedTime(at.Add(time.Millisecond).Format(time.RFC3339Nano))
	if !ok { // it is the last moment that there is
		next = last
	}
	return next + "~" + db.Hash(value)[:digits]
}

// lastChange returns the time of the last change of a memory.
func (m *memoryLine) lastChange() string {
	last := m.CreatedAt
	for _, stamps := range m.Changed {
		last = max(last, timeOf(stamps[0]))
	}
	return last
}

// stampSides stamps what is not as Hence wrote it. In a file with git's marks, git may have
// merged a value of one side and left its stamps to both, or the other way round: then a
// side has the value that is with its stamps, and of texts, which are in the file once, both
// sides have the stamps of the one that changed them.
func stampSides(sides []teamSide) error {
	for _, field := range []string{"title", "content"} {
		was := make([][]string, len(sides)) // of the other sides the stamps that they came with
		for n := range sides {
			was[n] = sides[n].Changed[field]
		}
		for n := range sides {
			s := &sides[n]
			now := markOf(textMark(s.memoryLine), field)
			if s.mark == "" || markOf(s.mark, field) == now {
				continue
			}
			side := slices.IndexFunc(sides, func(o teamSide) bool { return markOf(o.mark, field) == now })
			switch {
			case side < 0 && field == "title":
				s.edit(field, s.Title, markOf(s.mark, field))
			case side < 0:
				s.edit(field, s.Content, markOf(s.mark, field))
			case was[side] == nil:
				delete(s.Changed, field)
			default:
				s.Changed[field] = was[side]
			}
		}
	}
	names := map[string]bool{} // of the fields whose values some side keeps with their stamps
	for _, s := range sides {
		for name := range s.is {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		shown := jsonText(sides[0].parts(name))
		byHand := !slices.ContainsFunc(sides, func(s teamSide) bool {
			return jsonText(s.parts(name)) != shown || jsonText(s.is[name]) == shown
		})
		for n := range sides {
			s := &sides[n]
			was, changed := s.is[name]
			switch {
			case !changed:
			case byHand:
				s.edit(name, shown, "")
			default:
				if err := s.setParts(name, was); err != nil {
					return fmt.Errorf("changed has a wrong value of %s: %w", name, plainly(err))
				}
			}
		}
	}
	return nil
}

// markOf returns the part of a mark that tells of the title or the content.
func markOf(mark, field string) string {
	title, content, _ := strings.Cut(mark, " ")
	if field == "title" {
		return title
	}
	return content
}

// stampFields stamps what was edited by hand of the fields that were never changed: a side
// has a value that the store has not. Nobody can tell where the store created the memory
// apart.
func stampFields(sides []teamSide, ours *memoryLine) {
	names := ours.partNames()
	for n := range sides {
		names = append(names, sides[n].partNames()...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if ours.Changed[name] != nil || slices.ContainsFunc(sides, func(s teamSide) bool { return s.Changed[name] != nil }) {
			continue
		}
		was := jsonText(ours.parts(name))
		for n := range sides {
			s := &sides[n]
			if now := jsonText(s.parts(name)); now != was && !s.createdAfter(ours) && !ours.createdAfter(&s.memoryLine) {
				s.edit(name, now, creation(createdAs(propertiesOf(ours)[strings.TrimPrefix(name, propertyField)])))
			}
		}
	}
}

// hasParts reports whether the values of a field are kept with its stamps. Those of a text
// are too long.
func hasParts(field string) bool { return field != "title" && field != "content" }

// partNames are the names of the fields that a memory has values of.
func (m *memoryLine) partNames() (names []string) {
	for _, f := range fields {
		if hasParts(f.name) {
			names = append(names, f.name)
		}
	}
	names = append(names, forgottenField)
	for _, tag := range m.Tags {
		names = append(names, tagField+tag)
	}
	for name := range propertiesOf(m) {
		names = append(names, propertyField+name)
	}
	return names
}

// valuesOf are the single values of a file that a field is made of, by their names there.
func valuesOf(field string) []string {
	switch field {
	case "valid":
		return []string{"valid_from", "valid_to"}
	case forgottenField:
		return []string{"forgotten", "forget_reason"}
	}
	return []string{field}
}

// parts are the values of a field: of a tag that is there true, of a property that is not
// there none.
func (m *memoryLine) parts(field string) []json.RawMessage {
	all := []json.RawMessage{}
	if tag, ok := strings.CutPrefix(field, tagField); ok {
		return append(all, json.RawMessage(jsonText(slices.Contains(m.Tags, tag))))
	}
	if name, ok := strings.CutPrefix(field, propertyField); ok {
		if value, there := propertiesOf(m)[name]; there {
			all = append(all, json.RawMessage(escape(value)))
		}
		return all
	}
	if field == forgottenField && value(m.ForgetReason) == undone {
		return append(all, json.RawMessage("null"), json.RawMessage("null"))
	}
	for _, name := range valuesOf(field) {
		for _, f := range teamFields {
			if f.name == name {
				all = append(all, json.RawMessage(jsonText(f.place(m))))
			}
		}
	}
	return all
}

// setParts gives a field its values.
func (m *memoryLine) setParts(field string, parts []json.RawMessage) error {
	if tag, ok := strings.CutPrefix(field, tagField); ok {
		m.Tags = slices.DeleteFunc(m.Tags, func(one string) bool { return one == tag })
		if jsonText(parts) == "[true]" {
			m.Tags = cleanTags(append(m.Tags, tag))
		}
		return nil
	}
	if name, ok := strings.CutPrefix(field, propertyField); ok {
		all := propertiesOf(m)
		if delete(all, name); len(parts) > 0 {
			all[name] = parts[0]
		}
		m.Properties = json.RawMessage(jsonText(all))
		return nil
	}
	for n, name := range valuesOf(field) {
		if n >= len(parts) {
			return errors.New("it has too few parts")
		}
		if err := readField(m, name, string(parts[n])); err != nil {
			return err
		}
	}
	m.Status = memory.Current
	if m.ForgottenAt != nil {
		m.Status = memory.Forgotten
	}
	return nil
}

// stampLinks stamps links that were edited by hand. One that now has other ends or another
// kind is so instead of what it was; a line that was copied is a new edge.
func (t *team) stampLinks(ctx context.Context) error {
	places, copied := map[string]place{}, map[string]bool{}
	for _, f := range t.read {
		for _, s := range f.sides {
			own := map[string]place{} // two sides are no copies
			for _, e := range s.edges {
				for _, seen := range []map[string]place{places, own} {
					where, twice := seen[e.ID]
					copied[e.ID] = copied[e.ID] || twice && where != e.place()
				}
				own[e.ID] = e.place()
			}
		}
		for _, s := range f.sides {
			for _, e := range s.edges {
				places[e.ID] = e.place()
			}
		}
	}
	ours := map[string]edgeLine{}
	for group := range slices.Chunk(slices.Sorted(maps.Keys(places)), chunkLines) {
		some, err := db.Select(ctx, t.store.DB, scanEdge, edgeColumns+`
where e.id in (select value from json_each(?1))`, db.List(group))
		if err != nil {
			return err
		}
		for _, e := range some {
			ours[e.ID] = e
		}
	}
	for _, f := range t.read {
		for _, s := range f.sides {
			for n := range s.edges {
				e := &s.edges[n]
				old, here := ours[e.ID]
				isOld := here && e.place() == old.place()
				switch {
				case !isOld && copied[e.ID]:
					e.ID = idOf("link", e.ID, e.From, e.To, e.EdgeType, e.Rel)
				case !here || len(f.sides) > 1 || e.Changed.head(saidField) != old.Changed.head(saidField):
				case !isOld:
					t.removed = append(t.removed, removedLine{
						Type: typeUnlinked, ID: old.ID, From: old.From, To: old.To, EdgeType: old.EdgeType, Rel: old.Rel, At: timeOf(stampAfter(old.linkedAt(), "")),
						FromURI: old.FromURI, ToURI: old.ToURI,
					})
				case e.statement() != old.statement():
					if e.Changed == nil {
						e.Changed = fieldStamps{}
					}
					e.Changed[saidField] = []string{stampAfter(old.linkedAt(), e.statement())}
				}
			}
		}
	}
	return nil
}
