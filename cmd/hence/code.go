package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"hence/code/reading"
	"hence/code/suite"
	"hence/code/writing"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/tools/show"
)

// codeCommands read and change repositories, and say what tools may do to them.
var codeCommands = []command{
	parent{
		use: "code",
		below: []command{
			same("outline", "id", reading.Reader.Outline, show.Outlined),
			same("read", "id", reading.Reader.Read, show.CodeRead),
			calling("patch", "id", func(ctx context.Context, v ref.View, a writing.PatchArgs) (writing.PatchResult, error) {
				return writing.New(v).Patch(ctx, a)
			}, show.Patched).writing(),
			calling("test", "suite", func(ctx context.Context, v ref.View, a writing.TestArgs) (suite.Result, error) {
				return writing.New(v).Test(ctx, a)
			}, show.Tested),
			listing("allowed", "repositories", func(ctx context.Context, v ref.View) ([]writing.Permissions, error) {
				return writing.New(v).Permissions(ctx)
			}, show.Permissions),
			parent{
				use: "allow",
				below: []command{
					permitCommand{"patch", count{0, 0}, func(ctx context.Context, w writing.Writer, repository string, _ []string) error {
						return w.AllowPatch(ctx, repository, true)
					}},
					function(allowTest),
				},
			},
			parent{
				use: "forbid",
				below: []command{
					permitCommand{"patch", count{0, 0}, func(ctx context.Context, w writing.Writer, repository string, _ []string) error {
						return w.AllowPatch(ctx, repository, false)
					}},
					permitCommand{"test", count{1, 1}, func(ctx context.Context, w writing.Writer, repository string, words []string) error {
						return w.ForbidSuite(ctx, repository, words[0])
					}},
				},
			},
		},
	},
}

// permitCommand is a command that changes what agents may do, and then shows it.
type permitCommand struct {
	use    string
	words  count
	change func(ctx context.Context, w writing.Writer, repository string, words []string) error
}

func (p permitCommand) command(s *session) *cobra.Command {
	repository := ""
	cmd := bare(p.use, p.words, func(cmd *cobra.Command, words []string) error {
		return s.withStore(cmd.Context(), false, func(d *db.DB) error {
			w := writing.New(ref.View{DB: d, Caller: s.person()})
			if err := p.change(cmd.Context(), w, repository, words); err != nil {
				return err
			}
			all, err := w.Permissions(cmd.Context())
			if err != nil {
				return err
			}
			return s.print(map[string]any{"repositories": all}, func() show.Doc { return show.Permissions(all) })
		})
	})
	cmd.Flags().StringVar(&repository, "repository", "", "the `name` of the repository, where the store has several")
	return cmd
}

func allowTest(s *session) *cobra.Command {
	var allowed suite.Suite
	cmd := permitCommand{"test", count{1, unlimited}, func(ctx context.Context, w writing.Writer, repository string, words []string) error {
		allowed.Name, allowed.Arguments = strings.TrimSpace(words[0]), words[1:]
		return w.AllowSuite(ctx, repository, allowed)
	}}.command(s)
	f := cmd.Flags()
	f.IntVar(&allowed.TimeoutS, "time", 600, "the longest time that a run takes, in `seconds`")
	f.StringVar(&allowed.Folder, "folder", "", "the `folder` that it runs in, from the repository's root")
	f.StringSliceVar(&allowed.Environment, "env", nil, "`names` of variables that it gets besides PATH, HOME and the language")
	return cmd
}
