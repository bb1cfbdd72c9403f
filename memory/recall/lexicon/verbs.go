package lexicon

import (
	"slices"
	"strings"
)

// Irregular lists the English verbs and nouns whose forms the stemmer does not unify, one
// word with its forms per line: a question may ask "what did she buy" where the text says
// "bought". Words whose forms are stopwords (be, have, do) are left out, and so are words
// with a form that is better known as another word (rose, wound, ground).
const Irregular = `
become became
begin began begun
bend bent
bite bit bitten
blow blew blown
break broke broken
bring brought
build built
buy bought
catch caught
choose chose chosen
come came
creep crept
deal dealt
dig dug
draw drew drawn
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fly flew flown
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go goes went gone
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
know knew known
lead led
leave left
lend lent
light lit
lose lost
make made
mean meant
meet met
pay paid
ride rode ridden
ring rang rung
run ran
say said
see saw seen
seek sought
sell sold
send sent
shake shook shaken
shine shone
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
speak spoke spoken
spend spent
spin spun
stand stood
steal stole stolen
stick stuck
strike struck
swear swore sworn
sweep swept
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
understand understood
wake woke woken
wear wore worn
weep wept
win won
write wrote written
child children
foot feet
knife knives
man men
mouse mice
tooth teeth
wife wives
woman women`

// SameWord maps each form of an irregular word to all its forms. The regular endings of the
// base form, such as buys and buying, are keys too.
var SameWord = func() map[string][]string {
	same := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(Irregular)) {
		forms := strings.Fields(line)
		base := forms[0]
		endings := []string{base + "s", base + "es", base + "ing", strings.TrimSuffix(base, "e") + "ing", base + base[len(base)-1:] + "ing"}
		for _, form := range slices.Concat(endings, forms) {
			same[form] = forms
		}
	}
	return same
}()
