package erase_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"hence/internal/db"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/erase"
	"hence/vault"
)

// What a file is called, its note's title or a part of it, is in the answer and in no row.
func TestTheReceiptDoesNotNameTheFile(t *testing.T) {
	w := ends(t, 21)
	title := w.text(&w.gone, 2)
	notes := t.TempDir()
	if err := os.WriteFile(filepath.Join(notes, title+".md"), []byte("It says "+w.text(&w.gone, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (vault.Importer{DB: w.v.DB, Caller: person}).Import(t.Context(), vault.ImportArgs{Dir: notes}); err != nil {
		t.Fatal(err)
	}
	done := w.erase(erase.Args{ID: title + ".md"})
	if left := w.left(w.gone); len(left) > 0 || len(done.Receipt.Found) > 0 {
		t.Errorf("left %q; %+v", left, done.Receipt)
	}
	if !strings.HasSuffix(done.Erased[0].File, title+".md") || !strings.Contains(fmt.Sprint(done.Receipt.OutOfReach), "the file of "+done.Erased[0].ID) {
		t.Errorf("the file is not named: %+v", done)
	}
	// A team's file is called by the title too, and git's command names it.
	if err := os.MkdirAll(filepath.Join(w.folder, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	title = w.text(&w.gone, 2)
	id := w.store(memory.StoreArgs{Title: &title, Content: w.text(&w.gone, 2)})
	w.team()
	done = w.erase(erase.Args{ID: id})
	if said := fmt.Sprint(done.Receipt.OutOfReach); !strings.Contains(said, strings.ReplaceAll(title, " ", "-")) {
		t.Errorf("the file in git's history is not named: %s", said)
	}
	all, err := erase.Store(w.v).Receipts(t.Context())
	if left := w.left(w.gone); err != nil || len(left) > 0 || !strings.Contains(fmt.Sprint(all[1].OutOfReach), "the history of git") {
		t.Errorf("%v, left %q; %+v", err, left, all)
	}
}

type object = map[string]any

// answered adds the receipt of a call whose answer showed a memory.
func (w *world) answered(id, tool string, arguments any) {
	w.t.Helper()
	stamp, err := receipts.StampOf(context.Background(), w.v.DB, 0, []ref.Shown{{ID: id, Why: "results"}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.book(func(ctx context.Context, b *receipts.Book, tag string) error {
		stamp.Store = tag
		return b.Add(ctx, receipts.Receipt{Session: "s", At: time.Now(), Tool: tool, Arguments: db.JSON(arguments), Stamp: stamp})
	})
}

// Words too short for a search of files go out of what was asked where the answer showed the memory.
func TestShortWordsAreErasedFromReceiptsThatShowedThem(t *testing.T) {
	for _, c := range []struct{ title, text, short string }{
		{"PIN of the safe", "5823", "5823"},
		{"Pin", "zqk7", "zqk7"},
		{"Word", "The word is sesame.", "sesame"},
		{"Code of the gate", "It is\n4711 for now", "4711"},
		{"Schlüssel", "Grün ist Öl", "öl"},
		{"Initials", "Q. X.", "q"},
	} {
		w := ends(t, 22)
		other := w.store(memory.StoreArgs{Title: new("Other"), Content: "The garden is for tea, as of now."})
		id := w.store(memory.StoreArgs{Title: &c.title, Content: c.text})
		w.answered(id, "memory_search", object{"query": c.short, "limit": 10})
		w.answered(id, "memory_store", object{"content": c.text})
		w.answered(id, "memory_search", object{"query": "garden", "text": "tea"}) // has none of its words
		w.answered(other, "memory_search", object{"query": c.short})              // did not show it
		done := w.erase(erase.Args{ID: id})
		if r := done.Receipt; r.Counts.Receipts != 2 || len(r.Found) > 0 || r.Searched.Short == 0 {
			t.Errorf("%q: %+v", c.text, r)
		}
	}
}

// A memory that has a rare word or a run of three words of the text is listed, is kept also by --all, and is counted.
func TestWhatSharesARareWordIsListedAndKept(t *testing.T) {
	for _, c := range []struct{ text, other string }{
		{"The phone number of Ada is 0865550199.", "Call 0865550199 when the queue is stuck."},
		{"The codename is zqkxvorange and pqrstuvbanana, as noted.", "ok ZQKXVORANGE it is"},
		{"Ada Lovelace lives at 12 Harbour Street, near the lighthouse of Ballycotton.", "A parcel for 12 Harbour Street"},
		{"Ada Lovelace lives at 12 Harbour Street, near the lighthouse of Ballycotton.", `{"address":"12 Harbour Street, Cork"}`},
		{"It opens with 5823, always.", "Safe: 5823"},
	} {
		w := ends(t, 23)
		id := w.store(memory.StoreArgs{Title: new("Root"), Content: c.text})
		other := w.store(memory.StoreArgs{Title: new("Other"), Content: c.other})
		w.store(memory.StoreArgs{Title: new("Third"), Content: "The queue of the Street is there as it always was."})
		done := w.erase(erase.Args{ID: id, All: true})
		if len(done.Below) != 1 || done.Below[0].ID != other || done.Below[0].Why != "shares" || done.Below[0].Do != erase.Keep {
			t.Errorf("%q: below: %+v", c.text, done.Below)
		}
		if r := done.Receipt; r.Searched.Kept == 0 || len(r.Found) > 0 || !strings.Contains(fmt.Sprint(r.OutOfReach), ref.ShortID(other)) {
			t.Errorf("%q: %+v", c.text, r)
		}
		if w.count(`select count(*) from memories where id = ?`, other) != 1 {
			t.Errorf("%q: what shares a word is gone", c.text)
		}
	}
}

// What many share says nothing of one, and a long list ends.
func TestTheListOfWhatSharesAWordIsBounded(t *testing.T) {
	w := ends(t, 24)
	number := func(n int) string { return fmt.Sprint("number", 1000+n) }
	text := "A negotiation of "
	for n := range 40 {
		text += number(n) + " "
		w.store(memory.StoreArgs{Content: fmt.Sprint("The negotiation took ", n, " days.")})
	}
	id := w.store(memory.StoreArgs{Content: text})
	if done := w.erase(erase.Args{ID: id}); len(done.Below) != 0 || done.Receipt.Searched.Kept == 0 {
		t.Errorf("a word of all: %+v, %+v", done.Below, done.Receipt)
	}
	id = w.store(memory.StoreArgs{Content: text})
	for n := range 40 {
		w.store(memory.StoreArgs{Content: "Of " + number(n)})
	}
	most := w.store(memory.StoreArgs{Content: "Of " + number(7) + " as of " + number(8)})
	if done := w.erase(erase.Args{ID: id}); len(done.Below) != 20 || done.Below[19].ID != most {
		t.Errorf("%d of 41, %+v", len(done.Below), done.Below)
	}
}

// A file that quotes the text is kept. What its memory said goes out of the store and its copies when the file was
// mended and that memory is erased, as the answer says.
func TestWhatAFileSaidBeforeItWasMendedCanBeErased(t *testing.T) {
	w := ends(t, 25)
	text := w.text(&w.gone, 8)
	id := w.store(memory.StoreArgs{Content: text})
	w.note("As was said: " + text)
	w.backup()
	done := w.erase(erase.Args{ID: id, All: true})
	if len(done.Below) != 1 || !strings.Contains(fmt.Sprint(done.Receipt.OutOfReach), "memories that were kept and may hold it, with their earlier texts and copies: "+ref.ShortID(done.Below[0].ID)+";") {
		t.Fatalf("%+v, %+v", done.Below, done.Receipt)
	}
	w.note("Nothing of it.")
	if r := w.erase(erase.Args{ID: done.Below[0].ID}).Receipt; len(r.Found) > 0 || len(w.left(w.gone)) > 0 || r.Counts.Backups != 1 {
		t.Errorf("%+v, left %q", r, w.left(w.gone))
	}
	w.note("Nothing of it now.")
	if n := w.count(`select count(*) from memories where kind = 'note'`); n != 1 {
		t.Errorf("%d notes after the next import", n)
	}
}

// What a rewritten memory keeps, and names of who writes and where to, are no trace of the text.
func TestNamesAndTagsThatStayAreNoTrace(t *testing.T) {
	w := ends(t, 26)
	w.v.Caller.Actor = "opencode"
	content := w.text(&w.gone, 6)
	id := w.store(memory.StoreArgs{Content: content + " as opencode said of the invoices", Namespace: "invoices"})
	w.store(memory.StoreArgs{Content: "Something else.", Namespace: "invoices"})
	other := w.store(memory.StoreArgs{Content: "as was said: " + content, Tags: []string{"project/x", "somewhere"}, Properties: map[string]any{"department": "engineering"}})
	w.backup()
	r := w.erase(erase.Args{ID: id, Also: []erase.Choice{{ID: other, Do: erase.Rewrite, Content: "Nothing of it."}}}).Receipt
	if left := w.left(w.gone); len(left) > 0 || len(r.Found) > 0 {
		t.Errorf("left %q; %+v", left, r)
	}
}

// A client may escape all but ASCII in its arguments: characters beyond the first plane as two.
func TestEscapedArgumentsAreErased(t *testing.T) {
	for _, text := range []string{"𠮷野家の秘密𠮷", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "🦄🐍 zqk 🐍🦄🦄", "Grün ist Öl", "東京タワーの秘密", "Zqkxé", "ab \"cd\" <ef>\n& gh"} {
		w := ends(t, 27)
		id := w.store(memory.StoreArgs{Title: new("Root"), Content: text})
		for _, form := range []string{"%04x", "%04X"} {
			escaped := ""
			for _, unit := range utf16.Encode([]rune(text)) {
				escaped += fmt.Sprintf(`\u`+form, unit)
			}
			w.answered(id, "memory_search", json.RawMessage(`{"query":"`+escaped+`"}`))
			w.answered(id, "memory_store", json.RawMessage(`{"content":"of it: `+escaped+` was said `+strings.Repeat("x ", 600)+`"}`)) // is cut
		}
		w.answered(id, "memory_search", object{"query": "\u30a2 other"})
		if r := w.erase(erase.Args{ID: id}).Receipt; r.Counts.Receipts != 4 || len(r.Found) > 0 {
			t.Errorf("%q: %+v", text, r)
		}
	}
}

// Each word of a long text goes out of receipts and notes, not only those of a sample.
func TestEveryWordOfALongTextIsErased(t *testing.T) {
	w := ends(t, 28)
	content := w.text(&w.gone, 8000)
	id := w.store(memory.StoreArgs{Content: content})
	a, b := w.store(memory.StoreArgs{Content: "One."}), w.store(memory.StoreArgs{Content: "Two."})
	w.link(a, b, "supports", "as "+w.gone[777]+" is")
	for n := 0; n < 8000; n += 200 {
		w.shown(w.gone[n])
	}
	r := w.erase(erase.Args{ID: id}).Receipt
	if left := w.left(w.gone); len(left) > 0 || len(r.Found) > 0 || r.Counts.Receipts != 40 || r.Counts.Notes != 1 {
		t.Errorf("left %d, %+v, %+v", len(left), r.Counts, r.Found)
	}
}
