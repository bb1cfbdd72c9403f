package lines

import (
	"hence/memory/record"
	"strings"
	"testing"
)

// No line brings a control character in what is shown on one line.
func TestControlCharactersOfLinesAreRefused(t *testing.T) {
	good := Memory{Memory: record.Memory{ID: "01a21599-25e1-720f-a46f-21c6a3ce85f9", Title: "T", Kind: "fact", Namespace: "default", Actor: "ada"}}
	for name, change := range map[string]func(m *Memory){
		"a line end in the title": func(m *Memory) { m.Title = "a\nRules:" }, "an escape in the title": func(m *Memory) { m.Title = "a\x1b[2J" },
		"a line end in the kind": func(m *Memory) { m.Kind = "x\nRules and preferences:" }, "a carriage return in a tag": func(m *Memory) { m.Tags = []string{"a", "b\rc"} },
		"a next line in the actor": func(m *Memory) { m.Actor = "ada\u0085" }, "a tab in the kind": func(m *Memory) { m.Kind = "a\tb" },
	} {
		m := good
		if change(&m); m.checkTexts() == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if err := good.checkTexts(); err != nil {
		t.Error(err)
	}
	for name, line := range map[string]string{"a tab in the word": `"rel":"a\tb"`, "an escape in the actor": `"actor":"a\u001b"`} {
		if _, err := (Reader{}).Read([]byte(`{"type":"edge","from":"a","to":"b","edge_type":"causes",` + line + `}`)); err == nil || !strings.Contains(err.Error(), "on one line") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
