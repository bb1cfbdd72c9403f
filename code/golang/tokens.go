package golang

import (
	"crypto/sha256"
	"encoding/hex"
	"go/scanner"
	"go/token"
	"io"
	"slices"
	"sort"
	"strings"
)

// lexemes are the tokens and comments of a file.
type lexemes struct {
	text     string
	tokens   []lexeme // without separators that depend only on layout, see lex
	comments []span
}

type span struct{ start, end int }

type lexeme struct {
	start int
	text  string
}

// lex splits a text into tokens. It leaves out a semicolon or comma before a closing
// bracket, because that depends only on line breaks.
func lex(text []byte) lexemes {
	l := lexemes{text: string(text)}
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, literal := s.Scan()
		start := file.Offset(pos)
		switch {
		case tok == token.EOF:
			return l
		case tok == token.COMMENT:
			// The literal lacks carriage returns, so its length is not that of the comment.
			l.comments = append(l.comments, span{start, commentEnd(l.text, start)})
			continue
		case tok == token.SEMICOLON:
			literal = ";"
		case literal == "":
			literal = tok.String()
		}
		if n := len(l.tokens); n > 0 && (literal == ")" || literal == "}" || literal == "]") && tok.IsOperator() {
			if last := l.tokens[n-1].text; last == ";" || last == "," {
				l.tokens = l.tokens[:n-1]
			}
		}
		l.tokens = append(l.tokens, lexeme{start, literal})
	}
}

// commentEnd returns the end of the comment that begins at start.
func commentEnd(text string, start int) int {
	if inner, ok := strings.CutPrefix(text[start:], "/*"); ok {
		inner, _, _ = strings.Cut(inner, "*/")
		return min(start+len("/*")+len(inner)+len("*/"), len(text))
	}
	line, _, _ := strings.Cut(text[start:], "\n")
	return start + len(line)
}

// tokensWithin returns the tokens that begin in a range, without semicolons at its end.
func (l lexemes) tokensWithin(start, end int) (texts []string) {
	first := sort.Search(len(l.tokens), func(i int) bool { return l.tokens[i].start >= start })
	for _, t := range l.tokens[first:] {
		if t.start >= end {
			break
		}
		texts = append(texts, t.text)
	}
	for len(texts) > 0 && texts[len(texts)-1] == ";" {
		texts = texts[:len(texts)-1]
	}
	return texts
}

// hashWithout returns a hash of all tokens except those that begin in the spans, and of
// the texts in more, 128 bits in hex. The spans must be sorted and must not overlap.
func (l lexemes) hashWithout(spans []span, more ...string) string {
	whole := sha256.New()
	for _, t := range l.tokens {
		for len(spans) > 0 && t.start >= spans[0].end {
			spans = spans[1:]
		}
		if len(spans) == 0 || t.start < spans[0].start {
			io.WriteString(whole, t.text)
			whole.Write([]byte{0})
		}
	}
	for _, text := range more {
		whole.Write([]byte{1})
		io.WriteString(whole, text)
	}
	return hex.EncodeToString(whole.Sum(nil)[:16])
}

// commentsWithin returns the comments that begin in a range.
func (l lexemes) commentsWithin(start, end int) []span {
	first, _ := slices.BinarySearchFunc(l.comments, start, func(c span, at int) int { return c.start - at })
	last, _ := slices.BinarySearchFunc(l.comments, end, func(c span, at int) int { return c.start - at })
	return l.comments[first:max(first, last)]
}
