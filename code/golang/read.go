package golang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"hence/code/symbol"
)

// reading is the reading of one file.
type reading struct {
	file  *token.File
	lexed lexemes
}

func (r *reading) offset(pos token.Pos) int {
	if !pos.IsValid() {
		return 0
	}
	return r.file.Offset(pos) // of a position beyond the end it is the end
}

// line returns the line in the file, whatever a comment //line says.
func (r *reading) line(offset int) int {
	return r.file.PositionFor(r.file.Pos(offset), false).Line
}

// Read returns what a Go file declares, by its text alone. Names that the file declares
// more than once are numbered; Number numbers them within their module.
func Read(name string, text []byte) symbol.File {
	said := symbol.File{Path: name, Language: "go", Module: path.Dir(name)}
	constraint := readConstraint(name, text)
	said.Elsewhere = !constraint.allows(reference)
	set := token.NewFileSet()
	file, err := parse(set, name, text, parser.ParseComments)
	r := &reading{lexed: lex(text)}
	said.Broken = err != nil
	if file == nil || file.Name == nil {
		said.Surface = r.lexed.hashWithout(nil, name)
		return said
	}
	r.file = set.File(file.FileStart)
	said.Package = file.Name.Name
	said.Module = moduleOf(name, said.Package)
	said.Generated = isGenerated(text)
	if file.Doc != nil {
		said.Doc = docText(file.Doc)
	}
	said.Surface = r.surface(file, said.Broken, constraint.text)
	if said.Generated {
		return said
	}
	for _, d := range declarations(file) {
		said.Declarations = append(said.Declarations, r.declaration(said.Package, strings.HasSuffix(name, "_test.go"), d))
	}
	one := []symbol.File{said}
	Number(one)
	return one[0]
}

func (r *reading) declaration(pkg string, inTest bool, d fileDeclaration) symbol.Declaration {
	start, end := r.offset(d.start), max(r.offset(d.start), r.offset(d.end))
	return symbol.Declaration{
		Name:      d.name,
		Title:     pkg + "." + d.name,
		Sort:      d.sort,
		Exported:  d.exported,
		Test:      inTest && d.isTest(),
		Doc:       docText(d.doc),
		Signature: r.signature(d),
		Start:     start,
		End:       end,
		StartLine: r.line(start),
		EndLine:   r.line(end),
		Tokens:    symbol.TokensOf(r.tokens(d, start, end), d.ident.Name),
	}
}

// tokens returns the tokens of a declaration, and of a constant those that it repeats
// too: with them its value changes.
func (r *reading) tokens(d fileDeclaration, start, end int) []string {
	texts := r.lexed.tokensWithin(start, end)
	if len(texts) > 0 && texts[0] == d.word {
		texts = texts[1:] // a group has the word once
	}
	if d.sort != symbol.Const {
		return texts
	}
	if d.repeats != nil {
		last := d.repeats.Names[len(d.repeats.Names)-1]
		texts = append(texts, r.lexed.tokensWithin(r.offset(last.End()), r.offset(d.repeats.End()))...)
	}
	if slices.Contains(texts, "iota") {
		texts = append(texts, strconv.Itoa(d.iota))
	}
	return texts
}

// surface returns a hash of a file without the bodies of its functions, but with what
// they tell of outside packages. A file that does not parse may have other bodies than
// it seems.
func (r *reading) surface(file *ast.File, broken bool, constraint string) string {
	bodies := []span{}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil && !broken {
			bodies = append(bodies, span{r.offset(f.Body.Pos()) + 1, r.offset(f.Body.End())})
		}
	}
	told := readMentions(file)
	return r.lexed.hashWithout(bodies, constraint, strconv.FormatBool(isGenerated([]byte(r.lexed.text))), fmt.Sprint(told.imports, told.types))
}

func docText(doc *ast.CommentGroup) string {
	if doc == nil {
		return ""
	}
	return strings.ToValidUTF8(strings.TrimSpace(doc.Text()), "�")
}

// Number names the declarations of the files of one or more modules: a second
// declaration of a name within its module has ~2, a third ~3. All files of a module
// must be given.
func Number(files []symbol.File) {
	order := make([]int, len(files))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return compareRank(files[a].Elsewhere, files[a].Path, files[b].Elsewhere, files[b].Path)
	})
	counts := map[symbol.Key]int{}
	for _, i := range order {
		for n := range files[i].Declarations {
			d := &files[i].Declarations[n]
			plain, _, _ := strings.Cut(d.Name, "~")
			d.Name = number(counts, files[i].Module, plain)
		}
	}
}

func compareRank(elsewhereA bool, pathA string, elsewhereB bool, pathB string) int {
	if elsewhereA != elsewhereB {
		if elsewhereA {
			return 1
		}
		return -1
	}
	return strings.Compare(pathA, pathB)
}

func number(counts map[symbol.Key]int, module, name string) string {
	key := symbol.KeyOf(module, name)
	if counts[key]++; counts[key] > 1 {
		return name + "~" + strconv.Itoa(counts[key])
	}
	return name
}
