package vault_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db/dbtest"
)

func TestTimesOfNotes(t *testing.T) {
	f := newFolder(t, map[string]string{
		".hence.yaml":      "times: {created: [Born On], updated: [touched]}\n",
		"plain.md":         "text",
		"created.md":       "---\ncreated: 2024-02-29\n---\n",
		"both.md":          "---\nDate Created: 2024-03-01T10:00\nmodified: 2025-03-01 11:30:00\n---\n",
		"offset.md":        "---\ncreated_at: 2024-03-01T10:00:00+02:00\n---\n",
		"epoch.md":         "---\ncreated: 1609459200000\nupdated: 1609459201\n---\n",
		"link.md":          "---\ndate: \"[[2024-05-06]]\"\n---\n",
		"own.md":           "---\ncreated: 2024-01-01\nborn-on: 2023-01-01\ntouched: 2023-01-02\n---\n",
		"plan.md":          "---\ndate: 2999-01-01\n---\n",
		"noTime.md":        "---\ncreated: someday\ndate: 2024-07-08\n---\n",
		"backward.md":      "---\ncreated: 2024-07-08\nupdated: 2023-07-08\n---\n",
		"2024-09-10.md":    "daily",
		"2024_09_11.md":    "daily, as Logseq names it",
		"2024-09-12 Up.md": "---\nupdated: 2024-09-13\n---\n",
		"2024-13-40.md":    "no date",
		"Logo 2024.png":    "x",
	})
	file := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	entries, err := os.ReadDir(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Chtimes(filepath.Join(f.Dir, e.Name()), file, file); err != nil {
			t.Fatal(err)
		}
	}
	f.Imports()
	times := func() []string {
		return dbtest.Texts(t, f.Importer.DB, `
select f.path || ' ' || substr(m.created_at, 1, 16) || ' ' || substr(m.updated_at, 1, 16)
from files f join memories m on m.key = f.memory order by 1`)
	}
	want := []string{
		"2024-09-10.md 2024-09-10T00:00 2026-10-01T08:00",
		"2024-09-12 Up.md 2024-09-12T00:00 2024-09-13T00:00",
		"2024-13-40.md 2026-10-01T08:00 2026-10-01T08:00",
		"2024_09_11.md 2024-09-11T00:00 2026-10-01T08:00",
		"Logo 2024.png 2026-10-01T08:00 2026-10-01T08:00",
		"backward.md 2023-07-08T00:00 2023-07-08T00:00",
		"both.md 2024-03-01T10:00 2025-03-01T11:30",
		"created.md 2024-02-29T00:00 2026-10-01T08:00",
		"epoch.md 2021-01-01T00:00 2021-01-01T00:00",
		"link.md 2024-05-06T00:00 2026-10-01T08:00",
		"noTime.md 2024-07-08T00:00 2026-10-01T08:00",
		"offset.md 2024-03-01T08:00 2026-10-01T08:00",
		"own.md 2023-01-01T00:00 2023-01-02T00:00",
		"plain.md 2026-10-01T08:00 2026-10-01T08:00",
		"plan.md 2026-10-01T08:00 2026-10-01T08:00",
	}
	if diff := cmp.Diff(want, times()); diff != "" {
		t.Errorf("created and updated (-want +got):\n%s", diff)
	}
	f.Write("plain.md", "---\ncreated: 2024-04-05\n---\ntext")
	f.Imports()
	if got := times()[13]; got[:25] != "plain.md 2024-04-05T00:00" {
		t.Errorf("a note that says now when it was written: %s", got)
	}
}
