package near

import (
	"context"
	"database/sql"
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"hence/internal/db"
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
	maxCommandWords = 24   // of a command, and of the reason of its failure, that are looked up
	maxFailure      = 2000 // bytes at the beginning and at the end of a failure's text that are read
	failureWords    = 3    // rare words and pairs in which a memory agrees with a failure alone
)

var (
	quoted    = regexp.MustCompile(`"[^"\n]*\s[^"\n]*"|'[^'\n]*\s[^'\n]*'`)
	pathLike  = regexp.MustCompile(`[/\\]|^[^-].*\.[a-zA-Z]\w{0,5}$`)
	separator = regexp.MustCompile(`&&|\|\|?|;|\n|\$\(|[()<>` + "`]")
)

// Commanded returns the memories that are about a command, or about a command and the reason why it
// failed: those with two rare words of it, one of them beside its neighbour in the command, or with
// the whole of an everyday command such as git status as code. Words of paths and quoted prose, such
// as a commit message, do not count.
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
	shared, err := p.findSharing(ctx, r)
	if err != nil {
		return nil, err
	}
	if failure != "" {
		if len(failure) > 2*maxFailure {
			failure = failure[:maxFailure] + " " + failure[len(failure)-maxFailure:]
		}
		said := slices.DeleteFunc(strings.Fields(strings.ToValidUTF8(failure, " ")), pathLike.MatchString)
		p.rare, p.needed = nil, failureWords
		if err := p.lookUpPhrases(ctx, r, [][]string{slices.Collect(lexicon.Tokens(strings.Join(said, " ")))}, keys); err != nil {
			return nil, err
		}
		more, err := p.findSharing(ctx, r)
		if err != nil {
			return nil, err
		}
		shared = append(shared, clearLeaders(more, 2)...)
	}
	whole, err := p.findWhole(ctx, r, parts, keys)
	for _, one := range append(whole, shared...) {
		if hit := (Hit{one.memory, one.section}); !slices.ContainsFunc(hits, func(h Hit) bool { return h.Memory == hit.Memory }) {
			hits = append(hits, hit)
		}
	}
	return hits, err
}

// commandParts returns the words of each simple command of a line of a shell, as the index has them,
// without paths and quoted prose. Words that set a variable come last.
func commandParts(command string) (parts [][]string) {
	command, _, _ = strings.Cut(command, "<<") // a text for the command's input
	for _, simple := range separator.Split(quoted.ReplaceAllString(command, " "), -1) {
		words, set := []string{}, []string{}
		for i, word := range strings.Fields(simple) {
			if i == 0 { // the program
				word = word[strings.LastIndexAny(word, `/\`)+1:]
			}
			switch tokens := slices.Collect(lexicon.Tokens(word)); {
			case i > 0 && pathLike.MatchString(word):
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

// lookUpPhrases looks up the telling words of texts and the pairs of neighbours with such a word, and
// keeps the rare ones.
func (p *promptSearch) lookUpPhrases(ctx context.Context, r *db.Reader, texts [][]string, keys textKeys) error {
	asked := map[string]bool{}
	for _, words := range texts {
		for i, word := range words {
			if !IsTelling(word) {
				continue
			}
			queries := []string{lexicon.InAnySpelling(word)}
			if i > 0 {
				queries = append(queries, lexicon.Quote([]string{words[i-1] + " " + word})...)
			}
			if i+1 < len(words) && !IsTelling(words[i+1]) {
				queries = append(queries, lexicon.Quote([]string{word + " " + words[i+1]})...)
			}
			for n, query := range queries {
				if asked[query] || len(asked) > 3*maxCommandWords {
					continue
				}
				asked[query] = true
				w, err := lookUpWord(ctx, r, query, keys)
				if err != nil {
					return err
				}
				if len(w.sections) > 0 && w.estimate <= max(rareSections, rareShare*p.sectionCount) {
					p.rare = append(p.rare, w)
				} else if n == 0 && len(w.sections) == 0 {
					break // no pair has it either
				}
			}
		}
	}
	return nil
}

// IsTelling reports whether a word of a command, a failure or an edit may say which one it is.
func IsTelling(word string) bool {
	return isMeaningful(word) && !everyday[word] && !lexicon.IsOrdinary(word)
}

// findWhole returns the memories that have a simple command of at least two words as code, in
// backticks, in quotes or after a prompt, without other flags; and those that have as code a part of it
// which begins as it does and says what of it is meant, as `git push --force` does of a longer command.
func (p *promptSearch) findWhole(ctx context.Context, r *db.Reader, parts [][]string, keys textKeys) (all []recognition, err error) {
	for _, words := range parts {
		if len(words) < 2 {
			continue
		}
		w, err := lookUpWord(ctx, r, lexicon.Quote([]string{strings.Join(words[:2], " ")})[0], keys)
		if err != nil {
			return nil, err
		}
		asCode := regexp.MustCompile("(?i)[`\"'$] ?" + strings.Join(words, `[^\pL\pN`+"`\n"+`]+`) + `(?:[^\pL\pN\s]|\s+[^-\s]|\s*$)`)
		err = db.Each(ctx, r, func(row *sql.Rows) error {
			one, text := recognition{}, ""
			err := row.Scan(&one.memory, &one.section, &text)
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

var inBackticks = regexp.MustCompile("`[^`\n]+`")

// hasPartOf reports whether a text has, in backticks, a simple command of at least three words that
// begins as the given words do and has no others.
func hasPartOf(text string, words []string) bool {
	for _, span := range inBackticks.FindAllString(text, -1) {
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
