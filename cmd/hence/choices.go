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

// embedWay is a way to a model that is not at hand.
type embedWay struct {
	Model string `json:"model"`
	Get   string `json:"get"`
	Set   string `json:"set"`
}

// embedWays are the ways that need least: a server that fetches its models, and two
// files of 30 MB without a server.
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

// shellWord returns a text as a shell reads it back as one word.
func shellWord(text string) string {
	if !strings.ContainsAny(text, " \t\n'\"`$\\&|;<>()*?[]#~") {
		return text
	}
	return quote(text)
}
