package rank

const (
	// wholeShare is the share of the memory as a whole in the score by a word; the best
	// section has the rest.
	wholeShare = 0.8
	// presence is the score that a word adds to a whole by occurring at all (the delta of
	// Lv and Zhai, Lower-bounding term frequency normalization, 2011). BM25 alone gives a word
	// in a very long text hardly more than its absence.
	presence = 1

	// The constants k1 and b of BM25 in FTS5.
	saturation          = 1.2
	lengthNormalization = 0.75

	// The weights of columns in BM25: of those that all sections of a memory share (title,
	// aliases, tags), and of those that differ (heading, body, words).
	weightsOfNames = `8.0, 0.0, 6.0, 3.0, 0.0, 0.0`
	weightsOfText  = `0.0, 4.0, 0.0, 0.0, 1.0, ` + weightOfWords
)

// frequency is how often a word occurs in the names of a memory (title, aliases, tags) and in
// its text, each occurrence multiplied by the weight of its column. For whole.length it is the
// number of tokens in each.
type frequency struct{ names, text float64 }

// add adds the frequency in another section. The names of the memory are the same in each
// section, so they count once.
func (f *frequency) add(section frequency) {
	f.names = max(f.names, section.names)
	f.text += section.text
}

// whole is a memory as if it had one section: its length in tokens, and the frequency of each
// clue.
type whole struct {
	length      frequency
	frequencies []frequency
}

// addWholes changes the score of each candidate by each term: it becomes the weighted mean of
// the score of its best section and that of the memory as a whole.
func (p *pool) addWholes(wholes map[*Candidate]*whole) {
	average := p.part.AverageLength()
	if average == 0 {
		return
	}
	for c, w := range wholes {
		length := (w.length.names + w.length.text) / average
		for i, clue := range p.clues {
			if clue.isTerm {
				c.words[i] = (1-wholeShare)*c.words[i] + wholeShare*clue.weight*scoreOfWhole(w.frequencies[i], length)
			}
		}
	}
}

// scoreOfWhole returns the BM25 of a word in a memory plus its presence, relative to a memory of
// average length that has the word once. length is a multiple of the average length.
func scoreOfWhole(f frequency, length float64) float64 {
	times := f.names + f.text
	if times == 0 {
		return 0
	}
	return (presence*min(1, times) + times*(saturation+1)/(times+saturation*(1-lengthNormalization+lengthNormalization*length))) / (presence + 1)
}
