package vault_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db/dbtest"
	"hence/vault"
)

func TestTimesOfNotes(t *testing.T) {
	f := newFolder(t, map[string]string{
		".hence.yaml":      "times: {created: [Born On], updated: [touched]}\n",
		"plain.md":         "text",
		"created.md":       "---\ncreated: 2024-02-29\n---\n",
		"both.md":          "---\nDate Created: 2024-03-01T10:00\nmodified: 2025-03-01 11:30:00\n---\n",
		"offset.md":        "---\ncreated_at: 2024-03-01T10:00:00+02:00\n---\n",
		"epoch.md":         "---\ncreated: 1609459200000\nupdated: 1609459201\n---\n",
		"zettel.md":        "---\ncreated: 202405081530\nupdated: 20240509\n---\n",
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
		"unquoted.md":      "---\ncreated: [[2024-05-07]]\n---\n",
		"unread.md":        "---\ncreated: someday\n---\n",
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
	warned := []string{}
	for _, w := range f.Imports().Warnings {
		warned = append(warned, w.Path+": "+w.Text)
	}
	if diff := cmp.Diff([]string{"unread.md: created: someday is not a time that can be read; the file's time is used instead"}, warned); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
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
		"unquoted.md 2024-05-07T00:00 2026-10-01T08:00",
		"unread.md 2026-10-01T08:00 2026-10-01T08:00",
		"zettel.md 2024-05-08T15:30 2024-05-09T00:00",
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

// Times as people and programs write them.
func TestFormsOfTimes(t *testing.T) {
	const none = ""
	for value, want := range map[string]string{
		"2026-03-14":                             "2026-03-14T00:00:00Z",
		"2026/3/4":                               "2026-03-04T00:00:00Z",
		"2026.03.14":                             "2026-03-14T00:00:00Z",
		"20260314":                               "2026-03-14T00:00:00Z",
		"20260314093015":                         "2026-03-14T09:30:15Z",
		"2026-03":                                "2026-03-01T00:00:00Z",
		"2026-03-14 9:30":                        "2026-03-14T09:30:00Z",
		"2026-03-14T09:30-07:00":                 "2026-03-14T16:30:00Z",
		"2026-03-14T09:30:00.123+0200":           "2026-03-14T07:30:00Z",
		"2026-03-14T09:30:00+02":                 "2026-03-14T07:30:00Z",
		"2026-03-14 09:30:00 -0700":              "2026-03-14T16:30:00Z",
		"2026-03-14T09:30:00Z":                   "2026-03-14T09:30:00Z",
		"2026-03-14 09:30 UTC":                   "2026-03-14T09:30:00Z",
		"Saturday, March 14th 2026, 9:30:00 am":  "2026-03-14T09:30:00Z",
		"Saturday, March 14th 2026, 12:30:00 am": "2026-03-14T00:30:00Z",
		"March 14, 2026":                         "2026-03-14T00:00:00Z",
		"14 march 2026":                          "2026-03-14T00:00:00Z",
		"Sat, 14 Mar 2026 09:30:00 +0200":        "2026-03-14T07:30:00Z",
		"Mar 1st, 2026 at 9pm":                   "2026-03-01T21:00:00Z",
		"[[2026-03-14]]":                         "2026-03-14T00:00:00Z",
		"[[Daily/2026-03-14|Saturday]]":          "2026-03-14T00:00:00Z",
		"03/04/2026":                             none,
		"2026-02-30":                             none,
		"2026-03-14 25:00":                       none,
		"2026-03-14 09:61":                       none,
		"2026-03-14 9":                           none,
		"0999-03-14":                             none,
		"someday":                                none,
		"":                                       none,
	} {
		for _, written := range []any{value, []any{value}, []any{[]any{value}, "x"}} {
			got, ok := vault.TimeOf(written)
			if text := got.UTC().Format(time.RFC3339); ok != (want != none) || ok && text != want {
				t.Errorf("%q is read as %s (%v), want %s", written, text, ok, want)
			}
		}
	}
}

func TestDatesOfNames(t *testing.T) {
	for name, want := range map[string]string{
		"2026-03-23":          "2026-03-23T00:00",
		"2026-03-23 Review":   "2026-03-23T00:00",
		"2026-03-23-Meeting":  "2026-03-23T00:00",
		"2026_03_23":          "2026-03-23T00:00",
		"20260324":            "2026-03-24T00:00",
		"202603251200 Zettel": "2026-03-25T12:00",
		"20260325120059":      "2026-03-25T12:00",
		"20260325T120059--x":  "2026-03-25T12:00",
		"2026-03-23rd":        "",
		"20261399":            "",
		"12345678":            "",
		"2026-3-23":           "",
		"202603251299 Zettel": "",
		"Review 2026-03-23":   "",
	} {
		got, ok := vault.DateOfName("a/" + name + ".md")
		if text := got.Format("2006-01-02T15:04"); ok != (want != "") || ok && text != want {
			t.Errorf("%q has the date %s (%v), want %s", name, text, ok, want)
		}
	}
}

// Of many notes whose times are not read, the report has the first, and the number of the
// others.
func TestTimesThatAreNotReadAreCounted(t *testing.T) {
	notes := map[string]string{}
	for i := range 12 {
		notes[fmt.Sprintf("%02d.md", i)] = "---\ncreated: 03/04/2026\n---\n"
	}
	got := newFolder(t, notes).Imports().Warnings
	if len(got) != 4 || got[0].Path != "00.md" || got[3].Text != "times that cannot be read: 12 in all; check_vault lists them" {
		t.Errorf("warnings: %+v", got)
	}
}
