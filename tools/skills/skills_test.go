package skills

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hence/internal/db"
)

// A client lists the skills, gets one, and checks the file that it reads by its digest.
func TestSkills_OverMCP(t *testing.T) {
	ask := func(message string) (answer struct {
		ID     json.RawMessage
		Result struct {
			ResultType string
			Skills     []skill
			Skill      skill
		}
		Error struct {
			Code    int
			Message string
		}
	}) {
		t.Helper()
		if err := json.Unmarshal([]byte(db.JSON(Answer([]byte(message)))), &answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	list := ask(`{"jsonrpc":"2.0","id":9007199254740993,"method":"skills/list"}`)
	names := []string{}
	for _, s := range list.Result.Skills {
		name, _ := s.Frontmatter["name"].(string)
		names = append(names, name)
		text, err := os.ReadFile(filepath.Join("..", "..", "plugins", "claude-code", "skills", name, "SKILL.md"))
		if err != nil || s.URI != "skill://"+name+"/SKILL.md" || !strings.Contains(s.Frontmatter["description"].(string), "Use when") {
			t.Errorf("%+v, %v", s, err)
		}
		if file := s.Resources[0]; len(s.Resources) != 1 || file.URI != s.URI || file.Digest != "sha256:"+db.Hash(text) || file.Size != len(text) {
			t.Errorf("its files are %+v", s.Resources)
		}
		if got := ask(`{"jsonrpc":"2.0","id":"a","method":"skills/get","params":{"uri":"` + s.URI + `"}}`); got.Result.Skill.URI != s.URI || string(got.ID) != `"a"` {
			t.Errorf("skills/get: %+v", got)
		}
		contents, err := find(s.URI)
		if err != nil || contents.text != string(text) {
			t.Errorf("the resource is %q, %v", contents.text, err)
		}
	}
	if got := strings.Join(names, " "); got != "checkpoint decide recall tidy" || list.Result.ResultType != "complete" || string(list.ID) != "9007199254740993" {
		t.Errorf("the skills are %s: %+v", got, list)
	}
	for _, uri := range []string{"", "skill://", "skill://recall", "skill://../recall/SKILL.md", "hence://brief"} {
		if got := ask(`{"jsonrpc":"2.0","id":1,"method":"skills/get","params":{"uri":"` + uri + `"}}`); got.Error.Code != -32602 || !strings.Contains(got.Error.Message, "skill://recall/SKILL.md") {
			t.Errorf("%q: %+v", uri, got)
		}
	}
	for _, other := range []string{`{"jsonrpc":"2.0","method":"skills/list"}`, `{"jsonrpc":"2.0","id":null,"method":"skills/list"}`, `{"id":1,"method":"tools/list"}`, `[]`, `x`} {
		if got := Answer([]byte(other)); got != nil {
			t.Errorf("%s is answered with %v", other, got)
		}
	}
}
