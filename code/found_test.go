package code_test

import (
	"slices"
	"strings"
	"testing"

	"hence/code"
	"hence/internal/db"
	"hence/memory/recall"
)

// asks returns the titles that a search for code finds.
func (w world) asks(query string, tags ...string) []string {
	w.Helper()
	return w.found(recall.SearchArgs{Query: query, Kinds: []string{code.Kind}, Tags: tags})
}

// A symbol is found by the words of its body: parts of identifiers, comments, texts; not by those
// of what is declared in it. The store keeps each word once, and not the body.
func TestASymbolIsFoundByTheWordsOfItsBody(t *testing.T) {
	w := newWorld(t, map[string]string{
		"go.mod":      "module m\n",
		"a/a.go":      "package a\n\nfunc Fetch() {\n\tbackoffPeriod, walrus := 1, walrusOf(2)\n\t_, _ = backoffPeriod, walrus // jitter avoids herds\n\tprintln(\"unreachable host\")\n}\n\nfunc walrusOf(int) int { return 0 }\n",
		"b/web.ts":    "export class Page {\n  title = ''\n  draw() { return requestIdleCallback(() => 1) }\n}\n",
		"c/shape.py":  "def area(x):\n    y = x\n    # trapezoid rule\n    return y\n",
		"d/shape.rs":  "fn girth() { let circumference = 1; }\n",
		"e/Main.java": "class Main {\n  void run() { semaphore.acquire(); }\n}\n",
		"f/main.c":    "int quack(void) { return duckCount(); }\n",
	})
	w.imports()
	for query, want := range map[string]string{
		"backoff period": "a.Fetch", "jitter herds": "a.Fetch", "unreachable": "a.Fetch", "request idle callback": "web.Page.draw", "requestIdleCallback": "web.Page.draw",
		"trapezoid": "shape.area", "circumference": "shape.girth", "semaphore": "Main.run", "duck count": "quack",
	} {
		if got := w.asks(query); len(got) == 0 || got[0] != want {
			t.Errorf("%s finds %q; want %s first", query, got, want)
		}
	}
	if got := w.asks("idle"); slices.Contains(got, "web.Page") {
		t.Errorf("a class is found by the words of its method: %q", got)
	}
	if got := w.asks("walrus"); len(got) != 2 || got[0] != "a.walrusOf" {
		t.Errorf("walrus finds %q; want the symbol of that name, then the body", got)
	}
	for _, words := range w.rows(`select words from sections where words is not null`) {
		all := strings.Fields(words)
		slices.Sort(all)
		if len(slices.Compact(all)) != len(strings.Fields(words)) {
			t.Errorf("a word is kept twice: %s", words)
		}
	}
	if got := w.rows(`select m.title from memories m join sections s on s.memory = m.key where m.content || coalesce(s.body, '') like '%jitter%'`); len(got) > 0 {
		t.Errorf("the body is stored: %q", got)
	}

	// An edit of the body alone is found, and what it replaced is not.
	w.write("a/a.go", "package a\n\nfunc Fetch() {\n\tmarmot := 1 // lemming\n\t_ = marmot\n}\n")
	w.write("c/shape.py", "def area(x):\n    y = x\n    # simpson rule\n    return y\n") // a comment: no revision
	before := w.rows(`select revision from memories where title = 'shape.area'`)
	w.imports()
	w.same(w.asks("lemming"), []string{"a.Fetch"})
	w.same(w.asks("jitter"), []string{})
	w.same(w.asks("simpson"), []string{"shape.area"})
	w.same(w.asks("trapezoid"), []string{})
	w.same(w.rows(`select revision from memories where title = 'shape.area'`), before)
	if _, err := w.into.DB.Write(t.Context(), "tester", db.Now(), db.S(`insert into section_search (section_search, rank) values ('integrity-check', 1)`)); err != nil {
		t.Errorf("the index: %v", err)
	}
}

// Tests come after the other code, unless the question asks for them or names one.
func TestTestsComeAfterOtherCode(t *testing.T) {
	w := newWorld(t, map[string]string{
		"go.mod":         "module m\n",
		"a/a.go":         "package a\n\n// compact joins what is left of a ledger.\nfunc compact() {}\n",
		"a/a_test.go":    "package a\n\nimport \"testing\"\n\n// TestLedgerCompaction compacts a ledger: ledger compaction.\nfunc TestLedgerCompaction(t *testing.T) { compact() }\n\nfunc ledgerFixture() {}\n",
		"b/web.ts":       "// Sorts the ledger.\nexport function arrange() {}\n",
		"b/web.test.ts":  "import { arrange } from './web'\ntest('ledger ledger sorts', () => { arrange() })\n",
		"c/ledger.py":    "def total():\n    \"\"\"Sums a ledger.\"\"\"\n",
		"c/test_book.py": "def test_ledger_ledger():\n    \"\"\"ledger\"\"\"\n",
		"d/lib.rs":       "/// A ledger of Rust.\nfn book() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn ledger_is_ledger() {}\n}\n",
	})
	w.imports()
	isTest := map[string]bool{}
	for _, title := range w.rows(`select title from memories where tags like '%"test"%'`) {
		isTest[title] = true
	}
	if len(isTest) < 4 {
		t.Fatalf("the tests are %v", isTest)
	}
	for _, query := range []string{"ledger", "ledger compaction", "kind:code", "ledger sorts tag:lang/go"} {
		seen := false
		got := w.asks(query)
		for _, title := range got {
			if seen && !isTest[title] {
				t.Errorf("%s finds %q: a test comes before %s", query, got, title)
			}
			seen = seen || isTest[title]
		}
		if len(got) < 2 || !seen || isTest[got[0]] {
			t.Errorf("%s finds %q; want tests, last", query, got)
		}
	}
	if got := w.asks("ledger compaction", "test"); len(got) == 0 || got[0] != "a.TestLedgerCompaction" {
		t.Errorf("tag test finds %q", got)
	}
	if got := w.asks("ledger compaction tag:TEST"); len(got) == 0 || got[0] != "a.TestLedgerCompaction" {
		t.Errorf("tag:TEST finds %q", got)
	}
	if got := w.asks("a.TestLedgerCompaction"); len(got) == 0 || got[0] != "a.TestLedgerCompaction" {
		t.Errorf("its title finds %q", got)
	}
}
