package recall_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
)

// storeScripts returns a store of memories in eight languages.
func storeScripts(t testing.TB) (recall.Searcher, memory.Store) {
	store := memory.Store{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
	for title, content := range map[string]string{
		"治疗拖延症":   "治疗拖延症的关键，是把任务拆成十分钟的小块。",
		"知识管理":    "知识管理的核心在于复习与链接，而不在于收集。",
		"第3章 数据库": "这一章讨论事务的隔离级别与锁。",
		"資料庫備份":   "每天凌晨三點備份資料庫，並保留七天。",
		"接続の上限":   "接続の上限はPostgresに設定されている。食べることは関係ない。",
		"ｶﾞｲﾄﾞ":   "半角ｶﾅのﾃｷｽﾄもある。ＡＰＩの鍵は別に置く。",
		"대기열":     "대기열은 매일 밤 비워야 한다. 데이터베이스를 먼저 멈춘다.",
		"ตารางเดินเรือ": "เรือข้ามฟากออกทุกสี่สิบนาทีในฤดูร้อน",
		"ຕາຕະລາງ":       "ເຮືອອອກທຸກສີ່ສິບນາທີ",
		"កាលវិភាគ":      "សាឡាងចេញដំណើររៀងរាល់សែសិបនាទី",
		"အချိန်ဇယား":    "သင်္ဘောသည် မိနစ်လေးဆယ်တိုင်း ထွက်သည်",
		"Timetable":     "The ferry leaves every forty minutes; see the café’s board.",
	} {
		if _, err := store.Remember(t.Context(), memory.StoreArgs{Title: &title, Content: content}, nil); err != nil {
			t.Fatal(err)
		}
	}
	return recall.Searcher(store), store
}

func TestSearch_FindsEveryScript(t *testing.T) {
	s, _ := storeScripts(t)
	for query, want := range map[string]string{
		"拖延症":        "治疗拖延症",
		"十分钟":        "治疗拖延症",
		"拖延":         "治疗拖延症",
		"小块":         "治疗拖延症",
		"如何建立知识管理系统": "知识管理",
		"隔离级别":       "第3章 数据库",
		"第3章":        "第3章 数据库",
		"第３章":        "第3章 数据库",
		"資料庫":        "資料庫備份",
		"Postgres":   "接続の上限",
		"postgresに":  "接続の上限",
		"食べる":        "接続の上限",
		"ガイド":        "ｶﾞｲﾄﾞ",
		"テキスト":       "ｶﾞｲﾄﾞ",
		"API":        "ｶﾞｲﾄﾞ",
		"ＡＰＩ":        "ｶﾞｲﾄﾞ",
		"데이터베이스":     "대기열",
		"베이스를 먼저":    "대기열",
		"สี่สิบนาที": "ตารางเดินเรือ",
		"เรือ":       "ตารางเดินเรือ",
		"ນາທີ":       "ຕາຕະລາງ",
		"ចេញដំណើរ":   "កាលវិភាគ",
		"မိနစ်":      "အချိန်ဇယား",
		"库":          "第3章 数据库",
		`"拖延症的关键"`:   "治疗拖延症",
		"café":       "Timetable",
		"forty":      "Timetable",
	} {
		result, err := s.Search(t.Context(), recall.SearchArgs{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		if got := titles(result); len(got) == 0 || got[0] != want {
			t.Errorf("%s finds %q first, want %s", query, got, want)
		}
	}
	for query, wrong := range map[string]string{
		"管识":                "知识管理",          // no such pair
		"症的关键拖":             "第3章 数据库",       // nothing of it
		"章 forty -隔离":       "第3章 数据库",       // not wanted
		"拖延症 forty -十分钟":    "治疗拖延症",         // not wanted
		`"症，关键"`:            "治疗拖延症",         // not in a row
		"นาที forty -ตาราง": "ตารางเดินเรือ", // not wanted, in the title
	} {
		result, err := s.Search(t.Context(), recall.SearchArgs{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(titles(result), wrong) {
			t.Errorf("%s finds %s", query, wrong)
		}
	}
}

func TestSearch_MarksTheOriginalText(t *testing.T) {
	s, _ := storeScripts(t)
	for query, want := range map[string]string{
		"任务":       "治疗拖延症的关键，是把[任务]拆成十分钟的小块。",
		"拆成十分":     "治疗拖延症的关键，是把任务[拆成十分]钟的小块。",
		"テキスト api": "半角ｶﾅの[ﾃｷｽﾄ]もある。[ＡＰＩ]の鍵は別に置く。",
		"สี่สิบ":   "เรือข้ามฟากออกทุก[สี่สิบ]นาทีในฤดูร้อน",
		"postgres": "接続の上限は[Postgres]に設定されている。食べることは関係ない。",
	} {
		result, err := s.Search(t.Context(), recall.SearchArgs{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Results) == 0 {
			t.Errorf("%s finds nothing", query)
			continue
		}
		var got strings.Builder
		for _, piece := range result.Results[0].Pieces() {
			if piece.Hit {
				got.WriteString("[" + piece.Text + "]")
			} else {
				got.WriteString(piece.Text)
			}
		}
		if got.String() != want {
			t.Errorf("%s shows %q, want %q", query, got.String(), want)
		}
	}
}

func TestSearch_FindsWhatTheShellWrote(t *testing.T) {
	dbtest.SkipOnCluster(t, "it edits a text by hand, which the store of a cluster refuses")
	s, store := storeScripts(t)
	path := store.DB.Path()
	finds := func(query string, want ...string) {
		t.Helper()
		result, err := s.Search(t.Context(), recall.SearchArgs{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		if got := titles(result); !slices.Equal(got, want) {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
	dbtest.Script(t, path, `
update memories set content = '锁的顺序决定一切' where title = '知识管理';
update memories set title = '重新命名' where title = '治疗拖延症';
update sections set heading = '小标题' where memory = (select key from memories where title = '資料庫備份');
update memories set content = 'plain words' where title = '대기열';
delete from memories where title = '接続の上限'`)
	finds("锁的顺序", "知识管理")
	finds("复习与链接")
	finds("重新命名", "重新命名")
	finds("小标题", "資料庫備份")
	finds("plain words", "대기열")
	finds("데이터베이스")
	finds("postgres")
	dbtest.Script(t, path, `insert into section_search (section_search, rank) values ('integrity-check', 1)`)
}

// TestSearch_AgreesWithASearchForTheText compares the results for questions of one run with a
// search for the run in the texts.
func TestSearch_AgreesWithASearchForTheText(t *testing.T) {
	dbtest.CheckTimes(t, 20)
	d, checks := dbtest.New(t), 0
	rapid.Check(t, func(rt *rapid.T) {
		checks++ // each check has a namespace to itself
		store := memory.Store{DB: d, Caller: ref.Caller{Actor: "tester", Origin: "agent", Namespace: fmt.Sprintf("n%d", checks)}}
		some := rapid.StringOfN(rapid.SampledFrom([]rune("数据库锁るべーที่a 。")), 1, 12, -1)
		texts := []string{}
		for i := range rapid.IntRange(1, 8).Draw(rt, "memories") {
			text := some.Draw(rt, "text")
			if strings.TrimSpace(text) == "" {
				continue
			}
			title := fmt.Sprintf("m%d", len(texts))
			if _, err := store.Remember(context.Background(), memory.StoreArgs{Title: &title, Content: text, Dedup: "off"}, nil); err != nil {
				rt.Fatal(i, err)
			}
			texts = append(texts, text)
		}
		run := rapid.StringOfN(rapid.SampledFrom([]rune("数据库锁るべー")), 2, 4, -1).Draw(rt, "run")
		if len(texts) > 0 && rapid.Bool().Draw(rt, "of a text") {
			if runs := strings.FieldsFunc(texts[0], func(r rune) bool { return strings.ContainsRune("a 。", r) }); len(runs) > 0 {
				runes := []rune(runs[0])
				run = string(runes[:min(len(runes), 6)])
			}
		}
		if len([]rune(run)) < 2 || !strings.ContainsFunc(run, unicode.IsLetter) {
			rt.Skip("a character by itself is looked for in titles")
		}
		want := []string{}
		for i, text := range texts {
			if strings.Contains(text, run) {
				want = append(want, fmt.Sprintf("m%d", i))
			}
		}
		off := false
		result, err := (recall.Searcher(store)).Search(context.Background(), recall.SearchArgs{Query: run, Mode: "keyword", Graph: &off})
		if err != nil {
			rt.Fatal(err)
		}
		got := titles(result)
		slices.Sort(got)
		if len(want) > 0 && !slices.Equal(got, want) {
			rt.Fatalf("%s finds %q, and stands in %q of %q", run, got, want, texts)
		}
	})
}
