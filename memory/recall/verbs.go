package recall

import (
	"slices"
	"strings"
)

// irregular are the English verbs and nouns whose forms the stemmer does not
// bring together, a word a line of forms. A question asks "what did she buy"
// and the text says "bought". Left out are those whose forms are stopwords
// (be, have, do) and those with a form that is better known as another word
// (rose, wound, ground).
const irregular = `
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

// sameWord are the forms of an irregular word, by each of them and by the
// regular ones that a question may hold in their place.
var sameWord = func() map[string][]string {
	same := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(irregular)) {
		forms := strings.Fields(line)
		base := forms[0]
		endings := []string{base + "s", base + "es", base + "ing", strings.TrimSuffix(base, "e") + "ing", base + base[len(base)-1:] + "ing"}
		for _, form := range slices.Concat(endings, forms) {
			same[form] = forms
		}
	}
	return same
}()

// formsOf returns the forms of a word that the stemmer leaves apart.
func formsOf(word string) []string {
	if forms := sameWord[word]; forms != nil {
		return forms
	}
	return []string{word}
}
