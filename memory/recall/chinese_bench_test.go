package recall_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
)

// chineseDay is the conversation of one person with a model on one day.
type chineseDay struct{ person, date, text string }

// chineseDays returns the conversations of ../shared/cjk, sorted by person and date.
func chineseDays(t testing.TB) (days []chineseDay) {
	var people map[string]struct {
		History map[string][]struct{ Query, Response string }
	}
	if err := json.Unmarshal(sharedFile(t, "cjk/memory_bank_cn.json"), &people); err != nil {
		t.Fatal(err)
	}
	for _, person := range slices.Sorted(maps.Keys(people)) {
		for _, date := range slices.Sorted(maps.Keys(people[person].History)) {
			var text strings.Builder
			for _, turn := range people[person].History[date] {
				fmt.Fprintf(&text, "%s\n%s\n\n", turn.Query, turn.Response)
			}
			if strings.TrimSpace(text.String()) != "" {
				days = append(days, chineseDay{person, date, text.String()})
			}
		}
	}
	return days
}

// chineseQuestion is a question of a person, and the days that answer it.
type chineseQuestion struct {
	person, text string
	days         []string
}

// chineseQuestions returns the questions with our labels: testdata has those of each person in
// the order of the file.
func chineseQuestions(t testing.TB) (questions []chineseQuestion) {
	text, err := os.ReadFile("testdata/cjk_labels.json")
	if err != nil {
		t.Fatal(err)
	}
	var labels [][][]string
	if err := json.Unmarshal(text, &labels); err != nil {
		t.Fatal(err)
	}
	for i, line := range bytes.Split(bytes.TrimSpace(sharedFile(t, "cjk/probing_questions_cn.jsonl")), []byte("\n")) {
		var of map[string][]string
		if err := json.Unmarshal(line, &of); err != nil {
			t.Fatal(err)
		}
		for person, texts := range of {
			for j, text := range texts {
				questions = append(questions, chineseQuestion{person, text, labels[i][j]})
			}
		}
	}
	return questions
}

// BenchmarkChinese searches for each question among the days of its person, and among all days.
// The yardsticks are FTS5 with unicode61 and with trigrams, searching any word or trigram of
// the question.
func BenchmarkChinese(b *testing.B) {
	store := memory.Store{DB: dbtest.New(b), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
	days := chineseDays(b)
	namespaces := map[string]string{}
	dbtest.Script(b, store.DB.Path(), `
create virtual table plain using fts5(person unindexed, date unindexed, text);
create virtual table trigrams using fts5(person unindexed, date unindexed, text, tokenize = 'trigram')`)
	for _, d := range days {
		if namespaces[d.person] == "" {
			namespaces[d.person] = fmt.Sprintf("person%d", len(namespaces))
		}
		title := d.date + " " + d.person
		if _, err := store.Remember(b.Context(), memory.StoreArgs{Title: &title, Content: d.text, Namespace: namespaces[d.person], Dedup: "off"}, nil); err != nil {
			b.Fatal(err)
		}
		quote := func(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
		row := quote(d.person) + ", " + quote(d.date) + ", " + quote(d.text)
		dbtest.Script(b, store.DB.Path(), `insert into plain values (`+row+`); insert into trigrams values (`+row+`)`)
	}
	hence := func(q chineseQuestion, namespace string) (answer []string) {
		result, err := (recall.Searcher(store)).Search(b.Context(), recall.SearchArgs{Query: q.text, Namespace: namespace, Mode: "keyword", Limit: 5})
		if err != nil {
			b.Fatal(err)
		}
		return titles(result)
	}
	fts := func(table string, q chineseQuestion, person string) []string {
		var parts []string
		if table == "trigrams" {
			runes := []rune(q.text)
			for i := range len(runes) - 2 {
				parts = append(parts, string(runes[i:i+3]))
			}
		} else {
			parts = strings.FieldsFunc(q.text, func(r rune) bool { return strings.ContainsRune("，。？！、《》“”", r) })
		}
		for i := range parts {
			parts[i] = `"` + strings.ReplaceAll(parts[i], `"`, `""`) + `"`
		}
		quote := func(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
		return dbtest.Texts(b, store.DB, `select date || ' ' || person from `+table+` where `+table+` match `+quote(strings.Join(parts, " OR "))+
			` and `+quote(person)+` in ('', person) order by rank limit 5`)
	}
	for b.Loop() {
		counts := map[string]float64{}
		questions := 0.0
		for _, q := range chineseQuestions(b) {
			if len(q.days) == 0 {
				continue
			}
			questions++
			for name, answer := range map[string][]string{
				"hence/own": hence(q, namespaces[q.person]), "hence/all": hence(q, ""),
				"unicode61/own": fts("plain", q, q.person), "unicode61/all": fts("plain", q, ""),
				"trigram/own": fts("trigrams", q, q.person), "trigram/all": fts("trigrams", q, ""),
			} {
				for i, title := range answer {
					if slices.ContainsFunc(q.days, func(day string) bool { return title == day+" "+q.person }) {
						counts[name+"@5"]++
						if i == 0 {
							counts[name+"@1"]++
						}
						break
					}
				}
			}
		}
		b.ReportMetric(questions, "questions")
		for name, n := range counts {
			b.ReportMetric(n/questions, name)
		}
	}
}

// TestTheIndexOfChineseTextIsSmall measures the size of the index of Chinese text: at most
// three and a half times the text, including the cut text that is stored for it.
func TestTheIndexOfChineseTextIsSmall(t *testing.T) {
	dbtest.SkipUnderRace(t)
	store := memory.Store{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
	bytes := 0
	for _, d := range chineseDays(t) {
		bytes += len(d.date) + len(d.text)
		if _, err := store.Remember(t.Context(), memory.StoreArgs{Title: &d.date, Content: d.text, Dedup: "off"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	dbtest.Script(t, store.DB.Path(), `insert into section_search (section_search) values ('optimize')`)
	var kept int
	if _, err := fmt.Sscan(dbtest.Texts(t, store.DB, `
select
  (select sum(length(block)) from section_search_data)
  + (select sum(length(cast(cut as blob))) from sections)`)[0], &kept); err != nil {
		t.Fatal(err)
	}
	if ratio := float64(kept) / float64(bytes); ratio > 3.5 {
		t.Errorf("%d bytes for %d of text: %.2f times", kept, bytes, ratio)
	}
}
