package lexicon

import "strings"

// Stopwords are the English words that do not say what a question is about, as the tokenizer
// splits them, without apostrophes. The comment of package recall says which words are not
// in the list, and why.
var Stopwords = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`
a about all also am an and any are aren as at be because been being but by can
cannot could couldn d did didn do does doesn doing don for from had hadn has
hasn have haven having he her here hers herself him himself his how i if in into
is isn it its itself just let ll m many me might more most much must my myself
no nor not now of on or our ours ourselves re s shall she should shouldn so some
such t than that the their theirs them themselves then there these they this
those to too upon us ve very was wasn we were weren what when where whether
which who whom whose why will with won would wouldn you your yours yourself
yourselves`) {
		set[word] = true
	}
	return set
}()
