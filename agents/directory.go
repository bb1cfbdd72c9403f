package agents

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/pattern"
	"hence/projection"
	"hence/projection/folder"
	"hence/vault/note"
	"hence/vault/resolve"
)

// directory holds the files of a folder by what a link may call them. A link means a file of the
// same folder, because two projects may have memories of one name.
type directory struct {
	names map[string]string          // path → the name in its front matter
	below map[string]map[string]bool // folder → paths of its files
	source
}

// Directory returns the names of the files as of the last import.
func (s source) Directory(_ context.Context, _ *db.Reader, known projection.Known) (projection.Directory, error) {
	d := directory{map[string]string{}, map[string]map[string]bool{}, s}
	for name, f := range known.Files {
		d.set(name, f.Aliases)
	}
	return d, nil
}

func (d directory) set(name string, aliases []string) {
	dir := path.Dir(name)
	if d.below[dir] == nil {
		d.below[dir] = map[string]bool{}
	}
	d.below[dir][name], d.names[name] = true, ""
	if len(aliases) > 0 {
		d.names[name] = slug(aliases[0])
	}
}

// Len is the number of files.
func (d directory) Len() int { return len(d.names) }

// Update records files that were added, changed or removed.
func (d directory) Update(_ context.Context, c *projection.Changes) (keys []string, err error) {
	touch := func(name string) {
		for _, called := range []string{slug(name), d.names[name]} {
			keys = append(keys, resolve.Key(called))
		}
	}
	for _, name := range c.Removed {
		touch(name)
		delete(d.names, name)
		delete(d.below[path.Dir(name)], name)
	}
	for _, doc := range c.Documents {
		touch(doc.Path)
		d.set(doc.Path, doc.Aliases)
		touch(doc.Path)
	}
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// Complete returns none: the sites of a file do not depend on others.
func (d directory) Complete(context.Context, *projection.Changes) ([]*projection.Document, error) {
	return nil, nil
}

// Wholes returns nothing: a file is one memory.
func (d directory) Wholes() []projection.Unit { return nil }

// Resolve sets the meaning of a site: the file at its path, else the one whose name is the slug, else
// the one whose file is called so. A path that leads out of the folder means nothing, but for that of
// an import.
func (d directory) Resolve(s *projection.Site) {
	s.Meaning = projection.Meaning{}
	dir := path.Dir(s.Source)
	at := path.Join(dir, s.Target)
	if s.Origin == "embed" {
		at = d.within(s.Source, s.Target)
	}
	if _, ok := d.names[at]; ok && (path.Dir(at) == dir || strings.HasPrefix(at, dir+"/") || s.Origin == "embed") {
		s.Path, s.By = at, string(resolve.ByPath)
		return
	}
	if s.Origin == "embed" || strings.Contains(s.Target, "/") {
		return
	}
	named, called := []string{}, []string{}
	for name := range d.below[dir] {
		switch wanted := slug(s.Target); wanted {
		case d.names[name]:
			named = append(named, name)
		case slug(name):
			called = append(called, name)
		}
	}
	slices.Sort(named)
	slices.Sort(called)
	if found := append(named, called...); len(found) > 0 {
		s.Path, s.By, s.Candidates = found[0], string(resolve.ByAlias), found[1:]
	}
}

// slug returns a name or the last part of a path in the form of a link: lease-renewal for
// "Lease renewal" and lease_renewal.md.
func slug(name string) string {
	return strings.NewReplacer(" ", "-", "_", "-").Replace(resolve.Key(name))
}

// maxHops is how far Claude Code follows imports.
const maxHops = 4

// importers are the files whose imports are followed.
var importers = []string{"CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "GEMINI.md"}

// importsFrom matches the path after an @ in plain text.
var importsFrom = pattern.Lazy(`(?:^|[\s(])@([^\s@)]+\.(?:md|mdc|txt)|[^\s@)]*[^\s@).,;:!?"'*])`)

// isProse reports whether an imported file is read as a note, by its ending.
func isProse(name string) bool { return prose().MatchString(name) }

var prose = pattern.Lazy(`(?i)\.(?:mdc?|txt)$`)

// importSites returns the places of a document that import another file. A word after an @ that may be anything, such as a
// person, is one if there is a file of that name.
func importSites(d *projection.Document) (sites []projection.Site) {
	if !strings.Contains(d.Content, "@") {
		return nil
	}
	for _, p := range note.Parse([]byte(d.Content)).Plain {
		for _, at := range importsFrom().FindAllStringSubmatchIndex(p.Line[p.Start:p.End], -1) {
			target := p.Line[p.Start+at[2] : p.Start+at[3]]
			if !isProse(target) && d.Kind != imported.kind {
				continue
			}
			sites = append(sites, projection.Site{
				Kind: edges.Embeds, Origin: "embed", Target: target, TargetKey: resolve.Key(slug(target)), Lenient: map[bool]string{false: projection.Bare}[isProse(target)], Line: p.Number,
				Start: p.Offset + p.Start + at[2], End: p.Offset + p.Start + at[3], Context: p.Context(p.Start+at[2], p.Start+at[3]),
			})
		}
	}
	return sites
}

// findImports returns the files of the folder that its files of instructions and its rules import, directly or
// through others, each with the clients that load it so, "" for a rule that is not always loaded. What such a file is a link to is imported too.
func (s source) findImports(f *folder.Folder) map[string][]string {
	all, starts := map[string][]string{}, map[string][]string{"claude-code": slices.Clone(importers[:3]), "gemini": importers[3:]}
	for _, dir := range []string{"rules", ".claude/rules"} {
		_ = fs.WalkDir(f.Dir.FS(), dir, func(name string, d fs.DirEntry, err error) error {
			if r, isFile, _ := s.find(name); err == nil && !d.IsDir() && isFile && r.kind == imported.kind {
				text, _ := f.Read(folder.Entry{Path: name}, projection.MaxFile)
				client := map[bool]string{true: "claude-code"}[isAlways(note.Parse([]byte(mendGlobs(string(text)))).Properties)]
				starts[client] = append(starts[client], name)
			}
			return nil // the scan says what cannot be read
		})
	}
	for client, next := range starts {
		seen := map[string]bool{}
		for _, name := range next {
			seen[name] = true
		}
		for range maxHops {
			found := []string{}
			for _, name := range next {
				for _, target := range s.importsOf(f, name) {
					if !seen[target] {
						seen[target], all[target] = true, append(all[target], client)
						found = append(found, target)
					}
				}
			}
			next = found
		}
	}
	return all
}

// importsOf returns the files within the folder that a file imports or is a link to. One that is not a text is none.
func (s source) importsOf(f *folder.Folder, name string) (targets []string) {
	if !isProse(name) {
		return nil
	}
	text, err := f.Read(folder.Entry{Path: name}, projection.MaxFile)
	if err != nil {
		return nil
	}
	sites := importSites(&projection.Document{Kind: imported.kind, Content: withoutBlocks(projection.Clean(string(text)))})
	if link, err := f.Dir.Readlink(name); err == nil {
		sites = append(sites, projection.Site{Target: link})
	}
	for _, site := range sites {
		target := s.within(name, site.Target)
		if target == "" {
			continue
		}
		if !isProse(target) {
			if bytes, err := f.Read(folder.Entry{Path: target}, projection.MaxFile); err != nil || !isText(bytes) {
				continue
			}
		}
		targets = append(targets, target)
	}
	return targets
}

// isText reports whether bytes are a text that a person may read.
func isText(bytes []byte) bool { return utf8.Valid(bytes) && !slices.Contains(bytes, 0) }

// within returns the path in the folder that an import of a file means, from the file, from the home or from the root of the
// disk; "" for one that leads out of the folder or is hidden.
func (s source) within(file, target string) string {
	at := path.Join(path.Dir(file), target)
	if below, ok := strings.CutPrefix(target, "~/"); ok {
		home, _ := os.UserHomeDir() // without one it is a path from nowhere
		target = filepath.Join(home, below)
	}
	if filepath.IsAbs(target) {
		from, _ := filepath.Rel(s.projects.root, target)
		at = filepath.ToSlash(from)
	}
	if !fs.ValidPath(at) || folder.IsHidden(at) {
		return ""
	}
	return at
}
