package vault

import (
	"context"

	"hence/internal/db"
	"hence/projection"
)

// A name that more than one in ordinaryShare notes have as a word (see look) is an ordinary
// word of its vault, and makes no mention. A vault of fewer than ordinaryVault notes counts
// as one of ordinaryVault, so that the word must be in three: in a small vault every word is
// in a large share of the notes.
const (
	ordinaryShare = 50 // more than 2 %
	ordinaryVault = 100
)

// isOrdinary reports whether a name makes no mention because it is an ordinary word. It is
// false for a name of a note with mentions: true.
func (d *directory) isOrdinary(name string) bool {
	return d.counts[name]*ordinaryShare > max(d.notes, ordinaryVault) && !d.wanted[d.owner(name)]
}

// count adds notes, which may be negative, to the counts of names.
func (d *directory) count(names []string, notes int) {
	for _, name := range names {
		if d.counts[name] += notes; d.counts[name] == 0 {
			delete(d.counts, name)
		}
	}
}

// allOrdinary returns the ordinary words among the names that only one note has.
func (d *directory) allOrdinary() map[string]bool {
	all := map[string]bool{}
	for name := range d.counts {
		if d.owner(name) != "" && d.isOrdinary(name) {
			all[name] = true
		}
	}
	return all
}

// turnedNames returns the names that have become ordinary words or ceased to be, given
// those that were before.
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

// readCounts reads d.counts from the store, unless it has been read.
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
where f.mirror = ?
group by w.value`, c.Known.Key)
}

// uncount subtracts removed and changed files from the counts.
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
