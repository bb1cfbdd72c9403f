package script

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// Cut does not change letters that the tokenizer of the index folds itself, in any normal form. A
// test of memory/recall compares this with the tokenizer.
func TestCutLeavesOutAccents(t *testing.T) {
	for text, want := range map[string]string{
		"Αθήνα":            "Αθηνα",
		"ᾧ ΐ":              "ω ι",
		"ёлка Ёж":          "елка Еж",
		"Йогурт, Київ":     "Йогурт, Київ",
		"И\u0306огурт":     "Йогурт",
		"за\u0301мок":      "за\u0301мок",
		"Straße, STRAẞE":   "Strasse, STRAssE",
		"đường, Đà Nẵng":   "dường, Dà Nẵng",
		"مُحَمَّد":         "محمد",
		"أحمد":             "احمد",
		"مـحـمد":           "محمد",
		"ﻣﺤﻤﺪ":             "محمد",
		"שָׁלוֹם":          "שלום",
		"\ufb2aלום":        "שלום",
		"\u0958लम":         "कलम",
		"क\u093cलम":        "कलम",
		"ব\u09c7\u09be":    "ব\u09cb",
		"ﬁle":              "file",
		"n\u0329":          "n",
		"café, cafe\u0301": "café, cafe\u0301",
		"Ærø, Łódź, ısı":   "Ærø, Łódź, ısı",
		"m² ≠ ❤\ufe0f":     "m² ≠ ❤\ufe0f",
	} {
		if got := Cut(text); got != want {
			t.Errorf("Cut(%q) = %q, want %q", text, got, want)
		}
		if isCut(text) != (text != want) {
			t.Errorf("isCut(%q) = %v", text, isCut(text))
		}
	}
}

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"Über": "uber", "हिन्दी": "हिन्दी", "plain": "plain",
		"ΕΛΛΆΔΑΣ":             "ελλαδασ",
		"Ελλάδας":             "ελλαδασ",
		"Йод":                 "иод",
		"Łódź, Ærø, Đông":     "lodz, aero, dong",
		"IŞIK":                "isik",
		"ışık":                "isik",
		"İstanbul":            "istanbul",
		"Ｐｏｓｔｇｒｅｓ":            "postgres",
		"STRASSE, Straße":     "strasse, strasse",
		"ガイド":                 "ガイド",
		"ｶﾞｲﾄﾞ":               "ガイド",
		"한국":                  "한국",
		"\u1112\u1161\u11ab국": "한국",
		"مُحَمَّد":            "محمد",
	} {
		if got := Fold(text); got != want {
			t.Errorf("Fold(%q) = %q, want %q", text, got, want)
		}
	}
}

// A text has the same Key and Fold in every normal form.
func TestKeyIsThatOfEachWayToWriteAText(t *testing.T) {
	letters := []rune{}
	for r := rune(0x80); r <= 0x1ffff; r++ {
		if unicode.IsLetter(r) && !unicode.Is(unicode.Han, r) && norm.NFD.PropertiesString(string(r)).Decomposition() != nil {
			letters = append(letters, r)
		}
	}
	texts := rapid.StringOfN(rapid.SampledFrom(letters), 1, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		text := texts.Draw(t, "text")
		for _, form := range []string{norm.NFC.String(text), norm.NFD.String(text), strings.ToUpper(norm.NFC.String(text))} {
			if Key(form) != Key(text) {
				t.Errorf("Key(%+q) = %+q, and of %+q %+q", form, Key(form), text, Key(text))
			}
			if Fold(form) != Fold(text) {
				t.Errorf("Fold(%+q) = %+q, and of %+q %+q", form, Fold(form), text, Fold(text))
			}
		}
	})
}
