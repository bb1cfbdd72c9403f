package hooks

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// message is the input of a hook: its members by their plain names, because the clients
// differ in nothing but how they write these: session_id, sessionId. docs/hooks.md says where
// the clients document them. A member of another type than expected counts as left out.
type message map[string]json.RawMessage

// parse decodes the input of a hook, and reports whether it is a JSON object or empty.
func parse(input []byte) (m message, ok bool) {
	input = bytes.TrimSpace(bytes.TrimPrefix(input, []byte("\ufeff")))
	members := map[string]json.RawMessage{}
	if len(input) > 0 && (input[0] != '{' || json.Unmarshal(input, &members) != nil) {
		return nil, false
	}
	m = message{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if value := string(members[name]); value != "null" && value != `""` {
			m[plain(name)] = members[name] // session_id, which is sorted later, counts more than sessionId
		}
	}
	return m, true
}

// plain returns a name of a member or of a tool in lower case, with its letters and digits only.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return -1
	}, name)
}

// text returns the first of some members that is a text and not empty.
func (m message) text(names ...string) (text string) {
	for _, name := range names {
		if json.Unmarshal(m[name], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

// first returns the first text of a member that is a list of texts.
func (m message) first(name string) string {
	list := []string{}
	if json.Unmarshal(m[name], &list) != nil || len(list) == 0 {
		return ""
	}
	return list[0]
}

// object returns the first of some members that is an object, or a text that is one in JSON.
func (m message) object(names ...string) json.RawMessage {
	for _, name := range names {
		value := m[name]
		if text := m.text(name); text != "" {
			value = json.RawMessage(text)
		}
		if members := map[string]json.RawMessage(nil); json.Unmarshal(value, &members) == nil && members != nil {
			return value
		}
	}
	return nil
}

// editors are the plain names of the tools with which the agents of clients change files.
// A name that is not here is that of a tool that changes none: a session that is asked for a
// checkpoint without a reason is worse than one that is not asked.
var editors = strings.Fields(`
	edit multiedit notebookedit write
	applypatch patch
	writefile replace
	strreplace delete editnotebook searchreplace
	createfile replacestringinfile multireplacestringinfile inserteditintofile editfile editfiles editnotebookfile createnewfile
	create strreplaceeditor strreplacebasededittool texteditor
	fswrite fsappend fsreplace strreplacefile
	writetofile replaceinfile applydiff insertcontent searchandreplace
	replacefilecontent multireplacefilecontent editexistingfile singlefindandreplace
	createtextfile replacesymbolbody insertaftersymbol insertbeforesymbol
	deletefile movefile renamefile`)

// edits reports whether the tool changes a file. Some tools that edit also show a file, if
// their input says so.
func (t Tool) edits() bool {
	name := t.Name
	for _, mark := range []string{"__", ".", "/", ":"} { // mcp__files__write_file, functions.apply_patch
		if at := strings.LastIndex(name, mark); at >= 0 {
			name = name[at+len(mark):]
		}
	}
	name = plain(name)
	isForeign := strings.HasPrefix(t.Name, "mcp") // a server's tool may write or create anything
	if !slices.Contains(editors, name) || isForeign && !strings.Contains(name, "file") && !strings.Contains(name, "symbol") {
		return false
	}
	m, _ := parse(t.Input)
	return m.text("command") != "view"
}
