package main

import (
	"context"
	"strings"

	"hence/cmd/hence/internal/screen"
	"hence/memory/embed"
)

// embedChoices is what --json prints.
type embedChoices struct {
	AtHand []embed.Choice `json:"at_hand"`
	Get    []embedWay     `json:"get"`
}

// embedWay tells how to get a model that this machine does not have.
type embedWay struct {
	Model string `json:"model"`
	Get   string `json:"get"` // command
	Set   string `json:"set"` // command
}

// embedWays are the simplest ways: a server that downloads its models, and a model of two
// files (30 MB) that needs no server.
var embedWays = []embedWay{
	{
		Model: "a model of Ollama (https://ollama.com)",
		Get:   "ollama pull nomic-embed-text",
		Set:   "hence embed set ollama:nomic-embed-text",
	},
	{
		Model: "model.safetensors and tokenizer.json of https://huggingface.co/minishlab/potion-base-8M",
		Get:   "hf download minishlab/potion-base-8M --local-dir ~/models/potion-base-8M",
		Set:   "hence embed set static:~/models/potion-base-8M",
	},
}

// printChoices prints the embedders of this machine, and how to get one.
func (s *session) printChoices(ctx context.Context) error {
	all := embedChoices{AtHand: embed.AtHand(ctx, embed.LocalPlaces()), Get: embedWays}
	if all.AtHand == nil {
		all.AtHand = []embed.Choice{}
	}
	return s.print(all, func(v *view) {
		if len(all.AtHand) == 0 {
			v.Line(screen.Text("no model was found on this machine"))
		}
		for _, c := range all.AtHand {
			v.Line(screen.Text("hence embed set "), strong(shellWord(c.Embedder)))
			if c.Unsure {
				v.Item("  ", faint("if this model makes vectors, which "+c.Where+" does not say"))
			}
		}
		v.Line(screen.Text("to get one:"))
		for _, w := range all.Get {
			v.Item("  ", screen.Text(w.Model))
			v.Item("    ", screen.Text(w.Get))
			v.Item("    ", screen.Text(w.Set))
		}
	})
}

// shellWord returns a text, in quotes if necessary, so that a shell reads it as one word.
func shellWord(text string) string {
	if !strings.ContainsAny(text, " \t\n'\"`$\\&|;<>()*?[]#~") {
		return text
	}
	return quote(text)
}
