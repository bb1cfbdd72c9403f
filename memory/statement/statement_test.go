package statement_test

import (
	"testing"

	"hence/memory/statement"
)

func TestOf(t *testing.T) {
	for name, c := range map[string]struct{ text, attribute, value string }{
		"Verb":               {"Ada Quill lives in Porto.", "ada quill : residence", "porto"},
		"Possessive":         {"Ada Quill's home is in Porto.", "ada quill : residence", "porto"},
		"Agent":              {"Bea Marsh owns the ledger.", "ledger : owner", "bea marsh"},
		"AgentOfWhat":        {"The ledger is kept in order by Bea Marsh, who owns it.", "ledger : owner", "bea marsh"},
		"AgentAndMore":       {"The ledger is kept in order by Bea Marsh, who owns it with Cleo Reed.", "", ""},
		"LivesThere":         {"Ada Quill has gone to Porto and lives there.", "ada quill : residence", "porto"},
		"LivesThereWith":     {"Ada Quill has gone to Porto with Bea and lives there.", "", ""},
		"NotThere":           {"Ada Quill has gone to Porto and sings there.", "", ""},
		"Apposition":         {"Calls about Night Ferry go to its owner, Bea Marsh.", "night ferry : owner", "bea marsh"},
		"AppositionOfAThird": {"Cleo Reed sends calls about Night Ferry to its owner, Bea Marsh.", "", ""},
		"Address":            {"The ledger is found at db.internal:5432.", "ledger : port", "5432"},
		"PortInWords":        {"The ledger listens on port 5432.", "ledger : port", "5432"},
		"Denied":             {"Ada Quill does not live in Porto.", "", ""},
		"OneOfMany":          {"Ada Quill speaks Greek.", "", ""},
		"AskedAbout":         {"Cleo Reed asked about Night Ferry, which Bea Marsh owns.", "", ""},
		"TwoSentences":       {"Ada Quill lives in Porto. She sings.", "", ""},
		"Empty":              {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			attribute, value, ok := statement.Read(c.text)
			if !ok {
				attribute, value = "", ""
			}
			if attribute != c.attribute || value != c.value {
				t.Errorf("%q states %q = %q, want %q = %q", c.text, attribute, value, c.attribute, c.value)
			}
		})
	}
}

func TestOfMemory(t *testing.T) {
	for name, c := range map[string]struct{ title, content, attribute string }{
		"NamedInContent": {"Backend", "PocketBase runs on port 8090.", "pocketbase : port"},
		"NotNamed":       {"Ledger", "The retry limit is 5.", ""},
		"SameTitle":      {"PocketBase runs…", "PocketBase runs on port 8090.", "pocketbase : port"},
		"NoTitle":        {"", "PocketBase runs on port 8090.", "pocketbase : port"},
		"Nothing":        {"Backend", "It is slow.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			attribute, _, ok := statement.OfMemory(c.title, c.content)
			if ok != (c.attribute != "") || ok && attribute != c.attribute {
				t.Errorf("%q, want %q", attribute, c.attribute)
			}
		})
	}
}

func FuzzOf(f *testing.F) {
	for _, text := range []string{"Ada lives there and", "its owner, who", "who owns it", "A and B there", "x:1 at y:2, its z, Q", "Port 1 belongs to"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		attribute, value, ok := statement.Read(text)
		if again, same, ok2 := statement.Read(text); again != attribute || same != value || ok != ok2 {
			t.Errorf("%q is read in two ways", text)
		}
	})
}
