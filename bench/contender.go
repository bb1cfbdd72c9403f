package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// contender is a server in the comparison: how to start it in a folder of its own,
// and which call answers which question. A call that it does not offer is nil.
type contender struct {
	name    string
	command func(dir string) command
	// prepare makes a folder ready for the server, by an import if there is one.
	// Its time is measured.
	prepare func(ctx context.Context, dir string) error

	store     func(name, body string) call
	relate    func(from, to string) call
	open      func(name string) call
	search    func(words string) call
	neighbors func(name string) call
	append    func(name, line string) call // to an existing note
	// shows returns the text by which a result shows a memory or note.
	shows func(name string) string
	// bulk returns the calls that store a corpus, each as large as the server
	// accepts; nil if prepare does it.
	bulk func(c corpus) []call
}

// npm returns the program that npm installed under a name.
func (b *bench) npm(name string) string { return filepath.Join(b.peers, "node_modules", ".bin", name) }

// env returns environment variables with which the programs of npm run on the Node that npm
// installed, and more ones.
func (b *bench) env(more ...string) []string {
	return append(more, "PATH="+filepath.Join(b.peers, "node_modules", ".bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// list returns a list of one object.
func list(object map[string]any) []map[string]any { return []map[string]any{object} }

// memoryServers returns the servers that keep memories and relations, Hence first.
func (b *bench) memoryServers() []contender {
	return []contender{{
		name: "hence",
		command: func(dir string) command {
			return command{argv: []string{b.hence, "serve", "--db", filepath.Join(dir, "hence.db"), "--toolsets", "memory,graph"}}
		},
		store: func(name, body string) call {
			return call{"memory_store", map[string]any{"title": name, "content": body}}
		},
		relate: func(from, to string) call {
			return call{"memory_link", map[string]any{"from": from, "to": to, "type": "causes"}}
		},
		open:   func(name string) call { return call{"memory_get", map[string]any{"id": name}} },
		search: func(words string) call { return call{"memory_search", map[string]any{"query": words}} },
		neighbors: func(name string) call {
			return call{"get_neighborhood", map[string]any{"id": name}}
		},
		shows: func(name string) string { return name },
	}, {
		name: "server-memory",
		command: func(dir string) command {
			return command{[]string{b.npm("mcp-server-memory")}, b.env("MEMORY_FILE_PATH=" + filepath.Join(dir, "memory.jsonl"))}
		},
		store: func(name, body string) call {
			return call{"create_entities", map[string]any{"entities": list(entity(name, body))}}
		},
		relate: func(from, to string) call {
			return call{"create_relations", map[string]any{"relations": list(map[string]any{"from": from, "to": to, "relationType": "causes"})}}
		},
		open:      func(name string) call { return call{"open_nodes", map[string]any{"names": []string{name}}} },
		search:    func(words string) call { return call{"search_nodes", map[string]any{"query": words}} },
		neighbors: func(name string) call { return call{"open_nodes", map[string]any{"names": []string{name}}} },
		shows:     shownEntity,
		bulk: func(c corpus) []call {
			return c.batches(len(c.texts), len(c.relations), "from", "to", "relationType")
		},
	}, {
		name: "mcp-memory-libsql",
		command: func(dir string) command {
			return command{[]string{b.npm("mcp-memory-libsql")}, b.env("LIBSQL_URL=file:" + filepath.Join(dir, "memory.db"))}
		},
		store: func(name, body string) call {
			return call{"create_entities", map[string]any{"entities": list(entity(name, body))}}
		},
		relate: func(from, to string) call {
			return call{"create_relations", map[string]any{"relations": list(map[string]any{"source": from, "target": to, "type": "causes"})}}
		},
		open:      func(name string) call { return call{"search_nodes", map[string]any{"query": name, "limit": 1}} },
		search:    func(words string) call { return call{"search_nodes", map[string]any{"query": words}} },
		neighbors: func(name string) call { return call{"search_nodes", map[string]any{"query": name, "limit": 1}} },
		shows:     shownEntity,
		bulk:      func(c corpus) []call { return c.batches(50, 100, "source", "target", "type") },
	}}
}

// shownEntity returns the text by which the two peers that store entities show one in a
// result.
func shownEntity(name string) string { return fmt.Sprintf("%q: %q", "name", name) }

func entity(name, body string) map[string]any {
	return map[string]any{"name": name, "entityType": "fact", "observations": []string{body}}
}

// batches returns the calls that store a corpus as entities and relations, a number
// of them in each.
func (c corpus) batches(entities, relations int, from, to, kind string) (calls []call) {
	for first := 0; first < len(c.texts); first += entities {
		batch := []map[string]any{}
		for _, t := range c.texts[first:min(first+entities, len(c.texts))] {
			batch = append(batch, entity(t.name, t.body))
		}
		calls = append(calls, call{"create_entities", map[string]any{"entities": batch}})
	}
	for first := 0; first < len(c.relations); first += relations {
		batch := []map[string]any{}
		for _, r := range c.relations[first:min(first+relations, len(c.relations))] {
			batch = append(batch, map[string]any{from: c.texts[r.from].name, to: c.texts[r.to].name, kind: "causes"})
		}
		calls = append(calls, call{"create_relations", map[string]any{"relations": batch}})
	}
	return calls
}

// noteServers returns the servers that work on the notes of a vault, Hence first.
// The vault is the folder "vault" in the server's folder.
func (b *bench) noteServers() []contender {
	return []contender{{
		name: "hence",
		prepare: func(ctx context.Context, dir string) error {
			return b.run(ctx, "import", filepath.Join(dir, "vault"), "--name", "vault", "--db", filepath.Join(dir, "hence.db"))
		},
		command: func(dir string) command {
			return command{argv: []string{b.hence, "serve", "--db", filepath.Join(dir, "hence.db"), "--vault-write"}}
		},
		store: func(name, body string) call {
			return call{"create_note", map[string]any{"path": name, "content": body}}
		},
		open:   func(name string) call { return call{"read_note", map[string]any{"path": name}} },
		search: func(words string) call { return call{"memory_search", map[string]any{"query": words}} },
		neighbors: func(name string) call {
			return call{"get_backlinks", map[string]any{"path": name, "unlinked": false}}
		},
		append: func(name, line string) call {
			return call{"update_note", map[string]any{"path": name, "mode": "append", "content": line}}
		},
		shows: func(name string) string { return name },
	}, {
		name: "mcpvault",
		command: func(dir string) command {
			return command{[]string{b.npm("mcpvault"), filepath.Join(dir, "vault")}, b.env()}
		},
		store: func(name, body string) call {
			return call{"write_note", map[string]any{"path": name, "content": body}}
		},
		open: func(name string) call { return call{"read_note", map[string]any{"path": name}} },
		search: func(words string) call {
			return call{"search_notes", map[string]any{"query": words, "limit": 10}}
		},
		append: func(name, line string) call {
			return call{"write_note", map[string]any{"path": name, "mode": "append", "content": line}}
		},
		shows: func(name string) string { return name },
	}, {
		name: "obsidian-mcp",
		command: func(dir string) command {
			return command{[]string{b.npm("obsidian-mcp"), "serve", "--vault", "v=" + filepath.Join(dir, "vault")}, b.env()}
		},
		store: func(name, body string) call {
			return call{"obsidian_create_note", map[string]any{"vault": "v", "path": name, "content": body}}
		},
		open: func(name string) call {
			return call{"obsidian_read_note", map[string]any{"vault": "v", "path": name}}
		},
		search: func(words string) call {
			return call{"obsidian_search_vault", map[string]any{"vault": "v", "query": words, "limit": 10}}
		},
		append: func(name, line string) call {
			return call{"obsidian_edit_note", map[string]any{"vault": "v", "path": name, "operation": "append", "content": line}}
		},
		shows: func(name string) string { return name },
	}}
}

// run runs a command of Hence and waits for it.
func (b *bench) run(ctx context.Context, arguments ...string) error {
	output, err := exec.CommandContext(ctx, b.hence, arguments...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("hence %s: %w: %.500s", strings.Join(arguments, " "), err, output)
	}
	return nil
}
