package hence_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
)

// TestEdgeVocabularyIsDocumented holds the table of docs/edges.md against the
// one table of the code, and the list of the README too.
func TestEdgeVocabularyIsDocumented(t *testing.T) {
	text, err := os.ReadFile("docs/edges.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 || !strings.HasPrefix(strings.TrimSpace(cells[0]), "`") {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		documented[strings.Trim(cells[0], "`")] = cells[1:]
	}
	want := map[string][]string{}
	for _, k := range edges.Kinds() {
		same, inverse := k.Words()
		want[string(k)] = []string{k.Reads(), strings.Join(same[1:], ", "), strings.Join(inverse, ", ")}
	}
	if diff := cmp.Diff(want, documented); diff != "" {
		t.Errorf("docs/edges.md (-code +docs):\n%s", diff)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range edges.Kinds() {
		if !strings.Contains(string(readme), "`"+string(k)+"`") {
			t.Errorf("README.md does not name %s", k)
		}
	}
}
