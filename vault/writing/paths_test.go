package writing_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/vault"
	"hence/vault/reading"
	"hence/vault/vaulttest"
	"hence/vault/writing"
)

// attacks are paths that lead out of a vault, or seem to on some system.
var attacks = map[string]string{
	"Parent":                   "../secret.md",
	"ParentWithoutExtension":   "../secret",
	"ParentFromAFolder":        "sub/../../secret.md",
	"ParentThatComesBack":      "sub/../a.md",
	"ParentAtTheEnd":           "sub/..",
	"ParentAlone":              "..",
	"ParentWithBlanks":         ".. /secret.md",
	"ThreeDots":                ".../secret.md",
	"ParentInURI":              "obsidian-fs://v/../secret.md",
	"VaultIsParent":            "obsidian-fs://../secret.md",
	"Absolute":                 "/etc/passwd",
	"AbsoluteTwice":            "//server/share/x.md",
	"AbsoluteInURI":            "obsidian-fs://v//etc/passwd",
	"Drive":                    "C:/Windows/x.md",
	"DriveWithoutSlash":        "c:x.md",
	"UNC":                      `\\server\share\x.md`,
	"Device":                   `\\.\C:\x.md`,
	"AnotherScheme":            "file:///etc/passwd",
	"Backslash":                `sub\a.md`,
	"BackslashParent":          `..\secret.md`,
	"BackslashAndSlash":        `sub/..\../secret.md`,
	"PercentEncoded":           "%2e%2e/secret.md",
	"PercentEncodedSlash":      "..%2fsecret.md",
	"PercentEncodedTwice":      "%252e%252e%252fsecret.md",
	"PercentEncodedBackslash":  "..%5Csecret.md",
	"FullwidthDots":            "\uFF0E\uFF0E/secret.md",
	"OneDotLeaders":            "\u2024\u2024/secret.md",
	"TwoDotLeader":             "\u2025/secret.md",
	"Ellipsis":                 "\u2026/secret.md",
	"MixedDots":                ".\uFF0E/secret.md",
	"SmallFullStops":           "\uFE52\uFE52/secret.md",
	"FullwidthSlash":           "..\uFF0Fsecret.md",
	"DivisionSlash":            "..\u2215secret.md",
	"FractionSlash":            "..\u2044secret.md",
	"BigSolidus":               "..\u29F8secret.md",
	"FullwidthBackslash":       "..\uFF3Csecret.md",
	"SlashLookAlikeInside":     "sub\uFF0Fnew.md",
	"InvisibleBetweenDots":     ".\u200D./secret.md",
	"ByteOrderMarkBeforeDots":  "\uFEFF../secret.md",
	"NUL":                      "a.md\x00.png",
	"NULFirst":                 "\x00../secret.md",
	"LineBreak":                "a\n.md",
	"Delete":                   "a\x7f.md",
	"C1Control":                "a\u0085.md",
	"LineSeparator":            "a\u2028.md",
	"InvalidUTF8":              "a\xff.md",
	"OverlongDots":             "\xc0\xae\xc0\xae/secret.md",
	"DeviceName":               "CON",
	"DeviceNameWithExtension":  "nul.md",
	"DeviceNameTwoExtensions":  "com1.tar.md",
	"DeviceNameInFolder":       "LPT9/a.md",
	"DeviceNameSuperscript":    "COM\u00b9.md",
	"DeviceNameBlank":          "aux .md",
	"ShortName":                "git~1/x",
	"ShortNameInCapitals":      "GIT~1/config",
	"ShortNameOfAFile":         "sub/LONGNA~2.md",
	"ShortNameManyDigits":      "new~1234.md",
	"TurnedAround":             "new\u202egnp.md",
	"Isolated":                 "new\u2066.md",
	"RightToLeftMark":          "new\u200f.md",
	"ByteOrderMarkFirst":       "\uFEFFnew.md",
	"ByteOrderMarkInside":      "new\uFEFFer.md",
	"ByteOrderMarkOnAFolder":   "sub/\uFEFFdeep/new.md",
	"JoinerFirst":              "\u200Dnew.md",
	"SoftHyphen":               "new\u00ADer.md",
	"TagCharacters":            "new\U000E0061.md",
	"TrailingDot":              "new.",
	"TrailingBlank":            "new ",
	"FolderTrailingDot":        "new./a.md",
	"SettingsOfObsidian":       ".obsidian/app.json",
	"SettingsOfObsidianNote":   ".obsidian/new.md",
	"InvisibleBeforeDot":       "\u200b.obsidian/new.md",
	"FullwidthDotObsidian":     "\uFF0Eobsidian/new.md",
	"Trash":                    ".trash/a.md",
	"HiddenNote":               ".hidden.md",
	"HiddenInFolder":           "sub/.hidden/a.md",
	"OwnSettings":              ".hence.yaml",
	"Ignored":                  "private/diary.md",
	"IgnoredNew":               "private/new.md",
	"IgnoredNewFolder":         "private/deep/new.md",
	"IgnoredByName":            "sub/new.draft.md",
	"LinkOutToAFile":           "out.md",
	"LinkOutToAFolder":         "outside/secret.md",
	"LinkOutToAFolderNew":      "outside/new.md",
	"AbsoluteLinkOut":          "absolute.md",
	"LinkToAFolderInside":      "inside/b.md",
	"LinkToAFolderInsideNew":   "inside/new.md",
	"LinkOutByTwoLinks":        "chain.md",
	"LinkToAPlugin":            "readme.md",
	"LinkToAHook":              "hook.md",
	"LinkToAHiddenNote":        "trashed.md",
	"LinkToAnIgnoredNote":      "diary.md",
	"LinkToWhatIsNotANote":     "plain.md",
	"LinkByALinkedFolder":      "viafolder.md",
	"LinkByALinkToALink":       "second.md",
	"LinkByParents":            "sub/up.md",
	"LinkWithoutEnd":           "round.md",
	"ParentOfAFolderThatIsNot": "nowhere/../../secret.md",
}

func TestNoPathLeavesTheVault(t *testing.T) {
	attacked, around := vaulttest.MakeAttacked(t)
	f := folder{Folder: attacked}
	before, store := snapshot(t, around), contents(t, f.Importer.DB)
	content := "the attack"
	for name, path := range attacks {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			for call, err := range map[string]error{
				"ReadNote":       second(f.reader().ReadNote(ctx, reading.ReadNoteArgs{Path: path})),
				"CreateNote":     second(f.writer().CreateNote(ctx, writing.CreateNoteArgs{Path: path, Content: content})),
				"UpdateNote":     second(f.writer().UpdateNote(ctx, writing.UpdateNoteArgs{Path: path, Mode: "replace", Content: &content})),
				"UpdateNoteDry":  second(f.writer().UpdateNote(ctx, writing.UpdateNoteArgs{Path: path, Mode: "replace", Content: &content, DryRun: true})),
				"SetFrontmatter": second(f.writer().SetFrontmatter(ctx, writing.SetFrontmatterArgs{Path: path, Set: map[string]any{"k": 1}})),
				"MoveNoteFrom":   second(f.writer().MoveNote(ctx, writing.MoveNoteArgs{FromPath: path, ToPath: "new"})),
				"MoveNoteTo":     second(f.writer().MoveNote(ctx, writing.MoveNoteArgs{FromPath: "a", ToPath: path})),
				"MoveNoteDry":    second(f.writer().MoveNote(ctx, writing.MoveNoteArgs{FromPath: "a", ToPath: path, DryRun: true})),
			} {
				want := fault.OutsideVault
				if (call == "CreateNote" || call == "MoveNoteTo" || call == "MoveNoteDry") && exists[name] {
					want = fault.Exists // because of the link itself
				}
				if fault.CodeOf(err) != want {
					t.Errorf("%s(%q): %v, want %s", call, path, err, want)
				}
			}
		})
	}
	if diff := cmp.Diff(before, snapshot(t, around)); diff != "" {
		t.Errorf("something was written:\n%s", diff)
	}
	if diff := cmp.Diff(store, contents(t, f.Importer.DB)); diff != "" {
		t.Errorf("the store has changed:\n%s", diff)
	}
}

// exists are the attacks that name a symbolic link, so that no file can be created there.
var exists = map[string]bool{
	"LinkOutToAFile": true, "AbsoluteLinkOut": true, "LinkOutByTwoLinks": true, "LinkToAPlugin": true, "LinkToAHook": true, "LinkToAHiddenNote": true,
	"LinkToAnIgnoredNote": true, "LinkToWhatIsNotANote": true, "LinkByALinkedFolder": true, "LinkByALinkToALink": true, "LinkByParents": true, "LinkWithoutEnd": true,
}

func TestPathsThatStayInTheVault(t *testing.T) {
	f := newFolder(t, map[string]string{
		"sub/b.md": "x", "Cafe\u0301/Wait\u2026.md": "x", "v1.2.md": "x", "100%25.md": "x", "ab:c?.md": "x", "con\uFF0Ftent.md": "x", "ends .md": "x",
		"CON.md": "x",
	})
	f.Imports()
	for path, want := range map[string]string{
		"sub/b": "sub/b.md", "sub/b.md": "sub/b.md", "./sub//b.md": "sub/b.md", "obsidian-fs://v/sub/b.md": "sub/b.md", "obsidian-fs://v/sub/b": "sub/b.md",
		"b":                            "sub/b.md", // its title
		"Caf\u00e9/Wait\u2026":         "Cafe\u0301/Wait\u2026.md",
		"v1.2":                         "v1.2.md",
		"100%25":                       "100%25.md",
		"ab:c?":                        "ab:c?.md",
		"con\uFF0Ftent":                "con\uFF0Ftent.md",
		"CON.md":                       "CON.md", // the file exists, so that the name is not ambiguous
		f.ID("sub/b.md"):               "sub/b.md",
		f.ID("sub/b.md")[:18]:          "sub/b.md",
		"obsidian-fs://v/ends .md":     "ends .md",
		"obsidian-fs://v/./sub/./b.md": "sub/b.md",
	} {
		r, err := f.writer().UpdateNote(t.Context(), writing.UpdateNoteArgs{Path: path, Mode: "append", Content: new(string)})
		if err != nil || r.Path != want {
			t.Errorf("UpdateNote(%q) wrote %q, %v; want %q", path, r.Path, err, want)
		}
	}
	for path, want := range map[string]fault.Code{
		"nowhere": fault.NotFound, "sub": fault.NotFound, "sub/": fault.InvalidArgument, "": fault.InvalidArgument, "obsidian-fs://w/sub/b.md": fault.NotFound,
		"sub/b.md/c": fault.NotFound, string(make([]byte, 0)) + " ": fault.InvalidArgument,
	} {
		if _, err := f.writer().UpdateNote(t.Context(), writing.UpdateNoteArgs{Path: path, Mode: "append", Content: new(string)}); fault.CodeOf(err) != want {
			t.Errorf("UpdateNote(%q): %v, want %s", path, err, want)
		}
	}
}

// The rules for new names allow characters that join letters and emoji, and tildes that do
// not form a short name of Windows.
func TestNamesThatEveryWriterNeeds(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x"})
	f.Imports()
	for _, path := range []string{
		"\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645.md", // Persian, with a non-joiner
		"\U0001F468\u200D\U0001F469\u200D\U0001F467.md",       // a family
		"\u2764\uFE0F heart.md",
		"~notes.md", "draft~.md", "a~b.md", "longer name~1.md", "v~0.md", "one.two~1.md",
		strings.Repeat("n", 252) + ".md",
		strings.Repeat("d/", 64) + "deepest.md",
		strings.Repeat(strings.Repeat("d", 199)+"/", 5) + strings.Repeat("n", 21) + ".md", // 1,024 bytes
	} {
		if r, err := f.create(strings.TrimSuffix(path, ".md"), ""); err != nil || r.Path != path {
			t.Errorf("CreateNote(%q) wrote %q, %v", path, r.Path, err)
		}
	}
}

func TestPathsHaveBounds(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x"})
	f.Imports()
	content := "x"
	for name, path := range map[string]string{
		"ThousandsOfFolders": strings.Repeat("d/", 2000) + "x.md",
		"AFolderMore":        strings.Repeat("d/", 65) + "x.md",
		"AByteMore":          strings.Repeat(strings.Repeat("d", 199)+"/", 5) + strings.Repeat("n", 22) + ".md",
		"AByteMoreByMd":      strings.Repeat(strings.Repeat("d", 199)+"/", 5) + strings.Repeat("n", 24),
		"ANameOf256":         strings.Repeat("n", 253) + ".md",
		"ANameOf256ByMd":     strings.Repeat("n", 253),
		"AFolderOf256":       strings.Repeat("n", 256) + "/x.md",
		"Megabytes":          strings.Repeat("./", 4<<20) + "a.md",
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			for call, err := range map[string]error{
				"CreateNote":  second(f.create(path, "x")),
				"MoveNote":    second(f.writer().MoveNote(ctx, writing.MoveNoteArgs{FromPath: "a", ToPath: path})),
				"MoveNoteDry": second(f.writer().MoveNote(ctx, writing.MoveNoteArgs{FromPath: "a", ToPath: path, DryRun: true})),
			} {
				if fault.CodeOf(err) != fault.InvalidArgument || len(err.Error()) > 500 {
					t.Errorf("%s: %.600v, want a short invalid_argument", call, err)
				}
			}
			for call, err := range map[string]error{
				"ReadNote":   second(f.reader().ReadNote(ctx, reading.ReadNoteArgs{Path: path})),
				"UpdateNote": second(f.writer().UpdateNote(ctx, writing.UpdateNoteArgs{Path: path, Mode: "append", Content: &content})),
				"ListNotes":  second(f.reader().ListNotes(ctx, reading.ListNotesArgs{Under: path})),
			} {
				if code := fault.CodeOf(err); code != fault.InvalidArgument && code != fault.NotFound && !strings.HasSuffix(name, "ByMd") {
					t.Errorf("%s: %.600v, want invalid_argument or not_found", call, err)
				}
			}
		})
	}
}

func TestWhichVaultIsMeant(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x", "only.md": "x"})
	f.Imports()
	other := filepath.Join(t.TempDir(), "w")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "a.md"), []byte("y"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Importer.Import(t.Context(), vault.ImportArgs{Dir: other, Namespace: "other"}); err != nil {
		t.Fatal(err)
	}
	update := func(v ref.View, name, path string) (string, fault.Code) {
		r, err := writing.New(v).UpdateNote(t.Context(), writing.UpdateNoteArgs{Vault: name, Path: path, Mode: "append", Content: new(string)})
		return r.Vault, fault.CodeOf(err)
	}
	confined := f.View()
	confined.Caller.Namespace, confined.Caller.Confined = "other", true
	for _, c := range []struct {
		name        string
		view        ref.View
		vault, path string
		want        string
		code        fault.Code
	}{
		{"InBoth", f.View(), "", "a", "", fault.Ambiguous},
		{"Named", f.View(), "w", "a", "w", ""},
		{"ByURI", f.View(), "", "obsidian-fs://w/a.md", "w", ""},
		{"InOne", f.View(), "", "only", "v", ""},
		{"NotInTheNamed", f.View(), "w", "only", "", fault.NotFound},
		{"NoSuchVault", f.View(), "x", "a", "", fault.NotFound},
		{"TwoVaultsNamed", f.View(), "v", "obsidian-fs://w/a.md", "", fault.InvalidArgument},
		{"ConfinedToItsOwn", confined, "", "a", "w", ""},
		{"ConfinedSeesNoOther", confined, "v", "a", "", fault.NotFound},
		{"ConfinedSeesNoOtherByURI", confined, "", "obsidian-fs://v/a.md", "", fault.NotFound},
		{"ConfinedSeesNoOtherByPath", confined, "", "only", "", fault.NotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, code := update(c.view, c.vault, c.path); got != c.want || code != c.code {
				t.Errorf("in the vault %q, %q; want %q, %q", got, code, c.want, c.code)
			}
		})
	}
	if _, err := f.create("new", ""); fault.CodeOf(err) != fault.Ambiguous {
		t.Errorf("%v, want ambiguous", err)
	}
	if err := os.RemoveAll(other); err != nil {
		t.Fatal(err)
	}
	if _, code := update(confined, "", "a"); code != fault.Unavailable {
		t.Errorf("a vault whose folder is gone: %s", code)
	}
	if got, code := update(f.View(), "", "only"); got != "v" || code != "" {
		t.Errorf("beside a vault whose folder is gone: %q, %s", got, code)
	}
	for _, name := range []string{"", "w"} {
		if _, code := update(f.View(), name, "nowhere"); code != fault.Unavailable {
			t.Errorf("what the vault may have whose folder is gone: %s", code)
		}
	}
}

// The error for a note whose file is gone differs from that for a memory without a file.
func TestWhatIsSaidOfADeletedNote(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x", "sub/b.md": "y"})
	f.Imports()
	b := f.ID("sub/b.md")
	if _, err := (memory.Store{DB: f.Importer.DB, Caller: f.Importer.Caller}).Remember(t.Context(), memory.StoreArgs{Title: new("Told"), Content: "not a file"}, nil); err != nil {
		t.Fatal(err)
	}
	content := "new"
	calls := func(vaultName, path string) map[string]error {
		ctx := t.Context()
		return map[string]error{
			"read_note":       second(f.reader().ReadNote(ctx, reading.ReadNoteArgs{Vault: vaultName, Path: path})),
			"get_headings":    second(f.reader().Headings(ctx, reading.HeadingsArgs{Vault: vaultName, Path: path})),
			"get_frontmatter": second(f.reader().Frontmatter(ctx, reading.FrontmatterArgs{Vault: vaultName, Path: path})),
			"update_note":     second(f.writer().UpdateNote(ctx, writing.UpdateNoteArgs{Vault: vaultName, Path: path, Mode: "append", Content: &content})),
			"set_frontmatter": second(f.writer().SetFrontmatter(ctx, writing.SetFrontmatterArgs{Vault: vaultName, Path: path, Remove: []string{"k"}})),
			"move_note":       second(f.writer().MoveNote(ctx, writing.MoveNoteArgs{Vault: vaultName, FromPath: path, ToPath: "c"})),
		}
	}
	want := func(text string, err error) {
		t.Helper()
		if fault.CodeOf(err) != fault.NotFound || err.Error() != text {
			t.Errorf("%v, want %s", err, text)
		}
	}
	f.Remove("sub/b.md")
	for _, name := range []string{"sub/b.md", "sub/b", "b", b, "obsidian-fs://v/sub/b.md", "obsidian-fs://v/sub/b"} {
		for call, err := range calls("", name) {
			want(call+": the file sub/b.md of the vault v was deleted after the last import; run vault_import to update the store", err)
		}
	}
	for call, err := range calls("v", "sub/b") {
		want(call+": the file sub/b.md of the vault v was deleted after the last import; run vault_import to update the store", err)
	}
	for call, err := range calls("v", "never") {
		want(call+`: there is no file "never" in the vault; list_notes shows which there are`, err)
	}
	for call, err := range calls("", "Told") {
		want(call+`: "Told" is a memory that is not a file of a vault; open it with memory_get`, err)
	}
	f.Imports()
	for call, err := range calls("", b) {
		want(call+": the file sub/b.md of the vault v was deleted; memory_get shows the text that it had", err)
	}
}

func TestSeveralVaultsAreOfferedOnlyWhereTheyHaveTheFile(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x"})
	for name, files := range map[string][]string{
		"one": {"README.md", "a.md"}, "two": {"a.md"}, "three": {"README.md"}, "four": {"b.md"}, "five": {"readme.txt"}, "six": {"README.md", "sub/README.md"},
	} {
		g := newFolder(t, nil)
		for _, path := range files {
			g.Write(path, name)
		}
		if _, err := f.Importer.Import(t.Context(), vault.ImportArgs{Dir: g.Dir, Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	for call, err := range map[string]error{
		"read_note":     second(f.reader().ReadNote(t.Context(), reading.ReadNoteArgs{Path: "README.md"})),
		"get_backlinks": second(f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: "README.md"})),
	} {
		var e *fault.Error
		text := call + `: "README.md" is in 3 vaults (one, six, three); name one with vault, or write obsidian-fs://one/README.md`
		if !errors.As(err, &e) || e.Code != fault.Ambiguous || e.Message != text {
			t.Errorf("%v, want %s", err, text)
		} else if diff := cmp.Diff([]string{"one", "six", "three"}, e.Details["candidates"]); diff != "" {
			t.Errorf("%s: candidates (-want +got):\n%s", call, diff)
		}
	}
	_, err := f.create("new", "")
	if want := "create_note: there are 6 vaults (five, four, one, six, three and 1 more); name one"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Vault: "nosuch", Path: "README.md"})
	if want := `get_backlinks: no vault of the name "nosuch" was imported`; fault.CodeOf(err) != fault.NotFound || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
