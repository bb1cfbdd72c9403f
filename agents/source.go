package agents

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/pattern"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory"
	"hence/projection"
	"hence/projection/folder"
	"hence/projection/tokens"
	"hence/vault"
	"hence/vault/resolve"
)

// version is increased when the same bytes give other memories or edges.
const version = 3

// source reads the memory files of one folder.
type source struct {
	projection.Source // of notes
	name              string
	rules             []rule
	isRepository      bool
	isTrusted         bool                // a person answers for the folder
	imports           map[string][]string // files that others import → the clients that load them so
	projects          *projects
}

// plain reads a file as a note.
var plain = vault.Plain()

// open returns the source of a folder by the name of its mirror, and gives the folder its rules.
func open(f *folder.Folder, state string) source {
	s := source{Source: plain, name: f.Label, projects: &projects{root: f.Dir.Name(), state: state}}
	s.rules, s.isRepository = rulesOf(f.Label)
	s.imports = s.findImports(f)
	s.Rule(f)
	return s
}

// Rule lets in the files of the rules, and those that they import.
func (s source) Rule(f *folder.Folder) {
	f.Hidden, f.NoLinks = true, true
	f.Excluded = func(name string, isFolder bool) bool {
		if foreign[path.Base(name)] {
			return true
		}
		_, whole, above := s.find(name)
		return isFolder && !above || !isFolder && !whole
	}
	f.KindOf = func(name string) (kind string, read bool) {
		if r, _, _ := s.find(name); r.kind == unread {
			return unread, false
		}
		return "note", true
	}
}

// foreign are the names of folders that hold the files of others.
var foreign = map[string]bool{"node_modules": true, "vendor": true}

// find returns the rule of a file, or whether a folder may have files of a rule.
func (s source) find(name string) (r rule, whole, above bool) {
	r, whole = imported, s.imports[name] != nil
	for _, one := range slices.Backward(s.rules) { // so that the first one counts
		isFile, isAbove := match(strings.Split(one.glob, "/"), strings.Split(name, "/"))
		if above = above || isAbove; isFile {
			r, whole = one, true
		}
	}
	for file := range s.imports {
		above = above || strings.HasPrefix(file, name+"/")
	}
	return r, whole, above
}

// HasLearned reports whether the project of a file is another one than when it was read.
func (s source) HasLearned(path string, known projection.KnownFile) bool {
	r, _, _ := s.find(path)
	project := s.projects.of(path)
	return r.kind != unread && project != "" && known.Memory != 0 && known.Words != db.JSON([]string{project})
}

// Version returns the version of what is read.
func (s source) Version() int64 { return s.Source.Version() + version }

// Read sets the fields of a document from the bytes of a memory file.
func (s source) Read(d *projection.Document, bytes []byte) {
	r, _, _ := s.find(d.Path)
	if r.kind == unread {
		d.Title = path.Base(d.Path)
		return
	}
	var cleaner secret.Cleaner
	text := cleaner.Clean(mendGlobs(withoutBlocks(projection.Clean(string(bytes)))))
	if r.kind == byType && isIndex(d.Path) {
		text = withoutList(text)
	}
	if r.kind == byGroup {
		text = s.takeGroups(d, text)
	}
	file := d.Path
	isData := r.glob == "" && !isProse(file)
	if isData { // such as package.json, which nobody wrote as rules
		r.kind, d.Title, d.Content, d.ContentHash = "reference", path.Base(file), text, db.Hash(text)
		d.Sections = []projection.Section{{StartLine: 1, EndLine: strings.Count(text, "\n") + 1}}
	} else {
		d.Path = strings.TrimSuffix(file, ".md") + ".md" // whatever its ending, it is Markdown
		s.Source.Read(d, []byte(text))
		d.Path = file
	}
	for _, warning := range cleaner.Warnings() {
		d.Warn(0, warning)
	}
	for i := range d.Warnings {
		d.Warnings[i].Path = file
	}
	s.takeMeta(d, r)
	s.takeTrust(d)
	d.Superseded = false
	for i, site := range d.Sites {
		if !isOwnMatter(site) {
			d.Sites[i].Rel, d.Sites[i].Kind, d.Sites[i].Backward = cmp.Or(site.Rel, string(site.Kind)), edges.RefersTo, false
		}
		if !strings.HasPrefix(site.Target, projection.Elsewhere) {
			d.Sites[i].TargetKey = resolve.Key(slug(site.Target))
		}
	}
	if !isData {
		imports := importSites(d)
		for _, site := range imports {
			if isProse(site.Target) && s.within(file, site.Target) == "" {
				d.Warn(site.Line, "@"+site.Target+" is not read and dangles: it leads out of this folder, or is hidden")
			}
		}
		d.Sites = append(d.Sites, imports...)
	}
	if strings.TrimSpace(d.Content) == "" {
		d.Kind, d.ContentHash = "file", "" // nothing is said in it
	}
}

// taskGroup matches the first line of a group of tasks in Codex's MEMORY.md, with its title.
var taskGroup = pattern.Lazy(`(?m)^# Task Group:[ \t]*(.*?)[ \t]*\r?$`)

// takeGroups makes each group of tasks a unit of the document, of the project whose folders it names, and returns the text
// before the first one. A group is known by its title; one with another title and the same text is the same.
func (s source) takeGroups(d *projection.Document, text string) string {
	rest, taken := text, map[string]bool{}
	at := taskGroup().FindAllStringSubmatchIndex(text, -1)
	for n, one := range at {
		end := len(text)
		if n+1 < len(at) {
			end = at[n+1][0]
		}
		content, title := strings.TrimSpace(text[one[1]:end]), memory.FirstLine(text[one[2]:one[3]])
		if rest = text[:at[0][0]]; content == "" {
			continue
		}
		base := d.Path + "#" + strings.Join(strings.Fields(strings.ToLower(db.WithoutControls(title))), "-")
		name := base
		for n := 2; taken[name]; n++ {
			name = fmt.Sprint(base, "-", n)
		}
		taken[name] = true
		words := tokens.Of(strings.Fields(content), "")
		unit := projection.Unit{Name: name, Kind: "fact", Title: cmp.Or(title, path.Base(d.Path)), Content: content, Hash: words.Hash, Properties: map[string]any{}, Sort: "group", Tokens: words}
		if project := s.projects.named(content); project != "" {
			unit.Tags = []string{project}
		}
		d.Units = append(d.Units, unit)
	}
	return rest
}

// isOwnMatter reports whether a place says nothing about its target that a person would have to say: an agent's file
// supersedes and contradicts nobody, and nothing rests on it by its own word.
func isOwnMatter(site projection.Site) bool {
	return slices.Contains([]edges.Kind{edges.LinksTo, edges.Embeds, edges.RefersTo}, site.Kind) ||
		!site.Backward && site.Kind.RestsOn()
}

// takeMeta sets the kind, the names, the tags and the time of a document by its rule and its front
// matter.
func (s source) takeMeta(d *projection.Document, r rule) {
	meta, _ := property(d.Properties, "metadata").(map[string]any)
	textOf := func(key string) string {
		text, ok := property(d.Properties, key).(string)
		if !ok {
			text, _ = property(meta, key).(string)
		}
		return strings.TrimSpace(text)
	}
	stem := strings.TrimSuffix(path.Base(d.Path), path.Ext(d.Path))
	d.Kind, d.Title = r.kind, d.Path+" of "+strings.TrimSuffix(number().ReplaceAllString(s.name, ""), ofRepository)
	if r.kind == byGroup {
		d.Kind = "fact"
	}
	if r.kind == byType {
		d.Kind, d.Title = kindByType(textOf("type"), d.Content), stem
		if isIndex(d.Path) {
			d.Title = path.Dir(d.Path) + "/" + stem
		}
		if name := textOf("name"); name != "" {
			d.Title, d.Aliases = memory.FirstLine(name), append([]string{name}, d.Aliases...)
		}
	}
	if t, err := time.Parse(time.RFC3339, textOf("modified")); err == nil && !t.After(time.Unix(0, d.Modified).Add(24*time.Hour)) {
		d.Updated = t
	}
	d.Tags = slices.DeleteFunc(d.Tags, func(tag string) bool { return strings.HasPrefix(strings.ToLower(tag), ref.ProjectPrefix) }) // a file does not choose whose it is
	switch project := s.projects.of(d.Path); {
	case s.isRepository:
		d.Tags = append(d.Tags, s.projects.own())
	case strings.HasPrefix(d.Path, "memories/"):
		d.Tags = append(d.Tags, s.projects.named(d.Content))
	case project != "":
		d.Tags, d.Words = append(d.Tags, project), []string{project}
	}
	slices.Sort(d.Tags)
	d.Tags = slices.Compact(slices.DeleteFunc(d.Tags, func(tag string) bool { return tag == "" }))
	loaded := slices.DeleteFunc(slices.Concat(r.loaded, s.imports[d.Path]), func(client string) bool { return client == "" })
	if len(loaded) > 0 && isAlways(d.Properties) {
		d.Properties["loaded_by"] = slices.Compact(slices.Sorted(slices.Values(loaded)))
	}
	for line := range strings.Lines(d.Content) { // of Codex's summaries of sessions
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || r.kind != "summary" || key != "thread_id" && key != "updated_at" {
			break
		}
		d.Properties[key] = value
	}
}

// property returns the value of a key, or of one that has other capitals.
func property(properties map[string]any, key string) any {
	for _, other := range slices.Sorted(maps.Keys(properties)) {
		if properties[key] == nil && strings.EqualFold(other, key) {
			return properties[other]
		}
	}
	return properties[key]
}

// isAlways reports whether a client loads a file of rules whatever is worked on, by the words of the clients'
// front matter.
func isAlways(properties map[string]any) bool {
	for key, always := range map[string]any{"paths": nil, "globs": "", "applyTo": "**", "fileMatchPattern": nil, "inclusion": "always", "alwaysApply": true, "trigger": "always_on"} {
		if value, ok := properties[key]; ok && value != nil && value != always {
			return false
		}
	}
	return true
}

// takeTrust sets whose text it is: an agent's or an import's, a person's by hence trust, or a less trusted one that the
// file names.
func (s source) takeTrust(d *projection.Document) {
	most := ref.Agent
	switch {
	case s.isTrusted:
		most = ref.Note
	case s.isRepository:
		most = ref.Import
	}
	if d.TextSource == "" || ref.Rank(d.TextSource) > ref.Rank(most) {
		d.TextSource, d.SourceURL = most, ""
	}
}

// commands are words with which a text tells others what to do.
var commands = pattern.Lazy(`(?i)\*\*how to apply|\b(?:always|never|must|do not|don['’]t|only)\b`)

// kindByType returns the kind of a memory by the type in its front matter. Feedback that says how to
// apply it, or that commands, is a rule, and else a preference, as what is known of the user.
// A project's memory with its reason is a decision, and else a fact. Other types stay as they
// are, but for the kinds that have a meaning of their own here.
func kindByType(kind, text string) string {
	switch kind = strings.ToLower(kind); kind {
	case "feedback":
		if commands().MatchString(text) {
			return "rule"
		}
		return "preference"
	case "user":
		return "preference"
	case "project":
		if strings.Contains(strings.ToLower(text), "**why") {
			return "decision"
		}
		return "fact"
	case "", "note", "canvas", "file", "code", "turn", "session":
		return "fact"
	}
	const longest = 64 // as for a memory that is stored
	runes := []rune(kind)
	return string(runes[:min(len(runes), longest)])
}

// blocks matches what Hence itself writes into files of instructions.
var blocks = pattern.Lazy(`(?s)<!-- hence(?:-team)?:begin.*?<!-- hence(?:-team)?:end -->`)

// withoutBlocks returns a text without Hence's own blocks, with as many lines.
func withoutBlocks(text string) string {
	return blocks().ReplaceAllStringFunc(text, func(block string) string { return strings.Repeat("\n", strings.Count(block, "\n")) })
}

// globs matches a line of front matter with a pattern that YAML would take for an alias.
var globs = pattern.Lazy(`(?m)^(globs|paths|applyTo|fileMatchPattern):[ \t]*(\*[^"'\r\n]*?)[ \t]*(\r?)$`)

func mendGlobs(text string) string { return globs().ReplaceAllString(text, `$1: "$2"$3`) }

// linked warns of the symbolic links at which files of the rules might lie, if they are folders or lead out.
func (s source) linked(f *folder.Folder) (warnings []folder.Warning) {
	_ = fs.WalkDir(f.Dir.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		_, isFile, _ := s.find(name)
		mayHave := slices.ContainsFunc(s.rules, func(r rule) bool {
			_, above := match(strings.Split(r.glob, "/"), strings.Split(name, "/"))
			return above && strings.Contains(r.glob, "**")
		})
		switch {
		case err != nil || name == ".": // the scan says what cannot be read
		case d.IsDir() && (!mayHave || foreign[d.Name()]):
			return fs.SkipDir
		case mayHave && !isFile && d.Type()&fs.ModeSymlink != 0:
			if info, err := f.Dir.Stat(name); err != nil || info.IsDir() {
				warnings = append(warnings, folder.Warning{Path: name, Text: "it is a link to a folder or out of this one, which is not followed: what lies there is as gone"})
			}
		}
		return nil
	})
	return warnings
}
