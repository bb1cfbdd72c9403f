package clients

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"

	"hence/internal/fault"
)

// put puts the server into a configuration of any bytes, which is refused, or
// is again what it was after a second time.
func put(t *testing.T, client string, text []byte) (got []byte, ok bool) {
	c, err := Find(client)
	if err != nil {
		t.Fatal(err)
	}
	got, err = c.Put(text, server)
	if err != nil {
		if fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("Put: %v, want invalid_argument", err)
		}
		return nil, false
	}
	if again, err := c.Put(got, server); err != nil || string(again) != string(got) {
		t.Errorf("%q becomes %q, and then %q, %v", text, got, again, err)
	}
	return got, true
}

// FuzzPutJSON: the server is in the file in the end, and all else as it was.
func FuzzPutJSON(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "{ // c\n \"context_servers\": {\"x\": {}, /* d */ }, }", `{"context_servers":{"hence":{"command":"/old/hence","env":{"a":1}}}}`, `{"context_servers":{"hence":{"command":"theirs","env":{"a":1}}}}`, "\ufeff{}", "{\r\n\t\"a\": [1,],\r\n}\r\n",
		`{"context_servers":{"hence":{"command":1,"command":2}}}`, `{"context_servers":[]}`, `{"context_servers":null}`, `{"\u0063ontext_servers":{}}`, "{} // end", `{"a":1e999}`,
	} {
		f.Add([]byte(seed))
	}
	read := func(t *testing.T, text []byte) map[string]any {
		plain, err := hujson.Standardize(append(bytes.Clone(bytes.TrimPrefix(text, []byte("\uFEFF"))), '\n'))
		if err != nil {
			t.Fatal(err)
		}
		var all map[string]any
		if err := json.Unmarshal(plain, &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, ok := put(t, "zed", text)
		if !ok {
			return
		}
		before := map[string]any{}
		if len(text) > 0 && json.Valid(text) {
			before = read(t, text)
		}
		compareServers(t, "context_servers", before, read(t, got))
	})
}

// FuzzPutTOML is FuzzPutJSON for the one client that writes TOML.
func FuzzPutTOML(f *testing.F) {
	for _, seed := range []string{
		"", "a = 1", "[mcp_servers.x]\ncommand = \"y\"\n", "[mcp_servers.hence]\ncommand = 'old' # c\nargs = []\n[mcp_servers.hence.env]\na = 1\n", "mcp_servers = {}\n", "[[mcp_servers]]\n", "a = \"\"\"\n[mcp_servers.hence]\n\"\"\"\n",
		"[ mcp_servers . \"hence\" ]\n\"command\" = 1\n", "[mcp_servers]\nhence.command = 'x'\n", "a = 1\r\n[b]\r\n", "\ufeffa = 1\n", "d = 2026-01-01T00:00:00Z\nn = nan\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, ok := put(t, "codex", text)
		if !ok {
			return
		}
		before, after := map[string]any{}, map[string]any{}
		if err := toml.Unmarshal(text, &before); err != nil {
			t.Fatalf("%q was not refused: %v", text, err)
		}
		if err := toml.Unmarshal(got, &after); err != nil {
			t.Fatalf("%q became %q: %v", text, got, err)
		}
		compareServers(t, "mcp_servers", before, after)
	})
}

// compareServers tests that the server is in a configuration, and that all
// else is as it was before.
func compareServers(t *testing.T, place string, before, after map[string]any) {
	servers, _ := after[place].(map[string]any)
	ours, _ := servers[name].(map[string]any)
	args := []any{}
	for _, arg := range server.Args {
		args = append(args, arg)
	}
	list, _ := ours["args"].([]any)
	command, _ := ours["command"].(string)
	isTheirs := isRemote(ours) || command != "" && baseOf(command) != name || slices.Contains(list, any("serve")) && !cmp.Equal(list, args) // a person's own entry stays
	if !isTheirs && (ours["command"] != server.Command || !cmp.Equal(ours["args"], any(args))) {
		t.Errorf("the server is %v", ours)
	}
	if len(before) == 0 {
		return
	}
	for _, all := range []map[string]any{before, after} {
		if servers, ok := all[place].(map[string]any); ok {
			if ours, ok := servers[name].(map[string]any); ok {
				delete(ours, "command")
				delete(ours, "args")
				if len(ours) == 0 {
					delete(servers, name)
				}
			}
			if len(servers) == 0 {
				delete(all, place)
			}
		}
	}
	was, err := json.Marshal(before)
	if err != nil {
		return // a number that JSON cannot hold
	}
	if is, err := json.Marshal(after); err != nil || string(is) != string(was) {
		t.Errorf("beside the server it was %s, and is %s, %v", was, is, err)
	}
}
