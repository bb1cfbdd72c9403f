package code

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"hence/code/symbol"
	"hence/internal/db"
	"hence/memory"
	"hence/projection"
)

// Kind is the kind of the memories of symbols, packages and repositories.
const Kind = "code"

// unitsOf returns a unit for each declaration of a file.
func unitsOf(file symbol.File, text []byte) []projection.Unit {
	units := make([]projection.Unit, 0, len(file.Declarations))
	for i, d := range file.Declarations {
		units = append(units, projection.Unit{
			Name:       string(symbol.KeyOf(file.Module, d.Name)),
			Kind:       Kind,
			Title:      projection.Clean(d.Title),
			Heading:    Words(symbol.Plain(d.Name)),
			Content:    contentOf(d.Signature, d.Doc),
			Words:      wordsBeside(bodyOf(file.Declarations, i, text), projection.Clean(d.Title), Words(symbol.Plain(d.Name)), d.Signature, d.Doc),
			Hash:       d.Tokens.Hash,
			Aliases:    aliasesOf(d),
			Tags:       tagsOf(file.Language, d.Test),
			Properties: map[string]any{},
			Sort:       string(d.Sort),
			Exported:   d.Exported,
			StartLine:  d.StartLine,
			EndLine:    d.EndLine,
			Start:      d.Start,
			End:        d.End,
			TextHash:   projection.TextHash(text[d.Start:d.End]),
			Tokens:     d.Tokens,
		})
	}
	return units
}

// aliasesOf returns the name of a declaration without its package, such as DB.Write; nil
// for a single word, because too many memories would share it.
func aliasesOf(d symbol.Declaration) []string {
	if name := projection.Clean(symbol.Plain(d.Name)); strings.Contains(name, ".") && name != d.Title {
		return []string{name}
	}
	return nil
}

func tagsOf(language string, test bool) []string {
	tags := []string{"lang/" + language}
	if test {
		tags = append(tags, "test")
	}
	return tags
}

// contentOf returns the content of a memory: the signature, then the comment, cut at
// memory.MaxContent bytes.
func contentOf(signature, doc string) string {
	parts := slices.DeleteFunc([]string{projection.Clean(signature), projection.Clean(doc)}, func(s string) bool { return s == "" })
	content := strings.Join(parts, "\n\n")
	if len(content) > memory.MaxContent {
		content = strings.ToValidUTF8(content[:memory.MaxContent], "")
	}
	return content
}

// wholeOf returns the unit of a module, such as a Go package, with the comment of its
// first file that has one. The module "." is the repository.
func wholeOf(repository, module string, files []symbol.File) projection.Unit {
	slices.SortFunc(files, func(a, b symbol.File) int { return cmp.Compare(a.Path, b.Path) })
	u := projection.Unit{Name: module, Kind: Kind, Title: "package " + module, Heading: Words(path.Base(module)), Sort: "package", Properties: map[string]any{}}
	for _, f := range files {
		if u.Content == "" {
			u.Content = contentOf("", f.Doc)
		}
		if f.Language != "" {
			u.Tags = tagsOf(f.Language, strings.HasSuffix(f.Path, "_test.go") && strings.HasSuffix(f.Package, "_test"))
		}
	}
	if module == projection.Root {
		u.Title, u.Heading, u.Sort, u.Tags = "repository "+repository, Words(repository), "repository", nil
	}
	u.Hash = db.Hash(u.Sort + " " + u.Name)
	return u
}
