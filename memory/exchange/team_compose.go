package exchange

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/secret"
)

// The files of a folder that are not of memories, besides scopeName.
const (
	removedName    = "removed.jsonl"
	attributesName = ".gitattributes"
	attributes     = "*.md -text\nremoved.jsonl -text merge=union\n"
)

// compose says what the folder is to hold.
func (t *team) compose(ctx context.Context) error {
	t.want = map[string][]byte{attributesName: withLines(t.files[attributesName], attributes), scopeName: []byte(jsonText(t.scope) + "\n")}
	memories := []memoryLine{}
	return t.store.DB.Read(ctx, func(r *db.Reader) error {
		if err := t.withdraw(ctx, r); err != nil {
			return err
		}
		titles, hashes := map[string]string{}, map[string]string{}
		err := db.Each(ctx, r, func(row *sql.Rows) error {
			m, err := scanMemory(row)
			if err != nil {
				return err
			}
			if _, there := t.paths[m.ID]; m.ForgottenAt != nil && !there {
				return nil
			}
			if t.isWithdrawn(m) || t.refuses(m, string(teamText(m, nil))) {
				return nil
			}
			titles[m.ID], hashes[m.ID] = m.Title, cmp.Or(m.ContentHash, db.Hash(m.Content))
			memories = append(memories, m)
			return nil
		}, memoryColumns+`
from memories m
where `+teamScope+`
order by m.id`, t.scope.Namespace, t.scope.Project)
		if err != nil {
			return err
		}
		links, err := t.composeLinks(ctx, r, titles, hashes)
		if err != nil {
			return err
		}
		used := map[string]bool{}
		for _, path := range t.paths {
			used[path] = true
		}
		for _, m := range memories {
			path, known := t.paths[m.ID]
			if !known {
				path = teamPath(m, used)
				used[path] = true
			}
			if t.others[path] {
				t.done.Merged.Warnings = warn(t.done.Merged.Warnings, path+" does not begin with ---, and is not written over; mend or remove it")
				continue
			}
			t.want[path] = teamText(m, links[m.ID])
		}
		if t.args.Known != "" {
			t.key = db.NewFingerprintKey()
			if t.state, err = fingerprint(ctx, r, t.scope.Namespace, t.key); err != nil {
				return err
			}
		}
		return t.composeRemoved(ctx, r, titles)
	})
}

// composeLinks returns the links of each memory of the folder. titles and hashes are those
// of its memories.
func (t *team) composeLinks(ctx context.Context, r *db.Reader, titles, hashes map[string]string) (map[string][]teamLink, error) {
	links := map[string][]teamLink{}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		e, err := scanEdge(row)
		if _, there := titles[e.From]; err != nil || !there || !e.isDeclared() {
			return err
		}
		if e.Basis == "" && restsOn(e.EdgeType) { // written out, it stays when the other text changes
			e.Basis = hashes[e.To]
		}
		if _, there := titles[e.To]; !there && e.ToURI == "" {
			return nil
		}
		one := teamLink{
			Type: e.EdgeType, To: e.To, Title: titles[e.To], Rel: e.Rel, Note: e.Note, ValidFrom: e.ValidFrom, ValidTo: e.ValidTo,
			ID: e.ID, Created: e.CreatedAt, By: *e.Actor, Origin: e.Origin, Basis: e.Basis, ToURI: e.ToURI, Unsettled: e.Unsettled, Changed: e.Changed,
		}
		if *e.Weight != 1 {
			one.Weight = e.Weight
		}
		if hits := secret.Find(jsonText(one)); len(hits) > 0 {
			t.done.Refused = append(t.done.Refused, fmt.Sprintf("%s: its link to %s looks like a secret (%s)", secret.Mask(titles[e.From]), secret.Mask(titles[e.To]), hits[0].Kind))
			return nil
		}
		links[e.From] = append(links[e.From], one)
		return nil
	}, selectEdges, t.scope.Namespace)
	return links, err
}

// composeRemoved keeps what was removed of the folder's memories.
func (t *team) composeRemoved(ctx context.Context, r *db.Reader, titles map[string]string) error {
	all, err := db.Select(ctx, r, scanRemoved, selectRemoved, t.scope.Namespace)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	t.purged = map[string]bool{}
	for _, l := range all {
		t.purged[l.ID] = t.purged[l.ID] || l.Type == typePurged
		_, from := titles[l.From]
		_, to := titles[l.To]
		_, purged := t.paths[l.ID]
		if l.Type == typeUnlinked && from && (to || l.ToURI != "") || l.Type == typePurged && (purged || slices.Contains(t.ids, l.ID)) {
			l.Namespace = ""
			out.WriteString(jsonText(l) + "\n")
		}
	}
	for _, id := range slices.Sorted(maps.Keys(t.withdrawn)) {
		out.WriteString(jsonText(removedLine{Type: typeWithdrawn, ID: id, At: t.withdrawn[id]}) + "\n")
	}
	if out.Len() > 0 {
		t.want[removedName] = out.Bytes()
	}
	return nil
}

// withdraw takes memories out of the folder that are personal here now. Who has them
// besides keeps them, and does not write them again.
func (t *team) withdraw(ctx context.Context, r *db.Reader) error {
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var id, title, at string
		err := row.Scan(&id, &title, &at)
		t.withdrawn[id] = max(t.withdrawn[id], at)
		t.done.Withdrawn = append(t.done.Withdrawn, title)
		return err
	}, `
select
  m.id,
  m.title,
  m.updated_at
from json_each(?1) j
join memories m on m.id = j.value
where m.namespace = ?2
  and `+isPersonal+`
order by m.id`, db.List(slices.Sorted(maps.Keys(t.paths))), t.scope.Namespace)
}

// isWithdrawn reports whether a memory stays out of the folder because somebody withdrew
// it. Who then says that it is not private brings it back.
func (t *team) isWithdrawn(m memoryLine) bool {
	withdrawn, is := t.withdrawn[m.ID]
	for field, stamps := range m.Changed {
		if is && strings.EqualFold(field, propertyField+"private") && timeOf(stamps[0]) > withdrawn {
			delete(t.withdrawn, m.ID)
			return false
		}
	}
	return is
}

// refuses reports whether the file of a memory has what looks like a secret, and says
// where: in which line of the text, or in which field.
func (t *team) refuses(m memoryLine, file string) bool {
	hits := secret.Find(file)
	if len(hits) == 0 {
		return false
	}
	before := file[:hits[0].Start]
	where := ""
	if front, content, inText := strings.Cut(before, "\n---\n"); inText {
		where = fmt.Sprint("line ", strings.Count(content, "\n")+1)
	} else {
		lines := strings.Split(front, "\n")
		for n := len(lines) - 1; n > 0 && (where == "" || strings.HasPrefix(where, " ")); n-- {
			where, _, _ = strings.Cut(lines[n], ":")
		}
	}
	t.done.Refused = append(t.done.Refused, fmt.Sprintf("%s: %s looks like a secret (%s)", secret.Mask(m.Title), where, hits[0].Kind))
	return true
}

// withLines adds the lines to a text that it lacks. A folder may have had its own.
func withLines(text []byte, lines string) []byte {
	has := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		has[strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(lines) {
		if has[strings.TrimSpace(line)] {
			continue
		}
		if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
			text = append(text, '\n')
		}
		text = append(text, line...)
	}
	return text
}
