package reading

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"hence/code"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/prose"
	"hence/internal/ref"
)

// OutlineArgs name the file, type, package or repository to outline.
type OutlineArgs struct {
	Path        string `json:"path,omitempty" jsonschema:"file or package, from the repository's root"`
	ID          string `json:"id,omitempty" jsonschema:"or its id, title or uri"`
	Depth       int    `json:"depth,omitempty" default:"1" min:"1" max:"5" jsonschema:"2: with what is declared within these"`
	TokenBudget int    `json:"token_budget,omitempty" default:"1500" min:"64" max:"50000"`
}

// OutlineResult lists symbols in the order of their files and lines.
type OutlineResult struct {
	ID            string     `json:"id,omitempty"`
	Title         string     `json:"title,omitempty"`
	Symbols       []Outlined `json:"symbols"`
	TotalCount    int        `json:"total_count"`
	ReturnedCount int        `json:"returned_count"`
	Truncated     bool       `json:"truncated" jsonschema:"those with fewer callers were left out"`
	Next          string     `json:"next,omitempty"`
}

// Outlined is a symbol in an outline.
type Outlined struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	Sort      string `json:"sort" jsonschema:"func, method, type, interface, class, const, var, package"`
	Signature string `json:"signature,omitempty"`
	Path      string `json:"path,omitempty" jsonschema:"of its file, where it is not the one asked for"`
	StartLine int    `json:"start_line,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
	Callers   int    `json:"callers"` // also those that hand it over
	Callees   int    `json:"callees"`

	level int // depth of nesting; 1: not within another symbol of its file
}

// maxSignature is the largest number of bytes of a signature in an outline.
const maxSignature = 160

// Outline lists the symbols of a file, a package, a type or a repository, from the store.
// If the budget is too small for all, it keeps those with the most callers. It fails with
// not_found, with ambiguous, and with invalid_argument for a memory that is not of source
// code.
func (r Reader) Outline(ctx context.Context, a OutlineArgs) (OutlineResult, error) {
	const operation = "code_outline"
	if err := args.Check(operation, &a); err != nil {
		return OutlineResult{}, err
	}
	name, err := code.NameOf(operation, a.Path, a.ID)
	if err != nil {
		return OutlineResult{}, err
	}
	var whole ref.Memory
	var symbols []Outlined
	err = r.DB.Read(ctx, func(reader *db.Reader) (err error) {
		if whole, err = r.find(ctx, reader, name, a.Path != ""); err != nil {
			return err
		}
		symbols, err = symbolsWithin(ctx, reader, operation, whole)
		return err
	})
	if err != nil {
		return OutlineResult{}, err
	}
	symbols = slices.DeleteFunc(symbols, func(s Outlined) bool { return s.level > a.Depth })
	short := OutlineResult{ID: whole.ID, Title: whole.Title, TotalCount: len(symbols)}
	return budget.Fit(ctx, a.TokenBudget, len(symbols), short.choose(symbols))
}

// find returns the memory to outline. It looks for a path in the repositories first, and
// for any other name among the names of memories first.
func (r Reader) find(ctx context.Context, reader *db.Reader, name string, isPath bool) (m ref.Memory, err error) {
	if !isPath {
		if m, err = r.Caller.Find(ctx, reader, name); fault.CodeOf(err) != fault.NotFound {
			return m, err
		}
	}
	if m, ok, failed := r.importer().ByPath(ctx, reader, name); ok || failed != nil {
		return m, failed
	}
	if isPath {
		m, err = r.Caller.Find(ctx, reader, name)
	}
	return m, err
}

// choose returns the build function for budget.Fit. It keeps the n symbols with the most
// callers, in their order in symbols, and cuts each signature to at most bytes bytes.
func (r OutlineResult) choose(symbols []Outlined) func(n, bytes int) OutlineResult {
	byCallers := make([]int, len(symbols)) // indexes of symbols
	for i := range symbols {
		byCallers[i] = i
	}
	slices.SortStableFunc(byCallers, func(a, b int) int { return cmp.Compare(symbols[b].Callers, symbols[a].Callers) })
	return func(n, bytes int) OutlineResult {
		chosen := slices.Clone(byCallers[:n])
		slices.Sort(chosen)
		short := r
		short.Symbols = make([]Outlined, n)
		for i, index := range chosen {
			short.Symbols[i] = symbols[index]
			short.Symbols[i].Signature, _ = budget.Cut(short.Symbols[i].Signature, min(bytes, maxSignature))
		}
		if short.ReturnedCount = n; n < len(symbols) {
			short.Truncated, short.Next = true, budget.Next
		}
		if bytes == 0 {
			short.ID, short.Title = "", ""
		}
		return short
	}
}

// symbolsWithin returns the symbols of a file, of the files of a package, or within a
// type, or the packages of a repository.
func symbolsWithin(ctx context.Context, r *db.Reader, operation string, whole ref.Memory) (all []Outlined, err error) {
	sort, isCode, err := db.One[string](ctx, r, selectSort, whole.Key)
	switch {
	case err != nil:
		return nil, err
	case !isCode:
		return nil, fault.New(fault.InvalidArgument, "%s: the memory %s is not source code; memory_get opens it", operation, ref.ShortID(whole.ID))
	}
	query := selectOfFiles
	switch sort {
	case "repository":
		query = selectOfRepository
	case "file", "package":
	default:
		query = selectOfType
	}
	lastFile := int64(0)
	ends := []int{} // end bytes of the symbols around the present one, a stack
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var s Outlined
		var file int64
		var content string
		var start, end int
		err := row.Scan(&s.ID, &s.Title, &s.Sort, &content, &file, &s.Path, &s.StartLine, &s.EndLine, &start, &end, &s.Callers, &s.Callees)
		if file != lastFile {
			lastFile, ends = file, ends[:0]
		}
		for len(ends) > 0 && ends[len(ends)-1] <= start {
			ends = ends[:len(ends)-1]
		}
		ends = append(ends, end)
		s.level = len(ends)
		s.Signature, _, _ = strings.Cut(content, "\n\n")
		s.Signature = prose.OneLine(s.Signature)
		if sort == "file" {
			s.Path = ""
		}
		all = append(all, s)
		return err
	}, query, whole.Key)
	return all, err
}

const selectSort = `
select coalesce(s.sort, 'file')
from memories m
left join symbols s on s.memory = m.key
left join files f on f.memory = m.key
left join mirrors v on v.key = f.mirror
where m.key = ?
  and (s.memory is not null or v.form = 'code')`

const outlined = `
select
  m.id,
  m.title,
  s.sort,
  m.content,
  coalesce(s.file, 0),
  coalesce(f.path, ''),
  s.start_line,
  s.end_line,
  s.start_byte,
  s.end_byte,
  (
    select count(distinct e.from_key)
    from edges e
    where e.to_key = m.key
      and (e.kind = 'calls' or e.kind = 'refers-to' and e.rel = 'uses' and e.origin = 'code')
  ),
  (
    select count(distinct e.to_key)
    from edges e
    where e.from_key = m.key
      and (e.kind = 'calls' or e.kind = 'refers-to' and e.rel = 'uses' and e.origin = 'code')
  )
from symbols s
join memories m on m.key = s.memory
left join files f on f.memory = s.file`

const (
	selectOfFiles = outlined + `
where s.file in (
  select ?1
  union all
  select from_key from edges where to_key = ?1 and kind = 'part-of'
)
order by f.path, s.start_byte, s.end_byte desc`

	selectOfRepository = outlined + `
where s.mirror = (select mirror from symbols where memory = ?1)
  and (
    s.sort = 'package'
    or s.file in (select from_key from edges where to_key = ?1 and kind = 'part-of')
  )
order by s.sort <> 'package', iif(s.sort = 'package', m.uri, ''), f.path, s.start_byte, s.end_byte desc`

	selectOfType = outlined + `
where s.mirror = (select mirror from symbols where memory = ?1)
  and m.uri > (select uri || '.' from memories where key = ?1)
  and m.uri < (select uri || '/' from memories where key = ?1)
order by f.path, s.start_byte, s.end_byte desc`
)
