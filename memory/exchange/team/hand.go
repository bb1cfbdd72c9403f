package team

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
	"hence/memory/exchange/lines"
)

// People edit the files by hand, and git merges them line by line. A title or text was
// edited if its mark does not match it, and a field with stamps if its value differs from
// the one beside its stamps. A field without stamps was edited if its value differs from the
// store's.

// stampEdits stamps the fields and links that were edited by hand in the files.
func (t *team) stampEdits(ctx context.Context, ours map[string]lines.Memory) error {
	for _, f := range t.memoryFiles {
		m, isHere := ours[f.sides[0].ID]
		if isHere && m.Changed.Head(lines.PurgedField) == f.sides[0].Changed.Head(lines.PurgedField) {
			stampFields(f.sides, &m)
			if s := &f.sides[0]; len(f.sides) == 1 && s.CreatedAfter(&m) {
				t.done.Merged.Warnings = lines.Warn(t.done.Merged.Warnings, f.name+": created, by and origin stay as they were here")
			}
		}
	}
	return t.stampLinks(ctx)
}

// stampEdit stamps a field that was edited by hand to a value. It keeps the creation mark if
// the field has no stamps yet.
func (s *side) stampEdit(field, value, creationMark string) {
	last := s.changedAt
	if field == lines.ForgottenField {
		last = s.LastChange() // an edit of another field must not restore the memory
	}
	if s.Changed == nil {
		s.Changed = lines.Stamps{}
	}
	stamps := []string{stampAfter(last, value)}
	if s.Changed[field] == nil && lines.HasPast(field) {
		stamps = append(stamps, creationMark)
	}
	s.Changed[field] = lines.JoinStamps(field, s.Changed[field], stamps)
}

// stampAfter returns the stamp of an edit by hand: one millisecond after last, the last time
// in the file, with a tag hashed from the value. It depends on the file only, so that every
// machine that reads the file stamps the edit alike.
func stampAfter(last, value string) string {
	const digits = 8 // of the hash, as in the tags of stores
	lastTime, err := time.Parse(time.RFC3339, last)
	if err != nil {
		panic(err) // impossible: readSide has checked it
	}
	next, ok := lines.StoredTime(lastTime.Add(time.Millisecond).Format(time.RFC3339Nano))
	if !ok { // after the last time that can be stored
		next = last
	}
	return next + "~" + db.Hash(value)[:digits]
}

// stampSides stamps the title, the text and the stamped fields that differ from the state
// that Hence wrote. In a file with conflict marks, git may have merged the value of one side
// but left the stamps of both, or the other way round. Then a side gets the value beside its
// stamps. Title and text have no such value: then both sides get the stamps of the side
// that changed them. Where both changed them, one of them by hand, its edit is stamped on the stamps before the other's.
func stampSides(sides []side) error {
	for _, field := range []string{"title", "content"} {
		before := make([][]string, len(sides)) // the stamps of each side before this loop changes them
		for n := range sides {
			before[n] = sides[n].Changed[field]
		}
		for n := range sides {
			s := &sides[n]
			mark := markOf(textMark(s.Memory), field)
			if s.mark == "" || markOf(s.mark, field) == mark {
				continue
			}
			side := slices.IndexFunc(sides, func(o side) bool { return markOf(o.mark, field) == mark })
			if side < 0 && len(before[n]) > 0 && isMergedInto(s, sides, field) {
				s.Changed[field] = before[n][1:]
			}
			switch {
			case side < 0 && field == "title":
				s.stampEdit(field, s.Title, markOf(s.mark, field))
			case side < 0:
				s.stampEdit(field, s.Content, markOf(s.mark, field))
			case before[side] == nil:
				delete(s.Changed, field)
			default:
				s.Changed[field] = before[side]
			}
		}
	}
	names := map[string]bool{} // the fields that have a value beside their stamps on some side
	for _, s := range sides {
		for name := range s.stampedValues {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		value := db.JSON(sides[0].Parts(name))
		isEdited := !slices.ContainsFunc(sides, func(s side) bool {
			return db.JSON(s.Parts(name)) != value || db.JSON(s.stampedValues[name]) == value
		})
		for n := range sides {
			s := &sides[n]
			before, changed := s.stampedValues[name]
			switch {
			case !changed:
			case isEdited:
				s.stampEdit(name, value, "")
			default:
				if err := setParts(&s.Memory, name, before); err != nil {
					return fmt.Errorf("changed has a wrong value of %s: %w", name, lines.RewordJSONError(err))
				}
			}
		}
	}
	return nil
}

// isMergedInto reports whether the mark of a side's field is that of another side's text: git merged the lines of the mark
// and the stamps into this side, whose own text was edited by hand without having seen that one.
func isMergedInto(s *side, sides []side, field string) bool {
	return slices.ContainsFunc(sides, func(o side) bool {
		return markOf(o.mark, field) == markOf(s.mark, field) && markOf(textMark(o.Memory), field) == markOf(o.mark, field)
	})
}

// markOf returns the creation mark of the title or the content from a textMark.
func markOf(mark, field string) string {
	title, content, _ := strings.Cut(mark, " ")
	if field == "title" {
		return title
	}
	return content
}

// stampFields stamps the fields without stamps whose value differs from the store's: they
// were edited by hand. It skips a memory that was created separately in the store, because
// then the difference may not be an edit.
func stampFields(sides []side, ours *lines.Memory) {
	names := ours.PartNames()
	for n := range sides {
		names = append(names, sides[n].PartNames()...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if ours.Changed[name] != nil || slices.ContainsFunc(sides, func(s side) bool { return s.Changed[name] != nil }) {
			continue
		}
		oldValue := db.JSON(ours.Parts(name))
		for n := range sides {
			s := &sides[n]
			if newValue := db.JSON(s.Parts(name)); newValue != oldValue && !s.CreatedAfter(ours) && !ours.CreatedAfter(&s.Memory) {
				s.stampEdit(name, newValue, lines.Creation(lines.CreatedAs(lines.PropertiesOf(ours)[strings.TrimPrefix(name, lines.PropertyField)])))
			}
		}
	}
}

// setParts sets a field to values returned by parts.
func setParts(m *lines.Memory, field string, parts []json.RawMessage) error {
	if tag, ok := strings.CutPrefix(field, lines.TagField); ok {
		m.Tags = slices.DeleteFunc(m.Tags, func(one string) bool { return one == tag })
		if db.JSON(parts) == "[true]" {
			m.Tags = lines.CleanTags(append(m.Tags, tag))
		}
		return nil
	}
	if name, ok := strings.CutPrefix(field, lines.PropertyField); ok {
		all := lines.PropertiesOf(m)
		if delete(all, name); len(parts) > 0 {
			all[name] = parts[0]
		}
		m.Properties = json.RawMessage(db.JSON(all))
		return nil
	}
	for n, c := range lines.ColumnsOf(field) {
		if n >= len(parts) {
			return errors.New("it has too few parts")
		}
		if err := setField(m, c, parts[n]); err != nil {
			return err
		}
	}
	m.Status = memory.Current
	if m.ForgottenAt != "" {
		m.Status = memory.Forgotten
	}
	return nil
}

// stampLinks stamps links that were edited by hand. A link with new ends or a new kind
// replaces the old edge, whose removal is added to t.removed. A link whose line was copied
// becomes a new edge.
func (t *team) stampLinks(ctx context.Context) error {
	places, copied := map[string]lines.Place{}, map[string]bool{}
	for _, f := range t.memoryFiles {
		for _, s := range f.sides {
			sidePlaces := map[string]lines.Place{} // the same link on both sides is not a copy
			for _, e := range s.edges {
				for _, known := range []map[string]lines.Place{places, sidePlaces} {
					earlier, isSeen := known[e.ID]
					copied[e.ID] = copied[e.ID] || isSeen && earlier != e.Place()
				}
				sidePlaces[e.ID] = e.Place()
			}
		}
		for _, s := range f.sides {
			for _, e := range s.edges {
				places[e.ID] = e.Place()
			}
		}
	}
	ours := map[string]lines.Edge{}
	for group := range slices.Chunk(slices.Sorted(maps.Keys(places)), lines.ChunkLines) {
		some, err := db.Select(ctx, t.store.DB, lines.ScanEdge, lines.EdgeColumns+`
where e.id in (select value from json_each(?1))`, db.List(group))
		if err != nil {
			return err
		}
		for _, e := range some {
			ours[e.ID] = e
		}
	}
	for _, f := range t.memoryFiles {
		for _, s := range f.sides {
			for n := range s.edges {
				e := &s.edges[n]
				old, isHere := ours[e.ID]
				isSamePlace := isHere && e.Place() == old.Place()
				switch {
				case !isSamePlace && (copied[e.ID] || isHere && t.isKnown(t.pathByID[old.From])):
					e.ID = lines.IdOf("link", e.ID, e.From, e.To, e.Kind, e.Rel)
				case !isHere || len(f.sides) > 1 || e.Changed.Head(lines.SaidField) != old.Changed.Head(lines.SaidField):
				case !isSamePlace:
					t.removed = append(t.removed, lines.Removed{
						Type: lines.TypeUnlinked, ID: old.ID, From: old.From, To: old.To, Kind: old.Kind, Rel: old.Rel, At: lines.TimeOf(stampAfter(old.LinkedAt(), "")),
						FromURI: old.FromURI, ToURI: old.ToURI,
					})
				case e.Statement() != old.Statement():
					if e.Changed == nil {
						e.Changed = lines.Stamps{}
					}
					e.Changed[lines.SaidField] = []string{stampAfter(old.LinkedAt(), e.Statement())}
				}
			}
		}
	}
	return nil
}
