package memory

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/internal/script"
)

// SourceOf returns the source of the text: the stated one, or the one that its origin implies.
func SourceOf(m Memory) string {
	return cmp.Or(m.Source, map[string]string{"vault": ref.Note}[m.Origin], m.Origin)
}

// quote lowers the source of an agent's new memory to that of a stranger's memory whose text
// it repeats, if that one is near or was recalled in the session. Without this, the text
// would count as the agent's own, because no edge leads to the stranger's.
func (s Store) quote(ctx context.Context, r *db.Reader, d *draft) error {
	if s.Caller.IsPerson() {
		return nil
	}
	ids := append(candidatesOf(ctx, d.near), lists.Map(d.same, func(one Memory) string { return one.ID })...)
	quoted, err := quotedBy(ctx, r, d.memory, ids)
	if err != nil || quoted == nil {
		return err
	}
	d.memory.Source, d.memory.SourceURL = quoted.Trust, cmp.Or(d.memory.SourceURL, quoted.SourceURL)
	d.warnings = append(d.warnings, repeatWarning(*quoted))
	return nil
}

// quoteIn is quote for an agent's update: it returns the stranger's memory whose text the
// updated memory repeats, or the zero value.
func (s Store) quoteIn(ctx context.Context, old ref.Memory, a UpdateArgs, near Neighbours) (quoted Memory, err error) {
	update := Memory{Properties: a.Properties}
	if a.Title != nil {
		update.Title = *a.Title
	}
	if a.Content != nil {
		update.Content = *a.Content
	}
	text := strings.TrimSpace(wordsOf(update))
	if s.Caller.IsPerson() || text == "" {
		return quoted, nil
	}
	var nearest []Near
	if near != nil {
		if nearest, err = near(ctx, old.Namespace, text); err != nil {
			return quoted, err
		}
	}
	return quoted, s.DB.Read(ctx, func(r *db.Reader) error {
		m, err := readOne(ctx, r, old.ID)
		if err != nil {
			return err
		}
		m.Title, m.Content, m.Properties = cmp.Or(update.Title, m.Title), cmp.Or(update.Content, m.Content), update.Properties
		if a.Source != "" && lessTrusted(a.Source, SourceOf(m)) {
			m.Source = a.Source
		}
		original, err := quotedBy(ctx, r, m, candidatesOf(ctx, nearest))
		if original != nil {
			quoted = *original
		}
		return err
	})
}

// candidatesOf returns the ids of the memories whose text a new one may repeat: those that
// the session has recalled, and the near ones.
func candidatesOf(ctx context.Context, near []Near) []string {
	recalled, _ := ctx.Value(recalledKey{}).([]string)
	return slices.Concat(recalled, lists.Map(near, func(one Near) string { return one.ID }))
}

// repeatWarning returns the warning for a text that repeats the stranger's memory m.
func repeatWarning(m Memory) string {
	return "it repeats " + m.Named().Text() + " and is stored as that too; a person confirms it by hence verify"
}

// wordsOf returns all texts of a memory: its title, content, and the texts in its properties.
func wordsOf(m Memory) string {
	return strings.Join(append([]string{m.Title, m.Content}, TextsIn(map[string]any(m.Properties))...), "\n")
}

// TextsIn returns the texts in a value of JSON, but for those of members with some names.
func TextsIn(value any, except ...string) (all []string) {
	switch v := value.(type) {
	case string:
		all = []string{v}
	case []any:
		for _, one := range v {
			all = append(all, TextsIn(one, except...)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if !slices.Contains(except, name) {
				all = append(all, TextsIn(v[name], except...)...)
			}
		}
	}
	return all
}

// selectTexts selects the columns that readMatches reads.
const selectTexts = `
select
  m.id,
  m.title,
  m.content
from memories m`

// selectRepeatable does not ask who said a text, because that takes a walk: selectStrangers
// asks it of the repeated ones only. The plus keeps SQLite from reading all memories of the
// namespace for the few ids.
const selectRepeatable = selectTexts + `
where ` + ref.LeastRank + ` < 4
  and m.id in (select value from json_each(?1))
  and +m.namespace = ?2`

var selectStrangers = selectMemory + `
where m.id in (select value from json_each(?1))
  and (select t.rank from trusts t where t.memory = m.key) < 4
order by m.id`

// quotedBy returns the least trusted of the memories with these ids whose text the memory m
// repeats, if it is a stranger's and less trusted than the source of m; else nil.
func quotedBy(ctx context.Context, r *db.Reader, m Memory, ids []string) (*Memory, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	quoted := quotations{wording: readWording(wordsOf(m))}
	repeated, err := readMatches(ctx, r, func(title, content string) bool {
		return quoted.repeats(content) || quoted.repeats(title+"\n"+content)
	}, selectRepeatable, db.List(ids), m.Namespace)
	if err != nil || len(repeated) == 0 {
		return nil, err
	}
	strangers, err := db.Select(ctx, r, scanMemory, selectStrangers, db.List(repeated))
	if err != nil {
		return nil, err
	}
	var least *Memory
	for _, one := range strangers {
		if lessTrusted(one.Trust, SourceOf(m)) && (least == nil || lessTrusted(one.Trust, least.Trust)) {
			least = &one
		}
	}
	return least, nil
}

// readMatches returns the ids of the memories of a query for which match is true.
func readMatches(ctx context.Context, r *db.Reader, match func(title, content string) bool, query string, args ...any) (ids []string, err error) {
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var id, title, content string
		err := row.Scan(&id, &title, &content)
		if err == nil && match(title, content) {
			ids = append(ids, id)
		}
		return err
	}, query, args...)
	return ids, err
}

func lessTrusted(a, b string) bool {
	return slices.Index(ref.Sources(), a) > slices.Index(ref.Sources(), b)
}

const (
	quotation = 6      // words in a row, or twice as many characters of a script without spaces
	maxQuoted = 40_000 // bytes of a text that are compared
)

// Quoting returns a function that reports whether a text and another one have a part in common, word for
// word: a run of words, or all of the shorter one.
func Quoting(text string) func(other string) bool {
	q := quotations{wording: readWording(text)}
	return func(other string) bool {
		o := quotations{wording: readWording(other)}
		return q.repeats(other) || o.repeats(text)
	}
}

// quotations is a text that is compared with many others by its runs of words.
type quotations struct {
	wording
	runs map[int]map[string]bool // by their number of words
}

// repeats reports whether the text has a part of another one, word for word: a run of
// quotation words, or all of the other text if that is shorter but has at least three words.
func (q *quotations) repeats(other string) bool {
	others := readWording(other)
	size := min(quotation, others.count())
	if others.isSpaceless() {
		size = min(2*quotation, others.count())
	}
	if size < quotation/2 || q.count() < size {
		return false
	}
	runs, ok := q.runs[size]
	if !ok {
		runs = map[string]bool{}
		for at := range q.count() - size + 1 {
			runs[q.run(at, size)] = true
		}
		if q.runs == nil {
			q.runs = map[int]map[string]bool{}
		}
		q.runs[size] = runs
	}
	for at := range others.count() - size + 1 {
		if runs[others.run(at, size)] {
			return true
		}
	}
	return false
}

// wording is the words of a text, in lower case and with a space behind each.
type wording struct {
	text   string
	starts []int // of each word, and the end of the text
}

func (w wording) count() int { return len(w.starts) - 1 }

// run returns some words in a row.
func (w wording) run(at, size int) string { return w.text[w.starts[at]:w.starts[at+size]] }

// isSpaceless reports whether most words are characters of a script without spaces.
func (w wording) isSpaceless() bool {
	characters := 0
	for at := range w.count() {
		if first, _ := utf8.DecodeRuneInString(w.text[w.starts[at]:]); script.IsSpaceless(first) {
			characters++
		}
	}
	return 2*characters > w.count()
}

// readWording returns the words of the beginning of a text; a character of a script
// without spaces is one.
func readWording(text string) wording {
	w, words, inWord := wording{}, strings.Builder{}, false
	begin := func() {
		if !inWord {
			w.starts, inWord = append(w.starts, words.Len()), true
		}
	}
	end := func() {
		if inWord {
			words.WriteByte(' ')
			inWord = false
		}
	}
	for _, c := range strings.ToLower(text[:min(len(text), maxQuoted)]) {
		switch {
		case script.IsSpaceless(c):
			end()
			begin()
			words.WriteRune(c)
			end()
		case unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsNumber(c):
			begin()
			words.WriteRune(c)
		case unicode.Is(unicode.Cf, c): // invisible characters hide no word
		default:
			end()
		}
	}
	end()
	w.text, w.starts = words.String(), append(w.starts, words.Len())
	return w
}
