package syntax

import (
	"sync"
	"unsafe"

	c "github.com/tree-sitter/tree-sitter-c/bindings/go"
	java "github.com/tree-sitter/tree-sitter-java/bindings/go"
	javascript "github.com/tree-sitter/tree-sitter-javascript/bindings/go"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
	rust "github.com/tree-sitter/tree-sitter-rust/bindings/go"
	typescript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"
)

// tables are the tree-sitter grammars in the binary, by the name of the language.
var tables = map[string]func() unsafe.Pointer{
	"typescript": typescript.LanguageTypescript,
	"tsx":        typescript.LanguageTSX,
	"javascript": javascript.Language,
	"python":     python.Language,
	"rust":       rust.Language,
	"java":       java.Language,
	"c":          c.Language,
}

var (
	grammars  = map[string]*grammar{}
	grammarMu sync.Mutex
)

// grammarOf returns the grammar of a language, and caches it.
func grammarOf(language string) *grammar {
	grammarMu.Lock()
	defer grammarMu.Unlock()
	if grammars[language] == nil {
		grammars[language] = newGrammar(tables[language]())
	}
	return grammars[language]
}
