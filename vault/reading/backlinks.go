package reading

import (
	"context"
	"database/sql"
	"fmt"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/vault"
	"hence/vault/resolve"
)

// BacklinksArgs name a note or another file of a vault.
type BacklinksArgs struct {
	Path        string `json:"path"`
	Vault       string `json:"vault,omitempty"`
	Direction   string `json:"direction,omitempty" default:"incoming" enum:"incoming,outgoing" jsonschema:"outgoing: what the note itself links to"`
	Unlinked    *bool  `json:"unlinked,omitempty" default:"true" jsonschema:"also where it is named in plain text"`
	Limit       int    `json:"limit,omitempty" default:"100" min:"1" max:"500"`
	Cursor      string `json:"cursor,omitempty"`
	TokenBudget int    `json:"token_budget,omitempty" min:"64"`
}

// The directions of BacklinksArgs.
const (
	incoming = "incoming"
	outgoing = "outgoing"
)

// BacklinksResult lists the links to a file and the mentions of it in other notes, in the
// order of path and line, or, if outgoing, the links and mentions in a note, in the order of
// line. A page of it has links first, then mentions.
type BacklinksResult struct {
	Vault         string     `json:"vault"`
	Path          string     `json:"path"`
	Direction     string     `json:"direction"`
	Linked        []Backlink `json:"linked"`
	Unlinked      []Mention  `json:"unlinked"`
	LinkedCount   int        `json:"linked_count"`
	UnlinkedCount int        `json:"unlinked_count"`
	ReturnedCount int        `json:"returned_count"`
	Truncated     bool       `json:"truncated"`
	Next          string     `json:"next,omitempty"`
}

// Backlink is a link to a file, or, if outgoing, from a note.
type Backlink struct {
	Path        string     `json:"path"` // of the other file; "" for a dangling link
	LineNumber  int        `json:"line_number"`
	Target      string     `json:"target,omitempty"` // of an outgoing link, as written, with its anchor
	Dangling    bool       `json:"dangling,omitempty"`
	DisplayText string     `json:"display_text"`
	Context     string     `json:"context"`
	Type        edges.Kind `json:"type"`
	Rel         string     `json:"rel"`
	Direction   string     `json:"direction" jsonschema:"in: to this note; out: from it"`
	Refused     string     `json:"refused,omitempty" jsonschema:"why"`
}

// Mention is a file's name in plain text that is not a link. Path is the path of the other
// file.
type Mention struct {
	Path       string `json:"path"`
	LineNumber int    `json:"line_number"`
	Context    string `json:"context"`
}

// backlink is a row of selectBacklinks.
type backlink struct {
	place
	Backlink
}

// place is what backlinks are sorted by.
type place struct {
	Mention int
	Path    string
	Line    int
	Site    int64
}

// selectBacklinks selects the sites that lead to the memory ?1: those that declare an edge of
// it, and the sites ?2, which declare none; or, if ?4, the sites in the note ?1. ?3 says whether
// to include mentions. A site leads to the other end of its edge; a site without an edge leads to
// its own note, dangles, or is refused.
var selectBacklinks = `
select
  s.origin = 'mention' as mention,
  iif(?4, '', f.path) as page_path,
  coalesce(f.path, ''),
  s.line,
  s.key,
  iif(?4, s.target || s.anchor, ''),
  ?4 and s.resolved_by = '',
  iif(s.display <> '', s.display, s.target || s.anchor),
  (select c.context from site_contexts c where c.site = s.key),
  s.kind,
  s.rel,
  iif(s.backward = ?4, 'in', 'out'),
  s.refused
from (` + edges.BothWays(`
  select s.key
  from edges e
  join sites s on s.edge = e.key
  where e.{from_key|to_key} = ?1
    and not ?4`) + `
  union
  select value
  from json_each(?2)
  union
  select key
  from sites
  where note = ?1
    and resolved_by <> 'nobody'
    and ?4
) o
join sites s on s.key = o.key
left join edges e on e.key = s.edge
left join files f on f.memory = iif(?4 and s.resolved_by <> 'self', iif(e.from_key = s.note, e.to_key, e.from_key), s.note)
where (?4 or s.note <> ?1 and f.path is not null)
  and (?3 or s.origin <> 'mention')
order by mention, page_path, s.line, s.key`

// Backlinks returns the links to a file and the mentions of it in other notes of the vault,
// or, if outgoing, the links and mentions in a note, as of the last import. Mentions of a
// file are looked for in the texts, see unlinked. It leaves out edges that no note declares. It fails with not_found for a file that was not imported.
func (n Reader) Backlinks(ctx context.Context, a BacklinksArgs) (result BacklinksResult, err error) {
	const operation = "get_backlinks"
	if err := args.Check(operation, &a); err != nil {
		return result, err
	}
	list, isOutgoing := args.ListOf(operation, a), a.Direction == outgoing
	var mark db.Mark
	if err := db.ReadCursor(operation, list, a.Cursor, &mark); err != nil {
		return result, err
	}
	err = n.DB.Read(ctx, func(r *db.Reader) error {
		file, err := n.files().FindStored(ctx, r, operation, a.Vault, a.Path)
		if err != nil {
			return err
		}
		refused, err := refusedOf(ctx, r, file)
		if err != nil {
			return err
		}
		refusedTo := []int64{}
		for site, path := range refused {
			if a.Direction == incoming && path == file.Path {
				refusedTo = append(refusedTo, site)
			}
		}
		result.Vault, result.Path, result.Direction = file.Vault, file.Path, a.Direction
		named := []backlink{}
		if looks := a.Direction == incoming && *a.Unlinked; looks {
			if named, err = unlinked(ctx, r, file); err != nil {
				return err
			}
			*a.Unlinked = false // the query reads links alone
		}
		backlinks, err := db.Select(ctx, r, scanBacklink, selectBacklinks, file.Memory, db.List(refusedTo), *a.Unlinked, isOutgoing)
		backlinks = append(backlinks, named...)
		for n, b := range backlinks {
			result.UnlinkedCount += b.Mention
			if b.Refused != "" && a.Direction == outgoing {
				backlinks[n].Backlink.Path = refused[b.Site]
			}
		}
		if err != nil {
			return err
		}
		result.LinkedCount = len(backlinks) - result.UnlinkedCount
		start := mark.Skip(len(backlinks), func(i int) string { return fmt.Sprint(backlinks[i].place) })
		more := len(backlinks)-start > a.Limit
		backlinks = backlinks[start:min(len(backlinks), start+a.Limit)]
		result, err = budget.Hold(ctx, operation, a.TokenBudget, len(backlinks), func(n, bytes int) BacklinksResult {
			page := result
			page.setPage(backlinks[:n], bytes, more || n < len(backlinks), func() string {
				return db.Cursor(list, db.NewMark(start+n, fmt.Sprint(backlinks[n-1].place)))
			})
			return page
		})
		return err
	})
	return result, err
}

var scanBacklink = db.Fields(func(b *backlink) []any {
	return []any{
		&b.Mention, &b.place.Path, &b.Backlink.Path, &b.Line, &b.Site, &b.Target, &b.Dangling,
		&b.DisplayText, &b.Backlink.Context, &b.Type, &b.Rel, &b.Direction, &b.Refused,
	}
})

// setPage splits a page of rows into links and mentions, with each text cut to a number of
// bytes. more says whether there are more rows after the page, and next returns its cursor.
func (b *BacklinksResult) setPage(backlinks []backlink, bytes int, more bool, next func() string) {
	b.Linked, b.Unlinked = []Backlink{}, []Mention{}
	b.ReturnedCount = len(backlinks)
	b.Truncated, b.Next = budget.Rest(len(backlinks), bytes, more, next)
	for _, link := range backlinks {
		link.LineNumber = link.Line
		for _, text := range []*string{&link.Target, &link.DisplayText, &link.Backlink.Context, &link.Rel} {
			*text, _ = budget.Cut(*text, bytes)
		}
		if link.Mention == 0 {
			b.Linked = append(b.Linked, link.Backlink)
		} else {
			b.Unlinked = append(b.Unlinked, Mention{link.Backlink.Path, link.LineNumber, link.Backlink.Context})
		}
	}
}

// refusedOf returns the refused links in the vault of a file: site → the path to which it
// leads. A link is refused, and declares no edge, if the edge would close a cycle or be a
// second successor. The store does not keep that path, because there are few such links.
func refusedOf(ctx context.Context, r *db.Reader, f vault.Stored) (paths map[int64]string, err error) {
	type site struct {
		key                   int64
		path, target, lenient string
	}
	sites, err := db.Select(ctx, r, db.Fields(func(s *site) []any { return []any{&s.key, &s.path, &s.target, &s.lenient} }), `
select
  s.key,
  n.path,
  s.target,
  s.lenient
from sites s
join files n on n.memory = s.note and n.mirror = ?
where s.refused <> ''`, f.VaultKey)
	if err != nil || len(sites) == 0 {
		return nil, err
	}
	names, err := namesIn(ctx, r, f)
	paths = map[int64]string{}
	for _, s := range sites {
		paths[s.key] = vault.FindTarget(names, s.path, s.target, s.lenient).Path
	}
	return paths, err
}

// namesIn returns an index of the paths and aliases in the vault of a file.
func namesIn(ctx context.Context, r *db.Reader, f vault.Stored) (*resolve.Index, error) {
	x := resolve.New(nil)
	return x, db.Each(ctx, r, func(row *sql.Rows) error {
		var path, text string
		var aliases []string
		if err := row.Scan(&path, &text); err != nil {
			return err
		}
		err := db.ReadColumn(path, "aliases", text, &aliases)
		x.Add(path)
		x.Aliases(path, aliases)
		return err
	}, `
select
  f.path,
  m.aliases
from files f
join memories m on m.key = f.memory
where f.mirror = ?`, f.VaultKey)
}
