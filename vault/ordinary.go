package vault

import (
	"context"

	"hence/internal/db"
	"hence/projection"
)

// A name that is a word (see look) of more than one in ordinaryShare notes is an
// ordinary word of its vault, and makes no mention. A vault with fewer notes counts
// as one of ordinaryVault notes, so that a word must be in three: every word of a
// small vault is in a large share of its notes.
const (
	ordinaryShare = 50 // more than 2 %
	ordinaryVault = 100
)

// isOrdinary says whether a name makes no mention because it is an ordinary word.
// A note that wants to be mentioned is, whatever it is called.
func (d *directory) isOrdinary(name string) bool {
	return d.counts[name]*ordinaryShare > max(d.notes, ordinaryVault) && !d.wanted[d.owner(name)]
}

// count adds a number of notes to those in which each of some names stands.
func (d *directory) count(names []string, notes int) {
	for _, name := range names {
		if d.counts[name] += notes; d.counts[name] == 0 {
			delete(d.counts, name)
		}
	}
}

// allOrdinary returns the names of one note that are ordinary words.
func (d *directory) allOrdinary() map[string]bool {
	all := map[string]bool{}
	for name := range d.counts {
		if d.owner(name) != "" && d.isOrdinary(name) {
			all[name] = true
		}
	}
	return all
}

// turnedNames returns the names that are ordinary words and were not, or were and are
// not any more.
func (d *directory) turnedNames(before map[string]bool) (names []string) {
	now := d.allOrdinary()
	for name := range now {
		if !before[name] {
			names = append(names, name)
		}
	}
	for name := range before {
		if !now[name] {
			names = append(names, name)
		}
	}
	return names
}

// readCounts reads how many notes hold each name, unless that is known.
func (d *directory) readCounts(ctx context.Context, c *projection.Changes) error {
	if d.counts != nil {
		return nil
	}
	d.counts = map[string]int{}
	if !d.mentions {
		return nil
	}
	return db.Fill(ctx, c.DB, d.counts, `
select
  w.value,
  count(*)
from files f
join json_each(f.words) w
where f.vault = ?
group by w.value`, c.Known.Key)
}

// uncount takes the files that go, or are read again, out of the counts.
func (d *directory) uncount(c *projection.Changes) error {
	paths := append([]string{}, c.Removed...)
	for _, doc := range c.Documents {
		paths = append(paths, doc.Path)
	}
	for _, path := range paths {
		words, err := wordsOf(c.Known.Files[path].Words)
		if err != nil {
			return err
		}
		d.count(words, -1)
	}
	return nil
}
