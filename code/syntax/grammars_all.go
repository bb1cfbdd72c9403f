//go:build languages_all

package syntax

import (
	csharp "github.com/tree-sitter/tree-sitter-c-sharp/bindings/go"
	cpp "github.com/tree-sitter/tree-sitter-cpp/bindings/go"
	php "github.com/tree-sitter/tree-sitter-php/bindings/go"
	ruby "github.com/tree-sitter/tree-sitter-ruby/bindings/go"
)

// These grammars are behind a build tag, because they are twice as large as all others
// together and few users need them.
func init() {
	tables["cpp"] = cpp.Language
	tables["csharp"] = csharp.Language
	tables["php"] = php.LanguagePHP
	tables["ruby"] = ruby.Language
	readers["cpp"], readers["csharp"], readers["php"], readers["ruby"] = readCPP, readCSharp, readPHP, readRuby
	for extension, language := range map[string]string{
		".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hh": "cpp", ".hpp": "cpp", ".hxx": "cpp",
		".cs": "csharp", ".php": "php", ".rb": "ruby", ".rake": "ruby",
	} {
		extensions[extension] = language
	}
	shebangs["ruby"], shebangs["php"] = "ruby", "php"
}
