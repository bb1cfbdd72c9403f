package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

// A client that wants exactly search and fetch reads the JSON of a result in its text.
func TestConnectors(t *testing.T) {
	d := dbtest.New(t)
	writer := meet(t, d, Options{})
	get[map[string]any](writer, "memory_store", `{"title": "Ferry", "content": "The night ferry leaves at two.", "tags": ["quay"]}`)
	get[map[string]any](writer, "memory_store", `{"title": "New ferry", "content": "The night ferry leaves at three.", "supersedes": ["Ferry"]}`)
	get[map[string]any](writer, "memory_store", `{"title": "Timetable", "content": "Trams call at the pier.", "source": "web", "source_url": "https://ferry.example/times"}`)
	get[map[string]any](writer, "memory_store", `{"title": "Shift", "content": "The shift of the quay ends after the ferry.", "links": [{"to": "Ferry", "type": "depends-on"}]}`)
	a := meet(t, d, Options{Toolsets: []string{ConnectorSet}})
	found, said := get[map[string][]map[string]string](a, "search", `{"query": "which trams call"}`)
	id := found["results"][0]["id"]
	want := map[string]string{"id": id, "title": "Timetable [from the web]", "trust": "web", "url": "hence://memory/" + id}
	if diff := cmp.Diff(want, found["results"][0]); diff != "" {
		t.Errorf("the first result (-want +got):\n%s", diff)
	}
	var again map[string][]map[string]string
	if err := json.Unmarshal([]byte(said), &again); err != nil || !cmp.Equal(found, again) {
		t.Errorf("the text is %s: %v", said, err)
	}
	for _, c := range []struct{ name, text, url, key, value string }{
		{id, "Trams call at the pier.", "hence://memory/" + id, "source_url", "https://ferry.example/times"},
		{"Ferry", "The night ferry leaves at two.", "", "superseded_by", `"New ferry"`},
		{"Shift", "The shift of the quay ends after the ferry.", "", "stale", `"Ferry"`},
		{"hence://memory/" + id, "Trams call at the pier.", "", "kind", "fact"},
	} {
		page, said := get[struct {
			ID, Title, Text, URL, Trust string
			Metadata                    map[string]string
		}](a, "fetch", `{"id": `+quote(t, c.name)+`}`)
		if page.Text != c.text || c.url != "" && page.URL != c.url || !strings.Contains(page.Metadata[c.key], c.value) || !json.Valid([]byte(said)) {
			t.Errorf("%s is %+v", c.name, page)
		}
	}
	if e := a.refused("fetch", `{"id": "Tram"}`); e.Code != string(fault.NotFound) {
		t.Errorf("%+v", e)
	}
	if e := a.refused("search", `{"query": ""}`); e.Code != string(fault.InvalidArgument) {
		t.Errorf("%+v", e)
	}
	long := strings.Repeat("A long text. ", 2000)
	get[map[string]any](writer, "memory_store", `{"title": "Long", "content": `+quote(t, long)+`}`)
	if page, _ := get[map[string]any](a, "fetch", `{"id": "Long"}`); page["text"] != strings.TrimSpace(long) && page["text"] != long {
		t.Errorf("of a long text come %d bytes", len(page["text"].(string)))
	}
}
