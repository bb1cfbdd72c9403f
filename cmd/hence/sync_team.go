package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"hence/cmd/hence/internal/clients"
	"hence/code/checkout"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/permit"
	"hence/internal/plural"
	"hence/internal/ref"
	"hence/memory/exchange/merge"
	"hence/memory/exchange/team"
	"hence/projection/folder"
	"hence/tools/show"
)

// syncTeam merges a team's folder with the store, and calls print with the result. The
// folder's own namespace and project apply, unless flags give them.
func (s syncRun) syncTeam(ctx context.Context, print func(done team.Synced) error) error {
	if err := checkTeamFolder(s.o.Folder); err != nil {
		return err
	}
	scope, err := team.ReadScope(s.o.Folder)
	if err != nil {
		return err
	}
	if _, err := os.Stat(s.o.Folder); err == nil { // two syncs would write the same files
		unlock, err := folder.Lock(ctx, "sync", s.o.Folder)
		if err != nil {
			return err
		}
		defer unlock()
	}
	return s.withStore(ctx, false, func(x ref.View) error {
		x.Caller.Namespace = cmp.Or(x.Caller.Namespace, "default")
		if scope != nil && s.namespace == "" {
			x.Caller.Namespace = scope.Namespace
		}
		if scope != nil && s.project == "" {
			x.Caller.Project = scope.Project
		}
		a := team.Args{Dir: s.o.Folder, Project: x.Caller.Project, DryRun: s.o.DryRun, First: s.o.First}
		record, err := recordOf(ctx, x, a)
		if err != nil {
			return err
		}
		_, missing := os.Stat(record)
		a.First = a.First || missing == nil
		done, err := team.Sync(ctx, x, a)
		if err != nil {
			return firstFault(err)
		}
		if s.o.First && !s.o.DryRun {
			err = writeRecord(record)
		}
		if !s.o.DryRun && !done.Waits && err == nil {
			err = recordCopy(ctx, x.DB, s.o.Folder, permit.Team)
		}
		err = errors.Join(err, print(done))
		if !s.o.DryRun {
			s.embedWaiting(ctx, x.DB, unhurried)
		}
		return err
	})
}

// checkTeamFolder refuses the root of a repository or vault, and a missing relative folder if
// a folder above the current one has the team's.
func checkTeamFolder(folder string) error {
	for _, own := range []string{".git", ".obsidian"} {
		if _, err := os.Lstat(filepath.Join(folder, own)); err == nil {
			return fault.New(fault.InvalidArgument, "sync: %s has a %s; keep the team's files in a folder of their own, such as %s", folder, own, filepath.Join(folder, teamFolder))
		}
	}
	here, err := os.Getwd()
	if _, missing := os.Stat(folder); err != nil || missing == nil || filepath.IsAbs(folder) {
		return nil
	}
	root, _ := checkout.Tree(here)
	for above := ".."; root != "" && here != root; above = filepath.Join(above, "..") {
		here = filepath.Dir(here)
		if scope, err := team.ReadScope(filepath.Join(here, folder)); err == nil && scope != nil {
			return fault.New(fault.NotFound, "sync: there is no %s here; run hence sync --folder %s, which is the team's", folder, filepath.Join(above, folder))
		}
	}
	return nil
}

// recordOf returns the path, in stateDir, of a file that exists if the store has written into the
// team's folder that a names; "" if there is no stateDir.
func recordOf(ctx context.Context, x ref.View, a team.Args) (path string, err error) {
	stateFolder, err := stateHere()
	if err != nil {
		return "", nil
	}
	shared, err := filepath.Abs(a.Dir)
	if err != nil {
		return "", fault.Wrap(fault.InvalidArgument, err, "sync %s", a.Dir)
	}
	below := ""
	if root, _ := checkout.Tree(shared); root != "" { // all worktrees of a repository share one record
		if common, ok := checkout.Common(filepath.Join(root, ".git")); ok {
			shared, below = common, strings.TrimPrefix(shared, root)
		}
	}
	store, err := db.AbsoluteName(x.DB.Path())
	if err != nil {
		return "", err
	}
	const digits = 32
	tag, err := merge.Tag(ctx, x)
	name := strings.Join([]string{"first", shared, below, store, tag, x.Caller.Namespace, a.Project}, "\x00")
	return filepath.Join(stateFolder, "folders", db.Hash(name)[:digits]), err
}

// writeRecord records that the store has written into the folder.
func writeRecord(path string) error {
	if path == "" {
		return nil
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
		return fault.Wrap(fault.Unavailable, err, "sync: %s cannot be written, so the next sync needs --first again", path)
	}
	return nil
}

func showTeamSync(folder string, synced team.Synced, dry bool) show.Doc {
	d, dry := showMerge(folder, synced.Merged), dry || synced.Waits
	for _, name := range synced.Marks {
		d.Add("  ", warn("conflict marks "), strong(name), spanToCopy("both sides were merged"))
	}
	for _, title := range synced.Withdrawn {
		d.Add("  ", warn("withdrawn "), strong(title), spanToCopy("it is personal here now"))
	}
	for _, refusal := range synced.Refused {
		d.Add("  ", bad("refused "), refusal)
	}
	files := plural.Count(len(synced.Written), "file", "files")
	if len(synced.Removed) > 0 {
		files += show.Outcome(dry, " and removed ", " and remove ").Text + plural.Count(len(synced.Removed), "file", "files")
	}
	d.Add("", show.Outcome(dry, "wrote ", "would write "), files+" in ", strong(folder), " ("+synced.Scope.Words()+")")
	names := synced.Written[:min(len(synced.Written), maxListed)]
	for _, name := range names {
		d.Add("  ", name)
	}
	if more := len(synced.Written) - len(names); more > 0 {
		d.AddIn(show.Faint, "  ", "… and "+plural.Count(more, "file", "files")+" more")
	}
	if synced.Waits {
		d.Add("", "nothing is written yet: you have not written here before, and everybody who sees the repository will read it; --first writes")
	}
	return d
}

// teamFolder is where a repository keeps its team's memories.
const teamFolder = ".hence"

// teamInit is what hence init --team prints as JSON.
type teamInit struct {
	*team.Synced
	Instructions clients.Change `json:"instructions"`
}

// initTeam prints what the folder of a team would hold, and writes the lines about it for
// agents. With --check or --remove it only checks or removes those lines.
func (s initRun) initTeam(ctx context.Context) error {
	places, err := findPlaces()
	if err != nil {
		return err
	}
	put := func(done *team.Synced, lines []string, do clients.Do) error {
		result := teamInit{done, clients.ApplyTeam(places, lines, do, s.o.dry)}
		err := s.print(result, func() (d show.Doc) {
			if done != nil {
				d = showTeamSync(teamFolder, *done, s.o.dry)
			}
			return append(d, showFiles(initResult{Files: []clients.Change{result.Instructions}, DryRun: s.o.dry}, do)...)
		})
		return errors.Join(err, verdict([]clients.Change{result.Instructions}))
	}
	switch {
	case s.o.remove:
		return put(nil, nil, clients.Remove)
	case s.o.check:
		scope, err := team.ReadScope(teamFolder)
		if err != nil {
			return err
		}
		if scope == nil {
			return fault.New(fault.Conflict, "init: there is no %s of a team here; run hence init --team, and then hence sync --folder %s --first", teamFolder, teamFolder)
		}
		return put(nil, teamLines(*scope), clients.Check)
	}
	return syncRun{s.session, syncOptions{Folder: teamFolder, DryRun: s.o.dry}}.syncTeam(ctx, func(done team.Synced) error {
		return put(&done, teamLines(done.Scope), clients.Put)
	})
}

// teamLines returns the lines that tell agents about the folder. The command in them has the
// scope as flags, because the folder may not be written yet.
func teamLines(scope team.Scope) []string {
	command := "hence sync --folder " + teamFolder
	if scope.Namespace != "default" {
		command += " --namespace " + shellWord(scope.Namespace)
	}
	if scope.Project != "" {
		command += " --project " + shellWord(scope.Project)
	}
	return []string{
		"## Team memory",
		"",
		"What this team has learned is in `" + teamFolder + "`. Run `" + command + "` after a pull and before a commit.",
		"If it says that nothing is written yet, show its list to the person, and add `--first` only if they agree.",
	}
}

// showSync describes what a sync did, or would do.
func showSync(r syncResult) show.Doc {
	d, dry := showMerge(r.Other, r.Here), r.Here.DryRun
	switch {
	case r.There != nil && r.There.Changes():
		d.Add("", show.Outcome(dry, "there: ", "there it would be: "), mergeCounts(*r.There))
	case r.Wrote != "":
		d.Add("", show.Outcome(dry, "wrote ", "would write "), r.Wrote)
	case r.There == nil && r.Sent > 0:
		d.Add("", show.Outcome(dry, "sent ", "would send "), plural.Count(r.Sent, "line", "lines"))
	default:
		d.Add("", "the other side has all of this store")
	}
	return d
}

// showMerge describes what a merge did, or would do.
func showMerge(name string, m merge.Merged) (d show.Doc) {
	counts := "nothing new"
	if m.Changes() {
		counts = mergeCounts(m)
	}
	d.Add("", show.Outcome(m.DryRun, "merged ", "would merge "), strong(name), ": "+counts)
	for _, one := range m.Settle {
		title := cmp.Or(one.Title, ref.ShortID(one.ID)) + ref.Named{Trust: one.Trust}.Mark()
		other := cmp.Or(one.OtherTitle, ref.ShortID(one.Other)) + ref.Named{Trust: one.OtherTrust}.Mark()
		switch one.Kind {
		case "text":
			d.Add("  ", warn("both edited "), strong(title), spanToCopy("the other text is "+ref.ShortID(one.Other)))
		case "successor":
			d.Add("  ", warn("two successors "), strong(title), spanToCopy("the later one is "+other+"; it contradicts the other"))
		case "cycle":
			d.Add("  ", warn("would close a cycle "), title+" —"+one.Edge+"→ "+other)
		default:
			d.Add("  ", warn("waits for an end "), title+" —"+one.Edge+"→ "+other)
		}
	}
	d.Warn(m.Warnings)
	return d
}

// mergeCounts returns the counts of a merge in words.
func mergeCounts(m merge.Merged) string {
	words := []string{}
	for _, count := range []struct {
		n        int
		one, all string
	}{
		{m.Memories.Added, "new memory", "new memories"}, {m.Memories.Changed, "memory changed", "memories changed"},
		{m.Forgotten, "of them forgotten", "of them forgotten"}, {m.Purged, "memory purged", "memories purged"},
		{m.Edges.Added, "new edge", "new edges"}, {m.Edges.Changed, "edge changed", "edges changed"}, {m.Unlinked, "edge unlinked", "edges unlinked"},
	} {
		if count.n > 0 {
			words = append(words, plural.Count(count.n, count.one, count.all))
		}
	}
	return strings.Join(words, ", ")
}
