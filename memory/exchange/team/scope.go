package team

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"hence/internal/fault"
	"hence/memory"
	"hence/memory/exchange/lines"
)

// Scope defines which memories are in a team's folder. A file of the folder holds it,
// so that everybody who syncs with the folder has the same scope.
type Scope struct {
	Namespace string `json:"namespace"`
	Project   string `json:"project"` // "" for memories of no project
}

// Words describes the scope in words, such as "project ferry".
func (s Scope) Words() string {
	words := "no project"
	if s.Project != "" {
		words = "project " + s.Project
	}
	if s.Namespace != "default" {
		words += " in namespace " + s.Namespace
	}
	return words
}

// scopeName is the name of the file that holds a folder's scope.
const scopeName = "team.json"

// ReadScope returns the scope of a folder, nil if it has none yet. It fails with
// invalid_argument if the file of the scope is malformed.
func ReadScope(dir string) (*Scope, error) {
	text, err := os.ReadFile(filepath.Join(dir, scopeName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "sync %s: %s cannot be read", dir, scopeName)
	}
	scope, err := parseScope(text)
	if err != nil {
		return nil, fault.New(fault.InvalidArgument, "sync %s: %s: %v", dir, scopeName, err)
	}
	return &scope, nil
}

// HasScope reports whether the files include the one of the scope.
func (f Files) HasScope() bool { return f[scopeName] != nil }

// parseScope parses the file of the scope.
func parseScope(text []byte) (s Scope, err error) {
	wrong := errors.New(`it must be one line such as {"namespace":"default","project":"ferry"}`)
	if err := json.Unmarshal(text, &s); err != nil || s.Namespace == "" {
		return s, wrong
	}
	if strings.ContainsFunc(s.Namespace+s.Project, unicode.IsControl) {
		return s, wrong // the scope becomes part of a command for agents
	}
	if err := lines.CheckText("namespace", s.Namespace, lines.MaxNamespace); err != nil {
		return s, err
	}
	return s, lines.CheckText("project", s.Project, memory.MaxTag-len("project/"))
}

// isPersonal is the SQL condition that somebody keeps the memory m for themselves. It is a
// preference or part of a conversation, or it has a property private, in upper or lower
// case, whose value does not mean no.
const isPersonal = `(
  lower(trim(m.kind)) in ('preference', 'session', 'turn')
  or exists (
    select 1
    from json_each(m.properties) p
    where lower(trim(p.key)) = 'private'
      and lower(trim(coalesce(p.value, ''))) not in ('', '0', 'false', 'no', 'off')
  )
)`

// inScope is the SQL condition that the memory m may go into the folder of the namespace
// ?1 and the project ?2, "" for memories of no project.
const inScope = `
m.namespace = ?1
  and m.uri is null
  and iif(
    ?2 = '',
    not exists (select 1 from json_each(m.tags) where value glob 'project/*'),
    exists (select 1 from json_each(m.tags) where value = 'project/' || ?2)
  )
  and not ` + isPersonal
