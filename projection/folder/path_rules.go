package folder

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/internal/fault"
	"hence/internal/pattern"
)

// os.Root keeps every path within the folder. These rules refuse paths that mean
// another file on another system, or look like another one to a reader.

// The bounds of a path. Common file systems allow names of at most 255 bytes; macOS
// allows paths of at most 1,024 bytes, the root folder included.
const (
	maxPath    = 1024 // bytes
	maxFolders = 64
	maxName    = 255 // bytes of the name of a file or folder
)

// overBounds returns a text that says which bound a path exceeds, "" for none.
func overBounds(name string) string {
	if len(name) > maxPath {
		return fmt.Sprintf("the path has %d bytes, and may have at most %d", len(name), maxPath)
	}
	folders := strings.Count(name, "/")
	if folders > maxFolders {
		return fmt.Sprintf("the path has %d folders, and may have at most %d", folders, maxFolders)
	}
	for segment := range strings.SplitSeq(name, "/") {
		if len(segment) > maxName {
			return fmt.Sprintf("the name %.40q… has %d bytes, and may have at most %d", segment, len(segment), maxName)
		}
	}
	return ""
}

// CheckBounds fails with invalid_argument for a path that exceeds a bound.
func CheckBounds(operation, name string) error {
	if why := overBounds(name); why != "" {
		return fault.New(fault.InvalidArgument, "%s: %s; choose a shorter one", operation, why)
	}
	return nil
}

// CheckPath returns a path without empty and "." segments. It fails with outside_vault
// for a path that leads or seems to lead out of the folder on any system: ".." in any
// spelling, absolute paths, drives, backslashes, control characters, and names that
// start with a dot, which scans ignore. It fails with invalid_argument for a path
// that exceeds a bound.
func CheckPath(operation, name string) (string, error) {
	if len(name) > maxPath { // before it is examined
		return "", CheckBounds(operation, name)
	}
	quoted := strconv.QuoteToASCII(name[:min(len(name), 100)])
	refuse := func(problem string) (string, error) {
		return "", fault.New(fault.OutsideVault, "%s: %s %s", operation, quoted, problem)
	}
	if strings.TrimSpace(name) == "" {
		return "", fault.New(fault.InvalidArgument, "%s: the path is empty; give one from the root, such as folder/name.md", operation)
	}
	if strings.HasSuffix(name, "/") && wayOut(name) == "" {
		return "", fault.New(fault.InvalidArgument, "%s: %s is a folder; name a file in it", operation, quoted)
	}
	// A percent-encoded path is also examined decoded, repeatedly.
	for text, rounds := name, 0; ; rounds++ {
		if problem := wayOut(text); problem != "" {
			return refuse(problem)
		}
		decoded := decodePercent(text)
		if decoded == text {
			break
		}
		if text = decoded; rounds == 8 {
			return refuse("is percent-encoded more than 8 times; write it without percent-encoding")
		}
	}
	if name = path.Clean(name); name == "." {
		return "", fault.New(fault.InvalidArgument, "%s: %s is the root; name a file in it", operation, quoted)
	}
	return name, CheckBounds(operation, name)
}

// relative says which paths are valid.
const relative = "give a path relative to the vault, such as folder/name.md"

var drive = pattern.Lazy(`^[A-Za-z]:`)

// wayOut returns why a path leads or seems to lead out of the folder and what to do, "" if it
// does not.
func wayOut(name string) string {
	switch {
	case !utf8.ValidString(name):
		return "is not valid UTF-8; give the path in UTF-8"
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) }):
		return "holds a control character; leave it out"
	case strings.Contains(name, `\`):
		return "holds a backslash; write / between folder and file"
	case strings.HasPrefix(name, "/"), drive().MatchString(name), strings.Contains(name, "://"):
		return "is absolute; " + relative
	}
	for segment := range strings.SplitSeq(likeSlash.Replace(withoutInvisible(name)), "/") {
		dotted := likeDot.Replace(segment)
		switch {
		case segment == ".":
		case segment != "" && strings.Trim(likeDots.Replace(dotted), ". ") == "" && strings.Trim(segment, " ") != "":
			return "leads out of the folder; " + relative
		case strings.HasPrefix(dotted, "."):
			return "is hidden; hidden files are never read, choose another name"
		}
	}
	return ""
}

// withoutInvisible removes characters that a reader does not see and that some file
// systems ignore.
func withoutInvisible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, text)
}

// Characters that look like others, or that some systems replace by others.
var (
	likeDot   = strings.NewReplacer("\uFF0E", ".", "\u2024", ".", "\uFE52", ".")
	likeDots  = strings.NewReplacer("\u2025", "..", "\u2026", "...", "\uFE19", "...", "\uFE30", "..", "\u22EF", "...")
	likeSlash = strings.NewReplacer("\uFF0F", "/", "\u2044", "/", "\u2215", "/", "\u29F8", "/",
		"\uFF3C", "/", "\u2216", "/", "\u29F5", "/", "\u29F9", "/", "\uFE68", "/")
)

// decodePercent undoes valid percent-encoding and keeps the rest.
func decodePercent(text string) string {
	return encoded().ReplaceAllStringFunc(text, func(code string) string {
		n, _ := strconv.ParseUint(code[1:], 16, 8)
		return string([]byte{byte(n)})
	})
}

var encoded = pattern.Lazy("%[0-9A-Fa-f]{2}")

// reserved matches names of devices on Windows, with any extension.
var reserved = pattern.Lazy(`(?i)^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])[ ]*(\.|$)`)

// short matches the second names, of at most 8 characters and an extension of 3, that
// Windows gives to files with other names: GIT~1 is .git there.
var short = pattern.Lazy(`^([^.~]{1,6}~[1-9]|[^.~]{1,5}~[1-9][0-9]|[^.~]{1,4}~[1-9][0-9]{2,5})(\.[^.]{0,3})?$`)

// CheckNames fails with outside_vault for names that mean another file on some system,
// or look like another one to a reader: devices and short names of Windows, names that
// end in a dot or blank, characters that look like a slash and encoded slashes, and
// invisible characters, except those that join or vary visible ones.
func CheckNames(operation, name string) error {
	for segment := range strings.SplitSeq(name, "/") {
		why := ""
		switch {
		case reserved().MatchString(segment):
			why = "is a device on some systems"
		case short().MatchString(segment):
			why = "is a short name for another file on some systems"
		case strings.TrimRight(segment, ". ") != segment:
			why = "ends in a dot or blank, which some systems drop"
		case strings.Contains(likeSlash.Replace(segment), "/"), strings.Contains(decodePercent(segment), "/"):
			why = "holds what looks like a slash"
		case withoutInvisible(segment) != segment && hidesSomething(segment):
			why = "holds a character that nobody sees, or that turns the order of the others around"
		default:
			continue
		}
		return fault.New(fault.OutsideVault, "%s: the name %s %s; choose another", operation, strconv.QuoteToASCII(segment), why)
	}
	return nil
}

// hidesSomething reports whether a name contains an invisible character that no spelling
// needs. Spellings need joiners and variation selectors, but only after a visible
// character.
func hidesSomething(name string) bool {
	before := false // a visible character
	for _, r := range name {
		isJoiner := r == '\u200C' || r == '\u200D' || unicode.Is(unicode.Variation_Selector, r)
		switch {
		case withoutInvisible(string(r)) != "":
			before = true
		case !isJoiner || !before:
			return true
		}
	}
	return false
}

// notInNames are the characters that Obsidian does not allow in names, because some
// system or a link cannot contain them.
const notInNames = `*"<>:|?#^[]`

// CheckNewPath checks the names of a new file, see CheckNames. It fails with
// invalid_argument for a name that a link cannot contain.
func CheckNewPath(operation, name string) error {
	if err := CheckNames(operation, name); err != nil {
		return err
	}
	for segment := range strings.SplitSeq(name, "/") {
		if i := strings.IndexAny(segment, notInNames); i >= 0 {
			return fault.New(fault.InvalidArgument, "%s: the name %q holds a %q, and a link cannot name it; leave out %s", operation, segment, segment[i:i+1], notInNames)
		}
		if strings.TrimLeft(segment, " \u00a0") != segment {
			return fault.New(fault.InvalidArgument, "%s: the name %.40q starts with a blank; choose another", operation, segment)
		}
	}
	return nil
}
