package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/prose"
	"hence/internal/ref"
	"hence/internal/script"
	"hence/internal/secret"
	"hence/memory/record"
	"hence/vault/note"
)

// MaxNear is the most neighbours in the answer to a new memory.
const MaxNear = 3

// Near is a memory that is near a new one.
type Near struct {
	ref.Named
	Snippet string `json:"snippet"`
	Linked  bool   `json:"linked"`
	Same    bool   `json:"same,omitempty"`
}

// Neighbours finds the current memories of a namespace that are nearest to a text, the
// nearest first.
type Neighbours func(ctx context.Context, namespace, text string) ([]Near, error)

// Settle advises which calls settle the neighbours of a new memory.
const Settle = "memory_link supersedes if this replaces it; memory_update it and memory_forget this if they say the same; memory_link if they belong together; else leave it"

// advisedKey is the key of the context value that WithAdvised adds.
type advisedKey struct{}

// WithAdvised returns a context for a session that has read Settle: it is not told again.
func WithAdvised(ctx context.Context) context.Context {
	return context.WithValue(ctx, advisedKey{}, true)
}

// settle returns Settle if a neighbour is not linked yet and the session has not read it, else "".
func settle(ctx context.Context, near []Near) string {
	if ctx.Value(advisedKey{}) == nil && slices.ContainsFunc(near, func(n Near) bool { return !n.Linked }) {
		return Settle
	}
	return ""
}

var errStored = fault.New(fault.Exists, "store: the same text is stored already; update that memory, or leave dedup to warn")

// findSame returns the memories of the draft's namespace that hold and have its title and
// text, but for case and white space: the oldest first. Without a title in the
// arguments, the same text is enough.
func (d draft) findSame(ctx context.Context, r *db.Reader) ([]Memory, error) {
	m, keys := d.memory, lists.Map(d.sameTitle, func(one ref.Memory) int64 { return one.Key })
	// sameTitle may not list all memories with the title.
	exact, err := db.Select(ctx, r, db.Value[int64], sameText, m.ContentHash, m.Namespace, d.givenTitle(), m.CreatedAt)
	if err != nil {
		return nil, err
	}
	memories, err := db.Select(ctx, r, scanMemory, selectMemory+`
where m.key in (select value from json_each(?))
  and m.status = 'current'
order by m.created_at, m.id`, db.List(append(keys, exact...)))
	return slices.DeleteFunc(memories, func(one Memory) bool { return !holdsAt(one, m.CreatedAt) || !saysTheSame(one.Content, m.Content) }), err
}

func (d draft) givenTitle() string {
	if d.args.Title == nil {
		return ""
	}
	return d.memory.Title
}

// holdsAt reports whether a memory is current and valid at a time.
func holdsAt(m Memory, at string) bool {
	return m.Status == Current && m.ValidFrom <= at && (m.ValidTo == "" || m.ValidTo > at)
}

// sameText finds the oldest memory of the namespace ?2 that holds at the time ?4, with the
// content hash ?1 and, unless ?3 is empty, the title ?3. The plus keeps SQLite from using the index of namespaces,
// which would read the whole namespace.
const sameText = `
select key
from memories
where content_hash = ?1
  and +namespace = ?2
  and status = 'current'
  and (?3 = '' or title = ?3 collate nocase)
  and coalesce(valid_from, '') <= ?4
  and coalesce(valid_to, '~') > ?4
order by created_at, id
limit 1`

// saysTheSame reports whether two texts differ at most in case, white space and Unicode form.
func saysTheSame(a, b string) bool {
	return script.FoldCase(prose.OneLine(a)) == script.FoldCase(prose.OneLine(b))
}

// addsTo reports whether a new memory has metadata that the stored one with the same text
// lacks. Edges do not count.
func addsTo(m, there Memory) bool {
	usual := Memory{Kind: "fact", Importance: 0.5} // the defaults add nothing
	return m.Source != "" && m.Source != SourceOf(there) && m.Source != there.Trust ||
		m.Source == "" && m.Origin == ref.Person && there.Trust != "" || // a person says what a stranger said
		slices.ContainsFunc(record.Where(record.Memories, "edited"), func(c record.Column) bool {
			return c.Name != "title" && c.Name != "content" && !c.IsJSON && !c.Same(&m, &usual) && !c.Same(&m, &there)
		}) ||
		slices.ContainsFunc(m.Tags, func(tag string) bool { return !slices.Contains(there.Tags, tag) }) ||
		hasOther(m.Properties, there.Properties)
}

// hasOther reports whether properties has one that other lacks, or has with another value.
func hasOther(properties, other db.Properties) bool {
	for name, value := range properties {
		if value != nil && db.List(value) != db.List(other[name]) {
			return true
		}
	}
	return false
}

// areThere reports whether every declared edge exists already, if the memory id takes the
// place of newID.
func areThere(ctx context.Context, r *db.Reader, declared []edges.Declaration, newID, id string) (bool, error) {
	for _, d := range declared {
		at := func(end string) string { return cmp.Or(map[string]string{newID: id}[end], end) }
		there, _, err := db.One[bool](ctx, r, `
select exists (
  select 1
  from edges
  where from_key = (select key from memories where id = ?1)
    and to_key = (select key from memories where id = ?2)
    and kind = +?3
    and rel = ?4
)`, at(d.From), at(d.To), d.Kind, d.Rel)
		if err != nil || !there {
			return false, err
		}
	}
	return true, nil
}

// nearOf returns at most MaxNear neighbours of a stored memory: first those with the same
// text, then the nearest. It leaves out those that the memory supersedes and those in skip.
func nearOf(m Memory, same []Memory, near []Near, between []edges.Edge, skip map[string]bool) []Near {
	all := lists.Map(same, func(one Memory) Near {
		return Near{Named: ref.Named{ID: one.ID, Title: one.Title, Trust: one.Trust}, Snippet: ShortTitle(note.Plain(secret.Mask(one.Content))), Same: true}
	})
	for _, one := range near {
		if !slices.ContainsFunc(all, func(n Near) bool { return n.ID == one.ID }) {
			all = append(all, one)
		}
	}
	linked, replaced := map[string]bool{}, map[string]bool{}
	for _, e := range between {
		if e.From.ID == m.ID && e.Type == edges.Supersedes {
			replaced[e.To.ID] = true
		}
		linked[e.From.ID], linked[e.To.ID] = true, true
	}
	all = slices.DeleteFunc(all, func(n Near) bool { return replaced[n.ID] || skip[n.ID] })
	for i := range all {
		all[i].Linked = linked[all[i].ID] && all[i].ID != m.ID
	}
	return all[:min(len(all), MaxNear)]
}

// takenTitle returns a warning if other memories have the title of a memory. except are the
// memory itself and those that it supersedes.
func takenTitle(sameTitle []ref.Memory, except []ref.End) []string {
	others := []string{}
	for _, m := range sameTitle {
		if !slices.ContainsFunc(except, func(e ref.End) bool { return e.ID == m.ID }) {
			others = append(others, m.Text())
		}
	}
	if len(others) == 0 {
		return nil
	}
	return []string{"the title is taken already by " + strings.Join(others, ", ") + "; name each by its id, or give this one another title"}
}

// recalledKey is the key of the context value that WithRecalled adds.
type recalledKey struct{}

// WithRecalled returns a context with the ids of the memories that the session has recalled.
// A new memory that repeats one of them word for word and adds nothing to it is not stored,
// whatever its title.
func WithRecalled(ctx context.Context, ids []string) context.Context {
	return context.WithValue(ctx, recalledKey{}, ids)
}

// selectEchoes finds the recalled memories of about the same length. The plus keeps SQLite
// from any index but that of ids, as in selectRepeatable.
const selectEchoes = selectTexts + `
where m.id in (select value from json_each(?1))
  and +m.status = 'current'
  and +m.namespace = ?2
  and octet_length(m.content) between ?3 / 2 and ?3 * 2`

// echoesOf returns the memories that hold, of a new one's namespace that the session has
// recalled and that have its text: the oldest first.
func echoesOf(ctx context.Context, r *db.Reader, m Memory) ([]Memory, error) {
	recalled, _ := ctx.Value(recalledKey{}).([]string)
	if len(recalled) == 0 {
		return nil, nil
	}
	same, err := readMatches(ctx, r, func(_, content string) bool { return saysTheSame(content, m.Content) },
		selectEchoes, db.List(recalled), m.Namespace, len(m.Content))
	if err != nil || len(same) == 0 {
		return nil, err
	}
	echoes, err := db.Select(ctx, r, scanMemory, selectMemory+`
where m.id in (select value from json_each(?))
order by m.created_at, m.id`, db.List(same))
	return slices.DeleteFunc(echoes, func(one Memory) bool { return !holdsAt(one, m.CreatedAt) }), err
}
