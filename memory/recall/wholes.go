package recall

import (
	"context"

	"hence/internal/db"
)

const (
	// wholeCounts is the share of the memory as a whole in what a word adds to its
	// score; the best section has the rest.
	wholeCounts = 0.8
	// present is what a word adds to the score of a whole by being there at all (delta of
	// Lv and Zhai, Lower-bounding term frequency normalization, 2011): BM25 gives a word
	// in a very long text about as little as its absence.
	present = 1

	// The constants of BM25 in FTS5.
	saturation = 1.2
	lengthens  = 0.75

	// The weights of BM25, of the columns that each section of a memory has, and of those
	// of its own.
	weightsOfNames = `8.0, 0.0, 6.0, 3.0, 0.0`
	weightsOfText  = `0.0, 4.0, 0.0, 0.0, 1.0`
)

// frequency is how often something is in what names a memory, and in its text, each place
// at its column's weight.
type frequency struct{ names, text float64 }

// add adds a section: what names the memory is in each of them, and counts once.
func (o *frequency) add(section frequency) {
	o.names = max(o.names, section.names)
	o.text += section.text
}

// whole is a memory as if it had one section: its length in tokens, and how often it
// has each clue.
type whole struct {
	length frequency
	often  []frequency
}

const columns = 5 // of the index: title, heading, aliases, tags, body

// joinWholes adds to what each term adds by the best section what it adds by the
// memory as a whole.
func (p *pool) joinWholes(wholes map[*candidate]*whole) {
	average := p.part.averageLength()
	if average == 0 {
		return
	}
	for c, w := range wholes {
		length := (w.length.names + w.length.text) / average
		for i, clue := range p.clues {
			if clue.isTerm {
				c.words[i] = (1-wholeCounts)*c.words[i] + wholeCounts*clue.tells*scoreOfWhole(w.often[i], length)
			}
		}
	}
}

// scoreOfWhole is BM25 of a word in a memory whose length is a multiple of the usual
// one, with its presence; one in a memory of the usual length that has the word once.
func scoreOfWhole(o frequency, length float64) float64 {
	times := o.names + o.text
	if times == 0 {
		return 0
	}
	return (present + times*(saturation+1)/(times+saturation*(1-lengthens+lengthens*length))) / (present + 1)
}

// indexTotals returns what the index counts as it changes: its rows, and the tokens in
// each column; nothing if it is empty.
func indexTotals(ctx context.Context, r *db.Reader) ([]float64, error) {
	record, _, err := db.One[[]byte](ctx, r, `select block from section_search_data where id = 1`)
	totals, n := []float64{}, 0
	for _, b := range record { // numbers of seven bits a byte, the highest first
		n = n<<7 | int(b&0x7f)
		if b < 0x80 {
			totals, n = append(totals, float64(n)), 0
		}
	}
	if len(totals) != 1+columns {
		return nil, err
	}
	return totals, err
}
