package recall

import "strings"

// stopwords are the English words that a question is made of and that say
// nothing of what it is about, as the tokenizer cuts them: without
// apostrophes.
var stopwords = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`
a about above after again all also am an and any are aren as at be because been
before being below between both but by can cannot could couldn d did didn do
does doesn doing don down during each few for from further had hadn has hasn
have haven having he her here hers herself him himself his how i if in into is
isn it its itself just let ll m many me might more most much must my myself no
nor not now of off on once only or other our ours ourselves out over own re s
same shall she should shouldn so some such t than that the their theirs them
themselves then there these they this those through to too under until up upon
us ve very was wasn we were weren what when where whether which while who whom
whose why will with won would wouldn you your yours yourself yourselves`) {
		set[word] = true
	}
	return set
}()
