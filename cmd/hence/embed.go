package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/recall"
)

// noArguments are the arguments of a command that takes none.
type noArguments struct{}

func (s *session) embedCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "embed",
		GroupID: groupSetup,
		Short:   "Search by meaning too: choose what makes vectors of texts",
		Long: `Without vectors a search finds words. With them it also finds what means the
same in other words. Vectors come from what hence embed set names:

  none                  no vectors
  builtin               pieces of words: forgives misspelling, knows no synonyms,
                        needs nothing
  static:FOLDER         a Model2Vec model in files, fast on any machine
  ollama:MODEL          a model of an Ollama server (OLLAMA_HOST)
  openai:URL,MODEL      a model of an OpenAI-compatible server (OPENAI_API_KEY)

The model in force stays until hence embed run has made every vector of the new
one. Run it again after much has been stored: what is new has no vector yet.`,
		Example: `  hence embed set static:~/models/potion-base-8M && hence embed run
  hence embed status`,
		Args: cobra.ArbitraryArgs,
		RunE: onlyCommands,
	}
	cmd.AddCommand(s.embedStatusCommand(), s.embedSetCommand(), s.embedRunCommand())
	return cmd
}

func (s *session) embedStatusCommand() *cobra.Command {
	return mirror[noArguments, recall.EmbedStatus]{
		use:   "status",
		short: "Which model is in force, and how far its vectors are",
		place: func(*noArguments, []string) error { return nil },
		call: func(ctx context.Context, d *db.DB, c ref.Caller, _ noArguments) (recall.EmbedStatus, error) {
			return recall.Searcher{DB: d, Caller: c}.EmbedStatus(ctx)
		},
		draw: drawEmbed[noArguments],
	}.command(s)
}

func (s *session) embedSetCommand() *cobra.Command {
	return mirror[recall.EmbedArgs, recall.EmbedStatus]{
		use:   "set EMBEDDER",
		short: "Choose the model; hence embed run then makes its vectors",
		example: `  hence embed set builtin
  hence embed set ollama:nomic-embed-text
  hence embed set none`,
		words:  count{1, 1},
		flags:  flags.Options{Omit: []string{"embedder"}},
		writes: true,
		place: func(a *recall.EmbedArgs, words []string) (err error) {
			a.Embedder, err = fromAnywhere(words[0])
			return err
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a recall.EmbedArgs) (recall.EmbedStatus, error) {
			return recall.Searcher{DB: d, Caller: c}.EmbedSet(ctx, a)
		},
		draw: drawEmbed[recall.EmbedArgs],
	}.command(s)
}

// fromAnywhere makes the folder of a model one that the same name leads to
// wherever the program is started. Shells leave a ~ after a colon alone.
func fromAnywhere(embedder string) (string, error) {
	folder, ok := strings.CutPrefix(embedder, "static:")
	if !ok || folder == "" {
		return embedder, nil
	}
	if rest, ok := strings.CutPrefix(folder, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fault.Wrap(fault.Unavailable, err, "embed: there is no home folder; write the folder in full")
		}
		folder = filepath.Join(home, rest)
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, err, "embed: write the folder in full")
	}
	return "static:" + folder, nil
}

func (s *session) embedRunCommand() *cobra.Command {
	return mirror[noArguments, recall.EmbedStatus]{
		use:    "run",
		short:  "Make the vectors that are missing",
		writes: true,
		place:  func(*noArguments, []string) error { return nil },
		call: func(ctx context.Context, d *db.DB, c ref.Caller, _ noArguments) (recall.EmbedStatus, error) {
			progress, done := barFor(s.err, "embedding")
			defer done()
			return recall.Searcher{DB: d, Caller: c}.EmbedRun(ctx, progress)
		},
		draw: drawEmbed[noArguments],
	}.command(s)
}

func drawEmbed[A any](v *view, _ A, r recall.EmbedStatus) {
	v.Line(screen.Span{Text: r.Embedder, Style: screen.Strong}, screen.Text(" is in force"))
	if r.Embedder != "none" {
		v.Item("  ", screen.Text(number(r.Embedded, "section", "sections")+" with a vector, "+number(r.Pending, "waits", "wait")+" for one"))
	}
	if b := r.Building; b != nil {
		v.Line(screen.Span{Text: b.Embedder, Style: screen.Strong}, screen.Text(" takes its place when its vectors are made: hence embed run"))
		v.Item("  ", screen.Text(number(b.Embedded, "section", "sections")+" with a vector, "+number(b.Pending, "waits", "wait")+" for one"))
	}
}
