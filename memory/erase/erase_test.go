package erase_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/permit"
	"hence/internal/receipts"
	"hence/internal/ref"
	_ "hence/internal/repeattest"
	"hence/memory"
	"hence/memory/erase"
	"hence/memory/exchange/lines"
	"hence/memory/exchange/merge"
	"hence/memory/exchange/team"
	"hence/memory/recall/vectors"
	"hence/vault"
)

var person = ref.Caller{Actor: "ada", Origin: "person"}

// world is a store with markers: words of random letters that stand nowhere else.
type world struct {
	t      dbtest.TB
	v      ref.View
	random *rand.Rand
	folder string
	gone   []string // markers that must be in no file
	stays  []string // markers that must still be there
}

func (w *world) word() string {
	letters := make([]byte, 16)
	for i := range letters {
		letters[i] = "bcdfghjklmnpqrtvwx"[w.random.IntN(18)] // no endings that the tokenizer cuts off
	}
	return string(letters)
}

// text returns n markers, which are added to a list.
func (w *world) text(to *[]string, n int) string {
	words := []string{}
	for range n {
		words = append(words, w.word())
	}
	*to = append(*to, words...)
	return strings.Join(words, " ")
}

func (w *world) store(a memory.StoreArgs) string {
	w.t.Helper()
	a.Dedup = "off"
	done, err := memory.Store(w.v).Remember(context.Background(), a, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return done.Memory.ID
}

func (w *world) edit(id, text string) {
	w.t.Helper()
	if _, err := memory.Store(w.v).Revise(context.Background(), memory.UpdateArgs{ID: id, Content: &text}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) link(from, to, kind, note string) {
	w.t.Helper()
	if _, err := edges.Graph(w.v).Link(context.Background(), edges.LinkArgs{From: from, To: to, Type: kind, Note: note}); err != nil {
		w.t.Fatal(err)
	}
}

// files returns the bytes of every file below the world's folder, in lower case.
func (w *world) files() map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(w.folder, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			var raw []byte
			raw, err = os.ReadFile(path)
			all[path] = strings.ToLower(string(raw))
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// left returns the markers whose middle is in some file: an index keeps a word without the letters that it has
// in common with the one before.
func (w *world) left(markers []string) (left []string) {
	middles := map[string]string{}
	for _, word := range markers {
		middles[word[5:14]] = word
	}
	for path, text := range w.files() {
		for at := range max(0, len(text)-8) {
			if word, ok := middles[text[at:at+9]]; ok {
				left = append(left, word+" in "+filepath.Base(path))
			}
		}
	}
	return left
}

// emptyStore is the file of an empty store, which is made once.
var emptyStore = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "erase-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "empty.db")
	d, err := db.Open(context.Background(), path, db.Options{})
	if err == nil {
		err = d.Close()
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// newWorld returns a world without memories. Its store, its state and all that is written lie below one folder.
func newWorld(t dbtest.TB, folder string, seed uint64) *world {
	t.Helper()
	path := filepath.Join(folder, "hence.db")
	file, err := emptyStore()
	if err == nil {
		err = os.WriteFile(path, file, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	d, err := db.Open(context.Background(), path, db.Options{State: path + "-state"})
	if err != nil {
		t.Fatal(err)
	}
	return &world{t: t, v: ref.View{DB: d, Caller: person}, random: rand.New(rand.NewPCG(seed, 7)), folder: folder}
}

func (w *world) copied(path, how string) {
	records, err := permit.Of(context.Background(), w.v.DB, w.v.DB)
	if err == nil {
		err = records.Copied(path, how)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) backup() {
	path := filepath.Join(w.folder, w.word()+".db")
	if err := w.v.DB.Backup(context.Background(), path); err != nil {
		w.t.Fatal(err)
	}
	w.copied(path, permit.Backup)
}

func (w *world) team() {
	v := w.v
	v.Caller.Namespace = "default"
	dir := filepath.Join(w.folder, "team")
	if _, err := team.Sync(context.Background(), v, team.Args{Dir: dir, First: true}); err != nil {
		w.t.Fatal(err)
	}
	w.copied(dir, permit.Team)
}

// note writes the note of a vault, and imports it.
func (w *world) note(text string) {
	dir := w.folder + "-notes"
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "note.md"), []byte(text), 0o600)
	}
	if err == nil {
		_, err = vault.Importer{DB: w.v.DB, Caller: person}.Import(context.Background(), vault.ImportArgs{Dir: dir})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// fork merges another store, in which the memory was edited too.
func (w *world) fork(id string, mine *[]string) {
	ctx := context.Background()
	path := filepath.Join(w.folder, "fork.db")
	if err := w.v.DB.Backup(ctx, path); err != nil {
		w.t.Fatal(err)
	}
	other, err := db.Open(ctx, path, db.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	there := *w
	there.v = ref.View{DB: other, Caller: person}
	there.edit(id, w.text(mine, 4))
	w.edit(id, w.text(mine, 4))
	var out strings.Builder
	if _, err := lines.Export(ctx, there.v, &out); err != nil {
		w.t.Fatal(err)
	}
	if _, err := merge.Lines(ctx, w.v, strings.NewReader(out.String()), lines.ImportArgs{Name: "fork"}); err != nil {
		w.t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		w.t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(path + suffix)
	}
}

// book calls f with the file of receipts.
func (w *world) book(f func(ctx context.Context, b *receipts.Book, tag string) error) {
	w.t.Helper()
	ctx := context.Background()
	tag, err := db.Tag(ctx, w.v.DB)
	if err != nil {
		w.t.Fatal(err)
	}
	b, err := receipts.Open(ctx, w.v.DB.State(), time.Minute)
	if err == nil {
		err = errors.Join(f(ctx, b, tag), b.Close())
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// shown adds the receipt of a search for a text.
func (w *world) shown(text string) {
	w.book(func(ctx context.Context, b *receipts.Book, tag string) error {
		return b.Add(ctx, receipts.Receipt{Session: "s", At: time.Now(), Tool: "memory_search", Arguments: db.JSON(map[string]string{"query": text}), Stamp: receipts.Stamp{Store: tag}})
	})
}

// searches counts the receipts of searches for a text that has one of the markers.
func (w *world) searches(markers []string) (n int) {
	w.book(func(ctx context.Context, b *receipts.Book, tag string) error {
		all, err := b.Of(ctx, receipts.Scope{Store: tag}, "s", time.Time{})
		for _, r := range all {
			if slices.ContainsFunc(markers, func(word string) bool { return strings.Contains(r.Arguments, word) }) {
				n++
			}
		}
		return err
	})
	return n
}

// fill makes memories, and returns the id of the one to erase.
func (w *world) fill(draw func(most int, what string) int) (id string) {
	for range draw(6, "others") {
		other := w.store(memory.StoreArgs{Content: w.text(&w.stays, 1+draw(30, "words"))})
		if draw(2, "edited") == 0 {
			w.edit(other, w.text(&w.stays, 3))
		}
	}
	size := []int{1, 8, 60, 900}[draw(4, "size")]
	title := w.text(&w.gone, 1)
	content := w.text(&w.gone, size)
	id = w.store(memory.StoreArgs{Title: &title, Content: content, Tags: []string{w.text(&w.gone, 1)}, Properties: map[string]any{w.text(&w.gone, 1): w.text(&w.gone, 2)}})
	for range draw(3, "edits") {
		content = w.text(&w.gone, 8)
		w.edit(id, content)
	}
	if draw(2, "derived") == 0 {
		derived := w.store(memory.StoreArgs{Content: w.text(&w.gone, 5)})
		w.link(derived, id, "derived-from", w.text(&w.gone, 2))
		further := w.store(memory.StoreArgs{Content: w.text(&w.gone, 5)})
		w.link(further, derived, "derived-from", "")
	}
	if draw(2, "quotes") == 0 {
		w.store(memory.StoreArgs{Content: w.text(&w.gone, 2) + " “" + content + "” " + w.text(&w.gone, 2)})
	}
	if draw(2, "turn") == 0 {
		w.store(memory.StoreArgs{Kind: "turn", Content: "and so I said: " + content + ". " + w.text(&w.gone, 1)})
	}
	if draw(2, "replaced") == 0 {
		old := w.store(memory.StoreArgs{Content: w.text(&w.gone, 6)})
		w.link(id, old, "supersedes", w.text(&w.gone, 2))
	}
	if draw(2, "linked") == 0 {
		other := w.store(memory.StoreArgs{Content: w.text(&w.stays, 4)})
		w.link(id, other, "supports", w.text(&w.gone, 2))
		w.link(other, id, "relates-to", w.text(&w.gone, 2))
	}
	if draw(2, "note") == 0 {
		w.note("As was said: " + content)
		w.note(w.text(&w.stays, 4))
	}
	for range draw(4, "receipts") {
		if draw(2, "of it") == 0 {
			w.shown(w.gone[len(w.gone)/2])
		} else {
			w.shown(w.text(&w.stays, 2))
		}
	}
	if draw(3, "merge") == 0 {
		w.fork(id, &w.gone)
	}
	if draw(2, "vectors") == 0 {
		if _, err := vectors.Store(w.v).EmbedRun(context.Background(), nil); err != nil {
			w.t.Fatal(err)
		}
	}
	if draw(2, "backup") == 0 {
		w.backup()
		if draw(2, "later") == 0 {
			w.edit(id, w.text(&w.gone, 3))
			w.backup()
		}
	}
	if draw(2, "team") == 0 {
		w.team()
	}
	if draw(3, "forgotten") == 0 {
		if _, err := memory.Store(w.v).Forget(context.Background(), memory.ForgetArgs{ID: id, Reason: w.text(&w.gone, 2)}); err != nil {
			w.t.Fatal(err)
		}
	}
	return id
}

func (w *world) erase(a erase.Args) erase.Result {
	w.t.Helper()
	no := false
	a.DryRun = &no
	done, err := erase.Store(w.v).Erase(context.Background(), a)
	if err != nil {
		w.t.Fatal(err)
	}
	return done
}

// count is an independent scan: how many rows of the store a query finds.
func (w *world) count(query string, args ...any) int {
	n, _, err := db.One[int](context.Background(), w.v.DB, query, args...)
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

const (
	eachMemory  = `select count(*) from memories`
	eachEdge    = `select count(*) from edges`
	eachEarlier = `select count(*) from journal where before ->> '$.content' is not null and id not in (select id from memories where kind = 'note')`
)

func TestAnErasedTextIsInNoFile(t *testing.T) {
	dbtest.SkipOnCluster(t, "a node keeps its own log")
	dbtest.CheckTimes(t, 50)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		folder, err := os.MkdirTemp("", "erase-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(folder)
		defer os.RemoveAll(folder + "-notes")
		w := newWorld(t, folder, rapid.Uint64().Draw(t, "seed"))
		defer func() { _ = w.v.DB.Close() }()
		w.store(memory.StoreArgs{Content: w.text(&w.stays, 3)})
		id := w.fill(func(most int, what string) int { return rapid.IntRange(0, most-1).Draw(t, what) })
		if left := w.left(w.gone); len(left) == 0 {
			t.Fatal("the markers are in no file before: nothing is tested")
		}
		memories, linked, earlier := w.count(eachMemory), w.count(eachEdge), w.count(eachEarlier)
		searches, others := w.searches(w.gone), w.searches(w.stays)
		done := w.erase(erase.Args{ID: id, All: true})
		if left := w.left(w.gone); len(left) > 0 {
			t.Fatalf("left: %q of %d", left[:min(3, len(left))], len(w.gone))
		}
		r := done.Receipt
		if r == nil || r.Unfinished != "" || len(r.Found) > 0 || r.Searched.Marks == 0 || len(r.OutOfReach) != 1 {
			t.Fatalf("receipt: %+v", r)
		}
		if r.Counts.Memories != memories-w.count(eachMemory) || r.Counts.Edges != linked-w.count(eachEdge) {
			t.Fatalf("counts: %+v; %d memories and %d edges before, %d and %d now", r.Counts, memories, linked, w.count(eachMemory), w.count(eachEdge))
		}
		if r.Counts.EarlierTexts != earlier-w.count(eachEarlier) || r.Counts.Receipts != searches || w.searches(w.gone) != 0 || w.searches(w.stays) != others {
			t.Fatalf("counts: %+v; %d earlier texts before, %d now; %d searches for it, %d for others, %d now", r.Counts, earlier, w.count(eachEarlier), searches, others, w.searches(w.stays))
		}
		here := w.files()
		for _, word := range w.stays {
			if !slices.ContainsFunc(slicesOf(here), func(text string) bool { return strings.Contains(text, word) }) {
				t.Fatalf("%s is gone too", word)
			}
		}
		if problems, err := w.v.DB.Check(context.Background()); err != nil || len(problems) > 0 {
			t.Fatalf("the store is damaged: %q, %v", problems, err)
		}
	})
	t.Logf("%d stores", n)
}

func slicesOf(all map[string]string) (texts []string) {
	for path, text := range all {
		if filepath.Ext(path) == ".db" {
			texts = append(texts, text)
		}
	}
	return texts
}
