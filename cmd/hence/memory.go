package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/plural"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
	"hence/memory/recall/near"
	"hence/memory/sources"
	"hence/tools/show"
	"hence/vault"
)

// memoryCommands store, find and change memories.
var memoryCommands = []command{
	mirror[memory.StoreArgs, memory.StoreResult]{
		use:   "store [TEXT]",
		short: "Remember something, with its reasons",
		long: `Stores a memory together with its edges, in one step. The text is read from
standard input if it is - or left out.`,
		example: `  hence store "The queue drains in an hour." --title "Drain time" --link supports="Job Queue"
  hence store "Holds last 20 minutes." --kind decision --supersedes "Old plan" --reason "it cost too much"
  hence store - --title Minutes --tags meeting < minutes.md`,
		words: count{0, unlimited},
		flags: flags.Options{
			Omit:     []string{"content", "links"},
			Whole:    []string{"supersedes"},
			Complete: map[string][]cobra.Completion{"kind": {"fact", "decision", "event", "preference"}},
		},
		also: func(_ *session, cmd *cobra.Command, a *memory.StoreArgs) {
			cmd.Flags().Func("link", "an edge from the new memory, as `type=memory`; inverse words such as caused-by are reversed", func(text string) error {
				link, err := parseLink(text)
				a.Links = append(a.Links, link)
				return err
			})
			_ = cmd.RegisterFlagCompletionFunc("link", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
				offers := []cobra.Completion{}
				for _, k := range edges.Kinds() {
					offers = append(offers, cobra.CompletionWithDesc(string(k)+"=", k.Reads()))
				}
				return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
			})
		},
		writes: true,
		after:  embedSoon[memory.StoreResult],
		place: func(s *session, a *memory.StoreArgs, words []string) (err error) {
			switch {
			case len(words) > 0 && !(len(words) == 1 && words[0] == "-"):
				a.Content = strings.Join(words, " ")
			case len(words) == 0 && screen.IsTerminal(s.in):
				err = fault.New(fault.InvalidArgument, "store: there is nothing to remember; give a text, or pipe one in")
			default:
				a.Content, err = readAll(s.input())
			}
			return err
		},
		call: func(ctx context.Context, _ *session, v ref.View, a memory.StoreArgs) (memory.StoreResult, error) {
			return memory.Store(v).Remember(ctx, a, near.Finder(v).Near)
		},
		tell: show.Stored,
	},
	checkpointCommand,
	trustCommand,
	mirror[memory.GetArgs, memory.GetResult]{
		use:   "get REF...",
		short: "Read a memory in full",
		long:  `Shows one or more memories: their text, origin and edges.`,
		example: `  hence get "Job Queue"
  hence get systems/Job\ Queue.md 01983f2c --detail summary`,
		words: count{1, unlimited},
		fills: []string{"ids"},
		flags: flags.Options{Omit: []string{"id"}},
		call:  method(memory.Store.Open),
		after: func(ctx context.Context, _ *session, v ref.View, r memory.GetResult) error {
			if v.DB.ReadOnly() {
				return nil
			}
			return memory.Store(v).KeepOpened(ctx, r.OpenedIDs())
		},
		tell: show.Opened,
	},
	mirror[memory.ListArgs, memory.ListResult]{
		use:   "list",
		short: "List memories, the latest first",
		long: `Lists memories by kind, tags, status and time. To find them by their text, use
search.`,
		example: `  hence list --kind decision
  hence list --tags area/booking --since 2026-05 --order importance`,
		call: method(memory.Store.List),
		tell: show.Listed,
	},
	mirror[recall.SearchArgs, recall.SearchResult]{
		use:   "search WORDS...",
		short: "Search memories, best first",
		long: `Searches the text of memories. The words may include "a phrase", tag:x (several:
all), path:prefix and kind:x (several: any). A hyphen before one, or before a word,
excludes it; flags do not, such as --force or -f, and -word keeps memories in which
-word stands as it is. If exclusions leave nothing, the search is made without them.
Quote these for the shell, or put them after --. A word that no memory has is corrected,
and the answer says so.`,
		example: `  hence search drain a stuck queue
  hence search 'cache "live holds" tag:area/booking -redis'
  hence search --why --graph=false holds
  hence search --limit 3 --status all -- claim form -refund`,
		words: count{1, unlimited},
		fills: []string{"query"},
		flags: flags.Options{Whole: []string{"path_prefix"}},
		also: func(s *session, cmd *cobra.Command, _ *recall.SearchArgs) {
			cmd.Flags().BoolVar(&s.why, "why", false, "say how each result came to its place")
		},
		call: method(recall.Searcher.Search),
		tell: show.Found,
	},
	mirror[recall.RelatedArgs, recall.RelatedResult]{
		use:   "related REF",
		short: "Find similar memories; unlinked ones come first",
		long: `Finds memories similar to a given memory: by embeddings if hence embed set has
chosen a model, else by distinctive words. Unlinked ones come first.`,
		example: `  hence related "Drain time"
  hence related decisions/Queue.md --limit 3`,
		fills: []string{"id"},
		call:  method(recall.Searcher.FindRelated),
		tell:  show.Related,
	},
	mirror[memory.UpdateArgs, memory.UpdateResult]{
		use:   "update REF",
		short: "Change a memory in place",
		long: `Changes only what the flags name. To replace a belief by a new one and keep the old
one readable, use store --supersedes instead.`,
		example: `  hence update "Drain time" --tags queue,ops --importance 0.8
  hence update "Drain time" --properties owner=ada --properties draft=null
  hence update "Drain time" --content - < new-text.md`,
		fills:  []string{"id"},
		writes: true,
		after:  embedSoon[memory.UpdateResult],
		place: func(s *session, a *memory.UpdateArgs, _ []string) error {
			if a.Content != nil && *a.Content == "-" {
				text, err := readAll(s.input())
				a.Content = &text
				return err
			}
			return nil
		},
		call: method(memory.Store.Revise),
		tell: show.Updated,
	},
	mirror[memory.RestoreArgs, memory.RestoreResult]{
		use:     "restore REF",
		short:   "Restore a forgotten memory",
		long:    `Brings back a memory that was forgotten but not purged, with its edges.`,
		example: `  hence restore "Drain time"`,
		fills:   []string{"id"},
		writes:  true,
		call:    method(memory.Store.Restore),
		tell:    show.Restored,
	},
	mirror[belief.VerifyArgs, memory.VerifyResult]{
		use:   "verify REF",
		short: "Record that a stale memory still holds",
		long: `Records that a memory still holds although something it rests on has changed, and
shows which doubts that clears. Later changes raise new doubts.`,
		example: `  hence verify "Drain time" --note "measured again on the new machine"`,
		fills:   []string{"id"},
		writes:  true,
		call:    method(memory.Store.Verify),
		tell:    show.Verified,
	},
	function((*session).forgetCommand), function((*session).tidyCommand),
}

// parseLink parses TYPE=MEMORY, or the JSON form of the tool, which starts with a brace.
func parseLink(text string) (link memory.NewLink, err error) {
	if strings.HasPrefix(text, "{") {
		return parseJSON[memory.NewLink](text, "link")
	}
	kind, to, ok := strings.Cut(text, "=")
	if !ok || kind == "" || to == "" {
		return link, fmt.Errorf(`%q is not type=memory, such as supports="Job Queue"`, text)
	}
	return memory.NewLink{Type: kind, To: to}, nil
}

func (s *session) forgetCommand() *cobra.Command {
	var vaultFlags vaultToForget
	var sourceFlags sources.ForgetArgs
	cmd := mirror[memory.ForgetArgs, memory.ForgetResult]{
		use:   "forget [REF]",
		short: "Forget or purge a memory or a vault",
		long: `Forgets a memory: it is left out of search, lists and walks until restore brings
it back. With --purge the record, its edges and its text are deleted for good, and
overwritten in the file, its full-text index and its log. Half-used pages may keep
pieces until hence vacuum; backups, exports and other stores have it as before.

With --vault NAME, all memories of that vault are forgotten, and importing its
folder brings them back. With --purge they are deleted for good, and so is what
hence undo kept of its notes. The files are never touched. It asks first, unless
--yes is given.

With --from, all that came from one source, address, actor or session is forgotten,
and what rested on it is named; hence undo brings all of it back.`,
		example: `  hence forget "Drain time" --reason "measured on the old machine"
  hence forget "Drain time" --purge
  hence forget --vault notes
  hence forget --from https://example.com/blog --since 7d --dry-run`,
		words: count{0, 1},
		fills: []string{"id"},
		also: func(_ *session, cmd *cobra.Command, a *memory.ForgetArgs) {
			vaultFlags.memory = a
			cmd.Flags().StringVar(&vaultFlags.name, "vault", "", "forget all memories of the vault of this `name`")
			cmd.Flags().BoolVar(&vaultFlags.yes, "yes", false, "do not ask")
			cmd.Flags().StringVar(&sourceFlags.From, "from", "", "forget what came from this `source`, address, actor or session: see hence trust")
			cmd.Flags().StringVar(&sourceFlags.Since, "since", "", "with --from: only what was stored from this `time` on")
			cmd.Flags().BoolVar(&sourceFlags.DryRun, "dry-run", false, "with --from: only say what would be forgotten")
		},
		writes: true,
		call:   method(memory.Store.Forget),
		tell:   show.Forgotten,
	}.command(s)
	forgetMemory := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		switch {
		case sourceFlags.From == "" && (sourceFlags.Since != "" || sourceFlags.DryRun):
			return fault.New(fault.InvalidArgument, "forget: --since and --dry-run go with --from")
		case sourceFlags.From != "" && (len(words) > 0 || vaultFlags.name != "" || vaultFlags.memory.Purge):
			return fault.New(fault.InvalidArgument, "forget: --from takes neither a memory nor --vault nor --purge; leave them out")
		case sourceFlags.From != "":
			sourceFlags.Reason = vaultFlags.memory.Reason
			return s.forgetSource(cmd.Context(), sourceFlags)
		case vaultFlags.name == "" && vaultFlags.yes:
			return fault.New(fault.InvalidArgument, "forget: --yes is for --vault; a memory is forgotten without a question")
		case vaultFlags.name == "" && len(words) == 0:
			return fault.New(fault.InvalidArgument, "usage: hence forget REF, or hence forget --vault NAME; see hence forget --help")
		case vaultFlags.name == "":
			return forgetMemory(cmd, words)
		case len(words) > 0 || vaultFlags.memory.Reason != "":
			return fault.New(fault.InvalidArgument, "forget: --vault takes neither a memory nor --reason; leave them out")
		}
		return s.forgetVault(cmd.Context(), vaultFlags)
	}
	return cmd
}

// vaultToForget are the flags of hence forget for a vault.
type vaultToForget struct {
	memory *memory.ForgetArgs
	name   string
	yes    bool
}

// forgetVault forgets a vault, after asking unless a.yes.
func (s *session) forgetVault(ctx context.Context, a vaultToForget) error {
	return s.withStore(ctx, true, func(d *db.DB) error {
		i, args := vault.Importer{DB: d, Caller: s.person()}, vault.ForgetVaultArgs{Vault: a.name, Purge: a.memory.Purge, DryRun: !a.yes}
		done, err := i.ForgetVault(ctx, args)
		if err == nil && args.DryRun {
			if !screen.IsTerminal(s.in) {
				return fault.New(fault.InvalidArgument, "forget --vault %s: This %s Give --yes to do it", a.name, consequence(done))
			}
			if !s.agrees("This " + consequence(done) + " Go on?") {
				return fault.New(fault.InvalidArgument, "forget --vault %s: nothing was changed", a.name)
			}
			args.DryRun = false
			done, err = i.ForgetVault(ctx, args)
		}
		if err != nil {
			return err
		}
		return s.print(done, func() show.Doc { return forgottenVault(done) })
	})
}

// agrees asks the person at the terminal, and reports whether the answer is y or yes.
func (s *session) agrees(question string) bool {
	fmt.Fprint(s.err, screen.Clean(question)+" [y/N] ")
	answer, _ := bufio.NewReader(s.input()).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// consequence returns what forgetting a vault does, as sentences after "This ".
func consequence(r vault.ForgetVaultResult) string {
	verb, after := "forgets ", "importing "+r.Root+" brings them back"
	if r.Status != memory.Forgotten {
		verb, after = "purges ", "their text is deleted and overwritten, and only backups and exports bring it back"
	}
	text := verb + plural.Count(r.Memories, "memory", "memories") + " of the vault " + r.Vault + " with " + plural.Count(r.Edges, "edge", "edges") + "; " + after + "."
	if r.Others > 0 {
		text += " " + plural.Count(r.Others, "other memory has", "other memories have") + " edges to them."
	}
	return text + " The files in " + r.Root + " are not touched."
}

// forgottenVault describes what was forgotten with a vault.
func forgottenVault(r vault.ForgetVaultResult) (d show.Doc) {
	verb := "forgotten "
	if r.Status != memory.Forgotten {
		verb = "purged "
	}
	d.Add("", good(verb), strong(r.Vault), ": "+plural.Count(r.Memories, "memory", "memories")+", "+plural.Count(r.Edges, "edge", "edges")+"; the files in "+r.Root+" did not change")
	if r.Status == memory.Forgotten {
		d.AddIn(show.Faint, "  ", "hence import "+r.Root+" brings it back")
	}
	return d
}
