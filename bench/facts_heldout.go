package main

import (
	"fmt"
	"math/rand/v2"
)

// The sizes of the sets of facts on which no rule was tuned.
const (
	unseenSize   = 50  // subjects of each attribute of makeUnseen
	distinctSize = 150 // subjects of makeDistinct
)

// makeUnseen returns subjects of attributes and wordings on which no rule was tuned. Do not
// tune rules on them: they measure how far the rules reach.
func makeUnseen() (c changing) {
	r := rand.New(rand.NewPCG(81, 2026))
	people, things := peopleAndThings(r, 100, 150)
	employers := pairs(r, 40, []string{"North", "Blue", "Iron", "Silver", "Green", "West", "Stone", "Bright"}, []string{"Works", "Harvest", "Line", "Press", "Bank", "Foods", "Motors", "Optics"})
	databases := []string{"Postgres", "MariaDB", "Cassandra", "Redis", "MongoDB", "CockroachDB", "DuckDB", "Firebird", "Neo4j", "ScyllaDB", "Oracle", "Couchbase"}
	pick := func(from []string) func() string { return func() string { return from[r.IntN(len(from))] } }
	for _, one := range []struct {
		question string
		names    []string
		wordings []string
		value    func() string
	}{
		{"Where does %s work?", people[:unseenSize], []string{"%[1]s works for %[2]s.", "%[1]s has joined %[2]s and works there.", "The employer of %[1]s is %[2]s.", "%[1]s's job is at %[2]s now.", "Since last month %[1]s is employed by %[2]s."}, pick(employers)},
		{"Which database does %s use?", things[:unseenSize], []string{"%[1]s keeps its data in %[2]s.", "The database of %[1]s is %[2]s.", "%[1]s has switched to %[2]s as its database.", "%[2]s is the database behind %[1]s.", "These days %[1]s stores everything in %[2]s."}, pick(databases)},
		{"How many requests a minute does %s take?", things[unseenSize : 2*unseenSize], []string{"%[1]s allows %[2]s requests a minute.", "The rate limit of %[1]s is %[2]s requests a minute.", "%[1]s is limited to %[2]s requests a minute.", "At most %[2]s requests a minute reach %[1]s.", "%[1]s now refuses more than %[2]s requests a minute."}, func() string { return fmt.Sprint(10 * (1 + r.IntN(400))) }},
		{"Who leads %s?", things[2*unseenSize:], []string{"%[2]s leads %[1]s.", "%[1]s is led by %[2]s.", "The lead of %[1]s is %[2]s.", "%[1]s has a new lead, %[2]s, who runs it.", "Ask %[2]s, the lead of %[1]s, before you change it."}, pick(people[unseenSize:])},
	} {
		for _, name := range one.names {
			c.subjects = append(c.subjects, newSubject(r, one.wordings, name, one.question, one.value))
		}
	}
	return c
}

// makeDistinct returns subjects whose facts say different things, or add one more to several,
// such as a dependency. No fact replaces another.
func makeDistinct() (c changing) {
	c.distinct = true
	r := rand.New(rand.NewPCG(28, 2026))
	people, things := peopleAndThings(r, distinctSize+50, distinctSize+50)
	cities := []string{"Lima", "Porto", "Ghent", "Riga", "Quito", "Nantes"}
	ofThings := []string{
		"%[1]s depends on %[2]s.", "%[1]s also depends on %[3]s.", "%[4]s reviewed the code of %[1]s.", "%[5]s wrote the tests of %[1]s.",
		"%[1]s listens on port %[6]d.", "%[1]s shows its metrics on port %[7]d.", "%[1]s sends its mail through %[3]s.", "%[1]s has %[8]d alerts.",
		"%[1]s was first released in 2019.", "%[4]s maintains %[1]s.", "%[5]s answers for %[1]s at night.", "%[1]s writes its log to %[2]s.",
		"The oldest part of %[1]s is the parser, which %[4]s wrote.", "A client of %[1]s is %[3]s.", "%[2]s calls %[1]s every hour.", "%[1]s now reads from %[2]s too.",
		"Since this week %[5]s helps with %[1]s.", "%[4]s asked about %[1]s, which %[5]s maintains.",
	}
	ofPeople := []string{
		"%[1]s lives in %[9]s.", "%[1]s grew up in %[10]s.", "%[1]s's sister lives in %[10]s.", "%[1]s speaks Danish.", "%[1]s also speaks Greek.",
		"%[1]s maintains %[2]s.", "%[1]s maintains %[3]s too.", "%[1]s reports to %[4]s.", "%[1]s works with %[5]s.", "%[1]s is a friend of %[4]s.",
		"%[1]s has moved the backups of %[2]s.", "%[1]s spoke at a meeting in %[9]s.", "%[1]s has been to %[10]s twice.", "Questions about %[2]s go to %[1]s.", "Questions about %[3]s go to %[1]s.",
		"These days %[1]s travels to %[10]s a lot.", "%[1]s now writes in Go as well.", "%[1]s knows %[5]s, who lives in %[10]s.",
	}
	for i := range 2 * distinctSize {
		name, forms := things[i/2], ofThings
		if i%2 == 1 {
			name, forms = people[i/2], ofPeople
		}
		s := subject{name: name}
		others, helpers := r.Perm(50), r.Perm(50)
		places := r.Perm(len(cities))
		for _, at := range r.Perm(len(forms))[:mostRounds] {
			s.facts = append(s.facts, fmt.Sprintf(forms[at]+"%.0[1]s%.0[2]s%.0[3]s%.0[4]s%.0[5]s%.0[6]d%.0[7]d%.0[8]d%.0[9]s%.0[10]s", name, things[distinctSize+others[0]], things[distinctSize+others[1]], people[distinctSize+helpers[0]], people[distinctSize+helpers[1]],
				2000+r.IntN(1000), 9000+r.IntN(1000), 2+r.IntN(90), cities[places[0]], cities[places[1]]))
		}
		c.subjects = append(c.subjects, s)
	}
	return c
}

// amongOthers returns the subjects with two other facts of theirs before each fact.
func (c changing) amongOthers() changing {
	others := [][]string{
		{"%s depends on the big mirror.", "A backup of the notes of %s is in the cellar."},
		{"%s sends its reports on Friday.", "%s has twelve alerts."},
		{"%s was seen in April.", "%s asked for more memory."},
		{"%s speaks at the gathering.", "Nobody understands the tests of %s."},
		{"The logs mention %s.", "%s was first mentioned in 2019."},
		{"%s waits for an answer.", "These days %s is slow."},
	}
	for i, s := range c.subjects {
		for _, round := range others {
			statements := []string{}
			for _, form := range round {
				statements = append(statements, fmt.Sprintf(form, s.name))
			}
			c.subjects[i].others = append(c.subjects[i].others, statements)
		}
	}
	return c
}
