package main

import (
	"context"
	"strings"

	"hence/code/reading"
	"hence/code/suite"
	"hence/code/writing"
	"hence/internal/ref"
	"hence/tools"
	"hence/tools/show"
)

// codeCommands read and change repositories, and say what tools may do to them.
var codeCommands = []command{
	parent{
		use: "code",
		below: []command{
			same("outline", "id", reading.Reader.Outline, show.Outlined),
			same("read", "id", reading.Reader.Read, show.CodeRead),
			same("patch", "id", tools.By(writing.New, writing.Writer.Patch), show.Patched).writing(),
			same("test", "suite", tools.By(writing.New, writing.Writer.Test), show.Tested),
			listing("allowed", "repositories", func(ctx context.Context, v ref.View) ([]writing.Permissions, error) {
				return writing.New(v).Permissions(ctx)
			}, show.Permissions),
			parent{
				use: "allow",
				below: []command{
					permitting("patch", "", func(ctx context.Context, w writing.Writer, a ofRepository) error {
						return w.AllowPatch(ctx, a.Repository, true)
					}),
					allowTest(),
				},
			},
			parent{
				use: "forbid",
				below: []command{
					permitting("patch", "", func(ctx context.Context, w writing.Writer, a ofRepository) error {
						return w.AllowPatch(ctx, a.Repository, false)
					}),
					permitting("test", "suite", func(ctx context.Context, w writing.Writer, a suiteArgs) error {
						return w.ForbidSuite(ctx, a.Repository, a.Suite[0])
					}),
				},
			},
		},
	},
}

// ofRepository says of which repository a permission is.
type ofRepository struct {
	Repository string `json:"repository,omitempty" word:"name" jsonschema:"the name of the repository, where the store has several"`
}

// suiteArgs name a suite of tests.
type suiteArgs struct {
	ofRepository
	Suite []string `json:"suite"` // its name, and what it runs
}

// allowArgs say how a suite is run.
type allowArgs struct {
	suiteArgs
	Time   int      `json:"time,omitempty" word:"seconds" jsonschema:"the longest time that a run takes, in seconds"`
	Folder string   `json:"folder,omitempty" word:"folder" jsonschema:"the folder that it runs in, from the repository's root"`
	Env    []string `json:"env,omitempty" word:"names" jsonschema:"names of variables that it gets besides PATH, HOME and the language"`
}

// permitted is what --json prints.
type permitted map[string][]writing.Permissions

// permitting is a command that changes what agents may do, and then shows it.
func permitting[A any](use, fills string, change func(context.Context, writing.Writer, A) error) mirror[A, permitted] {
	return calling(use, fills, func(ctx context.Context, v ref.View, a A) (permitted, error) {
		w := writing.New(v)
		if err := change(ctx, w, a); err != nil {
			return nil, err
		}
		all, err := w.Permissions(ctx)
		return permitted{"repositories": all}, err
	}, func(p permitted) show.Doc { return show.Permissions(p["repositories"]) }).writing()
}

func allowTest() command {
	m := permitting("test", "suite", func(ctx context.Context, w writing.Writer, a allowArgs) error {
		return w.AllowSuite(ctx, a.Repository, suite.Suite{
			Name: strings.TrimSpace(a.Suite[0]), Arguments: a.Suite[1:], TimeoutS: a.Time, Folder: a.Folder, Environment: a.Env,
		})
	}).taking(1, unlimited)
	m.defaults.Time = 600
	return m
}
