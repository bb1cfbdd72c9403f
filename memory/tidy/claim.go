package tidy

import "strings"

// claim is a text as a statement of which a value may change: without words that say
// nothing or only that it holds now, its negations apart, and each of its values one
// token. "The limit was raised to 8" claims "limit is 8".
type claim struct {
	words   []token
	negated bool
}

const longestClaim = 400 // tokens

// claim returns the claim of a text, without words if it is too long.
func (t *text) claim() (c claim) {
	if len(t.tokens) > longestClaim {
		return c
	}
	article := ""
	for i := 0; i < len(t.tokens); i++ {
		one := t.tokens[i]
		next := token{}
		if i+1 < len(t.tokens) {
			next = t.tokens[i+1]
		}
		switch {
		case negations[one.text]:
			c.negated = !c.negated
			c.addAffirmed(one)
		case one.text == "the" || one.text == "a" || one.text == "an":
			article = one.text
			continue
		case fillers[one.text] || dated[one.text]:
			continue
		case one.text == "do" || one.text == "does":
		case one.text == "any" && next.text == "more":
			i++
		case (one.text == "as" && next.text == "of" && i+2 < len(t.tokens) && t.tokens[i+2].value):
			i += 2 // the day of the statement
		case (one.text == "since" || one.text == "effective") && next.value:
			i++
		case len(c.words) == 0 && isOpening(t.tokens[i:]):
			i += openingWords - 1
		case changed[one.text]:
			i = c.addChange(t.tokens, i)
		case c.continuesDate(one):
			last := &c.words[len(c.words)-1]
			last.text += " " + one.text
			last.value = true
			last.colon = one.colon
		default:
			one.text, one.article = stem(one.text), article
			c.words = append(c.words, one)
		}
		article = ""
	}
	return c
}

// openingWords are the words of an opening.
const openingWords = 3

// isOpening reports whether a sentence opens with since when it holds, which says nothing
// of what holds: since this week, after the move.
func isOpening(words []token) bool {
	return len(words) > openingWords && openings[words[0].text] && determiners[words[1].text] && words[2].tells() && !words[2].name &&
		words[3].sentence == words[0].sentence && (words[3].name || determiners[words[3].text])
}

var (
	openings    = setOf(`since after from`)
	determiners = setOf(`the a an this that last next our`)
)

// addAffirmed adds what a negation says without its no: is for isn't.
func (c *claim) addAffirmed(one token) {
	word := strings.TrimSuffix(one.text, "n't")
	switch {
	case one.text == "cannot" || one.text == "can't":
		word = "can"
	case one.text == "won't":
		word = "will"
	case one.text == "without":
		word = "with"
	case word == one.text || word == "do" || word == "does":
		return
	}
	one.text = word
	c.words = append(c.words, one)
}

// addChange adds is for "has been changed to", "was raised from 5 to", and returns the
// place of its last token; another participle is a word as others.
func (c *claim) addChange(tokens []token, i int) int {
	end := i + 1
	if end+1 < len(tokens) && tokens[end].text == "from" {
		end += 2
		for end < len(tokens) && tokens[end].value {
			end++
		}
	}
	if end >= len(tokens) || tokens[end].text != "to" && tokens[end].text != "at" {
		one := tokens[i]
		c.words = append(c.words, one)
		return i
	}
	for len(c.words) > 0 && auxiliaries[c.words[len(c.words)-1].text] {
		c.words = c.words[:len(c.words)-1]
	}
	c.words = append(c.words, token{text: "is", sentence: tokens[i].sentence})
	return end
}

var auxiliaries = setOf("is are was were be been being has have had got")

// continuesDate reports whether a token belongs to the value before it: 3 and 2026
// after March, March after 3.
func (c *claim) continuesDate(one token) bool {
	if len(c.words) == 0 {
		return false
	}
	last := c.words[len(c.words)-1]
	isMonth := months[one.text] && one.name
	afterMonth := months[last.text] && last.name
	return last.sentence == one.sentence && (one.value && (last.value || afterMonth) || isMonth && last.value)
}

// values returns the values of a claim by their places.
func (c claim) values() (places []int) {
	for i, t := range c.words {
		if t.value {
			places = append(places, i)
		}
	}
	return places
}

// without returns the claim as a key, with a sign in place of one token; -1 for none.
func (c claim) without(place int) string {
	var b strings.Builder
	for i, t := range c.words {
		if i == place {
			b.WriteByte('\x00')
		} else {
			b.WriteString(t.text)
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// telling is how many words say what the claim is about.
func telling(words []token) (n int) {
	for _, t := range words {
		if t.tells() {
			n++
		}
	}
	return n
}

// measures reports whether the value at a place is what the claim says of its subject,
// rather than a name (node 3) or one of several values: in its sentence a verb, a colon
// or an equals sign stands between what it is about and the value, and no other value
// between the verb and it.
func (c claim) measures(place int) bool {
	if place == 0 || labels[c.words[place-1].text] {
		return false
	}
	verb := -1
	for i := place - 1; i >= 0 && c.words[i].sentence == c.words[place].sentence; i-- {
		if c.words[i].value {
			return false
		}
		if verbs[c.words[i].text] || c.words[i].colon {
			verb = i
			break
		}
	}
	if verb < 0 {
		return false
	}
	about := c.words[:verb]
	if c.words[verb].colon {
		about = c.words[:verb+1]
	}
	return telling(about) > 0 && telling(c.words) > 1
}
