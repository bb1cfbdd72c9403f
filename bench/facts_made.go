package main

import (
	"fmt"
	"math/rand/v2"
)

// The numbers of the subjects whose facts change, and of the facts of each, one after the
// other.
const (
	services    = 200 // each has a maintainer
	people      = 200 // each lives in a city
	ports       = 100 // further services, each with a port
	mostRounds  = 6
	leastRounds = 2
)

// subject is a thing of which one fact is true at a time.
type subject struct {
	question string
	name     string     // all its facts contain it
	values   []string   // one after the other
	facts    []string   // the sentences that state the values
	others   [][]string // what else is said of it before each fact
}

// chain is a question of two hops: the current value of the subject from is the name of the
// subject to. Both are indices.
type chain struct{ from, to int }

// changing are subjects whose facts change, as in FactConsolidation (MemoryAgentBench):
// statements of one form follow each other, and a later one replaces the earlier ones.
type changing struct {
	subjects []subject
	chains   []chain
	distinct bool // each fact says something else, and none replaces another
}

var wordings = map[string][]string{
	"maintainer": {"%[2]s maintains %[1]s.", "The maintainer of %[1]s is %[2]s.", "%[1]s is now looked after by %[2]s, who maintains it.", "Since this week %[2]s is the maintainer of %[1]s.", "Questions about %[1]s go to its maintainer, %[2]s."},
	"city":       {"%[1]s lives in %[2]s.", "%[1]s has moved to %[2]s and lives there.", "The city where %[1]s lives is %[2]s.", "%[1]s's home is in %[2]s now.", "These days %[1]s lives and works in %[2]s."},
	"port":       {"%[1]s listens on port %[2]s.", "The port of %[1]s is %[2]s.", "%[1]s is reached at localhost:%[2]s.", "Port %[2]s belongs to %[1]s.", "After the move %[1]s uses port %[2]s."},
}

// makeChanging returns subjects whose facts change, the same ones every time.
func makeChanging() (c changing) {
	r := rand.New(rand.NewPCG(18, 2026))
	everybody, everything := peopleAndThings(r, people, services+ports)
	cities := []string{"Aarhus", "Bologna", "Cádiz", "Dresden", "Espoo", "Fukuoka", "Ghent", "Haifa", "Izmir", "Jaipur", "Kraków", "Lima", "Mombasa", "Nantes", "Odense", "Porto", "Quito", "Riga", "Sapporo", "Tartu", "Utrecht", "Valencia", "Winnipeg", "Yerevan", "Zadar"}
	indices := map[string]int{} // of the subjects of persons, by name
	for _, name := range everybody {
		indices[name] = len(c.subjects)
		c.subjects = append(c.subjects, newSubject(r, wordings["city"], name, "Where does %s live?", func() string { return cities[r.IntN(len(cities))] }))
	}
	for i, name := range everything {
		if i < services {
			s := newSubject(r, wordings["maintainer"], name, "Who maintains %s?", func() string { return everybody[r.IntN(len(everybody))] })
			c.chains = append(c.chains, chain{len(c.subjects), indices[s.values[len(s.values)-1]]})
			c.subjects = append(c.subjects, s)
			continue
		}
		c.subjects = append(c.subjects, newSubject(r, wordings["port"], name, "Which port does %s use?", func() string { return fmt.Sprint(1024 + r.IntN(60_000)) }))
	}
	return c
}

// peopleAndThings returns names of persons and of services.
func peopleAndThings(r *rand.Rand, persons, n int) (people, things []string) {
	people = pairs(r, persons, []string{"Ada", "Bruno", "Chiara", "Dmitri", "Elif", "Farah", "Goran", "Hana", "Ivo", "Jun", "Karim", "Lena", "Mara", "Nils", "Oana", "Pavel", "Quinn", "Rosa", "Samir", "Tove"},
		[]string{"Abbott", "Bergman", "Castro", "Dvorak", "Eriksen", "Fontaine", "Grimaldi", "Hofer", "Ibarra", "Jansen", "Kowalski", "Lindqvist", "Moreau", "Novak", "Okafor", "Petrov", "Quiroga", "Rossi", "Santos", "Tanaka"})
	things = pairs(r, n, []string{"Amber", "Basalt", "Cobalt", "Delta", "Ember", "Falcon", "Granite", "Harbor", "Indigo", "Juniper", "Kestrel", "Lagoon", "Marble", "Nimbus", "Onyx", "Prairie", "Quartz", "Raven", "Saffron", "Tundra"},
		[]string{"Gateway", "Ledger", "Mailer", "Scheduler", "Catalog", "Importer", "Renderer", "Archive", "Billing", "Search", "Courier", "Registry", "Planner", "Monitor", "Exporter", "Vault", "Relay", "Indexer", "Notifier", "Router"})
	return people, things
}

// newSubject returns a subject whose values differ from each other. No two sentences in
// a row have the same wording.
func newSubject(r *rand.Rand, wordings []string, name, question string, value func() string) subject {
	s := subject{question: fmt.Sprintf(question, name), name: name}
	used, wording := map[string]bool{}, -1
	for n := leastRounds + r.IntN(mostRounds-leastRounds+1); len(s.values) < n; {
		v := value()
		if used[v] {
			continue
		}
		used[v] = true
		next := r.IntN(len(wordings))
		if next == wording {
			next = (next + 1) % len(wordings)
		}
		wording = next
		s.values = append(s.values, v)
		s.facts = append(s.facts, fmt.Sprintf(wordings[wording], name, v))
	}
	return s
}

// pairs returns n different names of a first and a second word.
func pairs(r *rand.Rand, n int, first, second []string) (names []string) {
	for _, at := range r.Perm(len(first) * len(second))[:n] {
		names = append(names, first[at%len(first)]+" "+second[at/len(first)])
	}
	return names
}
