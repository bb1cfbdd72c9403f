package ref_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
)

// store returns a store with memories, each given as id, namespace, title, uri, path and status.
// A memory with a path is a file of the vault "v".
func store(t testing.TB, rows ...[6]string) *db.DB {
	t.Helper()
	d := dbtest.New(t)
	batch := []db.Stmt{db.S(`insert into mirrors (key, name, root, extraction, imported_at) values (1, 'v', '/v', 1, '')`)}
	for _, r := range rows {
		batch = append(batch, db.S(`
insert into memories (id, namespace, title, uri, status, forgotten_at)
values (?1, ?2, ?3, nullif(?4, ''), ?5, iif(?5 = 'forgotten', '2026-01-01T00:00:00.000Z', null))`, r[0], r[1], r[2], r[3], r[5]))
		if r[4] != "" {
			batch = append(batch, db.S(`
insert into files (memory, mirror, path, size, modified, file_hash)
select key, 1, ?2, 1, 1, ''
from memories
where id = ?1`, r[0], r[4]))
		}
	}
	if _, err := d.Write(t.Context(), "test", db.Now(), batch...); err != nil {
		t.Fatal(err)
	}
	return d
}

func find(t testing.TB, d *db.DB, c ref.Caller, name string) (m ref.Memory, err error) {
	t.Helper()
	err = d.Read(t.Context(), func(r *db.Reader) (err error) {
		m, err = c.Find(t.Context(), r, name)
		return err
	})
	return m, err
}

const (
	one   = "01900000-0000-7000-8000-000000000001"
	two   = "01900000-0000-7000-8000-000000000002"
	other = "0191abcd-0000-7000-8000-000000000003"
)

func TestFind(t *testing.T) {
	d := store(t,
		[6]string{one, "default", "Alpha", "obsidian-fs://v/notes/Alpha.md", "notes/Alpha.md", "current"},
		[6]string{two, "default", "Beta", "obsidian-fs://v/Board.canvas", "Board.canvas", "current"},
		[6]string{other, "default", "Gone", "", "", "forgotten"},
		[6]string{"Imported-Entity-7", "default", "Entity", "", "", "current"},
		[6]string{"short", "default", "By a short id", "", "", "superseded"},
		[6]string{"t1", "default", "Twin", "", "", "current"},
		[6]string{"t2", "default", "Twin", "", "", "forgotten"},
		[6]string{"t3", "default", "Æble – på dansk", "", "", "current"},
		[6]string{"p1", "default", "100%_x", "", "", "current"},
		[6]string{" k3 ", "default", "Blanks in its id", "", "", "current"},
		[6]string{"k3", "default", "None in its id", "", "", "current"},
		[6]string{"0192ffff-0000-7000-8000-00000a0b0c0d", "default", "By its end", "", "", "current"},
		[6]string{"entity/of a kind", "default", "By an end with a slash and blanks", "", "", "current"},
		[6]string{"f1", "default", "Straße nach Ærø", "", "", "current"},
		[6]string{"f2", "default", "ΟΔΟΣ", "", "", "superseded"},
		[6]string{"f3", "default", "gone too", "", "", "forgotten"},
		[6]string{"f4", "default", "СОВЕЩАНИЕ 2026", "", "", "current"},
		[6]string{"f5", "default", "日本語のノート ABC", "", "", "current"},
		[6]string{"f6", "default", "strasse", "", "", "current"},
		[6]string{"f7", "default", strings.Repeat("å", 1001), "", "", "current"},
		[6]string{"f8", "default", strings.Repeat("å", 1000), "", "", "current"},
		[6]string{"f9", "default", "Ελλάδα", "", "", "current"},
		[6]string{"fa", "default", "Café", "", "", "current"},
		[6]string{"fb", "default", "Cafe", "", "", "current"},
		[6]string{"fc", "default", norm.NFD.String("Αθήνα"), norm.NFD.String("obsidian-fs://v/Αθήνα.md"), norm.NFD.String("Αθήνα.md"), "current"},
		[6]string{"fd", "default", norm.NFD.String("한국 메모"), "", "", "current"},
		[6]string{"fe", "default", norm.NFD.String("ガイド"), "", "", "current"},
		[6]string{"ff", "default", "مُحَمَّد", "", "", "current"},
		[6]string{"fg", "default", "Yoghurt", norm.NFD.String("obsidian-fs://v/notes/Йогурт.md"), norm.NFD.String("notes/Йогурт.md"), "current"},
	)
	for _, c := range []struct{ name, ref, want string }{
		{"ByID", one, one},
		{"ByIDInUpperCase", strings.ToUpper(other), other},
		{"ByShortID", "short", "short"},
		{"NotByPrefixOfAShortID", "shor", ""},
		{"ByPrefixOfEight", "0191abcd", other},
		{"ByLongerPrefix", other[:35], other},
		{"NotByPrefixOfSeven", "0191abc", ""},
		{"ByPrefixInUpperCase", "0191ABCD-0", other},
		{"ByPrefixOfAnImportedID", "Imported-E", "Imported-Entity-7"},
		{"ByURI", "obsidian-fs://v/notes/Alpha.md", one},
		{"ByPath", "notes/Alpha.md", one},
		{"ByPathWithoutMD", "notes/Alpha", one},
		{"ByPathOfAnotherFile", "Board.canvas", two},
		{"NotByPathWithoutAnotherExtension", "Board", ""},
		{"NotByPartOfAPath", "notes", ""},
		{"ByTitle", "Alpha", one},
		{"ByTitleInLowerCase", "alpha", one},
		{"ByTitleInUpperCase", "ALPHA", one},
		{"ByShortIDOfAUUID", "0a0b0c0d", "0192ffff-0000-7000-8000-00000a0b0c0d"},
		{"ByShortIDInUpperCase", "0A0B0C0D", "0192ffff-0000-7000-8000-00000a0b0c0d"},
		{"ByShortIDOfAnImportedID", "Entity-7", "Imported-Entity-7"},
		{"ByShortIDWithBlanks", "f a kind", "entity/of a kind"},
		{"NotBySevenAtTheEnd", "a0b0c0d", ""},
		{"NotByNineAtTheEnd", "00a0b0c0d", ""},
		{"ByTitleInUpperCaseBeyondASCII", "STRASSE NACH ÆRØ", "f1"},
		{"ByTitleWithAFinalSigma", "οδος", "f2"},
		{"ByCyrillicTitleInLowerCase", "совещание 2026", "f4"},
		{"ByTitleOfAScriptWithoutCase", "日本語のノート abc", "f5"},
		{"ByTitleOfASCIIForAnotherLetter", "Straße", "f6"},
		{"ByTitleOfTheForgottenInAnotherCase", "GONE TOO", "f3"},
		{"ByLongTitleInUpperCase", strings.Repeat("Å", 1000), "f8"},
		{"ByLongerTitleAsItIs", strings.Repeat("å", 1001), "f7"},
		{"NotByLongerTitleInUpperCase", strings.Repeat("Å", 1001), ""},
		{"ByTitleWithOtherAccents", "STRASSE NACH AERO", "f1"},
		{"ByTitleInCapitalsWithoutAccents", "ΕΛΛΑΔΑ", "f9"},
		{"ByTitleWithOtherAccentsUnlessOneHasThese", "CAFÉ", "fa"},
		{"ByTitleWithoutAccents", "cafe", "fb"},
		{"ByTitleInAnotherForm", "Αθήνα", "fc"},
		{"ByTitleInAnotherFormAndCase", "ΑΘΉΝΑ", "fc"},
		{"ByTitleOfHangulInAnotherForm", "한국 메모", "fd"},
		{"ByTitleOfKanaInAnotherForm", "ガイド", "fe"},
		{"NotByKanaOfAnotherSound", "カイト", ""},
		{"ByTitleWithoutVowels", "محمد", "ff"},
		{"ByPathInAnotherForm", "Αθήνα.md", "fc"},
		{"ByPathInAnotherFormWithoutMD", "notes/Йогурт", "fg"},
		{"ByURIInAnotherForm", "obsidian-fs://v/Αθήνα.md", "fc"},
		{"NotByTitleOfOtherWords", "STRASSE NACH ÆRU", ""},
		{"NotByNULInLowerCase", "alpha\x00", ""},
		{"ByTitleWithBlanksAround", "  Alpha\n", one},
		{"ByAnIDWithBlanksAround", " k3 ", " k3 "},
		{"ByAnIDWithOtherBlanksAround", "k3 ", "k3"},
		{"ByTitleOfTheForgotten", "Gone", other},
		{"ByTitleOneForgotten", "Twin", "t1"},
		{"ByTitleBeyondASCII", "Æble – på dansk", "t3"},
		{"NotByAPattern", "100%%x", ""},
		{"NotByAPatternOfPrefix", "0190000_", ""},
		{"ByTitleThatLooksLikeAPattern", "100%_x", "p1"},
		{"NotByQuotes", `' or 1=1 --`, ""},
		{"NotByNUL", "Alpha\x00", ""},
		{"NotByInvalidUTF8", "\xff\xfe\xff\xfe\xff\xfe\xff\xfe", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := find(t, d, ref.Caller{}, c.ref)
			if c.want == "" {
				if fault.CodeOf(err) != fault.NotFound {
					t.Fatalf("Find(%q) = %+v, %v; want not_found", c.ref, m, err)
				}
				return
			}
			if err != nil || m.ID != c.want {
				t.Fatalf("Find(%q) = %+v, %v; want %s", c.ref, m, err, c.want)
			}
		})
	}
}

// Notes that were imported from other stores, as lines of JSON, have a uri but no file.
func TestFindByThePathOfANoteWithoutAFile(t *testing.T) {
	d := store(t,
		[6]string{"here", "default", "A", "obsidian-fs://v/both.md", "both.md", "current"},
		[6]string{"there", "default", "B", "obsidian-fs://w/both.md", "", "current"},
		[6]string{"deep", "default", "C", "obsidian-fs://v/systems/Booking API.md", "", "current"},
		[6]string{"dotted", "default", "D", "obsidian-fs://v.2/Dotted.md", "", "current"},
		[6]string{"blank", "default", "E", "obsidian-fs://v 3/Blank.canvas", "", "current"},
		[6]string{"beyond", "default", "F", "obsidian-fs://ø/Æble.md", "", "current"},
		[6]string{"twin1", "default", "G", "obsidian-fs://v/Twin.md", "", "current"},
		[6]string{"twin2", "default", "H", "obsidian-fs://w/Twin.md", "", "current"},
		[6]string{"gone", "default", "I", "obsidian-fs://v/Gone.md", "", "forgotten"},
		[6]string{"title", "default", "Dotted", "", "", "current"},
		[6]string{"other", "default", "J", "file:///Dotted.md", "", "current"},
		[6]string{"odd", "default", "K", "obsidian-fs://odd", "", "current"},
		[6]string{"last", "default", "L", "obsidian-fs://odd/Last.md", "", "current"},
	)
	for _, c := range []struct {
		name, ref, want string
		code            fault.Code
	}{
		{"InAFolder", "systems/Booking API.md", "deep", ""},
		{"WithoutMD", "systems/Booking API", "deep", ""},
		{"OfAnotherVault", "Dotted.md", "dotted", ""},
		{"BeforeATitle", "Dotted", "dotted", ""},
		{"OfAnotherFile", "Blank.canvas", "blank", ""},
		{"BeyondASCII", "Æble", "beyond", ""},
		{"WithAFileFirst", "both", "here", ""},
		{"AfterAURIWithoutAPath", "Last", "last", ""},
		{"InTwoVaults", "Twin", "", fault.Ambiguous},
		{"NotTheForgotten", "Gone.md", "", fault.NotFound},
		{"NotByPartOfAPath", "Booking API.md", "", fault.NotFound},
		{"NotWithTheVault", "w/both", "", fault.NotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := find(t, d, ref.Caller{}, c.ref)
			if m.ID != c.want || fault.CodeOf(err) != c.code {
				t.Errorf("Find(%q) = %+v, %v; want %q, code %q", c.ref, m, err, c.want, c.code)
			}
		})
	}
}

func TestFindTellsWhatItFound(t *testing.T) {
	d := store(t, [6]string{one, "work", "Alpha", "obsidian-fs://v/Alpha.md", "Alpha.md", "superseded"})
	m, err := find(t, d, ref.Caller{}, "Alpha")
	alpha := ref.Far{End: ref.End{Named: ref.Named{ID: one, Title: "Alpha"}, Status: "superseded"}, Kind: "fact"}
	want := ref.Memory{Key: m.Key, Far: alpha, Namespace: "work", URI: "obsidian-fs://v/Alpha.md"}
	if err != nil || m != want || m.Key == 0 {
		t.Errorf("%+v, %v; want %+v", m, err, want)
	}
}

// Each rule finds another memory by the same word. Without the memory that one rule finds, the
// next rule applies.
func TestFindTriesItsRulesInOrder(t *testing.T) {
	const word = "obsidian-fs:word"
	rows := [][6]string{
		{word, "default", "By id", "", "", "current"},
		{word + "-and-more", "default", "By prefix", "", "", "current"},
		{"u", "default", "By uri", word, "", "current"},
		{"p", "default", "By path", "", word + ".md", "current"},
		{"t", "default", word, "", "", "current"},
		{"f", "default", word, "", "", "forgotten"},
		{"o", "default", strings.ToUpper(word), "", "", "current"},
		{"g", "default", strings.ToTitle(word), "", "", "forgotten"},
	}
	for i, want := range rows {
		m, err := find(t, store(t, rows[i:]...), ref.Caller{}, word)
		if err != nil || m.ID != want[0] {
			t.Errorf("from rule %d: %+v, %v; want %s", i+1, m, err, want[0])
		}
	}
}

func TestFindAmbiguous(t *testing.T) {
	rows := [][6]string{}
	for i := range 7 {
		rows = append(rows, [6]string{fmt.Sprintf("0190000%d-same", i), "default", "Same", "", "", "current"})
	}
	rows = append(rows,
		[6]string{"01a00000-1", "default", "Two of a prefix", "", "", "superseded"},
		[6]string{"01a00000-2", "default", "Two of a prefix too", "", "", "current"})
	d := store(t, rows...)
	for _, c := range []struct {
		name, ref string
		want      []string
	}{
		{"TitleWithFiveCandidates", "Same", []string{"01900000-same", "01900001-same", "01900002-same", "01900003-same", "01900004-same"}},
		{"PrefixCurrentFirst", "01a00000", []string{"01a00000-2", "01a00000-1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := find(t, d, ref.Caller{}, c.ref)
			var e *fault.Error
			if !errors.As(err, &e) || e.Code != fault.Ambiguous {
				t.Fatalf("%v, want ambiguous", err)
			}
			got := []string{}
			for _, m := range ref.Candidates(e) {
				got = append(got, m.ID)
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("candidates %v, want %v", got, c.want)
			}
		})
	}
}

func TestFindNotFoundShowsNearTitles(t *testing.T) {
	d := store(t,
		[6]string{"a", "default", "Payment Gateway", "", "", "current"},
		[6]string{"b", "default", "Payment Gateways", "", "", "current"},
		[6]string{"c", "default", "payment gate", "", "", "superseded"},
		[6]string{"d", "default", "Payment Getaway", "", "", "current"},
		[6]string{"e", "default", "Payment Gatewaz", "", "", "forgotten"},
		[6]string{"f", "other", "Payment Gatewax", "", "", "current"},
		[6]string{"g", "default", "Seat Ledger", "", "", "current"},
		[6]string{"h", "default", "Reservations of last summer, by month", "", "", "current"},
	)
	in := ref.Caller{Namespace: "default"}
	for _, c := range []struct {
		name, ref string
		want      []string // nearest first, then by title
	}{
		{"AtMostThree", "Payment Gatewey", []string{"Payment Gateway", "Payment Gateways", "Payment Getaway"}},
		{"InAnotherCase", "seat ledgers", []string{"Seat Ledger"}},
		{"ThatBeginWithIt", "Payment", []string{"payment gate", "Payment Gateway", "Payment Getaway"}},
		{"ThatHoldIt", "ledg", []string{"Seat Ledger"}},
		{"WithTwoSwapped", "Seat Leddre", []string{"Seat Ledger"}},
		{"ThatHoldItWithoutTheMistake", "resrevatoins", []string{"Reservations of last summer, by month"}},
		{"ThatBeginWithItWithoutTheMistake", "Pamyent", []string{"payment gate", "Payment Gateway", "Payment Getaway"}},
		{"NoneForTwoLetters", "ea", nil},
		{"NoneNear", "Something else entirely", nil},
		{"NoneForOneLetter", "x", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := find(t, d, in, c.ref)
			var e *fault.Error
			if !errors.As(err, &e) || e.Code != fault.NotFound {
				t.Fatalf("%v, want not_found", err)
			}
			if got, _ := e.Details["near"].([]string); fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("near %q, want %q", got, c.want)
			}
			if _, said := e.Details["near"]; said != (len(c.want) > 0) {
				t.Errorf("details %v", e.Details)
			}
			for _, title := range c.want {
				if !strings.Contains(e.Message, title) {
					t.Errorf("%q does not name %q", e.Message, title)
				}
			}
		})
	}
}

func TestFindOfALongNameQuotesTheStart(t *testing.T) {
	_, err := find(t, store(t), ref.Caller{}, strings.Repeat("ø", 10_000))
	if fault.CodeOf(err) != fault.NotFound || len(err.Error()) > 300 || !strings.Contains(err.Error(), "ø…") {
		t.Errorf("%.400v", err)
	}
}

func TestFindOfNothing(t *testing.T) {
	for _, name := range []string{"", " ", "\t\n"} {
		if _, err := find(t, store(t), ref.Caller{}, name); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("Find(%q): %v, want invalid_argument", name, err)
		}
	}
}

func TestFindKeepsToItsNamespace(t *testing.T) {
	d := store(t,
		[6]string{one, "work", "Alpha", "obsidian-fs://v/Alpha.md", "Alpha.md", "current"},
		[6]string{other, "work", "Gone", "", "", "forgotten"},
		[6]string{"h", "home", "Alpha", "", "", "current"},
	)
	guest := ref.Caller{Namespace: "home"} // who may name other namespaces
	for _, name := range []string{other, other[:8], strings.ToUpper(other[:12]), other[28:]} {
		if m, err := find(t, d, guest, name); err != nil || m.ID != other {
			t.Errorf("a guest: Find(%q) = %+v, %v", name, m, err)
		}
	}
	for _, name := range []string{"Gone", "gone", "Alpha.md"} {
		if m, err := find(t, d, guest, name); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("a guest: Find(%q) = %+v, %v", name, m, err)
		}
	}
	work, home, all := ref.Caller{Namespace: "work"}, ref.Caller{Namespace: "home", Confined: true}, ref.Caller{}
	for _, name := range []string{other, other[:8], other[:12], strings.ToUpper(other[:12]), strings.ToUpper(other[:8]), other[28:], "Gone", "gone"} {
		if m, err := find(t, d, home, name); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("home sees %q of work: %+v, %v", name, m, err)
		}
		if m, err := find(t, d, work, name); err != nil || m.ID != other {
			t.Errorf("work: Find(%q) = %+v, %v", name, m, err)
		}
	}
	for _, name := range []string{one, one[:8], one[28:], "obsidian-fs://v/Alpha.md", "Alpha.md"} {
		if m, err := find(t, d, home, name); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("home sees %q of work: %+v, %v", name, m, err)
		}
		for _, c := range []ref.Caller{work, all} {
			if m, err := find(t, d, c, name); err != nil || m.ID != one {
				t.Errorf("%+v: Find(%q) = %+v, %v", c, name, m, err)
			}
		}
	}
	for want, c := range map[string]ref.Caller{one: work, "h": home} {
		if m, err := find(t, d, c, "Alpha"); err != nil || m.ID != want {
			t.Errorf("%+v: %+v, %v; want %s", c, m, err, want)
		}
	}
	if _, err := find(t, d, all, "obsidian-fs://v/Alpha"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a uri is exact: %v", err)
	}
}
