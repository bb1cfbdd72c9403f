// Package golang reads Go: the declarations in the files of a repository, and the calls,
// imports and implementations between them. It parses with go/parser and binds names with
// go/types. It runs no program, reads no other file and uses no network. It knows the
// declarations of the standard library (standard.txt). Of other packages outside the
// repository it knows only the names of types that the repository's own text mentions.
//
// A module, as package symbol defines it, is the folder of a Go package, "." for the root.
// The module of an external test package is the folder with _test appended, as the go
// command names it.
//
// If files of one package declare a name more than once, for several systems or as several
// functions init, the later declarations are numbered ~2, ~3 …. Files that a build for
// linux/amd64 includes come first, then the others, each group in the order of paths. So
// the result is the same on every machine.
package golang
