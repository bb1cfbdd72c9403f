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
	"hence/projection/tokens"
)

// reading holds the state of Read for one file.
type reading struct {
	file  *token.File
	lexed lexemes
}

func (r *reading) offset(pos token.Pos) int {
	if !pos.IsValid() {
		return 0
	}
	return r.file.Offset(pos) // the end of the file for a later position
}

// line returns the line of an offset in the file, and ignores //line comments.
func (r *reading) line(offset int) int {
	return r.file.PositionFor(r.file.Pos(offset), false).Line
}

// Read returns the declarations of a Go file, from its text alone. It numbers names that
// the file declares more than once; Number numbers them within the whole module.
func Read(name string, text []byte) symbol.File {
	result := symbol.File{Path: name, Language: "go", Module: path.Dir(name)}
	constraint := readConstraint(name, text)
	result.Elsewhere = !constraint.allows(reference)
	set := token.NewFileSet()
	file, err := parse(set, name, text, parser.ParseComments)
	r := &reading{lexed: lex(text)}
	result.Broken = err != nil
	if file == nil || file.Name == nil {
		result.Surface = r.lexed.hashWithout(nil, name)
		return result
	}
	r.file = set.File(file.FileStart)
	result.Package = file.Name.Name
	result.Module = moduleOf(name, result.Package)
	result.Generated = constraint.generated
	if file.Doc != nil {
		result.Doc = docText(file.Doc)
	}
	result.Surface = r.surface(file, result.Broken, constraint)
	if result.Generated {
		return result
	}
	for _, d := range declarations(file) {
		result.Declarations = append(result.Declarations, r.declaration(result.Package, strings.HasSuffix(name, "_test.go"), d))
	}
	one := []symbol.File{result}
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
		Tokens:    tokens.Of(r.tokens(d, start, end), d.ident.Name),
	}
}

// tokens returns the tokens of a declaration. For a constant without a value it adds those
// of the constant that it repeats, and iota, because its value depends on them.
func (r *reading) tokens(d fileDeclaration, start, end int) []string {
	texts := r.lexed.tokensWithin(start, end)
	if len(texts) > 0 && texts[0] == d.word {
		texts = texts[1:] // within a group the declaration has no such word
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

// surface returns a hash of a file without the bodies of its functions, but with the
// imports and types of other packages that they mention. For a broken file it includes the
// bodies, because their ranges are not certain.
func (r *reading) surface(file *ast.File, broken bool, constraint limit) string {
	bodies := []span{}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil && !broken {
			bodies = append(bodies, span{r.offset(f.Body.Pos()) + 1, r.offset(f.Body.End())})
		}
	}
	mentioned := readMentions(file)
	return r.lexed.hashWithout(bodies, constraint.text, strconv.FormatBool(constraint.generated), fmt.Sprint(mentioned.imports, mentioned.types))
}

func docText(doc *ast.CommentGroup) string {
	if doc == nil {
		return ""
	}
	return strings.ToValidUTF8(strings.TrimSpace(doc.Text()), "�")
}

// Number numbers the declarations of one or more modules, given all files of each: the
// second declaration of a name within its module ends with ~2, the third with ~3.
func Number(files []symbol.File) {
	order := make([]int, len(files))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return strings.Compare(rankOf(files[a].Elsewhere, files[a].Path), rankOf(files[b].Elsewhere, files[b].Path))
	})
	counts := map[symbol.Key]int{}
	for _, i := range order {
		for n := range files[i].Declarations {
			d := &files[i].Declarations[n]
			d.Name = symbol.Plain(d.Name)
			key := symbol.KeyOf(files[i].Module, d.Name)
			if counts[key]++; counts[key] > 1 {
				d.Name += "~" + strconv.Itoa(counts[key])
			}
		}
	}
}

// rankOf is smaller for the paths that come first: all that are elsewhere
// (symbol.File.Elsewhere) come last.
func rankOf(elsewhere bool, path string) string {
	if elsewhere {
		return "1" + path
	}
	return "0" + path
}
