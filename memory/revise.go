package memory

import (
	"context"
	"slices"
	"strings"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory/record"
)

// Revise is Correct without neighbours.
func (s Store) Revise(ctx context.Context, a UpdateArgs) (UpdateResult, error) {
	return s.Correct(ctx, a, nil)
}

// Correct changes a memory in place. To keep the old text, supersede it instead: see
// Remember. An agent's change of a person's words is kept as a proposal. It fails with
// conflict if the revision is not the expected one, and with invalid_argument without a
// change or for the text of a note, which its file holds.
func (s Store) Correct(ctx context.Context, a UpdateArgs, near Neighbours) (result UpdateResult, err error) {
	if err := args.Check("update", &a); err != nil {
		return result, err
	}
	if !a.changes() {
		return result, fault.New(fault.InvalidArgument, "update: no change is named; give content, a title, tags or whatever else is to change")
	}
	m, err := s.find(ctx, a.ID)
	if err != nil {
		return result, err
	}
	a, result.Warnings = a.withoutSecrets()
	quoted, err := s.quoteIn(ctx, m, a, near)
	if err != nil {
		return result, err
	}
	if quoted.Trust != "" {
		a.Source, result.Warnings = quoted.Trust, append(result.Warnings, repeatWarning(quoted))
	}
	a.ID = m.ID
	statements, err := s.ReviseStatements(a, quoted.SourceURL)
	if err != nil {
		return result, err
	}
	if m.URI != "" && (a.Title != nil || a.Content != nil || a.Tags != nil || a.Properties != nil || a.Kind != nil) {
		if strings.HasPrefix(m.URI, ref.AgentsScheme+"://") {
			return result, fault.New(fault.InvalidArgument, "update: %s is a file that an agent keeps itself; edit the file, or store a memory that supersedes it", m.URI)
		}
		return result, fault.New(fault.InvalidArgument, "update: %s is a note, and its file holds its text; edit the file and import the vault again", m.URI)
	}
	watch, err := s.watch(ctx, m.ID)
	if err != nil {
		return result, err
	}
	if _, err = s.DB.Write(ctx, s.Caller.Actor, db.Now(), statements...); err == errSaid {
		result.Proposed, result.Warnings = true, append(result.Warnings, a.asksOnly())
		request := a
		request.ID, request.ExpectedRevision = "", 0
		err = s.ask(ctx, m.ID, "update", request)
	}
	if err != nil {
		return result, err
	}
	said := result.Warnings
	err = s.DB.ReadBack(ctx, func(r *db.Reader) error {
		result.Warnings = slices.Clip(said)
		if result.Memory, err = readOne(ctx, r, m.ID); err != nil {
			return err
		}
		result.Memory.Content = "" // the caller has it
		if a.Title != nil {
			sameTitle, err := (ref.Caller{Namespace: m.Namespace}).SameTitle(ctx, r, result.Memory.Title)
			if err != nil {
				return err
			}
			if err := ref.Mark(ctx, r, &sameTitle); err != nil {
				return err
			}
			result.Warnings = append(result.Warnings, takenTitle(sameTitle, []ref.End{m.End})...)
		}
		if result.Consequences, err = watch.Consequences(ctx, r, m.ID); err != nil || m.Status != Superseded {
			return err
		}
		warnings, err := edges.WarnOfSuperseded(ctx, r, "", edges.Declaration{From: m.ID, To: m.ID})
		result.Warnings = append(result.Warnings, warnings...)
		return err
	})
	return result, err
}

// watch records what is stale below some memories, before a change.
func (s Store) watch(ctx context.Context, ids ...string) (belief.Watch, error) {
	return db.From(ctx, s.DB.Read, func(r *db.Reader) (belief.Watch, error) { return belief.NewWatch(ctx, r, ids...) })
}

func (a UpdateArgs) changes() bool {
	return slices.ContainsFunc(changed, func(c record.Column) bool {
		value, ok := c.Given(&a)
		properties, isProperties := value.(db.Properties)
		return ok && (!isProperties || len(properties) > 0)
	})
}

func (s Store) find(ctx context.Context, name string) (ref.Memory, error) {
	return db.From(ctx, s.DB.Read, func(r *db.Reader) (ref.Memory, error) { return s.Caller.Find(ctx, r, name) })
}

// ReviseStatements returns the statements that change the memory with the id a.ID. A nil argument leaves its
// column unchanged. If a.Source is less trusted than the memory's source, it replaces that,
// and url becomes its address.
func (s Store) ReviseStatements(a UpdateArgs, url string) ([]db.Stmt, error) {
	patch, err := a.patch()
	if err != nil {
		return nil, err
	}
	statements := []db.Stmt{db.Expect(`exists (select 1 from memories where id = ?)`,
		fault.New(fault.NotFound, "update: another writer has purged the memory"), a.ID)}
	if a.ExpectedRevision != 0 {
		statements = append(statements, db.Expect(`(select revision from memories where id = ?) = ?`,
			fault.New(fault.Conflict, "update: the memory is not at revision %d; read it again, then retry", a.ExpectedRevision),
			a.ID, a.ExpectedRevision))
	}
	statements = append(statements, s.mayUpdate(a, patch))
	rank := ref.RankOfMost
	if a.Source != "" {
		rank = ref.Rank(a.Source)
	}
	isWording := a.WordingOnly && a.Content != nil
	if isWording {
		statements = append(statements, KeepBasis(a.ID, db.Hash(*a.Content))...)
	}
	change := db.S(updateMemory, a.ID, patch, rank, a.Source, url)
	if a.ValidFrom != nil || a.ValidTo != nil {
		change = change.Or(fault.New(fault.InvalidArgument, "update: valid_from must be before valid_to; the memory already has one of them"))
	}
	statements = append(statements, change)
	if a.Title != nil {
		statements = append(statements, db.FoldTitles(*a.Title)...)
	}
	if isWording {
		statements = append(statements, MarkWording(a.ID))
	}
	return statements, nil
}

// patch checks a change, and returns the new values of its columns as a JSON object.
func (a UpdateArgs) patch() (string, error) {
	patch := map[string]any{}
	for _, c := range changed {
		value, ok := c.Given(&a)
		if !ok {
			continue
		}
		value, err := checkColumn(c.Name, value)
		if err != nil {
			return "", err
		}
		patch[c.Name] = value
	}
	from, _ := patch["valid_from"].(string)
	to, _ := patch["valid_to"].(string)
	from, to, err := db.ParseSpan(from, to)
	if err != nil {
		return "", err
	}
	for name, value := range map[string]string{"valid_from": from, "valid_to": to} {
		if patch[name] != nil {
			patch[name] = value
		}
	}
	for _, c := range record.Where(record.Memories, "null") {
		if value, ok := patch[c.Name]; ok && args.Removes(value) {
			patch[c.Name] = nil
		}
	}
	if content, ok := patch["content"].(string); ok {
		patch["content_hash"] = db.Hash(content)
	}
	return db.List(patch), nil
}

// checkColumn returns the new value of a column as the store keeps it.
func checkColumn(name string, value any) (any, error) {
	switch name {
	case "title":
		return CheckTitle("update", value.(string))
	case "content":
		if strings.TrimSpace(value.(string)) == "" {
			return nil, fault.New(fault.InvalidArgument, "update: content is blank; forget the memory instead")
		}
		return value, db.CheckText("update", "content", value.(string), MaxContent)
	case "tags":
		return CheckTags("update", value.([]string))
	case "properties":
		return checkProperties("update", value.(db.Properties))
	case "kind":
		kind := record.Kind(value.(string))
		return kind, checkWord("update", "kind", kind, 64)
	}
	return value, nil
}

// updateMemory changes the columns that the patch ?2 names. Properties are merged, and those that are
// null are removed.
var updateMemory = `
update memories
set
  content_hash = coalesce(?2 ->> '$.content_hash', content_hash),
  sectioned = iif(?2 ->> '$.content' is null, sectioned, 0),
  properties = json_patch(properties, coalesce(?2 -> '$.properties', '{}')),
  ` + record.Set(record.Except(changed, "properties"), "?2") + `,
  source = iif(?3 < own_rank, ?4, source),
  source_url = iif(?3 < own_rank, nullif(?5, ''), source_url)
where id = ?1`

// KeepBasis returns the statements that make every basis and evidence that is the hash of a
// memory's present text the hash of the text that the memory gets next in the same batch, so
// that its dependents do not become stale. Those that rest on an older text stay stale. The memory
// is named by its id or uri.
func KeepBasis(name, hash string) []db.Stmt {
	return []db.Stmt{
		db.S(`
update edges
set basis = ?2
where to_key = (select key from memories where id = ?1 or uri = ?1)
  and kind in ('depends-on', 'derived-from')
  and basis = (select content_hash from memories where id = ?1 or uri = ?1)`, name, hash),
		db.S(`
update or ignore verifications
set evidence = ?2
where because = (select key from memories where id = ?1 or uri = ?1)
  and reason = 'changed'
  and evidence = (select content_hash from memories where id = ?1 or uri = ?1)`, name, hash),
	}
}

// MarkWording returns the statement that marks the journal row of a change of text, earlier
// in the same batch, as a change of wording only. Undo reads the mark.
func MarkWording(id string) db.Stmt {
	return db.S(`
update journal
set before = json_set(before, '$.wording_only', json('true'))
where id = ?1
  and batch = (select batch from writer)
  and action = 'update'
  and before ->> '$.content' is not null`, id)
}

// Verify records that a stale memory was checked and still holds: see
// belief.Graph.Verify.
func (s Store) Verify(ctx context.Context, a belief.VerifyArgs) (result VerifyResult, err error) {
	var c secret.Cleaner
	c.CleanInPlace(&a.Note)
	result.Warnings = c.Warnings()
	m, cleared, err := belief.Graph(s).Verify(ctx, a)
	if err != nil {
		return result, err
	}
	result.Cleared = cleared
	result.Memory, err = readOne(ctx, s.DB, m.ID)
	result.Memory.Content = "" // it is as it was, and may be long
	return result, err
}

// InsertVerifications returns the statement that inserts the verifications in the list at a
// path of a JSON text. Each names by its id the memory that was verified or the one that it
// was verified against, or a note by its uri; id is the other one. Of two times of one
// verification the earlier stands.
func InsertVerifications(id, text, path string) db.Stmt {
	return db.S(`
insert into verifications (memory, because, reason, evidence, at)
select
  m.key,
  b.key,
  j.value ->> 'reason',
  coalesce(j.value ->> 'evidence', j.value ->> 'mark'),
  j.value ->> 'at'
from json_each(?2, ?3) j
cross join memories m on m.id = coalesce(j.value ->> 'memory', ?1)
cross join memories b on b.id = coalesce(
  (select id from memories where uri = j.value ->> 'because_uri'),
  j.value ->> 'because',
  ?1
)
where true
on conflict (memory, because, reason, evidence) do update set at = min(at, excluded.at)`, id, text, path)
}
