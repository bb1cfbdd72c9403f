// Package golang reads Go: what the files of a repository declare, and which of
// their declarations call, import and implement each other. It parses with go/parser
// and binds names with go/types. It runs nothing, reads no other file, and asks no
// network: of packages outside the repository it knows only the types that the
// repository's own text names, and a few interfaces of the standard library.
//
// A module, in the words of package symbol, is the folder of a Go package, "." for the
// root; that of an external test package is the folder with _test at its end, as the
// go command names it.
//
// Where files of one package declare a name more than once, for several systems or
// because there are several functions init, the later ones have ~2, ~3 …: first come
// the files that a build for linux/amd64 has, then the others, each in the order of
// their paths. So the result is the same on every machine.
package golang
