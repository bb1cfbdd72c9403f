package tidy_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/tidy"
)

const benchMemories = 10_000

// planted is a generated store: texts, oldest first, and which pairs of them are the
// same or replaced.
type planted struct {
	texts    []string
	same     map[[2]int]bool // the older before the newer
	replaced map[[2]int]bool
}

var (
	benchNames  = []string{"Ledger", "Quay", "Harbour", "Scanner", "Booking", "Gateway", "Terminal", "Sweeper", "Manifest", "Crane", "Beacon", "Anchor", "Winch", "Tiller", "Mast", "Rudder", "Galley", "Bilge", "Keel", "Hatch"}
	benchPlaces = []string{"north", "south", "east", "west", "upper", "lower", "inner", "outer", "old", "new", "long", "short", "blue", "red", "green", "white", "dry", "wet", "late", "early", "main", "spare", "first", "last", "loud"}
	benchWords  = strings.Fields("storm ferry island ticket refund pier captain winter summer cargo lamp cable paper island gull rope engine fuel bridge tide chart radio signal crew guest cabin deck sail fog morning evening queue list table card price season office letter meeting plan roof door window garden market road hill river stone")
)

// plant generates a store: a third of its memories are successive values of something,
// a tenth say again what others say, the rest is prose.
func plant(n int) planted {
	r := rand.New(rand.NewPCG(7, 7))
	p := planted{same: map[[2]int]bool{}, replaced: map[[2]int]bool{}}
	forms := []string{"The retry limit of the %s is %d.", "The %s listens on port %d", "The %s keeps backups for %d days.", "The timeout of the %s was raised to %d seconds", "The %s has %d GB of memory."}
	last, prose := map[string]int{}, []int{}
	for len(p.texts) < n {
		i := len(p.texts)
		name := benchPlaces[r.IntN(len(benchPlaces))] + " " + benchNames[r.IntN(len(benchNames))] + " " + benchNames[r.IntN(len(benchNames))]
		switch k := r.IntN(30); {
		case k < 10:
			form := forms[r.IntN(len(forms))]
			about := form + name
			p.texts = append(p.texts, fmt.Sprintf(form, name, i))
			if before, ok := last[about]; ok {
				p.replaced[[2]int{before, i}] = true
			}
			last[about] = i
		case k < 13 && len(prose) > 0:
			of := prose[r.IntN(len(prose))]
			p.same[[2]int{of, i}] = true
			p.texts = append(p.texts, strings.ToUpper(p.texts[of]))
		default:
			prose = append(prose, i)
			words := []string{}
			for range 8 + r.IntN(20) {
				words = append(words, benchWords[r.IntN(len(benchWords))])
			}
			p.texts = append(p.texts, strings.Join(words, " ")+" at the "+name+".")
		}
	}
	return p
}

func (p planted) store(t testing.TB) ref.View {
	d := dbtest.New(t)
	statements := []db.Stmt{}
	for i, text := range p.texts {
		at := db.Time(time.Date(2025, 1, 1, 0, i, 0, 0, time.UTC))
		statements = append(statements, db.S(`
insert into memories (id, title, content, content_hash, importance, created_at, updated_at)
values (?1, ?2, ?3, ?4, ?5, ?6, ?6)`,
			fmt.Sprintf("memory-%06d", i), strings.Join(strings.Fields(text)[:min(12, len(strings.Fields(text)))], " "), text, db.Hash(text), 0.5, at))
	}
	if _, err := d.Write(t.Context(), "bench", "2025-12-01T00:00:00.000Z", statements...); err != nil {
		t.Fatal(err)
	}
	return ref.View{DB: d, Caller: ref.Caller{Actor: "bench", Origin: "agent"}}
}

// BenchmarkTidy proposes for 10,000 memories, beside a program that compares the words
// of all pairs of them:
//
//	go test ./memory/tidy -run '^$' -bench Tidy -benchtime 3x
func BenchmarkTidy(b *testing.B) {
	p := plant(benchMemories)
	v := p.store(b)
	b.Run("All", func(b *testing.B) {
		for b.Loop() {
			if _, err := tidy.Tidier(v).Tidy(b.Context(), tidy.Args{}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s")
	})
	b.Run("AllPairs", func(b *testing.B) {
		for b.Loop() {
			allPairs(p.texts)
		}
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s")
	})
	for _, kind := range []string{"same", "replaced"} {
		b.Run(strings.ToUpper(kind[:1])+kind[1:], func(b *testing.B) {
			var missed, wrong, right int
			for b.Loop() {
				missed, wrong, right = p.judge(b, v, kind)
			}
			b.ReportMetric(100*float64(right-wrong)/float64(right-wrong+missed), "%-found")
			b.ReportMetric(100*float64(wrong)/float64(max(1, right)), "%-false")
		})
	}
}

// allPairs counts the pairs of texts that have most of their words in common.
func allPairs(texts []string) (alike int) {
	numbers, sets := map[string]int{}, [][]int{}
	for _, text := range texts {
		set := []int{}
		for _, word := range strings.Fields(strings.ToLower(text)) {
			if _, ok := numbers[word]; !ok {
				numbers[word] = len(numbers)
			}
			set = append(set, numbers[word])
		}
		slices.Sort(set)
		sets = append(sets, slices.Compact(set))
	}
	for i, one := range sets {
		for _, other := range sets[:i] {
			both, x, y := 0, 0, 0
			for x < len(one) && y < len(other) {
				switch {
				case one[x] == other[y]:
					both, x, y = both+1, x+1, y+1
				case one[x] < other[y]:
					x++
				default:
					y++
				}
			}
			if 10*both >= 8*(len(one)+len(other)-both) {
				alike++
			}
		}
	}
	return alike
}

// number is the place of a memory in the generated store.
func number(id string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(id, "memory-")) // as store makes them
	return n
}

// judge holds what is proposed against what was planted. Memories that say the same,
// in some steps, may be joined in any way.
func (p planted) judge(t testing.TB, v ref.View, kind string) (missed, wrong, right int) {
	group := make([]int, len(p.texts))
	for i := range group {
		group[i] = i
	}
	for i := range p.texts { // in order: the older of a pair has its group
		for of := range p.same {
			if of[1] == i {
				group[i] = group[of[0]]
			}
		}
	}
	successor := map[int]int{}
	for of := range p.replaced {
		successor[of[0]] = of[1]
	}
	got := map[int]bool{}
	all, err := tidy.Tidier(v).Find(t.Context(), kind)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		right++
		newer, older := number(one.Memories[0].ID), number(one.Memories[1].ID)
		if kind == "same" {
			if got[older] = true; group[newer] != group[older] {
				wrong++
			}
			continue
		}
		at, ok := successor[group[older]]
		for ok && group[at] != group[newer] {
			at, ok = successor[at]
		}
		if !ok {
			wrong++
		}
		got[group[older]] = true
	}
	want := p.replaced
	if kind == "same" {
		missed = -right
		for i, of := range group {
			if i != of {
				missed++
			}
		}
		return max(0, missed+wrong), wrong, right
	}
	for of := range want {
		if !got[of[0]] {
			missed++
		}
	}
	return missed, wrong, right
}
