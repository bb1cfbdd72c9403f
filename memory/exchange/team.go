package exchange

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"hence/internal/db"
	"hence/internal/secret"
)

// TeamArgs say which folder keeps which memories.
type TeamArgs struct {
	Dir     string
	Project string // only memories with the tag project/<Project>; "" for those of no project
	DryRun  bool
	First   bool   // files may be written although there are none yet
	Known   string // a file that remembers what both had when they were last the same; "": none
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

// SyncTeam merges a folder of files with the store, and writes the files of which the
// store has something else. The memories are those of the caller's namespace, or the
// default one, in a project or in none. Before the first write it only says what it
// would write. A memory with what looks like a secret is refused and named. Where neither
// the folder nor the store has changed since the last sync, nothing is read.
//
// It fails with invalid_argument and the lines if files cannot be read.
func (s Store) SyncTeam(ctx context.Context, a TeamArgs) (done TeamSynced, err error) {
	if s.Caller.Namespace == "" {
		s.Caller.Namespace = "default"
	}
	if done, same := s.unchangedTeam(ctx, a); same {
		return done, nil
	}
	began := time.Now()
	files, err := ReadTeamFolder(a.Dir)
	if err != nil {
		return done, err
	}
	t := s.team(a, "sync")
	for _, step := range []func() error{
		func() error { return t.readFiles(files) }, func() error { return t.merge(ctx) }, func() error { return t.compose(ctx) }, t.write,
	} {
		if err := step(); err != nil {
			return t.done, err
		}
	}
	if err := t.remember(began, files); err != nil {
		t.done.Merged.Warnings = append(t.done.Merged.Warnings, err.Error())
	}
	return t.done, nil
}

// team begins a sync.
func (s Store) team(a TeamArgs, doing string) *team {
	return &team{
		store: s, args: a, doing: doing, now: db.Now(), paths: map[string]string{}, owner: map[string]string{}, others: map[string]bool{}, out: map[string]bool{},
		done: TeamSynced{Written: []string{}, Removed: []string{}, Refused: []string{}, Marks: []string{}},
	}
}

// team is one sync with a folder.
type team struct {
	store   Store
	args    TeamArgs
	doing   string // for errors
	files   TeamFiles
	paths   map[string]string // of memories by id
	owner   map[string]string // id of the memory by path
	out     map[string]bool   // ids of memories that stay out of the folder
	now     string
	read    []teamFile      // in the order of their paths
	removed []removedLine   // that the folder tells
	others  map[string]bool // paths of files that are not of memories
	ids     []string
	want    map[string][]byte
	purged  map[string]bool
	key     db.FingerprintKey // of state
	state   string            // fingerprint of the store that want is made of
	done    TeamSynced
}

// teamFile is a file of a memory.
type teamFile struct {
	name  string
	sides []teamSide // two if git left its marks
}

// merge merges what the files say, but for memories that are personal here.
func (t *team) merge(ctx context.Context) error {
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
	ours := map[string]memoryLine{}
	if err := readMemories(ctx, t.store.DB, t.ids, ours); err != nil {
		return err
	}
	if err := t.stampEdits(ctx, ours); err != nil {
		return err
	}
	records := []record{}
	for _, f := range t.read {
		for n := range f.sides {
			s := &f.sides[n]
			s.fillTimes()
			if !out[s.ID] && s.Kind != "preference" && !isPrivate(s.memoryLine) {
				records = append(records, record{memory: &s.memoryLine})
			}
			for i := range s.edges {
				if e := &s.edges[i]; !out[e.From] && !out[e.To] {
					records = append(records, record{edge: e})
				}
			}
		}
	}
	for i := range t.removed {
		if l := &t.removed[i]; !out[l.ID] && !out[l.From] && !out[l.To] {
			records = append(records, record{removed: l})
		}
	}
	said := t.done.Merged.Warnings
	t.done.Merged, err = t.store.mergeRecords(ctx, records, ImportArgs{Name: t.args.Dir, DryRun: t.args.DryRun, Few: true})
	t.done.Merged.Warnings = append(said, t.done.Merged.Warnings...)
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
			if t.others[path] {
				t.done.Merged.Warnings = warn(t.done.Merged.Warnings, path+" does not begin with ---, and is not written over; mend or remove it")
				continue
			}
			t.want[path] = teamText(m, links[m.ID])
		}
		if t.args.Known != "" {
			t.key = db.NewFingerprintKey()
			if t.state, err = fingerprint(ctx, r, t.store.Caller.Namespace, t.key); err != nil {
				return err
			}
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
