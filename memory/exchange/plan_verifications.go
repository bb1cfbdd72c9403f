package exchange

import (
	"maps"
	"slices"

	"hence/internal/db"
	"hence/memory"
)

// readGrounds reads what the notes and symbols are here that memories of the other side
// were verified against.
func (p *planning) readGrounds() error {
	uris := map[string]bool{}
	for _, m := range p.theirs.memories {
		for _, v := range m.Verifications {
			if v.BecauseURI != "" {
				uris[v.BecauseURI] = true
			}
		}
	}
	return p.readNames(slices.Sorted(maps.Keys(uris)))
}

// verificationsHere returns the verifications of a memory of the other side that this
// store can have: a note has another id here, or is not imported.
func (p *planning) verificationsHere(m memoryLine) (all []verification) {
	for _, v := range m.Verifications {
		if v.BecauseURI != "" {
			ground := p.ends[v.BecauseURI]
			if ground.id == "" || ground.namespace != m.Namespace {
				continue
			}
			v.Because = ground.id
		}
		if !p.isGone(v.Because) {
			all = append(all, v)
		}
	}
	return all
}

// carryVerifications makes what was verified against an edge by one of its ids, in the
// store that made it so, verified against it by the id that it has from now on.
func (p *planning) carryVerifications() error {
	if len(p.renamed) == 0 {
		return nil
	}
	own, err := db.Select(p.ctx, p.r, db.Value[string], `
select distinct m.id
from verifications v
join memories m on m.key = v.memory
where v.evidence in (select value from json_each(?))
order by m.id`, db.List(slices.Sorted(maps.Keys(p.renamed))))
	if err != nil {
		return err
	}
	changing := map[string]bool{}
	for _, u := range p.updates {
		changing[u.new.ID] = true
	}
	own = slices.DeleteFunc(own, func(id string) bool { return changing[id] })
	if err := p.readOurs(own); err != nil {
		return err
	}
	for _, id := range own {
		p.updates = append(p.updates, revision{p.ours[id], p.ours[id]})
	}
	for n := range p.updates {
		p.updates[n].new.Verifications = p.alsoByNewID(p.updates[n].new.Verifications)
	}
	for n := range p.inserts {
		p.inserts[n].Verifications = p.alsoByNewID(p.inserts[n].Verifications)
	}
	p.updates = slices.DeleteFunc(p.updates, func(u revision) bool { return !u.differs() })
	return nil
}

// dropVoidVerifications leaves out what was verified against a memory being forgotten that
// is not forgotten, or was forgotten another time: a restore makes it void, also where the
// other side has it still.
func (p *planning) dropVoidVerifications() error {
	forgotten := map[string]string{} // when, by the id of what a verification names
	all := []*memoryLine{}
	for n := range p.updates {
		all = append(all, &p.updates[n].new)
	}
	for n := range p.inserts {
		all = append(all, &p.inserts[n])
	}
	for _, m := range all {
		for _, v := range m.Verifications {
			if v.Reason == memory.Forgotten {
				forgotten[v.Because] = ""
			}
		}
	}
	if len(forgotten) == 0 {
		return nil
	}
	err := db.Fill(p.ctx, p.r, forgotten, `
select
  m.id,
  coalesce(m.forgotten_at, '')
from json_each(?) j
join memories m on m.id = j.value`, db.List(slices.Sorted(maps.Keys(forgotten))))
	if err != nil {
		return err
	}
	for _, m := range all {
		if _, named := forgotten[m.ID]; named {
			forgotten[m.ID] = value(m.ForgottenAt)
		}
	}
	for _, m := range all {
		m.Verifications = slices.DeleteFunc(slices.Clone(m.Verifications), func(v verification) bool {
			return v.Reason == memory.Forgotten && forgotten[v.Because] != v.Mark
		})
	}
	p.updates = slices.DeleteFunc(p.updates, func(u revision) bool { return !u.differs() })
	return nil
}

// alsoByNewID adds to verifications those against edges by their new ids.
func (p *planning) alsoByNewID(all []verification) []verification {
	more := []verification{}
	for _, v := range all {
		if id, ok := p.renamed[v.Mark]; ok {
			v.Mark = id
			more = append(more, v)
		}
	}
	if len(more) == 0 {
		return all
	}
	return joinVerifications(all, more)
}
