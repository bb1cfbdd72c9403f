package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/fault"
)

// usual is what a plain init wishes for.
var usual = Wish{Server: Server{Command: "/usr/bin/hence", Args: []string{"serve", "--project", "auto"}}, Name: "hence", Program: "hence", Flags: "--project auto"}

// An entry that a person made or changed keeps what is not of init, a check does not call it
// old, and a removal gives back the bytes that stood there.
func TestApply_KeepsAnEntryMadeByHand(t *testing.T) {
	// Without a record, as in a checkout of somebody else's, these are taken for what init wrote.
	looksOurs := map[string]bool{"AProject": true, "TOMLQuoted": true, "AnOldBlock": true}
	json := func(entry string) string {
		return "{\n  // mine\n  \"mcpServers\": { \"hence\": " + entry + ", \"b\": {} },\n}\n"
	}
	for _, c := range []struct {
		name, client, file, before string
		after                      string // "": as before
		flags                      []string
	}{
		{name: "Flags", client: "claude-code", file: ".mcp.json", before: json(`{"command":"hence","args":["serve","--vault-write","--db","/data/x.db"]}`)},
		{name: "Environment", client: "claude-code", file: ".mcp.json", before: json(`{"args": ["serve"], "command": "hence", "env": {"A": "b"}, "timeout": 9}`)},
		{name: "AnotherPath", client: "claude-code", file: ".mcp.json", before: json(`{"type": "stdio", "command": "/old/bin/hence", "args": ["serve", "--tools", "memory"], "env": {"A": "b"}}`),
			after: json(`{"type": "stdio", "command": "hence", "args": ["serve", "--tools", "memory"], "env": {"A": "b"}}`)},
		{name: "AStoreAskedFor", client: "claude-code", file: ".mcp.json", before: json(`{"command":"hence","args":["serve","--vault-write","--db","/data/x.db"]}`), flags: []string{"--db", "/data/y.db"},
			after: json(`{"command":"hence","args":["serve","--vault-write","--db","/data/y.db"]}`)},
		{name: "AProject", client: "cursor", file: ".cursor/mcp.json", before: json(`{"command":"hence","args":["serve","--project","shop"]}`)},
		{name: "ALauncher", client: "cursor", file: ".cursor/mcp.json", before: json(`{"command":"docker","args":["run","-i","hence:2","serve"]}`)},
		{name: "ARemoteServer", client: "claude-code", file: ".mcp.json", before: json(`{"type":"http","url":"https://example.org/mcp"}`)},
		{name: "AnotherProgram", client: "claude-code", file: ".mcp.json", before: json(`{"command":"mine","args":["x"],"env":{"A":"b"}}`)},
		{name: "AShell", client: "claude-code", file: ".mcp.json", before: json(`{"command":"bash","args":["-lc","hence serve --vault-write"]}`)},
		{name: "AScript", client: "claude-code", file: ".mcp.json", before: json(`{"command":"/opt/start-hence.sh"}`)},
		{name: "AShellJoined", client: "opencode", file: "opencode.json", before: `{"mcp": {"hence": {"type": "local", "command": ["sh", "-c", "exec hence serve"], "enabled": true}}}`},
		{name: "AShellTOML", client: "codex", file: ".codex/config.toml", before: "[mcp_servers.hence]\ncommand = \"sh\"\nargs = [\"-c\", \"exec hence serve\"]\n"},
		{name: "NoCommand", client: "claude-code", file: ".mcp.json", before: json(`{"args":["serve"]}`),
			after: "{\n  // mine\n  \"mcpServers\": { \"hence\": {\"args\":[\"serve\",\"--project\",\"auto\"],\n    \"type\": \"stdio\",\n    \"command\": \"hence\"\n  }, \"b\": {} },\n}\n"},
		{name: "NoServe", client: "claude-code", file: ".mcp.json", before: json(`{"command":"hence","args":["x"]}`),
			after: "{\n  // mine\n  \"mcpServers\": { \"hence\": {\"command\":\"hence\",\"args\":[\"serve\",\"--project\",\"auto\"],\n    \"type\": \"stdio\"\n  }, \"b\": {} },\n}\n"},
		{name: "Twice", client: "claude-code", file: ".mcp.json", before: `{"mcpServers":{"hence":{"command":"a"},"hence":{"command":"hence","args":["serve","-v"]}}}`},
		{name: "Escaped", client: "claude-code", file: ".mcp.json", before: json(`{"command":"h\u0065nce","args":["serve","--x"]}`)},
		{name: "Joined", client: "opencode", file: "opencode.json", before: `{"mcp": {"hence": {"type": "local", "command": ["hence", "serve", "--vault-write"], "enabled": false}}}`},
		{name: "TOML", client: "codex", file: ".codex/config.toml", before: "[mcp_servers.hence]\ncommand = \"hence\"\nargs = [\n  \"serve\",\n  \"--vault-write\",\n]\nstartup_timeout_sec = 30\n\n[mcp_servers.hence.env]\nA = \"b\"\n\n[mcp_servers.hence.tools]\nx = 1\n"},
		{name: "TOMLQuoted", client: "codex", file: ".codex/config.toml", before: "[ mcp_servers . \"hence\" ]\ncommand = \"/old/hence\"\nargs = [\"serve\"]\n", after: "[ mcp_servers . \"hence\" ]\ncommand = \"hence\"\nargs = [\"serve\"]\n"},
		{name: "ByteOrderMark", client: "claude-code", file: ".mcp.json", before: "\uFEFF" + json(`{"command":"/old/hence","args":["serve","--x"]}`), after: "\uFEFF" + json(`{"command":"hence","args":["serve","--x"]}`)},
		{name: "AnOldBlock", client: "zed", file: "AGENTS.md", before: "# A\n\n<!-- hence:begin (old) -->\n\nOld words.\n\n<!-- hence:end -->\n", after: "# A\n\n" + ownBlock + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := someUser(t)
			file := filepath.Join(p.Project, c.file)
			write(t, file, c.before)
			client, err := Find(c.client)
			if err != nil {
				t.Fatal(err)
			}
			w, after := usual, c.after
			if after == "" {
				after = c.before
			}
			w.Server.Args = append([]string{"serve"}, append(c.flags, "--project", "auto")...)
			now := func() string {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				return string(text)
			}
			state := func(do Do) State {
				for _, change := range Apply([]Client{client}, p, w, do, false) {
					if change.File == file {
						return change.State
					}
				}
				return Absent
			}
			if !looksOurs[c.name] {
				if got := state(Remove); got != Kept || now() != c.before {
					t.Errorf("a removal of what init did not write is %s: %s", got, now())
				}
			}
			if got, want := state(Check), map[bool]State{true: Same, false: Old}[c.after == ""]; got != want {
				t.Errorf("the check calls it %s, want %s", got, want)
			}
			for round, want := range []State{map[bool]State{true: Same, false: Changed}[c.after == ""], Same} {
				if got := state(Put); got != want {
					t.Errorf("round %d: %s, want %s", round, got, want)
				}
				if diff := cmp.Diff(after, now()); diff != "" {
					t.Errorf("round %d (-want +got):\n%s", round, diff)
				}
			}
			for range 2 {
				state(Remove)
				if diff := cmp.Diff(c.before, now()); diff != "" {
					t.Errorf("after the removal (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// A hook's command line keeps what a person put around its command and among its flags.
func TestMergeHook(t *testing.T) {
	const line = "hence hook SessionStart --client claude-code"
	for _, c := range []struct{ there, line, want string }{ // want "": as there
		{"direnv exec . hence hook SessionStart --db /tmp/mine.db --client claude-code --within 1s", line, ""},
		{"HENCE_DB=/tmp/mine.db hence hook SessionStart --client=claude-code --within 2s", line, ""},
		{"hence hook SessionStart --client=claude-code --within=1s --db=/tmp/mine.db", line + " --project auto", ""},
		{"hence hook SessionStart --client claude-code --db '/tmp/a  b/x.db'", line, ""},
		{"hence hook SessionStart --client claude-code --db \"/tmp/it's|a b.db\"  --within 1s", line, ""},
		{"hence hook SessionStart --client claude-code --db $(pwd)/x.db --within `t 1`", line + " --db /y", "hence hook SessionStart --client claude-code --db /y --within `t 1`"},
		{line + " --within 1s || true", line + " --db X", line + " --within 1s --db X || true"},
		{line + " --within 1s 2>>/tmp/log", line + " --db X", line + " --within 1s --db X 2>>/tmp/log"},
		{line + "; true", line + " --db X", line + " --db X; true"},
		{line + " # mine", line + " --db X", line + " --db X # mine"},
		{"cd /x && ./hence hook SessionStart --client claude-code", "/new/" + line, ""},
		{"A='b c' /old/hence hook SessionStart --client claude-code --x", "/new/" + line, "A='b c' /old/hence hook SessionStart --client claude-code --x"},
		{"A=b /old/hence hook SessionStart --client claude-code --x", "/new/" + line, "A=b /new/hence hook SessionStart --client claude-code --x"},
		{"'/old place/hence' hook SessionStart --client claude-code", "/new/" + line, "/new/" + line},
		{`sh -c "hence hook SessionStart --client claude-code --within 1s"`, line + " --db X", ""},
		{line + " --db 'x", line + " --db X", ""},
		{line, line + noPrompts + orNothing, line + noPrompts + orNothing},
		{line + noPrompts + " --within 1s" + orNothing, line, line + " --within 1s"},
	} {
		if c.want == "" {
			c.want = c.there
		}
		if got := mergeHook(c.there, c.line); got != c.want {
			t.Errorf("of %s\n  there %s\nbecomes %s", c.line, c.there, got)
		}
		if !isOurs(c.there, "SessionStart", "claude-code") {
			t.Errorf("%s is not taken for a hook of Hence", c.there)
		}
	}
}

var ownBlock = func() string {
	text, err := instructions.put("")
	if err != nil {
		panic(err)
	}
	return strings.TrimSuffix(text, "\n")
}()

// What a person adds to the entry and the hook that init wrote stays at the next init.
func TestApply_KeepsFlagsThatAPersonAdded(t *testing.T) {
	p := someUser(t)
	client, err := Find("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	one := []Client{client}
	states(t, one, p, usual, Put)
	entry, hooks := filepath.Join(p.Project, ".mcp.json"), filepath.Join(p.Project, ".claude", "settings.json")
	edit := func(file, from, to string) {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil || strings.Count(string(text), from) != 1 {
			t.Fatalf("%q is not once in %s, %v", from, text, err)
		}
		write(t, file, strings.Replace(string(text), from, to, 1))
	}
	edit(entry, `"--project","auto"`, `"--project","auto","--vault-write"`)
	edit(hooks, `hook SessionStart --client claude-code --project auto`, `hook SessionStart --client claude-code --project auto --within 2s`)
	before := filesBelow(t, p.Project)
	for _, do := range []Do{Check, Put} {
		for file, state := range states(t, one, p, usual, do) {
			if state != Same {
				t.Errorf("%s is %s", file, state)
			}
		}
	}
	if diff := cmp.Diff(before, filesBelow(t, p.Project)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	w := usual
	w.Program, w.Name, w.Server.Command = "/new/hence", "", "/new/hence"
	states(t, one, p, w, Put)
	after := filesBelow(t, p.Project)
	if !strings.Contains(after[entry], `"--vault-write"`) || !strings.Contains(after[entry], `"/new/hence"`) || !strings.Contains(after[hooks], "/new/hence hook SessionStart --client claude-code --project auto --within 2s") {
		t.Errorf("%s\n%s", after[entry], after[hooks])
	}
	states(t, one, p, w, Remove)
	if diff := cmp.Diff(map[string]string{p.Project + "/": ""}, filesBelow(t, p.Project)); diff != "" {
		t.Errorf("left behind (-want +got):\n%s", diff)
	}
}

// A mark counts alone on its line and outside of code, and one without an end is refused with
// its line.
func TestMarksOfABlock(t *testing.T) {
	begin := instructions.begin + instructions.about
	for _, c := range []struct {
		name, text string
		isIn       bool
		refused    string
	}{
		{name: "None", text: "# A\n"},
		{name: "Whole", text: "# A\n" + ownBlock + "\nMore\n", isIn: true},
		{name: "WindowsLines", text: strings.ReplaceAll("# A\n"+ownBlock+"\nMore\n", "\n", "\r\n"), isIn: true},
		{name: "Indented", text: "  " + begin + "\nx\n   " + instructions.end + "\n", isIn: true},
		{name: "InAFence", text: "```\n" + ownBlock + "\n```\n"},
		{name: "InALongFence", text: "````md\n```\n" + ownBlock + "\n```\n````\n"},
		{name: "InAFenceOfTildes", text: "~~~\n" + ownBlock + "\n~~~\n"},
		{name: "InAnIndentedFence", text: "- x\n\n  ```\n  " + strings.ReplaceAll(ownBlock, "\n", "\n  ") + "\n  ```\n"},
		{name: "InIndentedCode", text: "x\n\n    " + strings.ReplaceAll(ownBlock, "\n", "\n    ") + "\n"},
		{name: "InAQuotation", text: "> " + strings.ReplaceAll(ownBlock, "\n", "\n> ") + "\n"},
		{name: "WithinALine", text: "The marks are `" + begin + "` and `" + instructions.end + "`.\n"},
		{name: "InALine", text: "Between " + begin + " and " + instructions.end + " is ours.\n"},
		{name: "BehindAFence", text: "```sh\nx\n```\n" + ownBlock + "\n", isIn: true},
		{name: "BehindAnOpenFence", text: "# A\n\n```\nx\n\n" + ownBlock + "\n", isIn: true},
		{name: "AStrayEnd", text: "# A\n" + instructions.end + "\nRules\n"},
		{name: "AStrayEndBefore", text: instructions.end + "\n" + ownBlock + "\n", isIn: true},
		{name: "NoEnd", text: "# A\n" + begin + "\n\nNever push on Friday.\n", refused: "line 2 "},
		{name: "NoEndBeforeAnother", text: begin + "\nNever push on Friday.\n\n" + ownBlock + "\n", refused: "line 1 "},
		{name: "TheEndInAFence", text: begin + "\n```\n" + instructions.end + "\n```\nNever push on Friday.\n", refused: "line 1 "},
		{name: "TheTeams", text: "<!-- hence-team:begin -->\nx\n<!-- hence-team:end -->\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			once, err := instructions.put(c.text)
			if c.refused != "" {
				_, cut := instructions.cut(c.text)
				if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), c.refused) || cut == nil {
					t.Errorf("%v, and cut: %v, want a refusal of %q", err, cut, c.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			twice, err := instructions.put(once)
			if err != nil || twice != once {
				t.Errorf("a second time it becomes %q, %v, not %q", twice, err, once)
			}
			without, err := instructions.cut(once)
			if err != nil {
				t.Fatal(err)
			}
			if !c.isIn && without != c.text {
				t.Errorf("put and cut make %q of %q", without, c.text)
			}
			if c.isIn && strings.Count(once, instructions.begin) != 1 {
				t.Errorf("it was not found: %q", once)
			}
		})
	}
}

// A text in UTF-16 is refused, and one with a byte order mark keeps it.
func TestApply_TextsOfWindows(t *testing.T) {
	vscode, err := Find("vscode")
	if err != nil {
		t.Fatal(err)
	}
	codex, _ := Find("codex")
	for _, c := range []struct{ name, file, text string }{
		{"Marked", "AGENTS.md", "\uFEFF# A\r\n"}, {"MarkedJSON", ".vscode/mcp.json", "\uFEFF{\r\n}\r\n"}, {"MarkedTOML", ".codex/config.toml", "\uFEFFa = 1\r\n"},
		{"OnlyAMark", "AGENTS.md", "\uFEFF"},
		{"LowFirst", "AGENTS.md", "\xff\xfe#\x00 \x00A\x00\n\x00"}, {"HighFirst", ".vscode/mcp.json", "\xfe\xff\x00{\x00}"}, {"WideTOML", ".codex/config.toml", "\xff\xfea\x00=\x001\x00"},
		{"WithoutAMark", "AGENTS.md", "\xe4\x00\xf6\x00\n\x00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := someUser(t)
			file := filepath.Join(p.Project, c.file)
			write(t, file, c.text)
			isWide := strings.Contains(c.text, "\x00")
			both := []Client{vscode, codex}
			for _, change := range Apply(both, p, usual, Put, false) {
				if change.File == file && (change.State == Refused) != isWide {
					t.Errorf("%+v", change)
				}
				if change.File == file && isWide && !strings.Contains(change.Problem, "UTF-16") {
					t.Error(change.Problem)
				}
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if isWide && string(text) != c.text || !isWide && (!strings.HasPrefix(string(text), "\uFEFF") || strings.Count(string(text), "\uFEFF") != 1 || !strings.Contains(string(text), "hence")) {
				t.Errorf("it is now %q", text)
			}
			Apply(both, p, usual, Remove, false)
			if text, err := os.ReadFile(file); err != nil || string(text) != c.text {
				t.Errorf("after the removal it is %q, %v", text, err)
			}
		})
	}
}

// A folder that several clients share goes with the last file in it.
func TestApply_RemovesASharedFolder(t *testing.T) {
	p := someUser(t)
	if err := os.Remove(p.Config); err != nil {
		t.Fatal(err)
	}
	before := filesBelow(t, p.Home)
	w := usual
	w.User = true
	states(t, All(), p, w, Put)
	states(t, All(), p, w, Remove)
	if diff := cmp.Diff(before, filesBelow(t, p.Home)); diff != "" {
		t.Errorf("left behind (-want +got):\n%s", diff)
	}
}
