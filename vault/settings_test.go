package vault

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"hence/edges"
	"hence/projection"
	"hence/vault/note"
)

func TestSettingsSayWhatAWordMeans(t *testing.T) {
	s, err := parseSettings([]byte("words:\n  feeds: causes\n  Fed By: caused-by\n  up: refers-to\n  related: ignore\n  meta.owner: depends_on\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key  string
		want projection.Site
		ok   bool
	}{
		{"feeds", projection.Site{Kind: edges.Causes, Rel: "feeds", Origin: "frontmatter"}, true},
		{"fed_by", projection.Site{Kind: edges.Causes, Rel: "fed_by", Backward: true, Origin: "frontmatter"}, true},
		{"v1.2", projection.Site{Kind: edges.RefersTo, Rel: "v1.2", Origin: "frontmatter"}, true},
		{"up", projection.Site{Kind: edges.RefersTo, Rel: "up", Origin: "frontmatter"}, true},
		{"related", projection.Site{}, false},
		{"meta.owner", projection.Site{Kind: edges.DependsOn, Rel: "meta.owner", Origin: "frontmatter"}, true},
		{"other.owner", projection.Site{Kind: edges.RefersTo, Rel: "other.owner", Origin: "frontmatter"}, true},
		{"deep.feeds", projection.Site{Kind: edges.Causes, Rel: "deep.feeds", Origin: "frontmatter"}, true},
		{"of two\nlines", projection.Site{Kind: edges.RefersTo, Rel: "of two lines", Origin: "frontmatter"}, true},
		{"depends-on", projection.Site{Kind: edges.DependsOn, Origin: "frontmatter"}, true},
		{"mentions", projection.Site{Kind: edges.RefersTo, Rel: "mentions", Origin: "frontmatter"}, true},
		// Breadcrumbs' fields, by the defaults.
		{"down", projection.Site{Kind: edges.PartOf, Rel: "down", Backward: true, Origin: "frontmatter"}, true},
		{"same", projection.Site{Kind: edges.RefersTo, Rel: "same", Origin: "frontmatter"}, true},
		{"next", projection.Site{Kind: edges.Follows, Rel: "next", Backward: true, Origin: "frontmatter"}, true},
		{"prev", projection.Site{Kind: edges.Follows, Rel: "prev", Origin: "frontmatter"}, true},
	} {
		got, ok := s.declares(note.Link{KeyKind: note.KeyProperty, Property: c.key})
		if !reflect.DeepEqual(got, c.want) || ok != c.ok {
			t.Errorf("%s declares %+v, %v; want %+v, %v", c.key, got, ok, c.want, c.ok)
		}
	}
}

func TestMistakesInTheSettingsNameTheirLine(t *testing.T) {
	for _, c := range []struct {
		name, text string
		line       int
		says       string
	}{
		{"UnknownSetting", "# a comment\nword:\n  a: causes\n", 2, "no setting"},
		{"UnknownKind", "words:\n  a: causes\n  b: nonsense\n", 3, "nonsense"},
		{"KindList", "words:\n  a: [causes]\n", 2, "one type"},
		{"Mentions", "words:\n  a: mentions\n", 2, "plain text"},
		{"TwoSpellings", "words:\n  led to: causes\n  led_to: supports\n", 3, "twice"},
		{"WordsIsAList", "words:\n  - a\n", 2, "list of keys"},
		{"NamesIsAWord", "names: reviewer\n", 1, "list of properties"},
		{"NamesIsAMapping", "names:\n  - a\n  - {b: c}\n", 3, "list of properties"},
		{"MuteIsASwitch", "mute: true\n", 1, "list of names"},
		{"NotASwitch", "mentions: perhaps\n", 1, "true or false"},
		{"IgnoreIsAWord", "\nignore: drafts\n", 2, "list of patterns"},
		{"NestedPattern", "ignore:\n  - a\n  - {b: c}\n", 3, "pattern"},
		{"NoMapping", "just text", 1, "list of keys"},
		{"BrokenYAML", "words:\n  a: causes\n b: x\n", 3, "invalid YAML"},
		{"Tab", "words:\n\ta: causes\n", 2, "invalid YAML"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := parseSettings([]byte(c.text))
			if err == nil || !strings.HasPrefix(err.Error(), strconv.Itoa(c.line)+": ") || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error = %v, want one of line %d that says %q", err, c.line, c.says)
			}
			if s.words != nil || s.ignored != nil || s.noMentions {
				t.Errorf("half of the settings apply: %+v", s)
			}
		})
	}
}

func TestSettingsMayBeEmpty(t *testing.T) {
	for _, text := range []string{"", "# only a comment\n", "---\n", "words: {}\nignore: []\nmentions: true\nnames: []\nmute: []\n", "names: true\n"} {
		s, err := parseSettings([]byte(text))
		if err != nil || s.Version() != (settings{}).Version() {
			t.Errorf("%q: %+v, %v", text, s, err)
		}
	}
}

func TestOtherSettingsAreAnotherExtraction(t *testing.T) {
	seen := map[int64]string{}
	for _, text := range []string{"", "words: {a: causes}", "words: {a: caused-by}", "words: {b: causes}", "words: {a: ignore}", "mentions: false", "names: false", "names: [a]", "names: [b]", "mute: [a]", "mute: [b]"} {
		s, err := parseSettings([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[s.Version()]; ok {
			t.Errorf("%q and %q are the same extraction", text, other)
		}
		seen[s.Version()] = text
	}
}

func TestSettingsSayWhichPropertiesNameNotes(t *testing.T) {
	for _, c := range []struct {
		text     string
		yes, not []string
	}{
		{"", []string{"owner", "Superseded by", "superseded_by", "meta.owner", "attendees"}, []string{"status", "owner.since", "reviewer", ""}},
		{"names: [Reviewed By, a.lead]", []string{"owner", "reviewed_by", "x.reviewed-by", "a.lead"}, []string{"lead", "status"}},
		{"names: false", nil, []string{"owner", "related"}},
	} {
		s, err := parseSettings([]byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		for _, property := range c.yes {
			if !s.namesNotes(property) {
				t.Errorf("%q: %s names no notes", c.text, property)
			}
		}
		for _, property := range c.not {
			if s.namesNotes(property) {
				t.Errorf("%q: %s names notes", c.text, property)
			}
		}
	}
}

func FuzzParseSettings(f *testing.F) {
	for _, seed := range []string{
		"words:\n  a: causes\nmentions: false\nignore:\n  - x/**\n", "words: &a\n  b: *a\n", "? [a]\n: b\n", "a: !!binary x\n", "--- \n...\n---\n", "words: {a: {}}", "\xff", "words:\n  <<: {a: causes}\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseSettings([]byte(text))
		if err == nil {
			for word := range s.words {
				if m, ok := s.means(word); !ok || m.kind == edges.Mentions {
					t.Errorf("%q means %+v, %v", word, m, ok)
				}
			}
			return
		}
		lines := strings.Count(strings.NewReplacer("\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(text), "\n") // as YAML counts
		if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
			lines = len(text) // YAML reads UTF-16 too, where line ends are other bytes
		}
		number, _, _ := strings.Cut(err.Error(), ": ")
		if line, failed := strconv.Atoi(number); failed != nil || line < 1 || line > lines+2 {
			t.Errorf("the error %v names no line of the text", err)
		}
	})
}
