package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// askErased looks into every file of a store for what was erased from it.
func (r *runner) askErased(events []event, a *asker, folder string) error {
	all, err := contents(folder)
	if err != nil {
		return err
	}
	others := ""
	for text, id := range a.texts {
		if !a.gone(events, id) {
			others += text + "\n" + a.about(a.reference.now().said[id].matter) + "\n"
		}
	}
	first := func(is func(text string) bool) string {
		for text, id := range a.texts {
			if a.gone(events, id) && is(text) {
				return text
			}
		}
		return "none"
	}
	// One that is written over by chance does not count: nothing of what was erased may be there.
	a.check("none of the texts is in a file", func() (any, any) {
		return first(func(text string) bool { return bytes.Contains(all, encoded(text)) }), "none"
	})
	a.check("nor four words that only one of them has", func() (any, any) {
		return first(func(text string) bool {
			words := strings.Fields(text)
			for i := range len(words) - 3 {
				run := strings.Join(words[i:i+4], " ")
				if !strings.Contains(others, run) && bytes.Contains(all, encoded(run)) {
					return true
				}
			}
			return false
		}), "none"
	})
	return nil
}

func (a *asker) gone(events []event, id int) bool {
	return slices.ContainsFunc(events, func(e event) bool { return e.kind == evErase && e.id == id })
}

// encoded is a text as JSON has it; ours have nothing to escape.
func encoded(text string) []byte {
	line, _ := json.Marshal(text)
	return line[1 : len(line)-1]
}

func contents(folder string) (all []byte, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		all = append(append(all, content...), '\n')
		return err
	})
	return all, err
}

// merge lets two copies of a store go apart and merges them in both orders.
func (r *runner) merge(seed uint64) error {
	if !r.can("merge") {
		return nil
	}
	e := &episode{world: newWorld(seed)}
	base := e.chain(4)
	a, folder, err := r.told(e, told(e.events, r.has), false)
	if err != nil {
		return err
	}
	if err := a.adapter.Close(); err != nil {
		return err
	}
	// Each side has its own successor of one statement; the rest of what they do does not meet.
	e.rand.Shuffle(2, func(i, j int) { base[i], base[j] = base[j], base[i] })
	common, both, texts := len(e.events), []int{}, []string{}
	sides := [2][2]string{} // each side twice: to merge into, and to merge from
	for side := range sides {
		e.events = e.events[:common]
		both = append(both, e.instead(evSupersede, base[0]).id)
		e.stated()
		e.change(evCorrect, base[1+side])()
		for i := range sides[side] {
			r.stores++
			sides[side][i] = filepath.Join(r.scratch, strconv.Itoa(r.stores))
		}
		if err := a.apart(folder, sides[side], told(e.events, r.has)[len(told(e.events[:common], r.has)):]); err != nil {
			return err
		}
		for _, one := range e.events[common:] {
			texts = append(texts, one.text)
		}
	}
	exports := [2]string{}
	for side := range sides {
		if exports[side], err = a.merged(sides[side][0], sides[1-side][1], texts, both); err != nil {
			return err
		}
	}
	a.check("both orders end in the same export", func() (any, any) { return exports[0] == exports[1], true })
	return nil
}

// apart tells events to a copy of a store, and copies that again.
func (a *asker) apart(folder string, copies [2]string, events []event) (err error) {
	if err := os.CopyFS(copies[0], os.DirFS(folder)); err != nil {
		return err
	}
	if a.adapter, err = a.openAt(copies[0]); err != nil {
		return err
	}
	for _, one := range events {
		if err := a.tell(one, a.about(one.matter)); err != nil {
			return err
		}
	}
	if err := a.adapter.Close(); err != nil {
		return err
	}
	return os.CopyFS(copies[1], os.DirFS(copies[0]))
}

// merged merges a store into another, and asks that whether it has all texts and names the two successors as a conflict.
func (a *asker) merged(into, from string, texts []string, both []int) (export string, err error) {
	if a.adapter, err = a.openAt(into); err != nil {
		return "", err
	}
	answer, err := a.adapter.Do(Request{Do: "merge", Folder: from})
	if err != nil {
		return "", err
	}
	all, err := a.adapter.Do(Request{Do: "export"})
	if err != nil {
		return "", err
	}
	a.check("no text is lost", func() (any, any) {
		return slices.IndexFunc(texts, func(text string) bool { return !strings.Contains(all.Text, string(encoded(text))) }), -1
	})
	a.check("two successors of one are named as a conflict", func() (any, any) {
		named := append(answer.Shown, a.read(both[0]), a.read(both[1]))
		return slices.ContainsFunc(named, func(s Shown) bool { return marked(s, "conflict") }), true
	})
	return all.Text, a.adapter.Close()
}

// many lets eight processes store 25 statements each in one store, at once, and asks for what was acknowledged.
func (r *runner) many(seed uint64) error {
	took := r.score("of 200 statements of eight writers, acknowledged")
	first, folder, err := r.fresh()
	if err != nil {
		return err
	}
	if err := first.Close(); err != nil {
		return err
	}
	w := newWorld(seed)
	writers := [8]Adapter{}
	for i := range writers { // all are up before the first of them writes
		if writers[i], err = r.openAt(folder); err == nil {
			_, err = writers[i].Do(Request{Do: "has"})
		}
		if err != nil {
			return err
		}
	}
	var group sync.WaitGroup
	acknowledged := [len(writers)]map[string]string{} // handles by text
	for i, adapter := range writers {
		acknowledged[i] = map[string]string{}
		texts := [25][2]string{}
		for i := range texts {
			texts[i][0], texts[i][1] = w.other()
		}
		group.Go(func() {
			defer adapter.Close()
			for _, one := range texts {
				answer, err := adapter.Do(Request{Do: "store", About: one[0], Text: one[1]})
				if err != nil {
					continue
				}
				acknowledged[i][one[1]] = answer.Handle
			}
		})
	}
	group.Wait()
	after, err := r.openAt(folder)
	if err != nil {
		return err
	}
	took.Asked += 200
	for _, texts := range acknowledged {
		took.Right += len(texts)
		if len(texts) == 0 {
			continue
		}
		r.check("all that was acknowledged to a writer is there", func() (any, any) {
			for text, handle := range texts {
				answer, err := after.Do(Request{Do: "read", Handle: handle})
				r.failed(err)
				if !slices.ContainsFunc(answer.Shown, func(s Shown) bool { return strings.Contains(s.Text, text) }) {
					return text, "all"
				}
			}
			return "all", "all"
		})
	}
	return after.Close()
}

// find asks for two statements on each matter, one in each wording, and again among many others. The statements
// and their paraphrases are a fixed list, since few are found by these; the seed draws the seven words and the others.
func (r *runner) find(seed uint64, others int) error {
	e, drawn := &episode{world: newWorld(0)}, newWorld(seed)
	for i, m := range append(e.matters, e.matters...) {
		e.events = append(e.events, event{kind: evState, id: i + 1, matter: i % len(e.matters), text: e.worded(i/len(e.matters), m)})
	}
	a, _, err := r.freshAsker(e.world)
	if err != nil {
		return err
	}
	defer a.adapter.Close()
	statements := []Request{}
	for _, one := range e.events {
		statements = append(statements, Request{Do: "store", About: a.about(one.matter), Text: one.text})
		a.texts[one.text] = one.id
	}
	if err := a.storeAll(statements); err != nil {
		return err
	}
	for _, among := range []string{"", ", among many others"} {
		seven, paraphrase := "by seven of its words, in no order", "by a paraphrase"
		if among != "" && others == 0 {
			return nil
		}
		if among != "" {
			seven = "by seven words" + among
			statements = statements[:0]
			for range others {
				about, text := drawn.other()
				statements = append(statements, Request{Do: "store", About: about, Text: text})
			}
			if err := a.storeAll(statements); err != nil {
				r.failed(fmt.Errorf("it was not asked among %d others: %w", others, err))
				return nil
			}
		}
		for _, one := range e.events {
			for question, words := range map[string]string{seven: drawn.scattered(one.text), paraphrase + among: e.matters[one.matter].paraphrase()} {
				a.check(question, func() (any, any) {
					answer, err := a.adapter.Do(Request{Do: "find", Words: words})
					r.failed(err)
					return slices.ContainsFunc(answer.Shown[:min(10, len(answer.Shown))], func(s Shown) bool { return strings.Contains(s.Text, one.text) }), true
				})
			}
		}
	}
	return nil
}

// storeAll stores statements at once where the system can, else one by one for a minute.
func (a *asker) storeAll(statements []Request) error {
	if a.can("many") {
		_, err := a.adapter.Do(Request{Do: "many", Many: statements})
		return err
	}
	for end := time.Now().Add(time.Minute); len(statements) > 0; statements = statements[1:] {
		if _, err := a.adapter.Do(statements[0]); err != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%d could not be stored within a minute", len(statements))
		}
	}
	return nil
}
