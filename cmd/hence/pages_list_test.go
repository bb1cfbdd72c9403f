//go:build unix

package main

// pageOfDocs says how the commands of a page are run.
type pageOfDocs struct {
	before string            // what the page takes for granted: lines for a shell
	ahead  map[string]string // what somebody does before a command, by a part of it: lines for a shell
	exits  map[string]int    // exit codes other than 0, by a part of the command
	not    map[string]string // what cannot run here, by a part of the command: why
	needs  []string          // other programs, without which the page is skipped
}

// notAnywhere are calls that cannot run in a test on any page, by a part of the command.
var notAnywhere = map[string]string{
	"rqlite:":        "a cluster: make test-cluster starts rqlited and runs these",
	"hence cluster ": "a cluster: make test-cluster starts rqlited and runs these",
	"ssh://":         "another machine: TestScripts/sync merges over a program that stands in for ssh",
	"--issuer":       "an identity provider: make test-clients runs one",
}

// others are programs that call hence in their way, which a test of pages does not start: why.
var others = map[string]string{
	"npx":       "Node's: the tests of packages run it on the package that is made here",
	"npm":       "likewise",
	"go":        "it would build: the tests of packages do",
	"make":      "likewise",
	"docker":    "a container engine: the tests of packages run the root folder that its file describes",
	"podman":    "likewise",
	"claude":    "Claude Code's",
	"curl":      "it asks the network",
	"sudo":      "it changes the machine",
	"systemctl": "likewise",
	"useradd":   "likewise",
	"ExecStart": "systemd's",
}

// harmless are the other programs that pages call, and that a test may.
var harmless = []string{"cd", "mkdir", "cat", "echo", "printf", "export", "cp", "mv", "rm", "sed", "jq", "ls", "git", "sqlite3"}

// pagesOfDocs are the pages that need more than a person who has just come.
var pagesOfDocs = map[string]pageOfDocs{
	"accountability.md": {
		before: `hence store "Rows of sales are kept for nine years."`,
		exits:  map[string]int{"hence replay last": 3}, // no agent was shown anything
	},
	"agents.md": {
		before: `mkdir -p ~/.claude/projects/-home-you-queue/memory && cd ~/.claude/projects/-home-you-queue/memory
printf -- '- [Lease renewal](lease-renewal.md) — at two thirds of the term\n' > MEMORY.md
printf -- '---\nname: lease-renewal\nmetadata:\n  type: feedback\n---\nRenew a lease at two thirds of its term, never at its end.\n\n**Why:** two renewals were lost to a slow clock. See [[slow-clock]].\n' > lease-renewal.md
cd ~/project
mkdir -p ~/.claude ~/.cursor ~/.codex ~/.config/opencode docs && touch CLAUDE.md && echo A note. > docs/Note.md && rm -r examples
hence store "Rows of sales are kept for nine years."`,
		not:   map[string]string{"hence trust queue-rules": "the page's project has no rules: TestScripts/agents_files raises them"},
		ahead: map[string]string{"hence serve --toolsets": "hence import docs"},
	},
	"cluster.md": {
		before: `hence store "Of team A." --namespace team-a`,
	},
	"code.md": {
		before: `mkdir -p repo/queue
printf 'module example.com/repo\n' > repo/go.mod
printf 'package queue\n\n// Drain empties the queue.\nfunc Drain() int { return once(1) }\n\nfunc once(n int) int { return n + 1 }\n' > repo/queue/queue.go
printf 'package queue\n\nimport "testing"\n\nfunc TestDrain(t *testing.T) { Drain() }\n' > repo/queue/queue_test.go`,
		ahead: map[string]string{"hence trace queue.once": `sed 's/n + 1/n + 2/' repo/queue/queue.go > edited && mv edited repo/queue/queue.go`},
		not:   map[string]string{"hence forget --vault": "it asks the person at the terminal: TestScripts/terminal answers"},
	},
	"conversations.md": {
		before: `mkdir -p ~/.claude/projects/-repo ~/.codex/sessions/2026/11/03 ~/Downloads/chatgpt-export ~/Downloads/claude-export
echo '{"type":"user","uuid":"u1","sessionId":"s1","timestamp":"2026-11-03T09:00:00Z","cwd":"/repo","message":{"role":"user","content":"Renew leases before they end."}}' > ~/.claude/projects/-repo/s1.jsonl
echo '{"timestamp":"2026-11-03T10:00:00Z","type":"session_meta","payload":{"id":"x1","timestamp":"2026-11-03T10:00:00Z","cwd":"/repo"}}
{"timestamp":"2026-11-03T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Why do leases end?"}]}}' > ~/.codex/sessions/2026/11/03/rollout-1.jsonl
echo '[{"id":"c1","title":"Leases","create_time":1762160000,"current_node":"n1","mapping":{"n1":{"id":"n1","parent":null,"children":[],"message":{"id":"m1","author":{"role":"user"},"create_time":1762160000,"content":{"content_type":"text","parts":["What is a lease?"]}}}}}]' > ~/Downloads/chatgpt-export/conversations.json
echo '[{"uuid":"c2","name":"Tea","created_at":"2025-11-03T09:00:00Z","chat_messages":[{"uuid":"m1","sender":"human","text":"Which tea?","created_at":"2025-11-03T09:00:00Z"}]}]' > ~/Downloads/claude-export/conversations.json
hence store "Leases are renewed before they end." --title "Renew leases"`,
	},
	"getting-started.md": {before: "git init --quiet .", needs: []string{"git"}},
	"hooks.md": {
		before: `hence store "Rows of sales are kept for nine years." --title "Rows for nine years" --project auto`,
	},
	"migrating.md": {
		ahead: map[string]string{"--namespace dev": "rm ~/.local/share/hence/hence.db*"}, // in place of the import above it
		needs: []string{"jq"},
	},
	"README.md": {before: `mkdir bin && ln -s "$(command -v hence)" bin/hence && hence --db bin/demo.db import examples/vault`},
	"sqlite.md": {needs: []string{"sqlite3"}},
	"sync.md": {
		before: `mkdir -p ~/usb ~/Sync/hence && git init --quiet .
hence store "Stored here." --title Here --kind decision --project auto
hence --db ~/usb/hence.db store "Stored there." --title There
hence --db ~/usb/hence.db export memories.jsonl && cp memories.jsonl theirs.jsonl`,
		ahead: map[string]string{"hence check --since": "git update-ref refs/remotes/origin/main HEAD"},
		not:   map[string]string{"- run: ": "a step of GitHub Actions; the page has the same command above it"},
		needs: []string{"git"},
	},
	"tidy.md": {
		before: `hence store "Deploys happen on Fridays."
hence store "deploys happen on Fridays!" --dedup off
hence store "PocketBase runs on port 8090."
hence store "The port of PocketBase is 9000."
hence store "Ada Quill maintains Night Ferry."
hence store "Calls about Night Ferry go to its maintainer, Bea Marsh."
hence store "The retry limit of the importer is 5."
hence store "The retry limit of the importer was raised to 8."`,
	},
}
