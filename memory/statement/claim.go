// Package statement reads a short text as a statement: a subject, an attribute and its
// value. It separates the value, which may change, from the rest of the text, so that two
// texts can be compared: "The port of PocketBase is 8090" and "PocketBase runs on port
// 9000" state the same attribute of the same subject.
//
// It reads English by rules, and only a few forms of sentences; it ignores all others. It
// reads only attributes that have one value at a time: where somebody lives, but not which
// languages they speak.
package statement

import (
	"slices"
	"strings"

	"hence/internal/prose"
)

// Claim is a text as a statement of which a value may change: without words that say
// nothing or only that it holds now, its negations apart, and each of its values one
// token. "The limit was raised to 8" claims "limit is 8".
type Claim struct {
	Words   []Token
	Negated bool
}

// Read reads a text as a statement: see Claim.Attribute. One that denies states nothing.
func Read(text string) (attribute, value string, ok bool) {
	c := ClaimOf(Tokens(text))
	attribute, value, ok = c.Attribute()
	return attribute, value, ok && !c.Negated
}

// OfMemory reads a memory as a statement: its content, where that names the subject
// itself, else what its title and its content say together.
func OfMemory(title, content string) (attribute, value string, ok bool) {
	if text := Text(title, content); text != content {
		if len(content) > longestRead {
			return "", "", false
		}
		c := ClaimOf(Tokens(content))
		if attribute, value, ok = c.Attribute(); ok && !c.Negated && c.names(attribute) {
			return attribute, value, true
		}
		content = text
	}
	return Read(content)
}

// names reports whether a name of the claim is in the subject of an attribute.
func (c Claim) names(attribute string) bool {
	subject, _, _ := strings.Cut(attribute, " : ")
	return slices.ContainsFunc(c.Words, func(t Token) bool {
		return t.Name && strings.Contains(" "+subject+" ", " "+subjectText([]Token{t})+" ")
	})
}

// Text returns what a memory says: its title, unless the content begins with it, and its
// content.
func Text(title, content string) string {
	lead := strings.TrimSuffix(strings.TrimSpace(title), "…")
	if lead == "" || strings.HasPrefix(prose.OneLine(strings.TrimLeft(strings.TrimSpace(content), "#")), lead) {
		return content
	}
	return title + ":\n" + content
}

const longestRead = 1000 // bytes of a text that may be one statement

const longestClaim = 400 // tokens

// ClaimOf returns the claim of the tokens of a text, without words if it is too long.
func ClaimOf(tokens []Token) (c Claim) {
	if len(tokens) > longestClaim {
		return c
	}
	article := ""
	for i := 0; i < len(tokens); i++ {
		one := tokens[i]
		next := Token{}
		if i+1 < len(tokens) {
			next = tokens[i+1]
		}
		switch {
		case Negations(one.Text):
			c.Negated = !c.Negated
			c.addAffirmed(one)
		case one.Text == "the" || one.Text == "a" || one.Text == "an":
			article = one.Text
			continue
		case Fillers(one.Text) || dated(one.Text):
			continue
		case one.Text == "do" || one.Text == "does":
		case one.Text == "any" && next.Text == "more":
			i++
		case (one.Text == "as" && next.Text == "of" && i+2 < len(tokens) && tokens[i+2].Value):
			i += 2 // the day of the statement
		case (one.Text == "since" || one.Text == "effective") && next.Value:
			i++
		case len(c.Words) == 0 && isOpening(tokens[i:]):
			i += openingWords - 1
		case changed(one.Text):
			i = c.addChange(tokens, i)
		case c.continuesDate(one):
			last := &c.Words[len(c.Words)-1]
			last.Text += " " + one.Text
			last.Value = true
			last.Colon = one.Colon
		default:
			one.Text, one.Article = Stem(one.Text), article
			c.Words = append(c.Words, one)
		}
		article = ""
	}
	return c
}

// openingWords are the words of an opening.
const openingWords = 3

// isOpening reports whether a sentence opens with since when it holds, which says nothing
// of what holds: since this week, after the move.
func isOpening(words []Token) bool {
	return len(words) > openingWords && openings(words[0].Text) && determiners(words[1].Text) && words[2].Tells() && !words[2].Name &&
		words[3].Sentence == words[0].Sentence && (words[3].Name || determiners(words[3].Text))
}

var (
	openings    = prose.Words(`since after from`)
	determiners = prose.Words(`the a an this that last next our`)
)

// addAffirmed adds what a negation says without its no: is for isn't.
func (c *Claim) addAffirmed(one Token) {
	word := strings.TrimSuffix(one.Text, "n't")
	switch {
	case one.Text == "cannot" || one.Text == "can't":
		word = "can"
	case one.Text == "won't":
		word = "will"
	case one.Text == "without":
		word = "with"
	case word == one.Text || word == "do" || word == "does":
		return
	}
	one.Text = word
	c.Words = append(c.Words, one)
}

// addChange adds is for "has been changed to", "was raised from 5 to", and returns the
// place of its last token; another participle is a word as others.
func (c *Claim) addChange(tokens []Token, i int) int {
	end := i + 1
	if end+1 < len(tokens) && tokens[end].Text == "from" {
		end += 2
		for end < len(tokens) && tokens[end].Value {
			end++
		}
	}
	if end >= len(tokens) || tokens[end].Text != "to" && tokens[end].Text != "at" {
		one := tokens[i]
		c.Words = append(c.Words, one)
		return i
	}
	for len(c.Words) > 0 && auxiliaries(c.Words[len(c.Words)-1].Text) {
		c.Words = c.Words[:len(c.Words)-1]
	}
	c.Words = append(c.Words, Token{Text: "is", Sentence: tokens[i].Sentence})
	return end
}

var auxiliaries = prose.Words("is are was were be been being has have had got")

// continuesDate reports whether a token belongs to the value before it: 3 and 2026
// after March, March after 3.
func (c *Claim) continuesDate(one Token) bool {
	if len(c.Words) == 0 {
		return false
	}
	last := c.Words[len(c.Words)-1]
	isMonth := months(one.Text) && one.Name
	afterMonth := months(last.Text) && last.Name
	return last.Sentence == one.Sentence && (one.Value && (last.Value || afterMonth) || isMonth && last.Value)
}

// Values returns the values of a claim by their places.
func (c Claim) Values() (places []int) {
	for i, t := range c.Words {
		if t.Value {
			places = append(places, i)
		}
	}
	return places
}

// Key returns the claim as a key, with a sign in place of one token; -1 for none.
func (c Claim) Key(place int) string {
	var b strings.Builder
	for i, t := range c.Words {
		if i == place {
			b.WriteByte('\x00')
		} else {
			b.WriteString(t.Text)
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// CountTelling is how many words say what the claim is about.
func CountTelling(words []Token) (n int) {
	for _, t := range words {
		if t.Tells() {
			n++
		}
	}
	return n
}

// Measures reports whether the value at a place is what the claim says of its subject,
// rather than a name (node 3) or one of several values: in its sentence a verb, a colon
// or an equals sign stands between what it is about and the value, and no other value
// between the verb and it.
func (c Claim) Measures(place int) bool {
	if place == 0 || labels(c.Words[place-1].Text) {
		return false
	}
	verb := -1
	for i := place - 1; i >= 0 && c.Words[i].Sentence == c.Words[place].Sentence; i-- {
		if c.Words[i].Value {
			return false
		}
		if verbs(c.Words[i].Text) || c.Words[i].Colon {
			verb = i
			break
		}
	}
	if verb < 0 {
		return false
	}
	about := c.Words[:verb]
	if c.Words[verb].Colon {
		about = c.Words[:verb+1]
	}
	return CountTelling(about) > 0 && CountTelling(c.Words) > 1
}

// common are words that say nothing about the subject of a text: see Token.Tells.
var common = prose.Words(`
a about above after again all also although always am an and any are aren't as at be because been before being
below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each
even every few for from further get gets had hadn't has hasn't have haven't having he her here hers him his how i
i'm i've if in into is isn't it it's its itself just let like make makes many may me might more most much must my
need needs never no nor not now of off often on once one only or other our ours out over own per really same shall
she should shouldn't since so some still such than that that's the their them then there there's these they this
those through to too under until up upon us use used uses using very was wasn't way we we're were weren't what when
where whether which while well want wants find finds found keep keeps going go goes know knows think thinks thing
things take takes see sees look looks looking thank thanks sure really good great nice help helps helping feel feels
give gives new time times day work working works got sound sounds let's lot
 who whom whose why will with without won't would wouldn't yet you you're your yours`)

// Fillers are words that can be left out of a sentence without a change of its meaning.
var Fillers = prose.Words(`a an the that also just please really very actually indeed simply`)

// dated are words that only say that a sentence holds now.
var dated = prose.Words(`now currently presently today nowadays instead meanwhile already recently newly update updated correction corrected anymore longer`)

// Negations turn a sentence into its opposite.
var Negations = prose.Words(`
not no never none cannot can't don't doesn't didn't isn't aren't wasn't weren't won't wouldn't shouldn't couldn't
mustn't hasn't haven't hadn't without neither nor`)

// verbs stand between a subject and its value in a sentence about a lasting state: the
// limit is 5, the service listens on 8090.
var verbs = prose.Words(`
is are be equals has have uses use runs run listens listen takes take costs cost needs need requires require wants
allows allow accepts accept holds hold contains contain supports support returns return retries retry waits wait
sleeps expires expire ends end starts start begins begin opens open closes close lasts last keeps keep serves serve
works work lives live resides stays stay sits sit stands stand weighs weigh measures measure reads writes sends
receives gets pays pay charges charge earns earn owns own employs counts count totals averages exceeds reaches
must should shall may can will defaults default becomes binds bind points point pins pin caps limits fires fire
polls poll refreshes rotates rotate happens meets meet ships ship targets target due set`)

// changed are participles that announce a new value with to: raised to 8.
var changed = prose.Words(`
changed moved raised lowered increased decreased reduced set switched bumped updated upgraded downgraded extended
shortened postponed rescheduled migrated cut dropped renamed grown risen fallen`)

// labels are words with which a number is a name rather than a measured value: floor 3.
var labels = prose.Words(`
step chapter section page line part phase stage level tier floor room rack row column shard replica node server
host machine zone region building house gate seat table figure appendix item question answer case issue ticket bug
pr task story sprint milestone episode season volume lesson exercise example option variant team group user player
experiment trial sample day week month year quarter round lap game match
iteration number no no. nr nr. id #`)

// numberWords are numbers in words. One is left out, because it is a pronoun too.
var numberWords = map[string]string{
	"zero": "0", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
	"ten": "10", "eleven": "11", "twelve": "12", "fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40",
	"fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100", "thousand": "1000",
}

var ordinals = prose.Words(`st nd rd th`)

// months are the names of months, which join with numbers into a date.
var months = prose.Words(`
january february march april june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec`)
