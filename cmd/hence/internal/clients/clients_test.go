package clients

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"
	"pgregory.net/rapid"

	"hence/internal/fault"
	_ "hence/internal/repeattest"
)

var server = Server{Command: "/usr/bin/hence", Args: []string{"serve", "--db", `C:\a "b".db`}}

const args = `["serve","--db","C:\\a \"b\".db"]`

func TestPut(t *testing.T) {
	for _, c := range []struct{ name, client, before, after string }{
		{"NoFile", "gemini", "", `{
  "mcpServers": {
    "hence": {
      "command": "/usr/bin/hence",
      "args": ` + args + `
    }
  }
}
`},
		{"Typed", "vscode", "{\n}\n", `{
  "servers": {
    "hence": {
      "type": "stdio",
      "command": "/usr/bin/hence",
      "args": ` + args + `
    }
  }
}
`},
		{"CommentsOrderAndTabs", "zed", `// Zed settings
{
	"z_first": 1, // stays first
	/* the servers */
	"context_servers": {
		// one of mine
		"other": { "command": "x", "args": [] } // its comment
	},
	"a_last": [1,2 , 3], // odd spaces
}
// the end
`, `// Zed settings
{
	"z_first": 1, // stays first
	/* the servers */
	"context_servers": {
		// one of mine
		"other": { "command": "x", "args": [] }, // its comment
		"hence": {
			"command": "/usr/bin/hence",
			"args": ` + args + `
		}
	},
	"a_last": [1,2 , 3], // odd spaces
}
// the end
`},
		{"TrailingComma", "zed", "{\n    \"a\": 1, // one\n    // nothing more\n}", "{\n    \"a\": 1, // one\n    // nothing more\n    \"context_servers\": {\n        \"hence\": {\n            \"command\": \"/usr/bin/hence\",\n            \"args\": " + args + "\n        }\n    },\n}"},
		{"OtherFieldsStay", "cursor", `{"mcpServers": {"hence": {"env": {"A": "b"}, "command": "/old/hence", "args": ["x"], "type": "stdio"}}, "x": 1}`,
			`{"mcpServers": {"hence": {"env": {"A": "b"}, "command": "/usr/bin/hence", "args": ` + args + `, "type": "stdio"}}, "x": 1}`},
		{"ACommentEndsTheFile", "vscode", `{"servers":{}} // end`, "{\"servers\":{\n  \"hence\": {\n    \"type\": \"stdio\",\n    \"command\": \"/usr/bin/hence\",\n    \"args\": " + args + "\n  }\n}} // end"},
		{"WindowsLines", "gemini", "{\r\n  \"a\": 1\r\n}\r\n", "{\r\n  \"a\": 1,\r\n  \"mcpServers\": {\r\n    \"hence\": {\r\n      \"command\": \"/usr/bin/hence\",\r\n      \"args\": " + args + "\r\n    }\r\n  }\r\n}\r\n"},
		{"CommentOnly", "vscode", "{\n  // nothing yet\n}\n", "{\n  // nothing yet\n  \"servers\": {\n    \"hence\": {\n      \"type\": \"stdio\",\n      \"command\": \"/usr/bin/hence\",\n      \"args\": " + args + "\n    }\n  }\n}\n"},

		{"TOMLNoFile", "codex", "", "[mcp_servers.hence]\ncommand = \"/usr/bin/hence\"\nargs = " + args + "\n"},
		{"TOMLAppended", "codex", "# mine\nmodel = \"o3\" # best\n\n[mcp_servers.other]\ncommand = \"x\"", "# mine\nmodel = \"o3\" # best\n\n[mcp_servers.other]\ncommand = \"x\"\n\n[mcp_servers.hence]\ncommand = \"/usr/bin/hence\"\nargs = " + args + "\n"},
		{"TOMLReplaced", "codex", "[mcp_servers.hence] # ours\n# how\ncommand = \"/old/hence\"\nstartup_timeout_sec = 30\nargs = []\n\n[mcp_servers.hence.env]\nargs = \"not these\"\n",
			"[mcp_servers.hence] # ours\n# how\ncommand = \"/usr/bin/hence\"\nstartup_timeout_sec = 30\nargs = " + args + "\n\n[mcp_servers.hence.env]\nargs = \"not these\"\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, err := Find(c.client)
			if err != nil {
				t.Fatal(err)
			}
			given := []byte(c.before)
			got, err := client.Put(given, server)
			if err != nil {
				t.Fatal(err)
			}
			if string(given) != c.before {
				t.Errorf("what was given has become %q", given)
			}
			if diff := cmp.Diff(c.after, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again, err := client.Put(got, server)
			if err != nil || string(again) != string(got) {
				t.Errorf("a second time it changes to %v\n%s", err, again)
			}
		})
	}
}

// What cannot be changed safely is refused, and the text of the refusal helps.
func TestPut_Refused(t *testing.T) {
	for name, c := range map[string]struct{ client, text string }{
		"Broken":        {"zed", `{"a": `},
		"AnArray":       {"zed", `[]`},
		"ServersAList":  {"gemini", `{"mcpServers": []}`},
		"EntryAText":    {"gemini", `{"mcpServers": {"hence": "x"}}`},
		"TOMLBroken":    {"codex", `a = `},
		"TOMLInline":    {"codex", `mcp_servers = { other = { command = "x" } }`},
		"TOMLLongArray": {"codex", "[mcp_servers.hence]\nargs = [\n  \"x\",\n]\n"},
		"TOMLInAText":   {"codex", "a = \"\"\"\n[mcp_servers.hence]\n\"\"\"\n"},
	} {
		client, err := Find(c.client)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := client.Put([]byte(c.text), server); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %v\n%s", name, err, got)
		} else if strings.Contains(err.Error(), " at ;") {
			t.Errorf("%s: no place is named: %v", name, err)
		}
	}
	if _, err := Find("emacs"); fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "claude-code, claude-desktop") {
		t.Errorf("an unknown client: %v", err)
	}
}

// Whatever a file holds, what was in it is in it still, in its order.
func TestPut_KeepsTheRest(t *testing.T) {
	values := []string{`1`, `"a // b"`, `{}`, `[1, {"x": 2}]`, `{ /* c */ "y": [ ] , }`, `null`, "{\n\"q\": 1 // r\n}"}
	extras := []string{"", " ", "\n", "\n  ", " // note, with comma\n", "/* x */", "\t"}
	client, _ := Find("zed")
	rapid.Check(t, func(r *rapid.T) {
		extra := func() string { return rapid.SampledFrom(extras).Draw(r, "extra") }
		text := extra() + "{"
		names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "context_servers", "b", "hence"}), 0, 4, rapid.ID).Draw(r, "names")
		for i, name := range names {
			value := rapid.SampledFrom(values).Draw(r, "value")
			if name == "context_servers" {
				value = rapid.SampledFrom([]string{`{}`, `{"other": {"command": "x"}}`, `{ "hence": {"env": {} } }`, "{// c\n}"}).Draw(r, "servers")
			}
			text += extra() + `"` + name + `"` + extra() + ":" + extra() + value + extra()
			if i < len(names)-1 || rapid.Bool().Draw(r, "comma") {
				text += ","
			}
		}
		text += extra() + "}" + extra()
		got, err := client.Put([]byte(text), server)
		if err != nil {
			r.Fatalf("%q: %v", text, err)
		}
		if !holdsInOrder(string(got), text) {
			r.Fatalf("%q became %q", text, got)
		}
		plain, err := hujson.Standardize(got)
		if err != nil {
			r.Fatal(err)
		}
		var is struct {
			Servers map[string]Server `json:"context_servers"`
		}
		if err := json.Unmarshal(plain, &is); err != nil {
			r.Fatal(err)
		}
		if diff := cmp.Diff(server, is.Servers["hence"]); diff != "" {
			r.Fatalf("%q: %s", got, diff)
		}
	})
}

// holdsInOrder reports whether a text has all letters of another, in order;
// white space does not count.
func holdsInOrder(text, parts string) bool {
	for _, letter := range strings.Join(strings.Fields(parts), "") {
		at := strings.IndexRune(text, letter)
		if at < 0 {
			return false
		}
		text = text[at+1:]
	}
	return true
}

func TestWrite(t *testing.T) {
	home := t.TempDir()
	places := Places{Home: home, Config: filepath.Join(home, "config"), Project: filepath.Join(home, "project"), State: filepath.Join(home, "state"), Getenv: func(string) string { return "" }}
	if err := os.Mkdir(places.Project, 0o755); err != nil {
		t.Fatal(err)
	}
	client, _ := Find("codex")
	if made := client.Write(places, server); made.State != Made || made.File != filepath.Join(home, ".codex", "config.toml") {
		t.Fatalf("made %+v", made)
	}
	if again := client.Write(places, server); again.State != Same {
		t.Errorf("again %+v", again)
	}
	for _, path := range []string{"hooks.json", "AGENTS.md"} {
		if _, err := os.Stat(filepath.Join(home, ".codex", path)); err == nil {
			t.Errorf("setup wrote %s too", path)
		}
	}

	// A link stays a link, permissions stay, and a removal gives the old text back.
	zed, _ := Find("zed")
	real := filepath.Join(home, "dotfiles.json")
	const before = "{ // mine\n}\n"
	if err := os.WriteFile(real, []byte(before), 0o640); err != nil {
		t.Fatal(err)
	}
	link := zed.File(places)
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if done := zed.Write(places, server); done.State != Changed {
		t.Fatalf("written %+v", done)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link has become %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the permissions have become %v, %v", info.Mode(), err)
	}
	if text, _ := os.ReadFile(real); !strings.Contains(string(text), `"hence"`) || !strings.Contains(string(text), "// mine") {
		t.Errorf("the file has %s", text)
	}
	Apply([]Client{zed}, places, Wish{Server: server, User: true}, Remove, false)
	if text, _ := os.ReadFile(real); string(text) != before {
		t.Errorf("a removal leaves %q", text)
	}
	files, err := filepath.Glob(filepath.Join(home, ".hence-*"))
	if err != nil || len(files) > 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

// TestHookLines holds the hooks that init writes. A client trusts a hook by a hash of its
// definition and by its place among the others: what changes here, people must trust again.
// New lines come last.
func TestHookLines(t *testing.T) {
	w := Wish{Program: "hence", Flags: "--project auto", Optional: map[Optional]bool{Prompts: true, Checkpoints: true, Actions: true, Helpers: true}}
	got := []string{}
	for _, c := range all() {
		if c.Hooks == nil {
			continue
		}
		for _, p := range c.hookParts(w) {
			text, err := p.put("")
			if err != nil {
				t.Fatal(err)
			}
			var file struct {
				Hooks map[string][]struct {
					group
					command
				}
			}
			if err := json.Unmarshal([]byte(text), &file); err != nil {
				t.Fatal(err)
			}
			for _, groups := range file.Hooks {
				for _, g := range groups {
					for _, h := range append(g.Hooks, g.command) {
						if h.Command != "" {
							got = append(got, fmt.Sprintf("%s|%s|%s|%d", c.Name, g.Matcher, h.Command, h.Timeout))
						}
					}
				}
			}
		}
	}
	for _, want := range []string{
		"claude-code|startup|resume|clear|compact|fork|hence hook SessionStart --client claude-code --project auto|5",
		"claude-code||hence hook UserPromptSubmit --client claude-code --project auto|5",
		"claude-code|Edit|MultiEdit|NotebookEdit|Write|hence hook PostToolUse --client claude-code --project auto|5",
		"claude-code||hence hook Stop --client claude-code --project auto|5",
		"cursor||hence hook sessionStart --client cursor --project auto|5",
		"cursor||hence hook afterFileEdit --client cursor --project auto|5",
		"cursor||hence hook stop --client cursor --project auto|5",
		"codex|startup|resume|clear|compact|hence hook SessionStart --client codex --project auto|5",
		"codex||hence hook UserPromptSubmit --client codex --project auto|5",
		"codex|apply_patch|Edit|Write|hence hook PostToolUse --client codex --project auto|5",
		"codex||hence hook Stop --client codex --project auto|5",
		"gemini||hence hook SessionStart --client gemini --project auto|5000",
		"gemini||hence hook PreCompress --client gemini --project auto|5000",
		"gemini||hence hook BeforeAgent --client gemini --project auto|5000",
		"gemini|write_file|replace|hence hook AfterTool --client gemini --project auto|5000",
		"gemini||hence hook AfterAgent --client gemini --project auto|5000",
	} {
		at := slices.Index(got, want)
		if at < 0 {
			t.Fatalf("%s is missing in\n%s", want, strings.Join(got, "\n"))
		}
		got = got[at+1:] // in this order
	}
}

// TestPutHook_OldMatcher: what an earlier release wrote is brought up to date, a person's own is not.
func TestPutHook_OldMatcher(t *testing.T) {
	c, err := Find("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	start := c.hookParts(wish)[0]
	now, err := start.put("{} // mine\n")
	if err != nil {
		t.Fatal(err)
	}
	for matcher, isOld := range map[string]bool{"startup|resume|clear|compact": true, "startup": false, "": false} {
		before := strings.Replace(now, c.Hooks.Events[0].Matcher, matcher, 1)
		after, err := start.put(before)
		if err != nil || isOld && after != now || !isOld && after != before {
			t.Errorf("%q: %v\n%s", matcher, err, after)
		}
	}
}
