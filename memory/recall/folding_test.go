package recall_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/script"
	"hence/memory"
	"hence/memory/recall"
)

// Accents and vowel marks that people leave out, and the Unicode form of a character, make no
// difference in any script. Distinct letters do.
func TestSearch_FindsWordsWithOtherAccents(t *testing.T) {
	dbtest.SkipUnderRace(t)
	texts := map[string][]string{
		"Αποφασίσαμε για την Αθήνα": {"Αθήνα", "αθηνα", "ΑΘΗΝΑ", "ΑΘΉΝΑ", "αποφασισαμε", `"για την αθηνα"`},
		"Οι δρόμος της Ελλάδας":     {"ΔΡΟΜΟΣ", "δρομος", "ΕΛΛΑΔΑΣ", "ελλάδασ"},
		"Рецепт: йогурт с чаем":     {"йогурт", "ЙОГУРТ", "рецепт"},
		"ёлка стоит, за\u0301мок":   {"елка", "ЁЛКА", "Ёлка", "замок"},
		"Die Straße ist lang":       {"straße", "strasse", "STRASSE", "STRAẞE", `"die strasse"`},
		"con đường dài":             {"đường", "duong", "ĐƯỜNG", "dường"},
		"كتب مُحَمَّد إلى أحمد":     {"محمد", "مُحَمَّد", "مـحـمـد", "ﻣﺤﻤﺪ", "احمد", "الى"},
		"שָׁלוֹם לכולם":             {"שלום", "שָׁלוֹם"},
		"क़लम और लड़का":             {"कलम", "क\u093cलम", "लडका"},
		"Une réunion au café":       {"cafe", "CAFÉ", "reunion"},
		"Ｗｉｄｅ ﬁle":                  {"wide", "file", "ＦＩＬＥ"},
		"ısı ve ışık":               {"ısı", "ışık"},
		"বাংলা ভাষায় ভালোবাসা":     {"ভালোবাসা", "ভাল\u09c7\u09beবাসা"},
	}
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		s := storeItems(t)
		for text := range texts {
			title := fmt.Sprint("m", len(text))
			if _, err := memory.Store(s).Remember(t.Context(), memory.StoreArgs{Title: &title, Content: form.String(text), Dedup: "off"}, nil); err != nil {
				t.Fatal(err)
			}
		}
		for text, queries := range texts {
			for _, query := range queries {
				for _, asked := range []string{query, norm.NFC.String(query), norm.NFD.String(query)} {
					got := search(t, s, recall.SearchArgs{Query: asked, Detail: "full"})
					if len(got.Results) != 1 || got.Results[0].Snippet != form.String(text) || len(got.Warnings) > 0 {
						t.Errorf("%s (%+q) finds %d with warnings %q, want %s", asked, asked, len(got.Results), got.Warnings, text)
					}
				}
			}
		}
		for _, query := range []string{"ise", "कल", "Athen"} {
			if got := search(t, s, recall.SearchArgs{Query: query}); len(got.Results) > 0 {
				t.Errorf("%s finds %q", query, got.Results[0].Snippet)
			}
		}
	}
}

// A title matches a question with other accents.
func TestSearch_TitleWithOtherAccentsFirst(t *testing.T) {
	rows := [][4]string{}
	names := []string{"Αθήνα", "Ελλάδα", "Йогурт и чай", "Ёж", "Straße nach Łódź", "đường", "مُحَمَّد", "क़लम", "ガイド", "한국"}
	for _, name := range names {
		rows = append(rows, [4]string{"note", norm.NFD.String(name), strings.Repeat("nothing of the kind ", 30), `[]`},
			[4]string{"note", "about " + name, strings.Repeat(name+" ", 5), `[]`})
	}
	s := storeRows(t, rows...)
	for i, query := range []string{"αθηνα", "ΕΛΛΑΔΑ", "ЙОГУРТ И ЧАЙ", "еж", "strasse nach lodz", "duong", "محمد", "कलम", "ガイド", "한국"} {
		got := search(t, s, recall.SearchArgs{Query: query})
		if len(got.Results) == 0 || got.Results[0].Title != norm.NFD.String(names[i]) || !got.Results[0].Why.Title {
			t.Errorf("%s finds %q, want %s first", query, titles(got), names[i])
		}
	}
}

func TestSearch_MarksWordsWithAccents(t *testing.T) {
	long := strings.Repeat("παλιές λέξεις ", 60)
	s := storeItems(t, item("m1", "Τότε αποφασίσαμε για την Αθήνα."), item("m2", long+"το λιμάνι "+long))
	got := search(t, s, recall.SearchArgs{Query: "ΑΠΟΦΑΣΙΣΑΜΕ"})
	if want := "Τότε αποφασίσαμε για την Αθήνα."; got.Results[0].Snippet != want || len(got.Results[0].Marks) != 1 {
		t.Fatalf("shows %q marked at %v, want %q", got.Results[0].Snippet, got.Results[0].Marks, want)
	}
	if m := got.Results[0].Marks[0]; got.Results[0].Snippet[m.Start:m.End] != "αποφασίσαμε" {
		t.Errorf("marks %q", got.Results[0].Snippet[m.Start:m.End])
	}
	got = search(t, s, recall.SearchArgs{Query: "λιμανι"})
	if words := len(strings.Fields(got.Results[0].Snippet)); words > 34 || !strings.Contains(got.Results[0].Snippet, "λιμάνι") {
		t.Errorf("shows %d words: %q", words, got.Results[0].Snippet)
	}
}

// The tokenizer of the index folds all forms of a letter into one, with the help of the cut
// text. A text that it folds by itself is not cut.
func TestCutFoldsWhatTheTokenizerDoesNot(t *testing.T) {
	d := dbtest.New(t)
	texts := []string{}
	for r := rune(0x80); r <= 0xffff; r++ {
		letter := string(r)
		if unicode.IsLetter(r) && !script.IsSpaceless(r) && (norm.NFD.String(letter) != letter || script.Cut(letter) != letter) {
			texts = append(texts, "x"+norm.NFC.String(letter), "x"+norm.NFD.String(letter))
		}
	}
	for _, marks := range []string{"e\u0301\u0323", "й\u0301", "е\u0301", "η\u0313\u0345", "ب\u0651\u064e", "ש\u05c1\u05b8", "n\u0329", "s\u0336"} {
		texts = append(texts, "x"+norm.NFC.String(marks), "x"+norm.NFD.String(marks))
	}
	batch := []db.Stmt{
		db.S(`create virtual table plain using fts5 (a, tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'")`),
		db.S(`create virtual table terms using fts5vocab (plain, instance)`),
	}
	for i, text := range texts {
		batch = append(batch,
			db.S(`insert into plain (rowid, a) values (?, ?)`, 2*i+1, text),
			db.S(`insert into plain (rowid, a) values (?, ?)`, 2*i+2, script.Cut(text)))
	}
	dbtest.Fill(t, d, batch...)
	words := map[int]string{}
	for _, row := range dbtest.Texts(t, d, `select doc || ' ' || group_concat(term, ' ') from (select doc, term from terms order by doc, offset) group by doc`) {
		var doc int
		word := ""
		fmt.Sscan(row, &doc, &word)
		words[doc] = word
	}
	for i, text := range texts {
		raw, cut := words[2*i+1], words[2*i+2]
		if script.Cut(text) != text && raw == cut {
			t.Errorf("%+q is cut, and is %q in the index without that", text, raw)
		}
		if other := words[2*(i^1)+2]; cut != other {
			t.Errorf("%+q is %q in the index, and %+q is %q", text, cut, texts[i^1], other)
		}
		if word := script.Word(text); word != cut && !strings.ContainsAny(word, " ſ") { // it has one word
			t.Errorf("Word(%+q) = %q, and it is %q in the index", text, word, cut)
		}
	}
	if len(texts) < 1000 {
		t.Errorf("%d texts", len(texts))
	}
}

// A conversation that quotes a question does not hide the memory that answers it.
func TestSearch_QuotedQuestionHidesNothing(t *testing.T) {
	for query, answer := range map[string]string{
		"如何建立知识管理系统":            "知识管理的笔记。",
		"データベースの移行はいつですか":       "データベースの移行は金曜日。",
		"데이터베이스는":               "데이터베이스를 먼저 멈춘다.",
		"ประเทศไทยมีกี่จังหวัด": "จังหวัดในประเทศไทย",
	} {
		s := storeItems(t, item("answer", answer))
		if got := search(t, s, recall.SearchArgs{Query: query}); !slices.Equal(titles(got), []string{"answer"}) {
			t.Errorf("%s finds %q", query, titles(got))
		}
		if _, err := memory.Store(s).Remember(t.Context(), item("quotation", "… "+query+"? …"), nil); err != nil {
			t.Fatal(err)
		}
		if got := search(t, s, recall.SearchArgs{Query: query}); !slices.Equal(titles(got), []string{"quotation", "answer"}) {
			t.Errorf("quoted by another memory, %s finds %q", query, titles(got))
		}
		if got := search(t, s, recall.SearchArgs{Query: `"` + query + `"`}); !slices.Equal(titles(got), []string{"quotation"}) {
			t.Errorf("as a phrase, %s finds %q", query, titles(got))
		}
	}
}

// A single character that is in no title, alias or tag finds nothing, and the answer says why.
func TestSearch_SingleCharacterOfNoName(t *testing.T) {
	s := storeItems(t, item("東京", "夜"), item("m2", "京都の鬼"))
	for query, want := range map[string]int{"京": 1, "鬼": 0, "鬼 kind:fact": 0, "鬼 夜": 0, "鬼 都の": 1} {
		got := search(t, s, recall.SearchArgs{Query: query})
		if len(got.Results) != want || got.TotalCount != want {
			t.Errorf("%s finds %q of %d, want %d", query, titles(got), got.TotalCount, want)
		}
		if told := slices.Contains(got.Warnings, "no title, alias or tag has 鬼; a single character is searched in these alone"); told != (query != "京") {
			t.Errorf("%s: warnings %q", query, got.Warnings)
		}
	}
}
