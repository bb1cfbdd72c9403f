package near

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/pattern"
	"hence/internal/prose"
	"hence/internal/ref"
	"hence/memory/recall/lexicon"
	"hence/memory/recall/question"
)

// everyday are the words of commands, and of their failures, that say nothing about which command
// it is.
var everyday = prose.Words(everydayWords)

//go:embed everyday.txt
var everydayWords string

const (
	maxCommandWords = 24   // of a command, and of a line of its failure
	maxLookUps      = 400  // of words and pairs
	maxFailure      = 8000 // bytes at the beginning and at the end of a failure's text that are read,
	firstLines      = 10   // and lines of these
	lastLines       = 30
	failureWords    = 3 // rare words and pairs in which a memory agrees with a failure alone
)

var (
	quoted    = pattern.Lazy(`"[^"\n]*\s[^"\n]*"|'[^'\n]*\s[^'\n]*'`)
	pathLike  = pattern.Lazy(`[/\\]|^[^-].*\.[a-zA-Z]\w{0,5}$`)
	separator = pattern.Lazy(`&&|\|\|?|;|\n|\$\(|[()<>` + "`]")
)

// Commanded returns the memories that are about a command, or about a command and the reason why it
// failed: those with two rare words of it, one of them beside its neighbour in the command, or with an
// everyday command such as git status, complete and as code; and those with three rare words of a line of the failure.
// Words of paths and quoted prose, such as a commit message, do not count.
func Commanded(ctx context.Context, r *db.Reader, c ref.Caller, f question.Filter, command, failure string, except []string) (hits []Hit, err error) {
	p := promptSearch{filter: f, except: db.List(except), own: c.Own(), needed: minRareWords, sections: selectFitting}
	keys, err := p.count(ctx, r)
	if err != nil {
		return nil, err
	}
	parts := commandParts(command)
	if err := p.lookUpPhrases(ctx, r, parts, keys); err != nil {
		return nil, err
	}
	shared, err := p.findSharing(ctx, r, p.rare)
	if err != nil {
		return nil, err
	}
	if failure != "" {
		p.rare, p.needed = nil, failureWords
		if err := p.lookUpPhrases(ctx, r, failureLines(failure), keys); err != nil {
			return nil, err
		}
		more, err := p.findSharing(ctx, r, p.byText()...)
		if err != nil {
			return nil, err
		}
		shared = append(shared, clearLeaders(more, 2)...)
	}
	whole, err := p.findWhole(ctx, r, parts, keys)
	for _, one := range append(whole, shared...) {
		if !slices.ContainsFunc(hits, func(h Hit) bool { return h.Memory == one.Memory }) {
			hits = append(hits, one.Hit)
		}
	}
	return hits, err
}

// commandParts returns the words of each simple command of a line of a shell, as the index has them,
// without paths and quoted prose. Words that set a variable come last.
func commandParts(command string) (parts [][]string) {
	command, _, _ = strings.Cut(command, "<<") // a text for the command's input
	for _, simple := range separator().Split(quoted().ReplaceAllString(command, " "), -1) {
		words, set := []string{}, []string{}
		for i, word := range strings.Fields(simple) {
			if i == 0 { // the program
				word = word[strings.LastIndexAny(word, `/\`)+1:]
			}
			switch tokens := slices.Collect(lexicon.Tokens(word)); {
			case i > 0 && pathLike().MatchString(word):
			case len(words) == 0 && strings.Contains(word, "="):
				set = append(set, tokens...)
			default:
				words = append(words, tokens...)
			}
		}
		if words = append(words, set...); len(words) > 0 {
			parts = append(parts, words[:min(len(words), maxCommandWords)])
		}
	}
	return parts
}

// failureLines returns the words of the first and the last lines of a failure, without paths: the last one first, because it
// tells most often why.
func failureLines(failure string) (lines [][]string) {
	if len(failure) > 2*maxFailure {
		failure = failure[:maxFailure] + "\n" + failure[len(failure)-maxFailure:]
	}
	for line := range strings.Lines(strings.ToValidUTF8(failure, " ")) {
		said := slices.DeleteFunc(strings.Fields(line), pathLike().MatchString)
		if words := slices.Collect(lexicon.Tokens(strings.Join(said, " "))); len(words) > 0 {
			lines = append(lines, words[:min(len(words), maxCommandWords)])
		}
	}
	if len(lines) > firstLines+lastLines {
		lines = slices.Delete(lines, firstLines, len(lines)-lastLines)
	}
	slices.Reverse(lines)
	return lines
}

// byText returns the rare words of each text.
func (p *promptSearch) byText() [][]lookedWord {
	groups := [][]lookedWord{}
	for _, w := range p.rare {
		for _, text := range slices.Compact(w.texts) {
			for len(groups) <= text {
				groups = append(groups, nil)
			}
			groups[text] = append(groups[text], w)
		}
	}
	return groups
}

// lookUpPhrases looks up the telling words of texts and the pairs of neighbours with such a word, and
// keeps the rare ones, each with the texts that have it.
func (p *promptSearch) lookUpPhrases(ctx context.Context, r *db.Reader, texts [][]string, keys textKeys) error {
	const isCommon, isAbsent = -1, -2
	asked := map[string]int{} // their places in p.rare, or one of the two
	for text, words := range texts {
		for i, word := range words {
			if !IsTelling(word) {
				continue
			}
			queries := []string{lexicon.InAnySpelling(word)}
			if i > 0 {
				queries = append(queries, lexicon.Quote(words[i-1]+" "+word))
			}
			if i+1 < len(words) && !IsTelling(words[i+1]) {
				queries = append(queries, lexicon.Quote(word+" "+words[i+1]))
			}
			for n, query := range queries {
				at, isAsked := asked[query]
				if !isAsked && len(asked) == maxLookUps {
					continue
				}
				if !isAsked {
					w, err := lookUpWord(ctx, r, query, keys)
					if err != nil {
						return err
					}
					switch at = isCommon; {
					case len(w.sections) == 0:
						at = isAbsent
					case w.estimate <= max(rareSections, rareShare*p.sectionCount):
						at, p.rare = len(p.rare), append(p.rare, w)
					}
					asked[query] = at
				}
				if at >= 0 {
					p.rare[at].texts = append(p.rare[at].texts, text)
				} else if n == 0 && at == isAbsent {
					break // no pair has it either
				}
			}
		}
	}
	return nil
}

// IsTelling reports whether a word of a command, a failure or an edit may say which one it is.
func IsTelling(word string) bool {
	return isMeaningful(word) && !everyday(word) && !lexicon.IsOrdinary(word)
}

// findWhole returns the memories that have a simple command of at least two words as code, in
// backticks, in quotes or after a prompt, without other flags; and those that have as code a part of it
// which begins as it does and says what of it is meant, as `git push --force` does of a longer command.
func (p *promptSearch) findWhole(ctx context.Context, r *db.Reader, parts [][]string, keys textKeys) (all []recognition, err error) {
	for _, words := range parts {
		if len(words) < 2 {
			continue
		}
		w, err := lookUpWord(ctx, r, lexicon.Quote(strings.Join(words[:2], " ")), keys)
		if err != nil {
			return nil, err
		}
		asCode := regexp.MustCompile("(?i)[`\"'$] ?" + strings.Join(words, `[^\pL\pN`+"`\n"+`]+`) + `(?:[^\pL\pN\s]|\s+[^-\s]|\s*$)`)
		err = db.Each(ctx, r, func(row *sql.Rows) error {
			one, text := recognition{}, ""
			err := row.Scan(&one.Memory, &one.Section, &text)
			if asCode.MatchString(text) || hasPartOf(text, words) {
				all = append(all, one)
			}
			return err
		}, selectTexts, p.bind(db.List(w.sections))...)
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

var inBackticks = pattern.Lazy("`[^`\n]+`")

// hasPartOf reports whether a text has, in backticks, a simple command of at least three words that
// begins as the given words do and has no others.
func hasPartOf(text string, words []string) bool {
	for _, span := range inBackticks().FindAllString(text, -1) {
		if parts := commandParts(strings.Trim(span, "`")); len(parts) == 1 {
			its := parts[0]
			isOther := func(word string) bool { return !slices.Contains(words, word) }
			if len(its) > 2 && its[0] == words[0] && its[1] == words[1] && !slices.ContainsFunc(its, isOther) {
				return true
			}
		}
	}
	return false
}

// selectTexts reads the title and the text of the newest sections ?10.
var selectTexts = `
select
  m.key,
  s.key,
  m.title || char(10) || t.body
from json_each(?10) j
cross join sections s on s.key = j.value
cross join section_text t on t.key = s.key
cross join memories m on m.key = s.memory
where ` + isStated + `
order by s.key desc
limit 50`

const (
	maxNaming    = 300    // newest sections with the words of a name that are read
	maxNamedText = 20_000 // characters of a section that are read
)

// Hit is a memory with the section to show.
type Hit struct{ Memory, Section int64 }

// File is a file that is about to be changed, with what tells it from others.
type File struct {
	Repository string // its name
	Path       string // from its root, with slashes
	// All returns the paths of all files, by which a name says which file it means.
	All func() ([]string, error)
}

// namesFile is a memory that names a file or a folder around it.
type namesFile struct {
	Hit
	depth      int     // segments of the path that is named; more for the file itself
	importance float64 // more for a rule or decision
}

// Naming returns the memories that name a file, or a folder around it, in their text or
// properties: those that name the file first, then the innermost folder. Of those about other projects, and of
// notes that are neither rule nor decision, it returns none. It reads the newest maxNaming
// sections that have the words of a name.
func Naming(ctx context.Context, r *db.Reader, c ref.Caller, f question.Filter, file File, except []string) ([]Hit, error) {
	keys, err := readTextKeys(ctx, r, f.Namespace)
	if err != nil {
		return nil, err
	}
	found := map[int64]namesFile{}
	for name := file.Path; name != "."; name = path.Dir(name) {
		words := lists.Map(slices.Collect(lexicon.Tokens(path.Base(name))), lexicon.Quote)
		if len(words) == 0 {
			continue
		}
		err := db.Each(ctx, r, func(row *sql.Rows) error {
			var n namesFile
			var title, text, properties string
			err := row.Scan(&n.Memory, &n.Section, &n.importance, &title, &text, &properties)
			if err != nil {
				return err
			}
			n.depth, err = file.depthIn(title + "\n" + text + "\n" + properties)
			if n.depth > found[n.Memory].depth {
				found[n.Memory] = n
			}
			return err
		}, selectNaming, f.Bind(nil, db.List(keys.ranges), db.List(except), c.Own(), strings.Join(words, " AND "), maxNaming, maxNamedText)...)
		if err != nil {
			return nil, err
		}
	}
	all := slices.SortedFunc(maps.Values(found), func(a, b namesFile) int {
		return cmp.Or(cmp.Compare(b.depth, a.depth), cmp.Compare(b.importance, a.importance), cmp.Compare(b.Memory, a.Memory))
	})
	return lists.Map(all, func(n namesFile) Hit { return n.Hit }), nil
}

// selectNaming reads the newest ?14 sections in the ranges ?10 that match the FTS5 query ?13.
var selectNaming = `
select
  m.key,
  s.key,
  m.importance + (` + Decides + `),
  m.title,
  substr(t.body, 1, ?15),
  m.properties
from (
  select section_search.rowid as key
` + question.SectionsIn("?10", "?13") + `
  order by section_search.rowid desc
  limit ?14
) n
cross join sections s on s.key = n.key
cross join section_text t on t.key = s.key
cross join memories m on m.key = s.memory
where ` + isStated

// Decides is the SQL condition that a memory m is a rule or a decision.
const Decides = `coalesce(m.is_decision, 0) or coalesce(m.is_rule, 0)`

// namesItself is the depth of the file itself.
const namesItself = 1000

// pathWord matches what may be a path, or one of the words beside it.
var pathWord = pattern.Lazy(`[\pL\pN_.@+*$~\\/-]+`)

// folderNouns make a single word beside them the name of a folder, and beforeFolder one after them.
var (
	folderNouns  = strings.Fields("folder folders directory directories dir package packages module modules subtree tree path scope")
	beforeFolder = append(strings.Fields("under below beneath inside within"), folderNouns...)
)

// depthIn returns how precisely a text names the file: namesItself, or the number of segments of
// the innermost folder that it names, 0 for none.
func (f File) depthIn(text string) (depth int, err error) {
	if base := path.Base(f.Path); pathWord().FindString(base) != base && strings.Contains(text, base) {
		return namesItself, nil // a name with blanks
	}
	at := pathWord().FindAllStringIndex(text, -1)
	isNoun := func(nouns []string, i, from, to int) bool {
		return slices.Contains(nouns, strings.ToLower(strings.TrimRight(text[at[i][0]:at[i][1]], "."))) &&
			strings.Trim(text[from:to], " \"'`:“”‘’*") == ""
	}
	for i, w := range at {
		name, isFolder := plainPath(text[w[0]:w[1]])
		if name == "" || name == "." {
			continue
		}
		hasNoun := i > 0 && isNoun(beforeFolder, i-1, at[i-1][1], w[0]) || i+1 < len(at) && isNoun(folderNouns, i+1, w[1], at[i+1][0])
		one, err := f.depthOf(name, isFolder || hasNoun, text)
		if err != nil {
			return 0, err
		}
		depth = max(depth, one)
	}
	return depth, nil
}

// plainPath returns a path as it is written in a text, with slashes and without what stands around it or
// matches files below it. isFolder says that it is written as a folder.
func plainPath(written string) (name string, isFolder bool) {
	name = strings.TrimLeft(strings.ReplaceAll(written, `\`, "/"), "@*")
	name = strings.TrimRight(name, "-+~")
	for {
		last := path.Base(name)
		if !strings.Contains(name, "/") || !strings.HasSuffix(name, last) || !strings.Contains(last, "*") && last != "..." {
			break
		}
		name = strings.TrimSuffix(name, last)
		if isFolder = true; strings.Trim(name, "/") == "" {
			return "", false
		}
		name = strings.TrimSuffix(name, "/")
	}
	name = strings.TrimRight(name, ".")
	isFolder = isFolder || strings.HasSuffix(name, "/")
	return path.Clean(strings.TrimPrefix(strings.TrimSuffix(name, "/"), "./")), isFolder
}

// depthOf returns how precisely a path in a text names the file. A name of several files or folders says
// which it means by the folder around it, if the text has that too.
func (f File) depthOf(name string, isFolder bool, text string) (int, error) {
	own := []string{name}
	if _, below, ok := strings.Cut("/"+name, "/"+f.Repository+"/"); ok && f.Repository != "" {
		own = append(own, below)
	}
	base := path.Base(f.Path)
	for _, name := range own {
		switch {
		case name == f.Path && (strings.ContainsAny(base, ".") || base != strings.ToLower(base)), strings.Contains(f.Path, "/") && strings.HasSuffix(name, "/"+f.Path):
			return namesItself, nil
		case strings.HasSuffix(f.Path, "/"+name) && (strings.ContainsAny(name, "./") || name != strings.ToLower(name)):
			ok, err := f.isOnly(name, f.Path, text)
			if ok || err != nil {
				return namesItself, err
			}
		}
	}
	if isFolder = isFolder || strings.Contains(name, "/"); !isFolder {
		return 0, nil
	}
	for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
		for _, name := range own {
			isIt := name == dir
			if strings.HasSuffix(dir, "/"+name) {
				var err error
				if isIt, err = f.isOnly(name, dir, text); err != nil {
					return 0, err
				}
			}
			if isIt {
				return 1 + strings.Count(dir, "/"), nil
			}
		}
	}
	return 0, nil
}

// isOnly reports whether the end of a path is that of no other file or folder, or the text has the
// name of the folder around it.
func (f File) isOnly(end, full, text string) (bool, error) {
	all, err := f.All()
	if err != nil {
		return false, err
	}
	isOther := false
	for _, one := range all {
		for ; one != "." && !isOther; one = path.Dir(one) {
			isOther = one != full && (one == end || strings.HasSuffix(one, "/"+end))
		}
	}
	around := path.Base(strings.TrimSuffix(full, "/"+end))
	return !isOther || slices.Contains(slices.Collect(lexicon.Words(text)), strings.ToLower(around)), nil
}
