package tools

import (
	codereading "hence/code/reading"
	codewriting "hence/code/writing"
	"hence/tools/show"
)

func codeTools(r codereading.Reader, w codewriting.Writer) []Tool {
	tools := setToolset(CodeSet,
		define("code_outline", "Outline code", reads,
			"List the symbols of a file, type, package or repository, with who calls them. Use memory_search with kinds code to find one, code_read for its body.",
			r.Outline, show.Outlined),
		define("code_read", "Read code", reads,
			"Read a symbol, or lines of a file, as it is on disk now. Use read_note for notes.",
			r.Read, show.CodeRead),
		define("code_patch", "Change code", changes,
			"Replace a literal text in one file, and see which symbols change and which memories rest on them. A dry run unless dry_run is false.",
			w.Patch, show.Patched),
		define("code_test", "Run tests", runs,
			"Run a test suite that the person allowed. It runs the repository's code with their rights.",
			w.Test, show.Tested),
	)
	tools[2].Needs, tools[3].Needs = codewriting.Patches, codewriting.Tests
	return tools
}
