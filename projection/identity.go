package projection

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/pattern"
	"hence/projection/tokens"
)

// A unit that is gone and a new one are the same unit, renamed, if they have the same
// tokens and no other unit has them. Fewer than exactTokens do not tell units apart: many
// contain "return nil".
//
// For a unit that something rests on, or that somebody verified or linked, a similar new
// one will do: the similarity is at least leastSimilar, and greater by leastMargin than
// with any other. Both have more than similarTokens.
const (
	exactTokens   = 8
	similarTokens = 20
	leastSimilar  = 0.8
	leastMargin   = 0.05
)

// unitPlan says which of the stored units are renamed and which are forgotten.
type unitPlan struct {
	moves  map[int64]string // memory → new name
	forgot []int64          // memories of the units that are gone
	other  map[string]bool  // names of those that have another hash now
}

// planUnits finds the units that are gone, and among them those that have another name
// now. It sets p.units.
func (p *project) planUnits(ctx context.Context) error {
	if !p.Format.Units || p.known.Key == 0 {
		return nil
	}
	known, err := p.knownUnits(ctx)
	if err != nil {
		return err
	}
	now := map[string]*Unit{}
	unitsOf := lists.Map(slices.Concat(p.documents, p.dependents), func(d *Document) []Unit { return d.Units })
	for _, units := range append(unitsOf, p.directory.Wholes()) {
		for i := range units {
			now[units[i].Name] = &units[i]
		}
	}
	p.units = unitPlan{moves: map[int64]string{}, other: map[string]bool{}}
	p.matchNumbered(known, now)
	for _, name := range p.units.moves {
		delete(now, name)
	}
	gone := []knownUnit{}
	known, _ = p.unmatched(known, nil) // the name of one that is matched may be that of another now
	for _, u := range known {
		if unit := now[u.name]; unit == nil {
			gone = append(gone, u)
		} else {
			p.units.other[u.name] = unit.Hash != u.hash
		}
		delete(now, u.name)
	}
	came, err := p.unknownUnits(ctx, now)
	if err != nil {
		return err
	}
	p.matchMoved(gone, came)
	p.matchExact(gone, came)
	if err := p.matchSimilar(ctx, gone, came); err != nil {
		return err
	}
	for _, u := range gone {
		if p.units.moves[u.memory] == "" {
			p.units.forgot = append(p.units.forgot, u.memory)
		}
	}
	return nil
}

// unknownUnits returns the units whose names no memory of the store keeps, sorted by name. A
// name that it keeps belongs to a file that this import does not look at.
func (p *project) unknownUnits(ctx context.Context, units map[string]*Unit) (came []*Unit, err error) {
	uris := lists.Map(slices.Collect(maps.Keys(units)), func(name string) string { return p.Format.URI(p.name, name) })
	err = db.Each(ctx, p.DB, func(row *sql.Rows) error {
		var uri string
		err := row.Scan(&uri)
		delete(units, p.Format.nameOf(p.name, uri))
		return err
	}, `
select m.uri
from json_each(?1) j
cross join memories m on m.uri = j.value
where m.status <> 'forgotten'
  and m.key not in (select value from json_each(?2))`, db.List(uris), db.List(slices.Collect(maps.Keys(p.units.moves))))
	came = slices.SortedFunc(maps.Values(units), func(a, b *Unit) int { return strings.Compare(a.Name, b.Name) })
	return came, err
}

// numbers are those that tell units of one name apart.
var numbers = pattern.Lazy(`~[0-9]+`)

// matchNumbered matches units of one name whose numbers have changed, because another of the
// name came, went or changed places with them: by the hash, which no other of the name has.
func (p *project) matchNumbered(known []knownUnit, now map[string]*Unit) {
	hashes := map[string]string{}
	changed := slices.DeleteFunc(slices.Clone(known), func(u knownUnit) bool {
		hashes[u.name] = u.hash
		return now[u.name] != nil && now[u.name].Hash == u.hash
	})
	fresh := slices.DeleteFunc(slices.Collect(maps.Values(now)), func(u *Unit) bool { return hashes[u.Name] == u.Hash })
	key := func(name, hash string) string { return numbers().ReplaceAllString(name, "") + " " + hash }
	p.match(changed, fresh, func(u knownUnit) string { return key(u.name, u.hash) }, func(u *Unit) string { return key(u.Name, u.Hash) })
}

// matchMoved matches units of files that moved, by their names in them.
func (p *project) matchMoved(gone []knownUnit, came []*Unit) {
	was := map[string]int64{} // unit → memory of its file, which moved
	for _, d := range p.added {
		for _, u := range d.Units {
			was[u.Name] = p.known.Files[p.moved[d.Path]].Memory
		}
	}
	key := func(file int64, name string) string {
		if file == 0 {
			return name
		}
		_, own, _ := strings.Cut(name, "#")
		return fmt.Sprint(file, " ", own)
	}
	p.match(gone, came, func(u knownUnit) string { return key(u.file, u.name) }, func(u *Unit) string { return key(was[u.Name], u.Name) })
}

// unmatched returns the units that are not matched yet.
func (p *project) unmatched(gone []knownUnit, came []*Unit) ([]knownUnit, []*Unit) {
	taken := map[string]bool{}
	for _, name := range p.units.moves {
		taken[name] = true
	}
	return slices.DeleteFunc(slices.Clone(gone), func(u knownUnit) bool { return p.units.moves[u.memory] != "" }),
		slices.DeleteFunc(slices.Clone(came), func(u *Unit) bool { return taken[u.Name] })
}

// matchExact matches units of the same tokens, if these are enough to tell units apart.
func (p *project) matchExact(gone []knownUnit, came []*Unit) {
	key := func(hash, name string, count int) string {
		if count < exactTokens {
			return name
		}
		return hash
	}
	p.match(gone, came, func(u knownUnit) string { return key(u.hash, u.name, u.tokens.Count) }, func(u *Unit) string { return key(u.Hash, u.Name, u.Tokens.Count) })
}

// match matches those that alone have a key, among the units that are not matched yet.
func (p *project) match(gone []knownUnit, came []*Unit, keyOfGone func(knownUnit) string, keyOfCame func(*Unit) string) {
	gone, came = p.unmatched(gone, came)
	pairAlone(gone, came, keyOfGone, keyOfCame, func(from knownUnit, to *Unit) { p.units.moves[from.memory] = to.Name })
}

// pairAlone calls pair with one that is gone and one that came if they, and no others, have a key.
func pairAlone[G, C any](gone []G, came []C, keyOfGone func(G) string, keyOfCame func(C) string, pair func(G, C)) {
	goneBy, cameBy := map[string][]G{}, map[string][]C{}
	for _, g := range gone {
		key := keyOfGone(g)
		goneBy[key] = append(goneBy[key], g)
	}
	for _, c := range came {
		if key := keyOfCame(c); len(goneBy[key]) == 1 {
			cameBy[key] = append(cameBy[key], c)
		}
	}
	for key, to := range cameBy {
		if len(to) == 1 {
			pair(goneBy[key][0], to[0])
		}
	}
}

// matchSimilar matches each tied unit that is gone (see tiedSketches) with a new one, if
// the two are similar and neither has another partner that is about as similar.
func (p *project) matchSimilar(ctx context.Context, gone []knownUnit, came []*Unit) error {
	gone, came = p.unmatched(gone, came)
	came = slices.DeleteFunc(came, func(u *Unit) bool { return u.Tokens.Count <= similarTokens })
	keys := []int64{}
	for _, u := range gone {
		if u.tokens.Count > similarTokens {
			keys = append(keys, u.memory)
		}
	}
	if len(keys) == 0 || len(came) == 0 {
		return nil
	}
	tied, err := p.tiedSketches(ctx, keys)
	if err != nil {
		return err
	}
	scores := make([][]float64, len(tied))
	for i, g := range tied {
		scores[i] = make([]float64, len(came))
		for j, u := range came {
			scores[i][j] = tokens.Similarity(g.tokens, u.Tokens)
		}
	}
	for i, g := range tied {
		for j, u := range came {
			if best := scores[i][j]; best >= leastSimilar && !rivals(scores, i, j, best-leastMargin) {
				p.units.moves[g.memory] = u.Name
			}
		}
	}
	return nil
}

// tiedSketches reads the tokens of the tied units among some memories. A unit is tied if it
// has an edge that source code does not declare, or a verification.
func (p *project) tiedSketches(ctx context.Context, memories []int64) (tied []knownUnit, err error) {
	return db.Select(ctx, p.DB, func(row *sql.Rows) (u knownUnit, err error) {
		var sketch []byte
		err = row.Scan(&u.memory, &u.tokens.Count, &sketch)
		u.tokens.Sketch = make([]uint32, len(sketch)/4)
		_, _ = binary.Decode(sketch, binary.LittleEndian, u.tokens.Sketch) // which fails for no list of numbers
		return u, err
	}, `
select
  s.memory,
  s.tokens,
  s.sketch
from json_each(?1) j
cross join symbols s on s.memory = j.value
where s.sketch is not null
  and (
    exists (select 1 from edges e where e.to_key = s.memory and e.origin <> 'code')
    or exists (select 1 from edges e where e.from_key = s.memory and e.origin <> 'code')
    or exists (select 1 from verifications v where v.memory = s.memory)
    or exists (select 1 from verifications v where v.because = s.memory)
  )
order by s.memory`, db.List(memories))
}

// rivals reports whether unit i or unit j has a greater similarity than bound with another
// unit.
func rivals(scores [][]float64, i, j int, bound float64) bool {
	for other := range scores {
		if other != i && scores[other][j] > bound {
			return true
		}
	}
	for other, score := range scores[i] {
		if other != j && score > bound {
			return true
		}
	}
	return false
}

// sketchBytes returns a sketch as the store keeps it, 4 bytes a number, little-endian. It
// returns nil if there are too few tokens to compare.
func sketchBytes(t tokens.Sum) []byte {
	if t.Count <= similarTokens {
		return nil
	}
	bytes, _ := binary.Append(nil, binary.LittleEndian, t.Sketch) // which fails for no list of numbers
	return bytes
}
