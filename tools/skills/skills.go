// Package skills offers the skills of the plugin over MCP, by the skills extension:
// https://github.com/modelcontextprotocol/ext-skills, specification/stable/skills.mdx, read on
// 2026-11-25. mcp-go lets a server answer no further methods, so the doors ask Answer first.
package skills

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"go.yaml.in/yaml/v3"

	"hence"
	"hence/internal/db"
	"hence/internal/fault"
)

// Extension is the id of the extension.
const Extension = "io.modelcontextprotocol/skills"

const (
	scheme     = "skill://"
	asMarkdown = "text/markdown"
)

// skill is a skill of the plugin, as the extension describes it.
type skill struct {
	URI         string         `json:"uri"`
	Frontmatter map[string]any `json:"frontmatter"`
	Resources   []skillFile    `json:"resources"`
	text        string
}

type skillFile struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int    `json:"size"`
}

// all are the skills of the plugin, in the order of their names.
var all = sync.OnceValue(func() (found []skill) {
	files, err := fs.Glob(hence.Skills, hence.SkillsFolder+"/*/SKILL.md")
	for _, file := range files {
		var text []byte
		if text, err = hence.Skills.ReadFile(file); err != nil {
			break
		}
		s := skill{URI: scheme + path.Base(path.Dir(file)) + "/SKILL.md", text: string(text)}
		s.Resources = []skillFile{{s.URI, "sha256:" + db.Hash(text), len(text)}}
		if err = yaml.Unmarshal([]byte(strings.SplitN(s.text, "---\n", 3)[1]), &s.Frontmatter); err != nil {
			break
		}
		found = append(found, s)
	}
	if err != nil || len(found) == 0 {
		panic(err) // any test finds it
	}
	return found
})

// find returns the skill with a uri.
func find(uri string) (skill, error) {
	uris := []string{}
	for _, s := range all() {
		if s.URI == uri {
			return s, nil
		}
		uris = append(uris, s.URI)
	}
	return skill{}, fault.New(fault.NotFound, "there is no skill %q; they are %s", uri, strings.Join(uris, ", "))
}

// Offer lets a client read the files of the skills as resources.
func Offer(s *server.MCPServer) {
	template := mcp.NewResourceTemplate(scheme+"{name}/SKILL.md", "skill", mcp.WithTemplateTitle("A skill"),
		mcp.WithTemplateDescription("When to use the tools, and how; skills/list names them"), mcp.WithTemplateMIMEType(asMarkdown))
	s.AddResourceTemplate(template, func(_ context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		s, err := find(request.Params.URI)
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: s.URI, MIMEType: asMarkdown, Text: s.text}}, err
	})
}

// Answer answers a message of the extension, skills/list or skills/get. It returns nil for any
// other message.
func Answer(message []byte) any {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ URI string }
	}
	// Every message comes by here, and few are worth decoding twice.
	if !bytes.Contains(message, []byte("skills")) || json.Unmarshal(message, &m) != nil || m.ID == nil || string(m.ID) == "null" {
		return nil
	}
	id := mcp.NewRequestId(m.ID)
	switch m.Method {
	case "skills/list":
		return mcp.NewJSONRPCResultResponse(id, map[string]any{
			"resultType": "complete", "skills": all(), "ttlMs": time.Hour.Milliseconds(), "cacheScope": mcp.CacheScopePrivate,
		})
	case "skills/get":
		s, err := find(m.Params.URI)
		if err != nil {
			return mcp.NewJSONRPCError(id, mcp.INVALID_PARAMS, "skills/get: "+err.Error(), nil)
		}
		return mcp.NewJSONRPCResultResponse(id, map[string]any{"resultType": "complete", "skill": s})
	}
	return nil
}
