package syntax

import (
	"sync"
	"unsafe"

	ofC "github.com/tree-sitter/tree-sitter-c/bindings/go"
	ofJava "github.com/tree-sitter/tree-sitter-java/bindings/go"
	ofJavaScript "github.com/tree-sitter/tree-sitter-javascript/bindings/go"
	ofPython "github.com/tree-sitter/tree-sitter-python/bindings/go"
	ofRust "github.com/tree-sitter/tree-sitter-rust/bindings/go"
	ofTypeScript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"
)

// grammars are the tree-sitter grammars in the binary, by the name of the language. Each is
// made when it is first used.
var grammars = map[string]func() *grammar{
	"typescript": onUse(ofTypeScript.LanguageTypescript),
	"tsx":        onUse(ofTypeScript.LanguageTSX),
	"javascript": onUse(ofJavaScript.Language),
	"python":     onUse(ofPython.Language),
	"rust":       onUse(ofRust.Language),
	"java":       onUse(ofJava.Language),
	"c":          onUse(ofC.Language),
}

func onUse(tables func() unsafe.Pointer) func() *grammar {
	return sync.OnceValue(func() *grammar { return newGrammar(tables()) })
}
