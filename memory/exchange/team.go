package exchange

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/secret"
)

// TeamArgs say which folder keeps which memories.
type TeamArgs struct {
	Dir     string
	Project string // only memories with the tag project/<Project>; "" for those of no project
	DryRun  bool
	First   bool // files may be written although there are none yet
}

// TeamSynced is the result of a sync with a team's folder.
type TeamSynced struct {
	Merged  Merged   `json:"merged"`
	Written []string `json:"written"` // files, or those that would be written
	Removed []string `json:"removed"`
	Refused []string `json:"refused"` // memories with what looks like a secret: title, line, kind of secret
	Marks   []string `json:"marks"`   // files with git's conflict marks: both sides were merged
	Waits   bool     `json:"waits"`   // nothing was written: it is the first time
}

const (
	removedName    = "removed.jsonl"
	attributesName = ".gitattributes"
	attributes     = "*.md -text\nremoved.jsonl -text merge=union\n"
)

// teamScope is an SQL condition: a memory may go into the folder of the namespace ?1 and
// the project ?2. What somebody prefers, what was said, other projects and what is marked
// private stay out.
const teamScope = `
m.namespace = ?1
  and m.uri is null
  and m.kind not in ('preference', 'session', 'turn')
  and lower(coalesce(m.properties ->> '$.private', '')) not in ('1', 'true', 'yes')
  and iif(
    ?2 = '',
    not exists (select 1 from json_each(m.tags) where value glob 'project/*'),
    exists (select 1 from json_each(m.tags) where value = 'project/' || ?2)
  )`

// SyncTeam merges a folder of files with the store, and writes the folder anew where the
// store has something else. The memories are those of the caller's namespace, or the
// default one, in a project or in none. Before the first write it only says what it
// would write. A memory with what looks like a secret is refused and named.
//
// It fails with invalid_argument and the lines if files cannot be read.
func (s Store) SyncTeam(ctx context.Context, a TeamArgs) (done TeamSynced, err error) {
	if s.Caller.Namespace == "" {
		s.Caller.Namespace = "default"
	}
	t := &team{store: s, args: a, paths: map[string]string{}, owner: map[string]string{}, out: map[string]bool{}, files: map[string][]byte{}, done: TeamSynced{Written: []string{}, Removed: []string{}, Refused: []string{}, Marks: []string{}}}
	if err := t.readFiles(); err != nil {
		return t.done, err
	}
	if err := t.merge(ctx); err != nil {
		return t.done, err
	}
	if err := t.compose(ctx); err != nil {
		return t.done, err
	}
	return t.done, t.write()
}

// team is one sync with a folder.
type team struct {
	store  Store
	args   TeamArgs
	files  map[string][]byte // by path in the folder
	paths  map[string]string // of memories by id
	owner  map[string]string // id of the memory by path
	out    map[string]bool   // ids of memories that stay out of the folder
	lines  []any             // of both sides of every file
	ids    []string
	want   map[string][]byte
	purged map[string]bool
	done   TeamSynced
}

// readFiles reads the folder.
func (t *team) readFiles() error {
	wrong := []string{}
	err := filepath.WalkDir(t.args.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !d.Type().IsRegular() {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		name, err := filepath.Rel(t.args.Dir, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if filepath.Ext(name) != ".md" && name != removedName && name != attributesName {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		t.files[name] = text
		switch name {
		case removedName:
			err = t.readRemoved(string(text))
		case attributesName:
		default:
			err = t.readFile(name, string(text))
		}
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v", name, err))
		}
		return nil
	})
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "sync %s: the folder cannot be read", t.args.Dir)
	}
	if len(wrong) > 0 {
		return fault.New(fault.InvalidArgument, "sync %s: nothing was merged; %s", t.args.Dir, strings.Join(wrong[:min(len(wrong), maxSaid)], "; ")).With("files", wrong)
	}
	return nil
}

// readFile reads the sides of a file. A README beside the memories is not one.
func (t *team) readFile(name, text string) error {
	if !strings.HasPrefix(strings.TrimPrefix(text, "\uFEFF"), "---\n") {
		delete(t.files, name)
		return nil
	}
	sides := sidesOf(text)
	if len(sides) > 1 {
		t.done.Marks = append(t.done.Marks, name)
	}
	for _, side := range sides {
		m, links, err := readTeamText(side, db.Now())
		if err != nil {
			return err
		}
		m.Namespace = t.store.Caller.Namespace
		if tag := "project/" + t.args.Project; t.args.Project != "" && !slices.Contains(m.Tags, tag) {
			m.Tags = append(m.Tags, tag)
		}
		if other, known := t.paths[m.ID]; !known || name < other {
			t.paths[m.ID] = name
		}
		t.ids, t.owner[name] = append(t.ids, m.ID), m.ID
		t.lines = append(t.lines, m)
		for _, l := range links {
			t.lines = append(t.lines, edgeLine{
				Type: typeEdge, ID: l.ID, From: m.ID, To: l.To, EdgeType: l.Type, Rel: l.Rel, Weight: l.Weight, Origin: l.Origin,
				Actor: new(l.By), Note: l.Note, ValidFrom: l.ValidFrom, ValidTo: l.ValidTo, CreatedAt: l.Created, Sites: []site{},
				Basis: l.Basis, ToURI: l.ToURI, Unsettled: l.Unsettled, Changed: l.Changed,
			})
		}
	}
	return nil
}

func (t *team) readRemoved(text string) error {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || isMark(line) || isMark(line+" ") {
			continue
		}
		var l removedLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			return plainly(err)
		}
		l.Namespace = t.store.Caller.Namespace
		t.lines = append(t.lines, l)
		t.ids = append(t.ids, l.ID)
	}
	return nil
}

// merge merges what the files say, but for memories that are personal here.
func (t *team) merge(ctx context.Context) (err error) {
	personal, err := db.Select(ctx, t.store.DB, db.Value[string], `
select m.id
from json_each(?3) j
join memories m on m.id = j.value
where not (`+teamScope+`)`, t.store.Caller.Namespace, t.args.Project, db.List(t.ids))
	if err != nil {
		return err
	}
	out := t.out
	for _, id := range personal {
		out[id] = true
	}
	var lines bytes.Buffer
	for _, line := range t.lines {
		switch l := line.(type) {
		case memoryLine:
			if out[l.ID] || l.Kind == "preference" || isPrivate(l) {
				continue
			}
		case edgeLine:
			if out[l.From] || out[l.To] {
				continue
			}
		case removedLine:
			if out[l.ID] || out[l.From] || out[l.To] {
				continue
			}
		}
		lines.WriteString(jsonText(line) + "\n")
	}
	t.done.Merged, err = t.store.Merge(ctx, &lines, ImportArgs{Name: t.args.Dir, DryRun: t.args.DryRun, Few: true})
	return err
}

func isPrivate(m memoryLine) bool {
	switch strings.Trim(strings.ToLower(string(propertiesOf(&m)["private"])), `"`) {
	case "true", "yes", "1":
		return true
	}
	return false
}

// compose says what the folder is to hold.
func (t *team) compose(ctx context.Context) error {
	t.want = map[string][]byte{attributesName: []byte(attributes)}
	memories := []memoryLine{}
	links := map[string][]teamLink{}
	return t.store.DB.Read(ctx, func(r *db.Reader) error {
		titles, hashes := map[string]string{}, map[string]string{}
		err := db.Each(ctx, r, func(row *sql.Rows) error {
			m, err := scanMemory(row)
			if err != nil {
				return err
			}
			if _, there := t.paths[m.ID]; m.ForgottenAt != nil && !there {
				return nil
			}
			if found := secretsIn(m); found != "" {
				t.done.Refused = append(t.done.Refused, found)
				return nil
			}
			titles[m.ID], hashes[m.ID] = m.Title, cmp.Or(m.ContentHash, db.Hash(m.Content))
			memories = append(memories, m)
			return nil
		}, memoryColumns+`
from memories m
where `+teamScope+`
order by m.id`, t.store.Caller.Namespace, t.args.Project)
		if err != nil {
			return err
		}
		err = db.Each(ctx, r, func(row *sql.Rows) error {
			e, err := scanEdge(row)
			if _, there := titles[e.From]; err != nil || !there || !e.isDeclared() {
				return err
			}
			if e.Basis == "" && restsOn(e.EdgeType) { // written out, it stays when the other text changes
				e.Basis = hashes[e.To]
			}
			if _, there := titles[e.To]; there || e.ToURI != "" {
				links[e.From] = append(links[e.From], t.link(e, titles))
			}
			return nil
		}, selectEdges, t.store.Caller.Namespace)
		if err != nil {
			return err
		}
		taken := map[string]bool{}
		for _, path := range t.paths {
			taken[path] = true
		}
		for _, m := range memories {
			path, known := t.paths[m.ID]
			if !known {
				path = teamPath(m, taken)
				taken[path] = true
			}
			t.want[path] = teamText(m, links[m.ID])
		}
		return t.composeRemoved(ctx, r, titles)
	})
}

func (t *team) link(e edgeLine, titles map[string]string) teamLink {
	l := teamLink{
		Type: e.EdgeType, To: e.To, Title: titles[e.To], Rel: e.Rel, Note: secret.Mask(e.Note), ValidFrom: e.ValidFrom, ValidTo: e.ValidTo,
		ID: e.ID, Created: e.CreatedAt, By: *e.Actor, Origin: e.Origin, Basis: e.Basis, ToURI: e.ToURI, Unsettled: e.Unsettled, Changed: e.Changed,
	}
	if *e.Weight != 1 {
		l.Weight = e.Weight
	}
	return l
}

// composeRemoved keeps what was removed of the folder's memories.
func (t *team) composeRemoved(ctx context.Context, r *db.Reader, titles map[string]string) error {
	all, err := readRemoved(ctx, r, t.store.Caller.Namespace)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	t.purged = map[string]bool{}
	for _, l := range all {
		t.purged[l.ID] = t.purged[l.ID] || l.Type == typePurged
		_, from := titles[l.From]
		_, to := titles[l.To]
		_, purged := t.paths[l.ID]
		if l.Type == typeUnlinked && from && (to || l.ToURI != "") || l.Type == typePurged && (purged || slices.Contains(t.ids, l.ID)) {
			l.Namespace = ""
			out.WriteString(jsonText(l) + "\n")
		}
	}
	if out.Len() > 0 {
		t.want[removedName] = out.Bytes()
	}
	return nil
}

// secretsIn says where a memory has what looks like a secret, "" if nowhere.
func secretsIn(m memoryLine) string {
	for n, line := range strings.Split(m.Content, "\n") {
		if found := secret.Find(line); len(found) > 0 {
			return fmt.Sprintf("%s: line %d looks like a secret (%s)", secret.Mask(m.Title), n+1, found[0].Kind)
		}
	}
	rest := strings.Join([]string{m.Content, m.Title, string(m.Properties), value(m.VerifyNote), value(m.ForgetReason), strings.Join(m.Tags, " ")}, "\n")
	if found := secret.Find(rest); len(found) > 0 {
		return fmt.Sprintf("%s: a part looks like a secret (%s)", secret.Mask(m.Title), found[0].Kind)
	}
	return ""
}

// teamPath returns the path of a new file: the title, and the end of the id. It stays
// the same when the title changes.
func teamPath(m memoryLine, taken map[string]bool) string {
	const most = 60
	var slug strings.Builder
	for _, c := range strings.ToLower(m.Title) {
		switch {
		case slug.Len() >= most:
		case unicode.IsLetter(c) || unicode.IsDigit(c):
			slug.WriteRune(c)
		case slug.Len() > 0 && !strings.HasSuffix(slug.String(), "-"):
			slug.WriteByte('-')
		}
	}
	end := db.Hash(m.ID)[:8]
	if id := m.ID; len(id) == len("01890000-0000-7000-8000-000000000000") {
		end = id[len(id)-8:]
	}
	name := strings.Trim(strings.Trim(slug.String(), "-")+"-"+end, "-") + ".md"
	if taken[name] {
		name = db.Hash(m.ID)[:16] + ".md"
	}
	return name
}

// write writes the files that differ.
func (t *team) write() error {
	for name, text := range t.want {
		if before, there := t.files[name]; !there || !bytes.Equal(before, text) {
			t.done.Written = append(t.done.Written, name)
		}
	}
	for name := range t.files {
		id := t.owner[name]
		_, wanted := t.want[name]
		// A file that was not merged, or is of a memory that was refused, stays.
		if !wanted && (t.out[id] || t.purged[id] || t.paths[id] != name) {
			t.done.Removed = append(t.done.Removed, name)
		}
	}
	slices.Sort(t.done.Written)
	slices.Sort(t.done.Removed)
	t.done.Waits = len(t.files) == 0 && len(t.want) > 1 && !t.args.First
	if t.args.DryRun || t.done.Waits {
		return nil
	}
	if err := os.MkdirAll(t.args.Dir, 0o755); err != nil {
		return fault.Wrap(fault.Unavailable, err, "sync %s: the folder cannot be made", t.args.Dir)
	}
	root, err := os.OpenRoot(t.args.Dir)
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "sync %s: the folder cannot be written", t.args.Dir)
	}
	defer root.Close()
	for _, name := range t.done.Written {
		const temp = ".hence-writing"
		if err := errors.Join(root.WriteFile(temp, t.want[name], 0o644), root.Rename(temp, filepath.FromSlash(name))); err != nil {
			return fault.Wrap(fault.Unavailable, err, "sync %s: %s cannot be written", t.args.Dir, name)
		}
	}
	for _, name := range t.done.Removed {
		if err := root.Remove(filepath.FromSlash(name)); err != nil {
			return fault.Wrap(fault.Unavailable, err, "sync %s: %s cannot be removed", t.args.Dir, name)
		}
	}
	return nil
}
