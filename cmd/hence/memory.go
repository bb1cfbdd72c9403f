package main

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
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
		use:   "store",
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
				return kindCompletions("="), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
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
	function(trustCommand),
	mirror[memory.GetArgs, memory.GetResult]{
		use:   "get",
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
	same("list", "", memory.Store.List, show.Listed),
	mirror[recall.SearchArgs, recall.SearchResult]{
		use:   "search",
		words: count{1, unlimited},
		fills: []string{"query"},
		flags: flags.Options{Whole: []string{"path_prefix"}},
		also: func(s *session, cmd *cobra.Command, _ *recall.SearchArgs) {
			cmd.Flags().BoolVar(&s.why, "why", false, "say how each result came to its place")
		},
		call: method(recall.Searcher.Search),
		tell: show.Found,
	},
	same("related", "id", recall.Searcher.FindRelated, show.Related),
	mirror[memory.UpdateArgs, memory.UpdateResult]{
		use:    "update",
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
	same("restore", "id", memory.Store.Restore, show.Restored).writing(),
	same("verify", "id", memory.Store.Verify, show.Verified).writing(),
	function(forgetCommand), function(eraseCommand), function(tidyCommand), function(reviewCommand),
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

// forgetArgs say what to forget: a memory, a vault, or what came from one place.
type forgetArgs struct {
	memory.ForgetArgs
	Vault  string `json:"vault,omitempty" word:"name" jsonschema:"forget all memories of the vault of this name"`
	Yes    bool   `json:"yes,omitempty" jsonschema:"do not ask"`
	From   string `json:"from,omitempty" word:"source" jsonschema:"forget what came from this source, address, actor or session: see hence trust"`
	Since  string `json:"since,omitempty" word:"time" jsonschema:"with --from: only what was stored from this time on"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"with --from: only say what would be forgotten"`
}

func forgetCommand(s *session) *cobra.Command {
	m := calling("forget", "id", forgetOrErase, func(p purged) show.Doc { return show.Purged(p.ForgetResult, p.Receipt) }).taking(0, 1).writing()
	m.instead = func(cmd *cobra.Command, a forgetArgs, words []string, usual func() error) error {
		switch {
		case a.From == "" && (a.Since != "" || a.DryRun):
			return fault.New(fault.InvalidArgument, "forget: --since and --dry-run go with --from")
		case a.From != "" && (len(words) > 0 || a.Vault != "" || a.Purge):
			return fault.New(fault.InvalidArgument, "forget: --from takes neither a memory nor --vault nor --purge; leave them out")
		case a.From != "":
			from := sources.ForgetArgs{From: a.From, Since: a.Since, DryRun: a.DryRun, Reason: a.Reason}
			return same("forget", "", sources.Store.Forget, show.ForgottenFrom).run(cmd.Context(), s, from)
		case a.Vault == "" && a.Yes:
			return fault.New(fault.InvalidArgument, "forget: --yes is for --vault; a memory is forgotten without a question")
		case a.Vault == "" && len(words) == 0:
			return fault.New(fault.InvalidArgument, "usage: hence forget REF, or hence forget --vault NAME; see hence forget --help")
		case a.Vault == "":
			return usual()
		case len(words) > 0 || a.Reason != "":
			return fault.New(fault.InvalidArgument, "forget: --vault takes neither a memory nor --reason; leave them out")
		}
		return forgetVault(cmd.Context(), s, a)
	}
	return m.command(s)
}

// forgetVault forgets a vault, after asking unless a.Yes.
func forgetVault(ctx context.Context, s *session, a forgetArgs) error {
	return calling("forget", "", func(ctx context.Context, v ref.View, args vault.ForgetVaultArgs) (vault.ForgetVaultResult, error) {
		i := vault.Importer{DB: v.DB, Caller: v.Caller}
		done, err := i.ForgetVault(ctx, args)
		if err == nil && args.DryRun {
			if !screen.IsTerminal(s.in) {
				return done, fault.New(fault.InvalidArgument, "forget --vault %s: This %s Give --yes to do it", a.Vault, consequence(done))
			}
			if !s.agrees("This " + consequence(done) + " Go on?") {
				return done, fault.New(fault.InvalidArgument, "forget --vault %s: nothing was changed", a.Vault)
			}
			args.DryRun = false
			done, err = i.ForgetVault(ctx, args)
		}
		if err == nil && args.Purge && v.DB.Cluster() == nil {
			_, err = v.DB.Scrub(ctx)
		}
		return done, err
	}, showForgottenVault).run(ctx, s, vault.ForgetVaultArgs{Vault: a.Vault, Purge: a.Purge, DryRun: !a.Yes})
}

// agrees asks the person at the terminal, and reports whether the answer is y or yes.
func (s *session) agrees(question string) bool {
	return isYes(s.asks(bufio.NewReader(s.input()), question+" [y/N] "))
}

// asks returns the answer to a question, on one line.
func (s *session) asks(answers *bufio.Reader, question string) string {
	fmt.Fprint(s.err, screen.Clean(question))
	answer, _ := answers.ReadString('\n')
	return strings.TrimSpace(answer)
}

func isYes(answer string) bool { return slices.Contains([]string{"y", "yes"}, strings.ToLower(answer)) }

// keptOfVault says what the purge of a vault does not reach.
const keptOfVault = "backups, exports, stores that it was synced with and the arguments in receipts keep what they have of it; hence erase takes one memory out of them too"

// consequence returns what forgetting a vault does, as sentences after "This ".
func consequence(r vault.ForgetVaultResult) string {
	verb, after := "forgets ", "importing "+r.Again+" brings them back"
	if r.Status != memory.Forgotten {
		verb, after = "purges ", "their text is deleted and overwritten in the store, and "+keptOfVault
	}
	text := verb + plural.Count(r.Memories, "memory", "memories") + " of the vault " + r.Vault + " with " + plural.Count(r.Edges, "edge", "edges") + "; " + after + "."
	if r.Others > 0 {
		text += " " + plural.Count(r.Others, "other memory has", "other memories have") + " edges to them."
	}
	return text + " The files in " + r.Root + " are not touched."
}

// showForgottenVault describes what was forgotten with a vault.
func showForgottenVault(r vault.ForgetVaultResult) (d show.Doc) {
	verb := "forgotten "
	if r.Status != memory.Forgotten {
		verb = "purged "
	}
	d.Add("", good(verb), strong(r.Vault), ": "+plural.Count(r.Memories, "memory", "memories")+", "+plural.Count(r.Edges, "edge", "edges")+"; the files in "+r.Root+" did not change")
	if r.Status == memory.Forgotten {
		d.AddIn(show.Faint, "  ", "hence import "+r.Again+" brings it back")
		return d
	}
	d.AddIn(show.Faint, "  ", keptOfVault)
	return d
}
