package lines

import (
	"slices"

	"hence/edges"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory"
)

// A file that Hence wrote is trusted as much as the person who imports it: its lines name
// their sources. A file with a given source (ImportArgs.Source) is not trusted more than that
// source, whatever its lines say. A line that names no source counts as an import.

// isStrangers reports whether the file's source is trusted less than an agent.
func (r Reader) isStrangers() bool { return r.source != "" && ref.Rank(r.source) < ref.RankOfAgent }

// rank returns the rank of a memory's text, as the column own_rank has it.
func (m *Memory) rank() int {
	if m.Confirmed == m.ContentHash+" "+m.Title || m.Origin == ref.Person && memory.SourceOf(m.Memory) == ref.Person {
		return ref.RankOfMost
	}
	return ref.Rank(memory.SourceOf(m.Memory))
}

// Named returns the id and title of a memory, and the mark of a stranger's text by its own
// source.
func (m *Memory) Named() ref.Named {
	n := ref.Named{ID: m.ID, Title: m.Title}
	if m.rank() < ref.RankOfAgent {
		n.Trust = memory.SourceOf(m.Memory)
	}
	return n
}

// TitleOf returns a title with its mark, and without secrets.
func TitleOf(n ref.Named) string { return secret.Mask(n.Title) + n.Mark() }

// lowerTrust sets the source of a memory to the source of the import, unless its line names a
// less trusted one. It drops confirmations that the source may not give, and from a
// stranger's file also verifications and stamps, so that its text wins no merge.
func (r Reader) lowerTrust(m *Memory, hasSource bool) {
	if r.source == "" {
		return
	}
	if !hasSource || ref.Rank(r.source) < ref.Rank(memory.SourceOf(m.Memory)) {
		m.Source = r.source
	}
	if ref.Rank(r.source) < ref.RankOfPerson {
		m.Confirmed = ""
	}
	if r.isStrangers() {
		m.Verifications, m.Changed = nil, nil
	}
}

// lowerEdgeTrust sets the rank of the source that declares an edge. It resets an edge of a
// stranger's file to a new one of the import, because it was not declared together with
// the memory that it leads from.
func (r Reader) lowerEdgeTrust(e *Edge, hasOrigin bool) {
	switch {
	case r.source != "":
		e.Word = ref.Rank(r.source)
	case !hasOrigin:
		e.Word = ref.Rank(ref.Import)
	}
	if r.isStrangers() {
		e.Origin, e.CreatedAt, e.Sites, e.Declared, e.Changed = "import", r.Now, []Site{}, nil, nil
	}
}

// mayBeProposal reports whether an edge would be kept as a proposal if its source is trusted
// less than the memory that it supersedes or contradicts.
func (e *Edge) mayBeProposal() bool {
	kind := edges.Kind(e.Kind)
	return e.Word > 0 && e.Unsettled == "" && (kind == edges.Supersedes || kind == edges.Contradicts)
}

// IsPersons is the SQL condition that a person wrote the text of a memory m, in the store or in a note.
const IsPersons = `(m.origin in ('person', 'vault') and coalesce(m.source, 'person') in ('person', 'note'))`

// IsPersons is the condition of that name.
func (m *Memory) IsPersons() bool {
	return slices.Contains([]string{"person", "vault"}, m.Origin) && slices.Contains([]string{"", ref.Person, ref.Note}, m.Source)
}

// IsClaim reports whether an edge supersedes a memory and does not say that a person declared it. In
// the store from which it comes it would be a proposal if it were about a person's text.
func (e *Edge) IsClaim() bool {
	return e.Kind == string(edges.Supersedes) && e.Origin != ref.Person && e.Unsettled == ""
}

// Propose turns an edge into its proposal: see edges.Proposed.
func (e *Edge) Propose() {
	e.Kind, e.Rel, e.Weight = string(edges.RelatesTo), edges.Proposed+e.Kind, edges.ProposedWeight
}

// MaxAhead is by how many years a time may be in the future. Without a limit, a text from
// the year 9000 would win every merge.
const MaxAhead = 10

// LastTime returns the latest time that a line holds, apart from times of validity; "" for
// none.
func (rec Line) LastTime() (last string) {
	consider := func(c Stamps, all ...string) {
		for _, stamps := range c {
			all = append(all, stamps[0])
		}
		for _, at := range all {
			last = max(last, TimeOf(at))
		}
	}
	switch {
	case rec.Memory != nil:
		consider(rec.Memory.Changed, rec.Memory.CreatedAt, rec.Memory.UpdatedAt, rec.Memory.ForgottenAt, rec.Memory.VerifiedAt)
	case rec.Edge != nil:
		consider(rec.Edge.Changed, rec.Edge.CreatedAt)
	case rec.Removed != nil:
		consider(nil, rec.Removed.At)
	}
	return last
}
