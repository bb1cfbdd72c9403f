package merge

import (
	"maps"
	"slices"

	"hence/internal/db"
	"hence/memory"
	"hence/memory/exchange/lines"
)

// readGrounds adds to p.ends the store's notes and symbols against which memories of the
// other side were verified.
func (p *planner) readGrounds() error {
	uris := []string{}
	for _, m := range p.theirs.memories {
		for _, v := range m.Verifications {
			uris = append(uris, v.BecauseURI)
		}
	}
	return p.addEnds(uris)
}

// verificationsHere returns the verifications of a memory of the other side with the ids of
// this store. It drops those against notes that are not imported here, or against purged
// memories.
func (p *planner) verificationsHere(m lines.Memory) (verifications []lines.Verification) {
	for _, v := range m.Verifications {
		if v.BecauseURI != "" {
			ground := p.ends[v.BecauseURI]
			if ground.id == "" || ground.namespace != m.Namespace {
				continue
			}
			v.Because = ground.id
		}
		if !p.isVoidThere(v.Because) && !p.isGone(v.Because) {
			verifications = append(verifications, v)
		}
	}
	return verifications
}

// carryVerifications copies verifications against an edge that gets a new id, so that they
// hold under the new id too.
func (p *planner) carryVerifications() error {
	if len(p.newEdgeIDs) == 0 {
		return nil
	}
	ids, err := db.Select(p.ctx, p.r, db.Value[string], `
select distinct m.id
from verifications v
join memories m on m.key = v.memory
where v.evidence in (select value from json_each(?))
order by m.id`, db.List(slices.Sorted(maps.Keys(p.newEdgeIDs))))
	if err != nil {
		return err
	}
	isUpdated := map[string]bool{}
	for _, u := range p.updates {
		isUpdated[u.New.ID] = true
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return isUpdated[id] })
	if err := p.readOurs(ids); err != nil {
		return err
	}
	for _, id := range ids {
		p.updates = append(p.updates, lines.Revision{Old: p.ours[id], New: p.ours[id]})
	}
	for _, m := range p.written() {
		m.Verifications = p.alsoByNewID(m.Verifications)
	}
	p.updates = slices.DeleteFunc(p.updates, func(u lines.Revision) bool { return !u.Differs() })
	return nil
}

// dropVoidVerifications drops verifications with the reason forgotten if the memory that
// they name is not forgotten, or was forgotten at another time. A restore makes them void,
// even if the other side still has them.
func (p *planner) dropVoidVerifications() error {
	forgottenAt := map[string]string{} // forgotten_at by the id that a verification names
	all := p.written()
	for _, m := range all {
		for _, v := range m.Verifications {
			if v.Reason == memory.Forgotten {
				forgottenAt[v.Because] = ""
			}
		}
	}
	if len(forgottenAt) == 0 {
		return nil
	}
	err := db.Fill(p.ctx, p.r, forgottenAt, `
select
  m.id,
  coalesce(m.forgotten_at, '')
from json_each(?) j
join memories m on m.id = j.value`, db.List(slices.Sorted(maps.Keys(forgottenAt))))
	if err != nil {
		return err
	}
	for _, m := range all {
		if _, isNamed := forgottenAt[m.ID]; isNamed {
			forgottenAt[m.ID] = m.ForgottenAt
		}
	}
	for _, m := range all {
		m.Verifications = slices.DeleteFunc(slices.Clone(m.Verifications), func(v lines.Verification) bool {
			return v.Reason == memory.Forgotten && forgottenAt[v.Because] != v.Mark
		})
	}
	p.updates = slices.DeleteFunc(p.updates, func(u lines.Revision) bool { return !u.Differs() })
	return nil
}

// written returns the memories as the plan writes them.
func (p *plan) written() (all []*lines.Memory) {
	for n := range p.updates {
		all = append(all, &p.updates[n].New)
	}
	for n := range p.inserts {
		all = append(all, &p.inserts[n])
	}
	return all
}

// alsoByNewID returns verifications together with copies for the edges that get new ids.
func (p *planner) alsoByNewID(all []lines.Verification) []lines.Verification {
	copies := []lines.Verification{}
	for _, v := range all {
		if id, ok := p.newEdgeIDs[v.Mark]; ok {
			v.Mark = id
			copies = append(copies, v)
		}
	}
	if len(copies) == 0 {
		return all
	}
	return lines.JoinVerifications(all, copies)
}
