package recall_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

type turn struct {
	Speaker string `json:"speaker"`
	ID      string `json:"dia_id"`
	Text    string `json:"text"`
}

type session struct {
	name, date string
	at         time.Time // the date
	turns      []turn
}

type question struct {
	text     string
	misspelt string // the text with a mistake in one of its words
	category int
	evidence []string // ids of turns
}

type conversation struct {
	name      string
	sessions  []session
	questions []question
}

// sharedFile returns the content of a file in the folder shared/ next to the project.
func sharedFile(b testing.TB, name string) []byte {
	dir, err := os.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "shared", name))
		if err == nil {
			return text
		}
		if !errors.Is(err, fs.ErrNotExist) {
			b.Fatal(err)
		}
		if dir == filepath.Dir(dir) {
			b.Skipf("shared/%s is not beside the project", name)
		}
	}
}

var turnID = regexp.MustCompile(`D\d+:\d+`)

func readLocomo(b *testing.B) []conversation {
	var raw []struct {
		Name         string                     `json:"sample_id"`
		Conversation map[string]json.RawMessage `json:"conversation"`
		Questions    []struct {
			Question string   `json:"question"`
			Category int      `json:"category"`
			Evidence []string `json:"evidence"`
		} `json:"qa"`
	}
	file := "locomo/dev.json"
	if other := os.Getenv("LOCOMO"); other != "" { // held-out conversations
		file = other
	}
	if err := json.Unmarshal(sharedFile(b, file), &raw); err != nil {
		b.Fatal(err)
	}
	all := []conversation{}
	for _, one := range raw {
		c := conversation{name: one.Name}
		known := map[string]bool{}
		for n := 1; n < 100; n++ {
			s := session{name: fmt.Sprintf("session_%d", n)}
			if one.Conversation[s.name] == nil {
				continue
			}
			if err := errors.Join(
				json.Unmarshal(one.Conversation[s.name], &s.turns),
				json.Unmarshal(one.Conversation[s.name+"_date_time"], &s.date),
			); err != nil {
				b.Fatal(err)
			}
			at, err := time.Parse("3:04 pm on 2 January, 2006", s.date)
			if err != nil {
				b.Fatal(err)
			}
			s.at = at
			for _, t := range s.turns {
				known[t.ID] = true
			}
			c.sessions = append(c.sessions, s)
		}
		for _, q := range one.Questions {
			ids := turnID.FindAllString(strings.Join(q.Evidence, " "), -1)
			ids = slices.DeleteFunc(ids, func(id string) bool { return !known[id] })
			slices.Sort(ids)
			if ids = slices.Compact(ids); len(ids) > 0 {
				c.questions = append(c.questions, question{q.Question, misspell(q.Question), q.Category, ids})
			}
		}
		all = append(all, c)
	}
	return all
}

// nltkStopwords are the English stopwords of NLTK, which a yardstick leaves out of the question.
var nltkStopwords = strings.Fields(`i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves what which who whom this that these those am is are was were be been
being have has had having do does did doing a an the and but if or because as until while of at by for with about against
between into through during before after above below to from up down in out on off over under again further then once here
there when where why how all any both each few more most other some such no nor not only own same so than too very s t can
will just don should now`)

var aWord = regexp.MustCompile(`[\pL\pN]+`)

func isNLTKStopword(word string) bool { return slices.Contains(nltkStopwords, strings.ToLower(word)) }

// misspell returns a question with one mistake in one of its longer words: a missing, superfluous
// or wrong letter, or two letters swapped, never the first. The same question always gets the
// same mistake.
func misspell(text string) string {
	seed := fnv.New64a()
	_, _ = seed.Write([]byte(text))
	random := rand.New(rand.NewPCG(seed.Sum64(), 1))
	words := slices.DeleteFunc(aWord.FindAllStringIndex(text, -1), func(at []int) bool {
		return at[1]-at[0] < 5 || isNLTKStopword(text[at[0]:at[1]])
	})
	if len(words) == 0 {
		return text
	}
	at := words[random.IntN(len(words))]
	word, i := []byte(text[at[0]:at[1]]), 1+random.IntN(at[1]-at[0]-2)
	switch letter := byte('a' + random.IntN(26)); random.IntN(4) {
	case 0:
		word = slices.Delete(word, i, i+1)
	case 1:
		word = slices.Insert(word, i, letter)
	case 2:
		word[i] = letter
	default:
		word[i], word[i+1] = word[i+1], word[i]
	}
	return text[:at[0]] + string(word) + text[at[1]:]
}
