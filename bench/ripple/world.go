package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A subject is something that facts are about: its name, and the same in other words.
type subject struct{ name, alias string }

var subjects = []subject{
	{"job queue", "the thing that hands out work"},
	{"payment ledger", "the book of money that moved"},
	{"login page", "the place where people sign in"},
	{"mail relay", "whatever sends our letters"},
	{"audit log", "the record of who did what"},
	{"image cache", "the store of resized pictures"},
	{"billing report", "the monthly sheet of invoices"},
	{"phone app", "the program for handsets"},
	{"price feed", "the stream of quotes"},
	{"search index", "the structure behind lookups"},
	{"backup disk", "the drive with copies"},
	{"chat gateway", "the door for instant messages"},
}

// An attribute is what a fact says of a subject: its name, the wordings (%[1]s the
// subject, %[2]s the value), values, and a question in other words (%s the alias).
type attribute struct {
	name     string
	wordings []string
	values   func(*rand.Rand) string
	question string
}

var attributes = []attribute{
	{"owner", []string{"The %[1]s is looked after by %[2]s", "%[2]s answers for the %[1]s as its owner"}, person, "which colleague is responsible for %s"},
	{"retention", []string{"Rows of the %[1]s are kept for %[2]s", "The retention of the %[1]s is %[2]s"}, counted(3, 90, "days", "weeks", "months"), "how long until %s throws old entries away"},
	{"port", []string{"The %[1]s listens on port %[2]s", "To reach the %[1]s, connect to port %[2]s"}, counted(1024, 65000, ""), "the number under which %s accepts connections"},
	{"limit", []string{"The %[1]s takes at most %[2]s at a time", "More than %[2]s at once is over the limit of the %[1]s"}, counted(4, 900, "requests", "entries", "megabytes"), "the greatest amount that fits into %s in one go"},
	{"language", []string{"The %[1]s is written in %[2]s", "%[2]s is the language of the %[1]s"}, chosen("Go", "Rust", "Kotlin", "Erlang", "OCaml", "Elixir", "Swift", "Haskell", "Python", "Clojure"), "what %s was programmed with"},
	{"schedule", []string{"The %[1]s is rebuilt every %[2]s", "The schedule of the %[1]s has a rebuild every %[2]s"}, counted(2, 55, "minutes", "hours", "days"), "how often %s begins anew"},
	{"place", []string{"The %[1]s runs in the hall at %[2]s", "%[2]s is the place of the machines of the %[1]s"}, chosen("Tromsø", "Graz", "Lyon", "Porto", "Gdańsk", "Cork", "Turku", "Basel", "Ghent", "Zadar", "Łódź", "Malmö"), "the town that hosts %s"},
	{"format", []string{"The %[1]s hands its data over as %[2]s", "Whoever reads the %[1]s gets the format %[2]s"}, chosen("Parquet", "Avro", "CSV", "JSON lines", "XML", "protocol buffers", "MessagePack", "Arrow"), "the encoding in which %s delivers"},
	{"cost", []string{"The %[1]s costs %[2]s a month", "We pay %[2]s monthly, the cost of the %[1]s"}, counted(20, 9000, "euros", "francs", "kroner"), "the price that we are charged for %s"},
	{"database", []string{"The %[1]s stores its state in %[2]s", "%[2]s is the database under the %[1]s"}, chosen("Postgres", "SQLite", "MariaDB", "Redis", "Cassandra", "FoundationDB", "DuckDB", "RocksDB"), "where %s persists its tables"},
}

var (
	forenames = []string{"Ilse", "Marek", "Oona", "Tariq", "Bríd", "Sören", "Yuki", "Ngozi", "Pavel", "Liv", "Amara", "Jonas", "Edda", "Chidi", "Rosa", "Milan"}
	surnames  = []string{"Marrow", "Okafor", "Lindqvist", "Brandt", "Haddad", "Novák", "Tanaka", "Ferreira", "Kowalska", "Byrne", "Aalto", "Rossi", "Duarte", "Weiss", "Sandoval", "Petrov"}
	occasions = []string{"outage", "audit", "rehearsal", "migration", "review", "workshop", "inspection", "handover", "incident", "offsite", "retrospective", "upgrade", "fire drill", "demonstration", "negotiation", "stocktaking"}
	seasons   = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	verbs     = []string{"noted", "measured", "confirmed", "wrote down", "reported", "found", "agreed", "observed"}
	syllables = []string{"vel", "trin", "mor", "ka", "zan", "der", "ul", "fi", "bro", "nex", "ty", "gal", "os", "pra", "lim", "cho", "wy", "sten", "qua", "hir"}
	nouns     = []string{"gateway", "register", "scheduler", "archive", "mirror", "broker", "console", "planner", "catalogue", "pipeline"}
)

func chosen(values ...string) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return pick(r, values) }
}

func counted(least, most int, units ...string) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		return strings.TrimSpace(fmt.Sprint(least+r.IntN(most-least), " ", pick(r, units)))
	}
}

func person(r *rand.Rand) string { return pick(r, forenames) + " " + pick(r, surnames) }

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

// A world makes texts, each of them once: no text is contained in another.
type world struct {
	rand    *rand.Rand
	matters []matter
	made    map[string]bool
}

// A matter is what one can ask about: "port of the job queue". Its statements follow each other or clash.
type matter struct {
	subject   subject
	attribute attribute
}

func (m matter) name() string { return m.attribute.name + " of the " + m.subject.name }

// paraphrase is a question for the matter that shares neither its name nor its subject's.
func (m matter) paraphrase() string { return fmt.Sprintf(m.attribute.question, m.subject.alias) }

func newWorld(seed uint64) *world {
	w := &world{rand: rand.New(rand.NewPCG(seed, 42)), made: map[string]bool{}}
	for _, s := range subjects {
		for _, a := range attributes {
			w.matters = append(w.matters, matter{s, a})
		}
	}
	w.rand.Shuffle(len(w.matters), func(i, j int) { w.matters[i], w.matters[j] = w.matters[j], w.matters[i] })
	return w
}

func (w *world) about(matter int) string { return w.matters[matter].name() }

// text returns a new statement about a matter: a fact, who says so and since when, and
// for a decision the matters that it follows from.
func (w *world) text(m matter, because ...matter) string {
	return w.worded(w.rand.IntN(len(m.attribute.wordings)), m, because...)
}

func (w *world) worded(wording int, m matter, because ...matter) string {
	for {
		text := fmt.Sprintf(m.attribute.wordings[wording], m.subject.name, m.attribute.values(w.rand))
		text += fmt.Sprintf(", as %s %s at the %s %s", person(w.rand), pick(w.rand, verbs), pick(w.rand, seasons), pick(w.rand, occasions))
		for i, b := range because {
			text += []string{"; this follows from the ", " and from the "}[min(i, 1)] + b.name()
		}
		if text += "."; !w.made[text] {
			w.made[text] = true
			return text
		}
	}
}

// other returns a statement about something that is in no episode.
func (w *world) other() (about, text string) {
	s := subject{name: pick(w.rand, syllables) + pick(w.rand, syllables) + pick(w.rand, syllables) + " " + pick(w.rand, nouns)}
	m := matter{s, pick(w.rand, attributes)}
	return m.name(), w.text(m)
}

// scattered returns seven words of a text, each of at least three letters, in no order.
func (w *world) scattered(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,.;", r) })
	words = slices.DeleteFunc(words, func(word string) bool { return len(word) < 3 })
	w.rand.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return strings.Join(words[:min(7, len(words))], " ")
}
