package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/code/checkout"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/permit"
	"hence/internal/plural"
	"hence/internal/ref"
	"hence/memory/exchange/lines"
	"hence/memory/exchange/merge"
	"hence/memory/exchange/team"
	"hence/tools/show"
	"hence/vault"
)

// syncCommands merge stores that differ.
var syncCommands = []command{function(syncCommand)}

// syncOptions are the flags of hence sync.
type syncOptions struct {
	DryRun      bool   `json:"dry_run,omitempty" jsonschema:"only say what would change, here and there"`
	First       bool   `json:"first,omitempty" jsonschema:"write into a folder where this store has not written yet"`
	KeepRemoved int    `json:"keep_removed,omitempty" word:"days" jsonschema:"number of days to remember what was unlinked or purged"`
	Folder      string `json:"folder,omitempty" word:"folder" jsonschema:"keep the team's memories as files in this folder"`
}

func syncCommand(s *session) *cobra.Command {
	o := syncOptions{}
	cmd := bare("sync", count{0, 1}, func(cmd *cobra.Command, words []string) error {
		switch {
		case cmd.Flags().Changed("keep-removed"):
			if len(words) > 0 {
				return fault.New(fault.InvalidArgument, "sync: --keep-removed is set by itself; leave %s out", words[0])
			}
			return syncRun{s, o}.keepRemoved(cmd.Context())
		case o.Folder != "" && len(words) > 0:
			return fault.New(fault.InvalidArgument, "sync: give another store or --folder, not both")
		case o.Folder != "":
			return syncRun{s, o}.syncTeam(cmd.Context(), func(done team.Synced) error {
				return s.print(done, func() show.Doc { return showTeamSync(o.Folder, done, o.DryRun) })
			})
		case len(words) == 0:
			return fault.New(fault.InvalidArgument, "sync: name the other store: its file, an export, a folder, or ssh://HOST/PATH")
		}
		return syncRun{s, o}.sync(cmd.Context(), words[0])
	})
	flags.Derive(cmd, &o, flags.Options{})
	_ = cmd.MarkFlagDirname("folder")
	return cmd
}

// syncRun is a run of hence sync.
type syncRun struct {
	*session
	o syncOptions
}

func (s syncRun) keepRemoved(ctx context.Context) error {
	if s.o.KeepRemoved < 1 {
		return fault.New(fault.InvalidArgument, "sync: --keep-removed is %d, and must be at least 1 day", s.o.KeepRemoved)
	}
	return calling("sync", "", func(ctx context.Context, v ref.View, days int) (map[string]int, error) {
		_, err := v.DB.Write(ctx, v.Caller.Actor, db.Now(), db.S(`update store set keep_days = ?`, days))
		return map[string]int{"keep_removed_days": days}, err
	}, func(map[string]int) show.Doc {
		return show.OneLine(good("set: "), "what is unlinked or purged is remembered for "+plural.Count(s.o.KeepRemoved, "day", "days"))
	}).writing().run(ctx, s.session, s.o.KeepRemoved)
}

// syncResult is what --json prints.
type syncResult struct {
	Other string        `json:"other"`
	Here  merge.Merged  `json:"here"`
	There *merge.Merged `json:"there"`           // null if the other side is a folder, or a store on another machine
	Sent  int           `json:"sent"`            // lines that the other side lacked
	Wrote string        `json:"wrote,omitempty"` // the export of this store in a shared folder, if it changed
}

// side is the other side of a sync.
type side interface {
	// merge joins the store with the side.
	merge(ctx context.Context, x ref.View, dry bool) (merge.Merged, error)
	// give sends the side what it lacked of the store when it was merged, and adds to r what
	// that did. If r.Here is a dry run, it only adds what it would do.
	give(ctx context.Context, x ref.View, r *syncResult) error
}

func (s syncRun) sync(ctx context.Context, name string) error {
	return takeIn(ctx, s.session, s.o.DryRun, func(ctx context.Context, x ref.View, _ func(done, total int)) (result syncResult, err error) {
		other, err := s.sideOf(ctx, x, name)
		if err != nil {
			return result, err
		}
		if opened, ok := other.(otherStore); ok {
			defer func() { err = errors.Join(err, opened.DB.Close()) }()
		}
		result.Other = name
		result.Here, err = other.merge(ctx, x, s.o.DryRun)
		if err == nil && !s.o.DryRun {
			err = recordCopy(ctx, x.DB, name, permit.Synced)
		}
		if err == nil {
			err = other.give(ctx, x, &result)
		}
		return result, err
	}, showSync)
}

// sideOf returns the other side of a sync by its name: an ssh:// address, a shared folder, a
// store or an exported file. It fails with not_found if there is no such file, and with
// invalid_argument if it is this store.
func (s syncRun) sideOf(ctx context.Context, x ref.View, name string) (side, error) {
	if strings.HasPrefix(name, "ssh://") {
		return newSSHStore(name, s.namespace)
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		command := "export"
		if slices.Contains([]string{".db", ".sqlite", ".sqlite3"}, filepath.Ext(name)) {
			command = "backup"
		}
		return nil, fault.New(fault.NotFound, "sync: there is no %s; hence %s %s writes one to begin with", name, command, name)
	case err != nil:
		return nil, fault.Wrap(fault.Unavailable, err, "sync %s: it cannot be read", name)
	case info.IsDir():
		return sharedFolder(name), checkSharedFolder(ctx, x, name)
	}
	if own, err := os.Stat(x.DB.Path()); err == nil && os.SameFile(own, info) {
		return nil, fault.New(fault.InvalidArgument, "sync %s: that is this store; name another one", name)
	}
	isStore, err := hasStoreHeader(name)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "sync %s: it cannot be read", name)
	}
	if !isStore {
		return exportedFile(name), nil
	}
	other, err := db.Open(ctx, name, s.options())
	return otherStore{ref.View{DB: other, Caller: x.Caller}, s.file}, err
}

// hasStoreHeader reports whether a file begins like a SQLite database.
func hasStoreHeader(path string) (bool, error) {
	const header = "SQLite format 3\x00"
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	first, err := io.ReadAll(io.LimitReader(f, int64(len(header))))
	return string(first) == header, err
}

// otherStore is a store's file on this machine.
type otherStore struct {
	ref.View
	name string // the name of the store that it is merged with; may be ""
}

func (o otherStore) merge(ctx context.Context, x ref.View, dry bool) (merge.Merged, error) {
	return merge.Stores(ctx, x, o.View, lines.ImportArgs{Name: o.DB.Path(), DryRun: dry})
}

func (o otherStore) give(ctx context.Context, x ref.View, r *syncResult) error {
	sent, there, err := merge.Give(ctx, x, o.View, r.Here, lines.ImportArgs{Name: cmp.Or(o.name, "the other store"), DryRun: r.Here.DryRun})
	r.Sent, r.There = sent, &there
	return err
}

// exportedFile is a file that hence export wrote.
type exportedFile string

func (f exportedFile) merge(ctx context.Context, x ref.View, dry bool) (merge.Merged, error) {
	return mergeFile(ctx, x, lines.ImportArgs{Name: string(f), DryRun: dry, Both: true})
}

func mergeFile(ctx context.Context, x ref.View, a lines.ImportArgs) (done merge.Merged, err error) {
	in, err := os.Open(a.Name)
	if err != nil {
		return done, fault.Wrap(fault.Unavailable, err, "sync %s: it cannot be read", a.Name)
	}
	done, err = merge.Lines(ctx, x, in, a)
	return done, errors.Join(err, in.Close())
}

func (f exportedFile) give(ctx context.Context, x ref.View, r *syncResult) error {
	sent, err := merge.ExportLacking(ctx, x, io.Discard, r.Here)
	if err != nil || sent == 0 {
		return err
	}
	in, err := os.Open(string(f))
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "sync %s: it cannot be read", string(f))
	}
	defer in.Close()
	_, err = replaceFile("sync", string(f), r.Here.DryRun, func(out io.Writer) error {
		sent, there, err := merge.IntoLines(ctx, x, in, out, r.Here, lines.ImportArgs{Name: string(f), DryRun: r.Here.DryRun})
		r.Sent, r.There = sent, &there
		return err
	})
	return err
}

// replaceFile writes a file completely or, if it fails, not at all. It reports whether that
// changes the bytes of the file. A dry run leaves the file as it is. Errors begin with doing.
func replaceFile(doing, path string, dry bool, write func(out io.Writer) error) (changed bool, err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	written, there := sha256.New(), sha256.New()
	var temp *os.File
	if dry {
		err = write(written)
	} else {
		if temp, err = db.CreateBeside(doing+" "+path, path, ".hence-export-*"); err != nil {
			return false, err
		}
		defer os.Remove(temp.Name())
		if info, err := os.Stat(path); err == nil {
			_ = temp.Chmod(info.Mode().Perm()) // otherwise only its owner could read it
		}
		err = errors.Join(write(io.MultiWriter(temp, written)), temp.Sync(), temp.Close())
	}
	if err != nil {
		return false, firstFault(err)
	}
	if f, err := os.Open(path); err == nil {
		_, err = io.Copy(there, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return false, fault.Wrap(fault.Unavailable, err, "%s %s: it cannot be read", doing, path)
		}
		if same := bytes.Equal(written.Sum(nil), there.Sum(nil)); same || dry {
			return !same, nil
		}
	}
	if dry {
		return true, nil
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return false, fault.Wrap(fault.Unavailable, err, "%s %s: it cannot be written", doing, path)
	}
	return true, nil
}

// sharedFolder is a folder with an export of each machine that shares it. Each machine writes
// only its own file, so that the program that copies the folder finds no conflicts.
type sharedFolder string

// checkSharedFolder refuses a folder that others may read: a team's folder, a folder in a vault
// or in a repository that does not ignore it. The export has private memories too.
func checkSharedFolder(ctx context.Context, x ref.View, name string) error {
	scope, err := team.ReadScope(name)
	if scope != nil || err != nil || filepath.Base(name) == teamFolder {
		return fault.New(fault.InvalidArgument, "sync %s: that is a team's folder, and this would put the whole store into it; hence sync --folder %s shares what is the team's", name, name)
	}
	folder, err := filepath.Abs(name)
	if err != nil {
		return fault.Wrap(fault.InvalidArgument, err, "sync %s", name)
	}
	vaults, err := vault.Importer{DB: x.DB, Caller: x.Caller}.Vaults(ctx)
	if err != nil {
		return err
	}
	roots := map[string]bool{}
	for _, v := range vaults {
		roots[v.Root] = true
	}
	for above := folder; ; above = filepath.Dir(above) {
		if isVault(above) || roots[above] {
			return fault.New(fault.InvalidArgument, "sync %s: it is in the vault %s, and this would put the whole store into it; name a folder outside", name, above)
		}
		if above == filepath.Dir(above) {
			break
		}
	}
	root, _ := checkout.Tree(folder)
	if root == "" {
		return nil
	}
	if _, err := checkout.Git(ctx, root, nil, "check-ignore", "--quiet", "--", filepath.Join(folder, "hence.jsonl")); err == nil {
		return nil
	}
	return fault.New(fault.InvalidArgument, "sync %s: it is in a repository of git that does not ignore it, and this would put the whole store into it; name a folder outside, or share a team's memories by hence sync --folder", name)
}

// isVault reports whether Obsidian has opened a folder.
func isVault(folder string) bool {
	info, err := os.Stat(filepath.Join(folder, ".obsidian"))
	return err == nil && info.IsDir()
}

func (f sharedFolder) merge(ctx context.Context, x ref.View, dry bool) (done merge.Merged, err error) {
	names, err := fs.Glob(os.DirFS(string(f)), "*.jsonl") // sorted
	if err != nil {
		return done, err
	}
	done = merge.Merged{Settle: []merge.ToSettle{}, Warnings: []string{}, DryRun: dry}
	for _, name := range names {
		one, err := mergeFile(ctx, x, lines.ImportArgs{Name: filepath.Join(string(f), name), DryRun: dry})
		if err != nil {
			return done, err
		}
		done.Add(one)
	}
	return done, nil
}

func (f sharedFolder) give(ctx context.Context, x ref.View, r *syncResult) error {
	tag, err := merge.Tag(ctx, x)
	if err != nil {
		return err
	}
	path := filepath.Join(string(f), "hence-"+tag+".jsonl")
	changed, err := replaceFile("sync", path, r.Here.DryRun, func(out io.Writer) error {
		_, err := lines.Export(ctx, x, out)
		return err
	})
	if changed || r.Here.DryRun && r.Here.Changes() {
		r.Wrote = path
	}
	return err
}

// sshStore is a store on another machine, which the person's own ssh reaches.
type sshStore struct {
	name string
	host []string // arguments of ssh that name the machine
	call string   // the command line of hence there, without its command
}

// newSSHStore parses ssh://[USER@]HOST[:PORT][/PATH]. /~/PATH is below the home folder.
func newSSHStore(name, namespace string) (sshStore, error) {
	u, err := url.Parse(name)
	if err != nil || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
		return sshStore{}, fault.New(fault.InvalidArgument, "sync: %s is not an address such as ssh://laptop/home/me/hence.db", name)
	}
	if _, secret := u.User.Password(); secret || strings.HasPrefix(u.Hostname(), "-") || strings.HasPrefix(u.User.Username(), "-") {
		return sshStore{}, fault.New(fault.InvalidArgument, "sync: an address has a user and a host, and no password; ssh asks for what it needs")
	}
	r := sshStore{name: name, call: "hence"}
	if u.Port() != "" {
		r.host = append(r.host, "-p", u.Port())
	}
	machine := u.Hostname()
	if u.User.Username() != "" {
		machine = u.User.Username() + "@" + machine
	}
	r.host = append(r.host, "--", machine)
	if path := strings.TrimPrefix(u.Path, "/~/"); strings.Trim(path, "/") != "" {
		r.call += " --db " + quote(path)
	}
	if namespace != "" {
		r.call += " --namespace " + quote(namespace)
	}
	return r, nil
}

// quote returns a text as one word of a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// run runs a command of hence on the other machine.
func (r sshStore) run(ctx context.Context, command string, in io.Reader, out io.Writer) error {
	var stderr bytes.Buffer
	ssh := exec.CommandContext(ctx, "ssh", append(append([]string{}, r.host...), r.call+" "+command)...)
	ssh.Stdin, ssh.Stdout, ssh.Stderr = in, out, &stderr
	if err := ssh.Run(); err != nil {
		const most = 500
		text := strings.TrimSpace(stderr.String())
		return fault.Wrap(fault.Unavailable, errors.Join(err, errors.New(text[:min(len(text), most)])), "sync %s: hence %s failed there", r.name, command)
	}
	return nil
}

func (r sshStore) merge(ctx context.Context, x ref.View, dry bool) (done merge.Merged, err error) {
	err = merge.Pipe(func(out io.Writer) error { return r.run(ctx, "export", nil, out) }, func(in io.Reader) error {
		done, err = merge.Lines(ctx, x, in, lines.ImportArgs{Name: r.name, DryRun: dry})
		return err
	})
	return done, err
}

func (r sshStore) give(ctx context.Context, x ref.View, done *syncResult) (err error) {
	var some bytes.Buffer
	if done.Sent, err = merge.ExportLacking(ctx, x, &some, done.Here); err != nil || done.Sent == 0 || done.Here.DryRun {
		return err
	}
	return r.run(ctx, "import --merge -", &some, io.Discard)
}
