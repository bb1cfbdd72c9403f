package syntax

import (
	"bytes"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"hence/code/symbol"
)

// build collects what a reader of a language finds in a file.
type build struct {
	tree   *tree
	file   symbol.File
	places *Places
	lines  []int // where each line begins
	found  []found
	named  map[string]int // name → place in found
	again  map[string]int // how many more declarations there are of a name
	blocks bool           // layout is syntax: blocks count as tokens
	reader interface {    // of the language
		visit(n node, a around)
	}
}

// visitAll reads the nodes right below one; with kinds those of these kinds alone.
func (b *build) visitAll(n node, a around, kinds ...string) {
	for child := range n.children() {
		if len(kinds) == 0 || child.is(kinds...) {
			b.reader.visit(child, a)
		}
	}
}

// found is a declaration, and where the tree has it.
type found struct {
	symbol.Declaration
	own   string // its own name, without those around
	spans [][2]int
	nests bool // declarations within it count as its own tokens
}

func newBuild(t *tree, filePath, language string) *build {
	b := &build{
		tree:  t,
		file:  symbol.File{Path: filePath, Language: language, Module: filePath},
		named: map[string]int{}, again: map[string]int{},
		places: &Places{
			Path: filePath, Language: language, Names: map[string]*Expr{},
			Classes: map[string]*Class{}, Funcs: map[string]*Function{}, Spots: map[string][]Spot{},
		},
		lines: []int{0},
	}
	for at := 0; ; {
		n := bytes.IndexByte(t.text[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
		b.lines = append(b.lines, at)
	}
	return b
}

// line returns the line of a byte, from 1.
func (b *build) line(at int) int {
	return sort.Search(len(b.lines), func(i int) bool { return b.lines[i] > at })
}

// declaration is what a reader says of a declaration.
type declaration struct {
	whole    node // with export, decorators and the like
	node     node
	body     node // what the signature leaves out
	own      string
	sort     symbol.Sort
	exported bool
	test     bool
	doc      string
	merge    bool // it may be one with an earlier one of its name
}

// maxNested is how deep a declaration may lie in others. Each counts the tokens of the
// functions within it.
const maxNested = 15

// declare adds a declaration and returns its name: that which it was given, or with ~2
// behind where an earlier one has it.
func (b *build) declare(a around, d declaration) string {
	name := a.name(d.own)
	if !d.whole.ok() {
		d.whole = d.node
	}
	span := [2]int{d.whole.start(), d.whole.end()}
	if at, ok := b.named[name]; ok {
		if d.merge {
			b.spot(name, d.node)
			b.merge(&b.found[at], d, span)
			return name
		}
		name = b.free(name)
	}
	if strings.Count(a.prefix, ".") > maxNested || strings.TrimSpace(d.own) == "" {
		return name // a parser puts an empty name where it misses one
	}
	b.named[name] = len(b.found)
	f := found{own: d.own, spans: [][2]int{span}, nests: d.sort == symbol.Func || d.sort == symbol.Method}
	f.Declaration = symbol.Declaration{
		Name: name, Title: b.title(name), Sort: d.sort, Exported: d.exported, Test: d.test,
		Doc: d.doc, Signature: signature(d), Start: span[0], End: span[1],
	}
	b.found = append(b.found, f)
	b.spot(name, d.node)
	return name
}

// spot notes where a declaration has its name.
func (b *build) spot(name string, n node) {
	if n.is("lexical_declaration", "variable_declaration") {
		n = n.child("variable_declarator")
	}
	for _, field := range []string{"name", "key", "property", "left", "declarator"} {
		if named := n.get(field); named.ok() {
			n = named
			break
		}
	}
	if n.is("member_expression") {
		n = n.get("property")
	}
	b.places.Spots[name] = append(b.places.Spots[name], b.spotOf(n))
}

// moveSpot notes where the newest declaration of a name has it, deep in its declarator.
// There is none of a name that was not declared.
func (b *build) moveSpot(name string, n node) {
	if spots := b.places.Spots[name]; len(spots) > 0 {
		spots[len(spots)-1] = b.spotOf(n)
	}
}

func (b *build) spotOf(n node) Spot {
	line := b.line(n.start())
	return Spot{n.start(), n.end(), line, units(b.tree.text[b.lines[line-1]:n.start()]), units(b.tree.text[n.start():n.end()])}
}

// units counts the units of UTF-16 in a text of UTF-8.
func units(text []byte) int {
	count := 0
	for _, c := range text {
		if c&0xC0 != 0x80 {
			count++
		}
		if c >= 0xF0 {
			count++
		}
	}
	return count
}

// free returns a name with the next number behind it that no declaration has.
func (b *build) free(name string) string {
	for {
		b.again[name]++
		next := name + "~" + strconv.Itoa(b.again[name]+1)
		if _, ok := b.named[next]; !ok {
			return next
		}
	}
}

// merge makes one of two declarations of a name. The range grows over what touches it;
// a signature without a body gives way to one that has a body.
func (b *build) merge(f *found, d declaration, span [2]int) {
	between := b.tree.text[min(f.End, span[0]):span[0]]
	if len(bytes.TrimSpace(between)) == 0 || strings.HasPrefix(string(bytes.TrimSpace(between)), "/*") && f.Sort == d.sort {
		f.End = max(f.End, span[1])
	}
	f.spans = append(f.spans, span)
	f.Exported = f.Exported || d.exported
	f.Test = f.Test || d.test
	if f.Doc == "" {
		f.Doc = d.doc
	}
	if f.Sort == symbol.Const || f.Sort == symbol.Var || f.Sort == symbol.Type {
		if d.sort == symbol.Func || d.sort == symbol.Class || d.sort == symbol.Interface {
			f.Sort = d.sort
		}
	}
}

// title is a name as people write it, behind the name of its file.
func (b *build) title(name string) string {
	name, _, _ = strings.Cut(name, "~")
	switch b.file.Language {
	case "c", "cpp", "java", "csharp", "php", "ruby":
		return name
	}
	stem := path.Base(b.file.Path)
	if before, _, ok := strings.Cut(stem, "."); ok && before != "" {
		stem = before
	}
	if stem == "index" || stem == "__init__" || stem == "mod" || stem == "lib" || stem == "main" {
		if folder := path.Base(path.Dir(b.file.Path)); folder != "." && folder != "src" && folder != "/" {
			stem = folder
		}
	}
	return stem + "." + name
}

// signatureSize is how much of a declaration that has no body is shown.
const signatureSize = 300

// signature returns a declaration as it is written, without its body, on one line.
func signature(d declaration) string {
	end := d.node.end()
	if d.body.ok() {
		end = d.body.start()
	}
	start := d.node.start()
	if d.whole.is("export_statement") && !d.whole.child("decorator").ok() {
		start = d.whole.start()
	}
	text := strings.Join(strings.Fields(d.node.slice(start, end)), " ")
	text = strings.TrimRight(text, " {=;:")
	text = strings.TrimSuffix(text, " =>")
	if len(text) > signatureSize {
		cut := signatureSize
		for cut > 0 && text[cut]&0xC0 == 0x80 {
			cut--
		}
		text = text[:cut] + "…"
	}
	return strings.ToValidUTF8(text, "�")
}

// call adds a place that calls something.
func (b *build) call(a around, callee *Expr, name node, args int, isNew bool) {
	b.places.Calls = append(b.places.Calls, Call{
		From: a.from, Callee: callee, Args: args, New: isNew, Spot: b.spotOf(name),
	})
}

func (b *build) imports(from, name string, at node) {
	b.places.Imports = append(b.places.Imports, Import{
		From: from, Name: name, Start: at.start(), End: at.end(), Line: b.line(at.start()),
	})
}

// class returns the class of a name, made if it is not there.
func (b *build) class(name string) *Class {
	c := b.places.Classes[name]
	if c == nil {
		c = &Class{Members: map[string]*Expr{}}
		b.places.Classes[name] = c
	}
	return c
}

// method says that a class has a method of a name.
func (c *Class) method(own, name string) {
	if e := c.Members[own]; e == nil || e.Op != Declared {
		c.Members[own] = declaredExpr(name)
		c.Order = append(c.Order, own)
	}
}

// field says what a field of a class holds; what is said first stands.
func (c *Class) field(own string, holds *Expr) {
	if known := c.Members[own]; known == nil || known.Op == Unknown {
		if holds == nil {
			holds = unknown
		}
		c.Members[own] = holds
	}
}

// finish returns what was found, in the order of the text.
func (b *build) finish() (symbol.File, *Places) {
	slices.SortStableFunc(b.found, func(x, y found) int { return x.Start - y.Start })
	for i := range b.found {
		f := &b.found[i]
		f.StartLine, f.EndLine = b.line(f.Start), b.line(max(f.Start, f.End-1))
	}
	b.tokens()
	for i := range b.found {
		b.file.Declarations = append(b.file.Declarations, b.found[i].Declaration)
	}
	for i := range b.places.Calls {
		if call := &b.places.Calls[i]; call.Callee != nil && call.Callee.Op == Unknown {
			call.Callee = nil
		}
	}
	b.file.Broken = b.tree.isBroken()
	return b.file, b.places
}
