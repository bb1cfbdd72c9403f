package syntax

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"hence/code/symbol"
	"hence/internal/prose"
)

// build collects the results of a language's reader for one file.
type build struct {
	tree    *tree
	file    symbol.File
	places  *Places
	lines   []int // offset of the beginning of each line
	found   []foundDeclaration
	byName  map[string]int // name → index in found
	repeats map[string]int // name → number of further declarations of it
	used    map[Use]bool   // without Spot, see use
	lang    *language
	test    bool              // all declarations are of tests
	exprs   map[exprKey]*Expr // cache of expr
	lambdas int               // functions around the expression that expr reads

	module    string           // Rust: name of the module within the file at the present node; "" for the file's
	later     map[string]*Expr // Python: values of the declared variables of the module, by name
	overloads map[int]bool     // Python: declarations marked with @overload, by index in found
	clauses   map[string]bool  // TypeScript: names in export clauses; nil until isExportedLater
}

type exprKey struct {
	at    uint32
	scope *scope
	self  *Expr
	class string
}

// deeper returns a value within a function or comprehension; unknown if that is too deep.
func (b *build) deeper(value func() *Expr) *Expr {
	b.lambdas++
	defer func() { b.lambdas-- }()
	if b.lambdas > maxNested {
		return unknown
	}
	return value()
}

// visitCondition visits the children of a node with a condition. Inner is the context of then,
// which runs if the condition is true.
func (b *build) visitCondition(n, then node, a, inner around) {
	for child := range n.children() {
		if child.at == then.at {
			b.visit(child, inner)
		} else {
			b.visit(child, a)
		}
	}
}

// visitDecorator reads a decorator, with arguments or without, which from uses.
func (b *build) visitDecorator(value node, from string, a around) {
	if value.is("call", "call_expression") {
		b.visit(value, a)
		value = value.get("function")
	}
	b.use(from, b.expr(value, a), lastOf(value))
}

// lastOf returns the last name of a chain of members.
func lastOf(n node) node {
	for _, field := range []string{"attribute", "property"} {
		if name := n.get(field); name.ok() {
			return name
		}
	}
	return n
}

// visitObject visits the object that a chain of members begins with.
func (b *build) visitObject(n node, a around) {
	for n.is("attribute", "member_expression") {
		n = plainExpr(n.get("object"))
	}
	b.visit(n, a)
}

// foundDeclaration is a declaration with its ranges in the text.
type foundDeclaration struct {
	symbol.Declaration
	own   string   // its own name, without those around
	spans [][2]int // start and end bytes; several after merge
	nests bool     // tokens of declarations within it count as its own
}

func newBuild(t *tree, filePath, language string) *build {
	b := &build{
		tree:  t,
		lang:  readers[language],
		test:  readers[language].tests().MatchString(filePath),
		later: map[string]*Expr{}, overloads: map[int]bool{},
		file:   symbol.File{Path: filePath, Language: language, Module: filePath},
		byName: map[string]int{}, repeats: map[string]int{}, used: map[Use]bool{}, exprs: map[exprKey]*Expr{},
		places: &Places{
			Path: filePath, Language: language, Names: map[string]*Expr{},
			Classes: map[string]*Class{}, Funcs: map[string]*Function{}, Spots: map[string][]Spot{},
		},
		lines: []int{0},
	}
	if b.lang.exports {
		b.places.Exports = map[string]*Expr{}
	}
	for at, c := range t.text {
		if c == '\n' {
			b.lines = append(b.lines, at+1)
		}
	}
	return b
}

// line returns the line of a byte offset, from 1.
func (b *build) line(at int) int {
	return sort.Search(len(b.lines), func(i int) bool { return b.lines[i] > at })
}

// declaration is the argument of declare.
type declaration struct {
	whole    node // with export, decorators and the like; zero: same as node
	node     node
	body     node // left out of the signature; zero: the body of node
	value    node // of a variable or alias: left out of the signature if it is long
	own      string
	sort     symbol.Sort
	exported bool
	test     bool   // see also build.test
	doc      string // "": the comment before it, see build.isDoc
	merge    bool   // merge it with an earlier declaration with the same name
}

// maxNested is the largest depth of a declaration in others. It bounds the time to count
// tokens, because a function counts those of all functions within it.
const maxNested = 15

// declare adds a declaration and returns its full name. If an earlier declaration has the
// name, it merges the two or appends a number (~2).
func (b *build) declare(a around, d declaration) string {
	name := a.name(d.own)
	if !d.whole.ok() {
		d.whole = d.node
	}
	if d.value.end()-d.value.start() > signatureSize {
		d.body = d.value
	} else if !d.body.ok() {
		d.body = d.node.get("body")
	}
	if d.doc == "" && b.lang.isDoc != nil {
		d.doc = docBefore(d.whole, b.lang.isDoc)
	}
	d.test = d.test || b.test
	span := [2]int{startOf(d.whole), d.whole.end()}
	if at, ok := b.byName[name]; ok {
		if d.merge {
			b.addSpot(name, d.node)
			b.merge(&b.found[at], d, span)
			return name
		}
		name = b.freeName(name)
	}
	if strings.Count(a.prefix, ".") > maxNested || strings.TrimSpace(d.own) == "" {
		return name // the parser inserts an empty name if one is missing
	}
	b.byName[name] = len(b.found)
	f := foundDeclaration{own: d.own, spans: [][2]int{span}, nests: d.sort == symbol.Func || d.sort == symbol.Method}
	f.Declaration = symbol.Declaration{
		Name: name, Title: b.title(name), Sort: d.sort, Exported: d.exported, Test: d.test,
		Doc: d.doc, Signature: signature(d), Start: span[0], End: span[1],
	}
	b.found = append(b.found, f)
	b.addSpot(name, d.node)
	return name
}

// startOf returns where a declaration begins, with the attributes that Rust puts before it.
func startOf(n node) int {
	start := n.start()
	for before := n.previous(); before.is("attribute_item") || isComment(before); before = before.previous() {
		if before.is("attribute_item") {
			start = before.start()
		}
	}
	return start
}

// addSpot adds the place of the name in the node of a declaration.
func (b *build) addSpot(name string, n node) {
	if n.is("lexical_declaration", "variable_declaration") {
		n = n.child("variable_declarator")
	}
	for _, field := range []string{"name", "key", "property", "left", "declarator"} {
		if nameNode := n.get(field); nameNode.ok() {
			n = nameNode
			break
		}
	}
	if n.is("member_expression") {
		n = n.get("property")
	}
	b.places.Spots[name] = append(b.places.Spots[name], b.spotOf(n))
}

// moveSpot replaces the place that addSpot added last for a name, if the name is deeper in
// a declarator. It does nothing for a name that was not declared.
func (b *build) moveSpot(name string, n node) {
	if spots := b.places.Spots[name]; len(spots) > 0 {
		spots[len(spots)-1] = b.spotOf(n)
	}
}

func (b *build) spotOf(n node) Spot {
	line := b.line(n.start())
	return Spot{n.start(), n.end(), line, units(b.tree.text[b.lines[line-1]:n.start()]), units(b.tree.text[n.start():n.end()])}
}

// units returns the number of UTF-16 code units of a UTF-8 text.
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

// freeName returns a name with the next number that no declaration has, such as f~2.
func (b *build) freeName(name string) string {
	for {
		b.repeats[name]++
		next := name + "~" + strconv.Itoa(b.repeats[name]+1)
		if _, ok := b.byName[next]; !ok {
			return next
		}
	}
}

// merge merges a declaration into an earlier one with the same name. The range of the earlier
// one is extended if only blanks and semicolons, or a block comment between equal sorts, separate them. A
// function, class or interface replaces the sort of a constant, variable or type.
func (b *build) merge(f *foundDeclaration, d declaration, span [2]int) {
	between := bytes.Trim(b.tree.text[min(f.End, span[0]):span[0]], "; \t\r\n")
	if len(between) == 0 || bytes.HasPrefix(between, []byte("/*")) && f.Sort == d.sort {
		f.End = max(f.End, span[1])
	}
	f.spans = append(f.spans, span)
	f.Exported = f.Exported || d.exported
	f.Test = f.Test || d.test
	f.Doc = cmp.Or(f.Doc, d.doc)
	isWeak := f.Sort == symbol.Const || f.Sort == symbol.Var || f.Sort == symbol.Type
	if isWeak && (d.sort == symbol.Func || d.sort == symbol.Class || d.sort == symbol.Interface) {
		f.Sort = d.sort
	}
}

// title returns a name as people write it, in some languages after the name of its file:
// store.Class.method.
func (b *build) title(name string) string {
	name = symbol.Plain(name)
	switch b.file.Language {
	case "c", "java":
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

// signatureSize is the largest number of bytes of a signature. A longer value of a variable
// or type alias is left out of the signature, like a body.
const signatureSize = 300

// signature returns the text of a declaration without its body, on one line.
func signature(d declaration) string {
	end := d.node.end()
	if d.body.ok() {
		end = d.body.start()
	}
	start := d.node.start()
	if d.whole.is("export_statement") && !d.whole.child("decorator").ok() {
		start = d.whole.start()
	}
	text := prose.OneLine(d.node.slice(start, end))
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

// call adds a call; name is the last name of the callee.
func (b *build) call(a around, callee *Expr, name node, args int, isNew bool) {
	b.places.Calls = append(b.places.Calls, Call{
		From: a.from, Callee: callee, Args: args, New: isNew, Spot: b.spotOf(name),
	})
}

// use adds a value that is not called, if it may be a function; name is its last name.
func (b *build) use(from string, holds *Expr, name node) {
	switch holds.Op {
	case Name, Declared, Imported, Member, First, Case:
	default:
		return
	}
	key := Use{From: from, Of: holds}
	if holds.Op == Name {
		key = Use{From: from + " " + holds.Name}
	}
	if !b.used[key] {
		b.used[key] = true
		b.places.Uses = append(b.places.Uses, Use{From: from, Of: holds, Spot: b.spotOf(name)})
	}
}

// imports adds an import; of is its value in languages that import by a path of names.
func (b *build) imports(from, name string, of *Expr, at node) {
	b.places.Imports = append(b.places.Imports, Import{
		From: from, Name: name, Of: of, Start: at.start(), End: at.end(), Line: b.line(at.start()),
	})
}

// class returns the class with a name, and adds it if there is none.
func (b *build) class(name string) *Class {
	c := b.places.Classes[name]
	if c == nil {
		c = &Class{Members: map[string]*Expr{}}
		b.places.Classes[name] = c
	}
	return c
}

// function returns the function with a name, and adds it if there is none.
func (b *build) function(name string) *Function {
	f := b.places.Funcs[name]
	if f == nil {
		f = &Function{Most: -1}
		b.places.Funcs[name] = f
	}
	return f
}

// method adds a method to a class: own is its own name, name the full one.
func (c *Class) method(own, name string) {
	if e := c.Members[own]; e == nil || e.Op != Declared {
		c.Members[own] = declaredExpr(name)
		c.Order = append(c.Order, own)
	}
}

// field adds a field to a class with the value that it holds. The first known value is
// kept.
func (c *Class) field(own string, holds *Expr) {
	if known := c.Members[own]; known == nil || known.Op == Unknown {
		c.Members[own] = cmp.Or(holds, unknown)
	}
}

// finish returns the file with its declarations in the order of the text, and the places.
func (b *build) finish() (symbol.File, *Places) {
	slices.SortStableFunc(b.found, func(x, y foundDeclaration) int { return x.Start - y.Start })
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
