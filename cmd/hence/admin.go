package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hence"
	"hence/code/checkout"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/plural"
	"hence/internal/ref"
	"hence/memory/doctor"
	"hence/memory/recall/vectors"
	"hence/tools/httpserve/token"
	"hence/tools/show"
	"hence/tools/usage"
)

// noArguments are for commands without arguments.
type noArguments struct{}

// listed is a whole list, which JSON has under a name.
type listed[T any] struct {
	Name string
	All  []T
}

func (l listed[T]) MarshalJSON() ([]byte, error) {
	return []byte(db.JSON(map[string]any{l.Name: l.All, "returned_count": len(l.All), "truncated": false})), nil
}

// adminCommands set up the store and the access to it, and examine it.
var adminCommands = []command{
	parent{
		use:   "embed",
		short: "Search by meaning too: choose an embedding model",
		long: `Without embeddings a search finds words. With them it also finds texts of the same
meaning in other words. hence embed set chooses the model:

  none                  no embeddings
  static:FOLDER         a Model2Vec model in files, fast on any machine
  ollama:MODEL          a model of an Ollama server (OLLAMA_HOST)
  openai:URL,MODEL      a model of an OpenAI-compatible server (OPENAI_API_KEY)

The model in use stays until hence embed run has made all vectors of the new one. New
and edited texts get theirs by themselves: from hence serve, and after hence store,
update and import.`,
		example: `  hence embed set static:~/models/potion-base-8M && hence embed run
  hence embed status`,
		below: []command{
			mirror[noArguments, vectors.EmbedStatus]{
				use:   "status",
				short: "Show the model in use and how many vectors are missing",
				call: func(ctx context.Context, _ *session, v ref.View, _ noArguments) (vectors.EmbedStatus, error) {
					return vectors.Store(v).EmbedStatus(ctx)
				},
				tell: embedShown,
			},
			mirror[vectors.EmbedArgs, vectors.EmbedStatus]{
				use:   "set EMBEDDER",
				short: "Choose the model; hence embed run then makes its vectors",
				long: `EMBEDDER names the model, as hence embed --help lists them. An Ollama server gets one by
"ollama pull nomic-embed-text"; a static model of two files (30 MB) needs no server:
"hf download minishlab/potion-base-8M --local-dir ~/models/potion-base-8M".`,
				example: `  hence embed set static:~/models/potion-base-8M
  hence embed set ollama:nomic-embed-text
  hence embed set none`,
				fills:  []string{"embedder"},
				writes: true,
				place: func(_ *session, a *vectors.EmbedArgs, _ []string) (err error) {
					a.Embedder, err = absoluteModel(a.Embedder)
					return err
				},
				call: method(vectors.Store.EmbedSet),
				tell: embedShown,
			},
			mirror[noArguments, vectors.EmbedStatus]{
				use:     "run",
				short:   "Make the missing vectors",
				example: `  hence embed run`,
				writes:  true,
				call: func(ctx context.Context, s *session, v ref.View, _ noArguments) (vectors.EmbedStatus, error) {
					progress, done := s.progressBar("embedding")
					defer done()
					return vectors.Store(v).EmbedRun(ctx, progress)
				},
				tell: embedShown,
			},
		},
	},
	parent{
		use:   "token",
		short: "Manage access over HTTP",
		long: `A token gives an agent access to hence serve --http. With --namespace it sees only
that group of memories, and with --read-only it changes nothing. With --code it may
change files and run tests of repositories where hence code allow says so. The store keeps
a hash of the token, never the token. A revoked token stops working at once.`,
		example: `  hence token add ci --namespace builds --read-only
  hence token list
  hence token revoke ci
  hence token map scope hence:read --read-only`,
		below: []command{
			function((*session).tokenAdd),
			function((*session).tokenMap),
			mirror[noArguments, listed[token.Token]]{
				use:   "list",
				short: "List the tokens",
				call: func(ctx context.Context, _ *session, v ref.View, _ noArguments) (listed[token.Token], error) {
					all, err := token.List(ctx, v.DB)
					return listed[token.Token]{"tokens", all}, err
				},
				tell: func(l listed[token.Token]) show.Doc { return tokensShown(l.All) },
			},
			mirror[nameArgs, revokeResult]{
				use:   "revoke NAME",
				short: "Revoke a token",
				fills: []string{"name"},
				call: func(ctx context.Context, _ *session, v ref.View, a nameArgs) (revokeResult, error) {
					return revokeResult{a.Name, true}, token.Revoke(ctx, v.DB, v.Caller.Actor, a.Name)
				},
				tell: func(r revokeResult) show.Doc { return show.Doc{show.Total{None: "revoked " + r.Name}} },
			},
		},
	},
	mirror[statsArgs, usage.Stats]{
		use:   "stats",
		short: "Show how agents use the tools",
		long: `Shows which tools agents called, how often, how long the calls took and how they
ended. The store keeps the last hundred thousand calls, with only the types and
sizes of their arguments; hence serve --no-usage records none.`,
		example: `  hence stats --since 2026-05`,
		call: func(ctx context.Context, _ *session, v ref.View, a statsArgs) (usage.Stats, error) {
			since, err := db.ParseTime("since", a.Since)
			if err != nil {
				return usage.Stats{}, err
			}
			return usage.Read(ctx, v.DB, since)
		},
		tell: statsShown,
	},
	function((*session).doctorCommand),
	function(func(s *session) *cobra.Command {
		return &cobra.Command{
			Use:   "version",
			Short: "Show the version",
			Args:  count{0, 0}.check,
			RunE:  func(*cobra.Command, []string) error { return s.printVersion() },
		}
	}),
}

// absoluteModel makes the folder of a static model absolute. Shells do not
// expand a ~ after a colon.
func absoluteModel(embedder string) (string, error) {
	folder, ok := strings.CutPrefix(embedder, "static:")
	if !ok || folder == "" {
		return embedder, nil
	}
	if rest, ok := strings.CutPrefix(folder, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fault.Wrap(fault.Unavailable, err, "embed: your home folder is not known; give the full path")
		}
		folder = filepath.Join(home, rest)
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, err, "embed: the path of the model cannot be resolved; give the full path")
	}
	return "static:" + folder, nil
}

func embedShown(r vectors.EmbedStatus) (d show.Doc) {
	counts := func(embedded, pending int) {
		d.Add("  ", plural.Count(embedded, "section", "sections")+" with a vector, "+plural.Count(pending, "waits", "wait")+" for one")
	}
	d.Add("", strong(r.Embedder), " is in use")
	if r.Embedder != "none" {
		counts(r.Embedded, r.Pending)
	}
	if b := r.Building; b != nil {
		d.Add("", strong(b.Embedder), " replaces it when its vectors are made: hence embed run")
		counts(b.Embedded, b.Pending)
	}
	return d
}

func (s *session) doctorCommand() *cobra.Command {
	fix, split := false, ""
	cmd := &cobra.Command{
		Use:   "doctor [FOLDER]...",
		Short: "Examine the store and repair what can be repaired",
		Long: `Checks that the file is intact, that no rule of the schema is missing, that the
full-text index and the vectors belong to the text, that every memory can be
read, that supersession, hashes, places in notes and permissions are correct, and
that the journal agrees with the memories and edges. --fix rebuilds everything
that can be derived from the rest. It exits with 1 if a problem remains.

A killed command leaves the file that it was writing, which may be a copy of the
store. doctor lists such files in the folder of the store, in the current folder,
in the vaults and in each FOLDER, such as the one for backups; --fix removes those
that have not been written to for an hour.

doctor cannot detect a row of the journal that was added by hand in the right form,
or whose text was changed, or that was removed.`,
		Example: `  hence doctor
  hence doctor --fix ~/backups`,
		Args: count{0, unlimited}.check,
		RunE: func(cmd *cobra.Command, folders []string) error {
			for _, folder := range folders {
				if info, err := os.Stat(folder); err != nil || !info.IsDir() {
					return fault.New(fault.InvalidArgument, "doctor: %s is not a folder; name the folders where backups and exports go", folder)
				}
			}
			return s.withStore(cmd.Context(), true, func(d *db.DB) error {
				if split != "" {
					return checkout.Split(d.State(), split)
				}
				report, err := doctor.Doctor{DB: d, Actor: s.person().Actor, Folders: append(folders, ".")}.Examine(cmd.Context(), fix)
				if err != nil {
					return err
				}
				sharers, err := checkout.Sharers(d.State())
				if err != nil {
					return err
				}
				err = s.print(report, func() show.Doc { return append(examined(report), sharersShown(sharers)...) })
				if err == nil && report.Sick > 0 {
					err = fault.New(fault.Internal, "doctor: %s found something wrong in %s", plural.Count(report.Sick, "check", "checks"), d.Path())
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "rebuild what can be derived")
	cmd.Flags().StringVar(&split, "split", "", "end that other repositories read the memories of the `project`")
	return cmd
}

// sharersShown describes the projects that read the memories of another one, and how to split
// them.
func sharersShown(all map[string][]checkout.Identity) (d show.Doc) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, i := range all[name] {
			d.AddIn(show.Faint, "        ", "the repository "+i.Common+" (project "+i.Name+") also reads what has the tag project/"+name+", because its folder has the same name as another's: give its memories the tag project/"+
				i.Name+" (hence list --tags project/"+name+", hence update ID --tags project/"+i.Name+"), then hence doctor --split "+name)
		}
	}
	return d
}

func examined(r doctor.Report) (d show.Doc) {
	for _, f := range r.Findings {
		switch {
		case f.Fixed:
			d.Add("", good("fixed   "), f.Check)
		case f.Healthy:
			d.Add("", good("ok      "), f.Check)
		default:
			d.Add("", bad("wrong   "), strong(f.Check), ": "+f.Mend)
		}
		for _, problem := range f.Problems {
			d.Add("        ", problem)
		}
		for _, note := range f.Notes {
			d.AddIn(show.Faint, "        ", note)
		}
	}
	d.AddIn(show.Faint, "", "hence "+hence.ThisBuild().Version+", schema "+digits(int64(r.Schema))+", SQLite "+r.Engine)
	return d
}

// statsArgs say which calls are counted.
type statsArgs struct {
	Since string `json:"since,omitempty" jsonschema:"count calls from this time, date or 7d on"`
}

func statsShown(stats usage.Stats) show.Doc {
	if stats.Calls == 0 {
		return show.Doc{show.Total{None: "no call has been counted"}}
	}
	t := show.Table{Columns: []show.Column{
		{Head: "tool", Min: 12}, {Head: "calls"}, {Head: "failed", Min: 10}, {Head: "half in"}, {Head: "95% in"}, {Head: "bytes each"}, {Head: "last"},
	}}
	for _, c := range stats.Tools {
		failed := []string{}
		for _, code := range slices.Sorted(maps.Keys(c.Outcomes)) {
			if code != usage.OK {
				failed = append(failed, fmt.Sprintf("%d %s", c.Outcomes[code], code))
			}
		}
		t.Rows = append(t.Rows, []show.Cell{
			{Text: c.Name}, {Text: strconv.Itoa(c.Calls)}, {Text: strings.Join(failed, ", "), Role: show.Warn},
			{Text: millis(c.P50Millis)}, {Text: millis(c.P95Millis)}, {Text: strconv.Itoa(c.BytesOut / c.Calls)}, {Text: moment(c.LastAt)},
		})
	}
	return show.Doc{t}
}

func millis(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) + " ms" }

func (s *session) tokenAdd() *cobra.Command {
	mayCode, limits := false, tokenLimits{}
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Make a token and print it once",
		Args:  count{1, 1}.check,
		RunE: func(cmd *cobra.Command, words []string) error {
			// --read-only applies to the token here, not to the store.
			t := token.Token{Name: strings.TrimSpace(words[0]), Namespace: s.namespace, ReadOnly: s.readOnly, Code: mayCode, Rate: limits.rate, MaxBody: limits.body}
			s.readOnly = false
			return s.withStore(cmd.Context(), false, func(d *db.DB) error {
				secret, err := token.Add(cmd.Context(), d, s.person().Actor, t)
				if err != nil {
					return err
				}
				if s.asJSON {
					err = printJSON(s.out, map[string]any{"name": t.Name, "namespace": t.Namespace, "read_only": t.ReadOnly, "code": t.Code, "token": secret})
				} else {
					_, err = fmt.Fprintln(s.out, secret)
				}
				if err != nil {
					return s.revokeUnprinted(cmd.Context(), d, t.Name, err)
				}
				return nil
			})
		},
	}
	limits.flags(cmd)
	cmd.Flags().BoolVar(&mayCode, "code", false, "let it change files and run tests where hence code allow says so")
	return cmd
}

// revokeUnprinted revokes a new token whose secret could not be printed because of err: the
// store has only its hash, so the secret is lost. It returns the error of the command.
func (s *session) revokeUnprinted(ctx context.Context, d *db.DB, name string, err error) error {
	if failed := token.Revoke(ctx, d, s.person().Actor, name); failed != nil {
		err = fmt.Errorf("%w; %w", err, failed)
		return fault.Wrap(fault.Unavailable, err, "token add %[1]s: the token could not be printed and could not be revoked; run hence token revoke %[1]s", name)
	}
	return fault.Wrap(fault.Unavailable, err, "token add %s: the token could not be printed and was revoked; run the command again", name)
}

func tokensShown(all []token.Token) show.Doc {
	if len(all) == 0 {
		return show.Doc{show.Total{None: "there is no token; hence token add makes one"}}
	}
	// Names are not cut, because hence token revoke needs them.
	t := show.Table{Columns: []show.Column{{Head: "name"}, {Head: "sees", Min: 8}, {Head: "may"}, {Head: "made"}}}
	for _, one := range all {
		sees, may := cmp.Or(one.Namespace, "everything"), "read and write"
		if one.ReadOnly {
			may = "read"
		}
		if one.Code {
			may += ", change and run code"
		}
		if one.Elsewhere {
			may = "nothing: it is from elsewhere, see hence adopt"
		}
		t.Rows = append(t.Rows, []show.Cell{{Text: one.Name}, {Text: sees}, {Text: may}, {Text: day(one.CreatedAt)}})
	}
	return show.Doc{t}
}

// revokeResult is what --json prints.
type revokeResult struct {
	Name    string `json:"name"`
	Revoked bool   `json:"revoked"`
}

// nameArgs name a token.
type nameArgs struct {
	Name string `json:"name"`
}

func (s *session) printVersion() error {
	b := buildDetails{hence.ThisBuild(), db.SchemaVersion(), runtime.GOOS + "/" + runtime.GOARCH}
	return s.print(b, func() (d show.Doc) {
		d.Say("hence %s, schema %d, %s %s", b.String(), b.Schema, b.Go, b.Platform)
		return d
	})
}

// buildDetails is what hence version prints.
type buildDetails struct {
	hence.Build
	Schema   int    `json:"schema"`   // version of the schema of its stores
	Platform string `json:"platform"` // such as linux/amd64
}
