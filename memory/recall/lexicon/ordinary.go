package lexicon

import "strings"

// ordinary are words by which two texts agree without being about one thing: words of time,
// number and order, the commonest verbs, and the small words of other languages.
var ordinary = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`
after again against already although always another anything around away back because before behind being below
beside better between both came case close closed closes come comes day days different does done down during each
either else end ends enough even evening every everything far few first five found four full gave get gets give given
gives goes going gone good half hour hours however hundred instead it's keep keeps kept kind know known large last later
least less let little long longer look looks made main make makes making many mean means minute minutes month months
morning move moved much need needed needs never new next night nine nothing number numbers often old once one only open
open opened opens order other others out over own part people person place places put puts read reads run running runs
said same say says second seconds see seen sees set sets seven several show shown shows side since six small someone
something sometimes soon start started starts still stop stopped stops take taken takes ten thing things third thousand
three through till time times today together told tomorrow took turn turned turns twice two under until up use used
user uses using usually want wanted wants way week weeks well went while within without work working works year years
yesterday yet
monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays
january february march april june july august september october november december
aber alle als am auf aus bei beim bis das dass dem den der des die doch durch ein eine einem einen einer eines für
haben hat ihr immer ist kann kein keine man mehr mit nach nicht noch nur oder ohne sehr sein seine sich sie sind über und
unter vom von vor war werden wenn wie wird wurde zum zur zwei
aux avec cette dans des elle est être faut ils les leur mais nous ont pas peut plus pour que qui sans ses son sont sur
toujours tous tout une vous
algo como con cada del desde donde esta este hay hasta las los más muy para pero por puede que se ser siempre sin sobre
son sus también todo todos una uno unos y
anche che chi come con dal dalla degli del della delle deve gli nel nella non ogni per più può quando sempre solo sono
sulla tutti un
aan alle als ben bij dan dat deze een elke en er geen heeft het hij kan maar met naar niet nog ook op te van voor wordt
zijn zonder
att det där efter eller för från har inte kan men med när och om som till utan var varje vid är
как для его если или когда которые может нет она они при так только это что чтобы
`) {
		set[word] = true
	}
	return set
}()

// IsOrdinary reports whether a word in lower case says little about the thing that a text is
// about.
func IsOrdinary(word string) bool { return ordinary[word] || Stopwords[word] }
