package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

var wish = Wish{Server: server, Program: "/usr/bin/hence", Flags: `--db 'a b.db'`}

// someUser is a home and a project with nothing in them.
func someUser(t *testing.T) Places {
	root := dbtest.Folder(t)
	p := Places{Home: filepath.Join(root, "home"), Config: filepath.Join(root, "home", ".config"), Project: filepath.Join(root, "project"), State: filepath.Join(root, "state"), Getenv: func(string) string { return "" }}
	for _, folder := range []string{p.Config, p.Project} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// filesBelow are all files of a folder with their content, and the folders.
func filesBelow(t *testing.T, folder string) map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			all[path+"/"] = ""
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

// states applies and returns the state of each file by the end of its path.
func states(t *testing.T, all []Client, p Places, w Wish, do Do) map[string]State {
	t.Helper()
	got := map[string]State{}
	for _, c := range Apply(all, p, w, do, false) {
		if c.Problem != "" {
			t.Errorf("%s: %s", c.File, c.Problem)
		}
		got[strings.TrimPrefix(strings.TrimPrefix(c.File, p.Project+"/"), p.Home+"/")] = c.State
	}
	return got
}

// The texts in which files are found: JSON with comments, odd ends, line ends of
// Windows, a table or list that is there already.
var found = map[format][]string{
	asJSON: {
		"{}", "{ }\n", "{\n}\n", "{\n  \"a\": 1\n}", "{\r\n\t\"a\": [1,], // one\r\n\t/* end */\r\n}\r\n", `{"a": {"b": 2}}`, "// c\n{\n    \"a\": 1, // last\n}\n",
		"{\n  \"mcpServers\": {},\n  \"hooks\": { \"SessionStart\": [] },\n  \"version\": 1\n}\n",
		"{\n  // servers\n  \"mcpServers\": { \"other\": {\"command\": \"x\"} }, \"servers\": {\"o\": {}, },\n  \"hooks\": {\n    // mine\n    \"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}],\n  },\n}",
		"", "\n",
	},
	asTOML: {"", "a = 1", "# c\nmodel = \"o3\" # best\n\n[mcp_servers.other]\ncommand = \"x\"\n", "a = 1\r\n\r\n[b]\r\nc = 2", "[x]\n\n# the end\n"},
	asText: {"", "# Ours", "# Ours\n", "# Ours\r\n\r\nText.\r\n", "# Ours\n\n\n"},
}

// What init wrote is taken out to the byte, wherever it wrote it, and a second run
// writes nothing.
func TestApply_LeavesFilesAsTheyWere(t *testing.T) {
	for _, user := range []bool{false, true} {
		w := wish
		w.User = user
		w.Optional = map[Optional]bool{Prompts: true, Checkpoints: true, Actions: true, Helpers: true}
		for round := 0; round < 12; round++ {
			p := someUser(t)
			if round > 0 {
				for _, target := range targets(All(), p, w) {
					texts := found[target.format]
					write(t, target.file, texts[round%len(texts)])
				}
			}
			before := filesBelow(t, p.Home)
			beforeProject := filesBelow(t, p.Project)
			for file, state := range states(t, All(), p, w, Put) {
				if state != Made && state != Changed {
					t.Errorf("%s is %s", file, state)
				}
			}
			written := filesBelow(t, p.Project)
			for file, state := range states(t, All(), p, w, Put) {
				if state != Same {
					t.Errorf("a second time %s is %s", file, state)
				}
			}
			for file, state := range states(t, All(), p, w, Check) {
				if state != Same {
					t.Errorf("the check calls %s %s", file, state)
				}
			}
			if diff := cmp.Diff(written, filesBelow(t, p.Project)); diff != "" {
				t.Errorf("the second time it wrote:\n%s", diff)
			}
			states(t, All(), p, w, Remove)
			if diff := cmp.Diff(before, filesBelow(t, p.Home)); diff != "" {
				t.Errorf("user %v, round %d: the home is not as it was (-was +is):\n%s", user, round, diff)
			}
			if diff := cmp.Diff(beforeProject, filesBelow(t, p.Project)); diff != "" {
				t.Errorf("user %v, round %d: the project is not as it was (-was +is):\n%s", user, round, diff)
			}
			if left := Apply(All(), p, w, Remove, false); len(left) > 0 {
				t.Errorf("a second removal finds %v", left)
			}
		}
	}
}

// A project that was moved since is left as it was too.
func TestApply_LeavesAMovedProjectAsItWas(t *testing.T) {
	for _, texts := range []bool{false, true} {
		p := someUser(t)
		if texts {
			for _, target := range targets(All(), p, wish) {
				if strings.HasPrefix(target.file, p.Project+"/") {
					write(t, target.file, found[target.format][0])
				}
			}
		}
		before := filesBelow(t, p.Project)
		states(t, All(), p, wish, Put)
		old := p.Project
		p.Project = filepath.Join(filepath.Dir(old), "moved")
		if err := os.Rename(old, p.Project); err != nil {
			t.Fatal(err)
		}
		states(t, All(), p, wish, Remove)
		if err := os.Rename(p.Project, old); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, filesBelow(t, old)); diff != "" {
			t.Errorf("with files %v: the project is not as it was (-was +is):\n%s", texts, diff)
		}
		if left, err := os.ReadDir(filepath.Join(p.State, "init")); err != nil || len(left) > 0 {
			t.Errorf("with files %v: %d records are left, %v", texts, len(left), err)
		}
	}
}

// A file of the user's keeps its entry until the last project that asked for it, and
// that is there still, takes it out.
func TestApply_KeepsWhatAnotherProjectNeeds(t *testing.T) {
	desktop, err := Find("claude-desktop")
	if err != nil {
		t.Fatal(err)
	}
	one := []Client{desktop}
	setUp := func(t *testing.T) (a, b Places, before map[string]string, state func(p Places, do Do, user bool) State) {
		a = someUser(t)
		write(t, a.path(desktop.User), "{\n  \"a\": 1\n}\n")
		b = a
		b.Project = filepath.Join(filepath.Dir(a.Project), "other")
		write(t, filepath.Join(b.Project, "x"), "")
		return a, b, filesBelow(t, a.Home), func(p Places, do Do, user bool) State {
			w := wish
			w.User = user
			all := Apply(one, p, w, do, false)
			if len(all) == 0 {
				return Absent
			}
			if c := all[0]; c.State == Kept != (c.Problem != "") {
				t.Errorf("%s because of %q", c.State, c.Problem)
			}
			return all[0].State
		}
	}
	type step struct {
		other bool
		do    Do
		user  bool
		want  State
	}
	for name, steps := range map[string][]step{
		"the first that asked":  {{false, Put, false, Changed}, {true, Put, false, Same}, {false, Remove, false, Kept}, {false, Remove, false, Absent}, {true, Remove, false, Cleared}},
		"the second that asked": {{false, Put, false, Changed}, {true, Put, false, Same}, {true, Put, false, Same}, {true, Remove, false, Kept}, {false, Remove, false, Cleared}},
		"one that never asked":  {{false, Put, false, Changed}, {true, Remove, false, Absent}, {false, Remove, false, Cleared}},
		"the user has asked":    {{false, Put, true, Changed}, {true, Put, false, Same}, {true, Remove, false, Kept}, {false, Remove, true, Cleared}},
		"the user removes it":   {{false, Put, false, Changed}, {true, Put, false, Same}, {false, Remove, true, Cleared}, {true, Remove, false, Absent}},
		"only the user asked":   {{false, Put, true, Changed}, {true, Remove, false, Absent}, {true, Remove, true, Cleared}},
	} {
		t.Run(name, func(t *testing.T) {
			a, b, before, state := setUp(t)
			for i, s := range steps {
				p := a
				if s.other {
					p = b
				}
				if got := state(p, s.do, s.user); got != s.want {
					t.Errorf("step %d: %s, want %s", i+1, got, s.want)
				}
			}
			if diff := cmp.Diff(before, filesBelow(t, a.Home)); diff != "" {
				t.Errorf("at the end (-was +is):\n%s", diff)
			}
		})
	}
	t.Run("the other is gone", func(t *testing.T) {
		a, b, before, state := setUp(t)
		state(a, Put, false)
		state(b, Put, false)
		if err := os.RemoveAll(b.Project); err != nil {
			t.Fatal(err)
		}
		if got := state(a, Remove, false); got != Cleared {
			t.Errorf("%s", got)
		}
		if diff := cmp.Diff(before, filesBelow(t, a.Home)); diff != "" {
			t.Errorf("at the end (-was +is):\n%s", diff)
		}
	})
}

// What a person edits around our entries stays, and only ours go.
func TestApply_RemovesOnlyItsOwn(t *testing.T) {
	for _, c := range []struct{ name, client, file, before, from, to, after string }{
		{"AnotherKeyBehind", "claude-code", ".mcp.json", "{\n  \"a\": 1\n}\n", "\n  }\n}\n", "\n  },\n  \"b\": 2 // new\n}\n", "{\n  \"a\": 1,\n  \"b\": 2 // new\n}\n"},
		{"AnotherServer", "claude-code", ".mcp.json", "{\n  \"a\": 1\n}\n", "\"mcpServers\": {\n", "\"mcpServers\": {\n    \"x\": {\"command\": \"y\"}, // mine\n", "{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"x\": {\"command\": \"y\"} // mine\n  }\n}\n"},
		{"AServerBehind", "cursor", ".cursor/mcp.json", "{}", "]\n    }\n", "]\n    },\n    \"x\": {}\n", "{\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}"},
		{"OurEntryEdited", "gemini", ".gemini/settings.json", "{\n  // c\n}\n", `"command": "/usr/bin/hence"`, `"env": {"A": "b"}, "command": "/usr/bin/hence"`, "{\n  // c\n}\n"},
		{"ASecondHook", "claude-code", ".claude/settings.json", "", `fork",` + "\n        " + `"hooks": [` + "\n", `fork",` + "\n        " + `"hooks": [{"type": "command", "command": "mine"},` + "\n", "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"matcher\": \"startup|resume|clear|compact|fork\",\n        \"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}\n        ]\n      }\n    ]\n  }\n}\n"},
		{"TOMLAround", "codex", ".codex/config.toml", "model = \"a\"", "\n[mcp_servers.hence]", "\n[x]\ny = 1\n\n[mcp_servers.hence]", "model = \"a\"\n\n[x]\ny = 1"},
		{"TOMLWithin", "codex", ".codex/config.toml", "[a]\nb = 1\n", "command = ", "startup_timeout_sec = 3\ncommand = ", "[a]\nb = 1\n"},
		{"TOMLBehind", "codex", ".codex/config.toml", "[a]\nb = 1\n", `"]` + "\n", `"]` + "\n\n[mcp_servers.hence.env]\nA = \"b\"\n\n# the next\n[c]\nd = 1\n", "[a]\nb = 1\n\n# the next\n[c]\nd = 1\n"},
		{"TextBehind", "zed", "AGENTS.md", "# Ours", instructions.end + "\n", instructions.end + "\n\nMore.\n", "# Ours\n\nMore.\n"},
		{"TextWithin", "zed", "AGENTS.md", "# Ours\n", "## Memory", "## Our memory", "# Ours\n"},
		{"NewFileGrown", "zed", "AGENTS.md", "", instructions.end + "\n", instructions.end + "\nMine.\n", "Mine.\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := someUser(t)
			file := filepath.Join(p.Project, c.file)
			if c.before != "" {
				write(t, file, c.before)
			}
			client, err := Find(c.client)
			if err != nil {
				t.Fatal(err)
			}
			states(t, []Client{client}, p, wish, Put)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Count(string(text), c.from) != 1 {
				t.Fatalf("%q is not once in\n%s", c.from, text)
			}
			write(t, file, strings.Replace(string(text), c.from, c.to, 1))
			states(t, []Client{client}, p, wish, Remove)
			text, err = os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.after, string(text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Without its record, as in a checkout of somebody else's, only our entries go.
func TestApply_RemovesWithoutARecord(t *testing.T) {
	p := someUser(t)
	write(t, filepath.Join(p.Project, ".mcp.json"), "{\n  \"a\": 1\n}\n")
	states(t, All(), p, wish, Put)
	p.State = t.TempDir()
	states(t, All(), p, wish, Remove)
	if text, _ := os.ReadFile(filepath.Join(p.Project, ".mcp.json")); string(text) != "{\n  \"a\": 1\n}\n" {
		t.Errorf("the file has %q", text)
	}
	for file, text := range filesBelow(t, p.Project) {
		if strings.Contains(text, "hence") {
			t.Errorf("%s has %s", file, text)
		}
	}
	// A file of the user's may have been written for another project, or by hand.
	if text, _ := os.ReadFile(filepath.Join(p.Home, ".codeium", "windsurf", "mcp_config.json")); !strings.Contains(string(text), "hence") {
		t.Errorf("the user's file has %q", text)
	}
}

// What was written is brought up to date in its place, and what a person has turned
// on stays on.
func TestApply_BringsUpToDate(t *testing.T) {
	p := someUser(t)
	gemini, _ := Find("gemini")
	claude, _ := Find("claude-code")
	both := []Client{claude, gemini}
	w := wish
	w.Optional = map[Optional]bool{Prompts: true}
	states(t, both, p, w, Put)
	hooks := filepath.Join(p.Project, ".claude", "settings.json")
	text, _ := os.ReadFile(hooks)
	if !strings.Contains(string(text), "hook UserPromptSubmit --client claude-code") || strings.Contains(string(text), "Stop") {
		t.Errorf("the hooks are %s", text)
	}
	w.Optional, w.Program = nil, "'/opt/new place/hence'"
	for file, state := range states(t, both, p, w, Check) {
		if want := map[bool]State{true: Same, false: Old}[file == ".mcp.json"]; state != want {
			t.Errorf("the check calls %s %s, want %s", file, state, want)
		}
	}
	states(t, both, p, w, Put)
	text, _ = os.ReadFile(hooks)
	if got := strings.Count(string(text), "new place/hence' hook"); got != 3 || strings.Contains(string(text), "/usr/bin") {
		t.Errorf("the hooks are %s", text)
	}
	text, _ = os.ReadFile(filepath.Join(p.Project, ".gemini", "settings.json"))
	if strings.Contains(string(text), noPrompts) {
		t.Errorf("prompts are off: %s", text)
	}
	w.Optional = map[Optional]bool{Prompts: false}
	states(t, both, p, w, Put)
	text, _ = os.ReadFile(hooks)
	if strings.Contains(string(text), "UserPromptSubmit") {
		t.Errorf("the hook for prompts is there still: %s", text)
	}
	text, _ = os.ReadFile(filepath.Join(p.Project, ".gemini", "settings.json"))
	if !strings.Contains(string(text), noPrompts) {
		t.Errorf("prompts are on still: %s", text)
	}
	states(t, both, p, w, Remove)
	if diff := cmp.Diff(map[string]string{p.Project + "/": ""}, filesBelow(t, p.Project)); diff != "" {
		t.Errorf("left behind: %s", diff)
	}
}

// A file that cannot be changed is named, stays, and does not keep the others back.
func TestApply_RefusesWhatItCannotChange(t *testing.T) {
	p := someUser(t)
	outside := filepath.Join(p.Home, ".profile")
	write(t, outside, "mine\n")
	write(t, filepath.Join(p.Project, ".mcp.json"), "{ broken")
	link := func(to, from string) {
		if err := os.MkdirAll(filepath.Dir(from), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	link(outside, filepath.Join(p.Project, "AGENTS.md"))
	link(p.Home, filepath.Join(p.Project, ".cursor"))
	link("nowhere", filepath.Join(p.Project, ".gemini", "settings.json"))
	link("real.json", filepath.Join(p.Project, "opencode.json"))
	write(t, filepath.Join(p.Project, "real.json"), "{\n}\n")
	before := filesBelow(t, p.Home)
	got := map[string]State{}
	for _, c := range Apply(All(), p, wish, Put, false) {
		if (c.State == Refused) != (c.Problem != "") {
			t.Errorf("%+v", c)
		}
		got[strings.TrimPrefix(c.File, p.Project+"/")] = c.State
	}
	for file, want := range map[string]State{
		".mcp.json": Refused, "AGENTS.md": Refused, ".cursor/mcp.json": Refused, ".cursor/hooks.json": Refused, ".gemini/settings.json": Refused,
		"opencode.json": Changed, ".claude/settings.json": Made, ".codex/config.toml": Made,
	} {
		if got[file] != want {
			t.Errorf("%s is %s, want %s", file, got[file], want)
		}
	}
	after := filesBelow(t, p.Home)
	for file, text := range before {
		if after[file] != text {
			t.Errorf("%s has become %q", file, after[file])
		}
	}
	if info, err := os.Lstat(filepath.Join(p.Project, "opencode.json")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link has become %v, %v", info, err)
	}
	opencode, _ := Find("opencode")
	states(t, []Client{opencode}, p, wish, Remove)
	if text, _ := os.ReadFile(filepath.Join(p.Project, "real.json")); string(text) != "{\n}\n" {
		t.Errorf("behind the link is %q", text)
	}
}

func TestPresent(t *testing.T) {
	p := someUser(t)
	none := func(string) (string, error) { return "", os.ErrNotExist }
	if got := Present(p, none); len(got) > 0 {
		t.Errorf("found %v", got)
	}
	write(t, filepath.Join(p.Home, ".codex", "auth.json"), "{}")
	write(t, filepath.Join(p.Project, ".cursor", "rules", "a.mdc"), "x")
	got := []string{}
	for _, c := range Present(p, func(program string) (string, error) {
		if program == "zeditor" {
			return "/usr/bin/zeditor", nil
		}
		return none(program)
	}) {
		got = append(got, c.Name)
	}
	if diff := cmp.Diff([]string{"cursor", "codex", "zed"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestInstructionsAreShort(t *testing.T) {
	if text, err := instructions.put(""); err != nil || strings.Count(text, "\n") > 12 {
		t.Errorf("%d lines, %v", strings.Count(text, "\n"), err)
	}
	if _, err := Find("nobody"); fault.CodeOf(err) != fault.InvalidArgument {
		t.Error(err)
	}
}

// Two hooks of one event stand side by side; one goes without the other.
func TestApply_HooksOfTwoKindsAtOneEvent(t *testing.T) {
	p, w := someUser(t), wish
	c, err := Find("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	lines := func(kinds map[Optional]bool) (helpers, actions, failures bool) {
		w.Optional = kinds
		states(t, []Client{c}, p, w, Put)
		states(t, []Client{c}, p, w, Put)
		raw, err := os.ReadFile(filepath.Join(p.Project, ".claude", "settings.json"))
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		for _, kind := range []string{" PreToolUse --client claude-code --for=helpers ", " PreToolUse --client claude-code --for=actions ", " PostToolUseFailure --client claude-code "} {
			if strings.Count(text, kind) > 1 {
				t.Errorf("%q is there twice:\n%s", kind, text)
			}
		}
		// Copilot CLI runs these too, and refuses the tool where the command fails.
		if all, safe := strings.Count(text, " PreToolUse --client"), strings.Count(text, orNothing+`"`); all != safe || strings.Contains(text, orNothing+" ") {
			t.Errorf("%d of %d hooks before a tool do not fail:\n%s", safe, all, text)
		}
		return strings.Contains(text, "--for=helpers"), strings.Contains(text, "--for=actions"), strings.Contains(text, "PostToolUseFailure")
	}
	for _, step := range []struct {
		kinds                      map[Optional]bool
		helpers, actions, failures bool
	}{
		{nil, false, false, false},
		{map[Optional]bool{Actions: true}, false, true, true},
		{map[Optional]bool{Helpers: true}, true, true, true},
		{nil, true, true, true},
		{map[Optional]bool{Actions: false}, true, false, false},
		{map[Optional]bool{Helpers: false, Actions: true}, false, true, true},
	} {
		if helpers, actions, failures := lines(step.kinds); helpers != step.helpers || actions != step.actions || failures != step.failures {
			t.Errorf("with %v: helpers %v, actions %v, failures %v", step.kinds, helpers, actions, failures)
		}
	}
	states(t, []Client{c}, p, w, Remove)
	if _, err := os.Stat(filepath.Join(p.Project, ".claude")); err == nil {
		t.Error("a removal leaves .claude")
	}
}
