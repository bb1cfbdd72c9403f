package ref

import (
	"context"
	"strings"

	"hence/internal/db"
)

// symbolRules are the rules for names of source code. They are tried after titles: an address
// without its scheme or repository, path/file.go#Type.Name, path/file.go#Name, Type.Name, Name.
var symbolRules = []rule{
	{always, `where m.uri in (
  select 'code://' || replace(?1, 'code://', '')
  union all
  select 'code://' || v.name || '/' || ?1
  from mirrors v
  where v.form = 'code'
) and m.status <> 'forgotten'`},
	{isInFile, inFile + symbolName + ` = ` + nameInFile},
	{isInFile, inFile + lastPart(symbolName) + ` = ` + nameInFile},
	{always, bySymbolName + lastPart("?1") + ` and ` + symbolName + ` = ?1`},
	{always, bySymbolName + `?1`},
}

// isInFile reports whether a name is that of a file and of a symbol in it.
func isInFile(name string) bool { return strings.Contains(name, "#") }

const (
	symbolName = `substr(m.uri, instr(m.uri, '#') + 1)`
	nameInFile = `substr(?1, instr(?1, '#') + 1)`
	pathInName = `replace(substr(?1, 1, instr(?1, '#') - 1), 'code://', '')`
)

// inFile finds the symbols of a file by its path, with or without the name of the repository.
const inFile = `where m.status <> 'forgotten' and m.key in (
  select s.memory
  from mirrors v
  cross join files f on f.mirror = v.key and f.path in (
    ` + pathInName + `,
    iif(substr(` + pathInName + `, 1, length(v.name) + 1) = v.name || '/', substr(` + pathInName + `, length(v.name) + 2), null)
  )
  cross join symbols s on s.file = f.memory
  where v.form = 'code'
) and `

// bySymbolName finds symbols by the last part of their name, by an index with this condition.
var bySymbolName = `where m.origin = 'code' and instr(m.uri, '#') > 0 and m.status <> 'forgotten' and ` + lastPart(symbolName) + ` = `

// lastPart returns the SQL expression for what a name has after its last dot.
func lastPart(name string) string {
	return `substr(` + name + `, 1 + length(rtrim(` + name + `, replace(` + name + `, '.', ''))))`
}

// FileOf returns the SQL expression for the path of the file that declares a symbol m of source
// code, or that m is; ” for other memories. LineOf returns the one for the symbol's first line; 0 for none.
func FileOf(m string) string {
	return `iif(` + m + `.origin = 'code', coalesce((
    select f.path
    from files f
    where f.memory = coalesce((select s.file from symbols s where s.memory = ` + m + `.key), ` + m + `.key)
  ), ''), '')`
}

// LineOf: see FileOf.
func LineOf(m string) string {
	return `iif(` + m + `.origin = 'code', coalesce((select s.start_line from symbols s where s.memory = ` + m + `.key), 0), 0)`
}

// NamesSymbol reports whether a name is that of a symbol of source code: its bare name, that with
// its type or package, or that with its file.
func NamesSymbol(ctx context.Context, r *db.Reader, name string) (bool, error) {
	name = strings.TrimSuffix(name, "()")
	if i := strings.LastIndexAny(name, ".:>#"); i >= 0 {
		name = name[i+1:]
	}
	matches, err := Caller{}.match(ctx, r, bySymbolName+`?1`, name)
	return len(matches) > 0, err
}
