package ref

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
)

// Where the text of a memory came from. Web, Tool and Import are strangers' texts; the
// view own_trust of schema.sql ranks them.
const (
	Person = "person" // a person said it
	Agent  = "agent"  // an agent's own conclusion
	Note   = "note"   // a file of a person's vault
	Code   = "code"   // source code
	Tool   = "tool"   // the output of a tool
	Web    = "web"    // a page or message that others wrote
	Import = "import" // a file of another program
)

// Sources are these words, the most trusted first.
func Sources() []string { return []string{Person, Note, Agent, Code, Import, Tool, Web} }

// The ranks of the view trusts that rules depend on.
const (
	RankOfAgent  = 4 // of an agent's own text; less is a stranger's
	RankOfPerson = 5 // the least of what a person said: of files, and of what agents report
	RankOfMost   = 6 // of what a person wrote here, or confirmed
)

// Rank returns the rank of a text from a source that others report, 0 for no source.
func Rank(source string) int {
	return map[string]int{Person: RankOfPerson, Note: RankOfPerson, Agent: RankOfAgent, Code: RankOfAgent, Import: 3, Tool: 2, Web: 1}[source]
}

// Word returns the highest rank of what a caller may change. A person may change all, an
// agent what is no more than its own; if it says that a person said so (source), also what
// agents report of persons. Beyond that, what it wants is a proposal.
func (c Caller) Word(source string) int {
	switch {
	case c.IsPerson():
		return RankOfMost
	case source == Person:
		return RankOfPerson
	}
	return RankOfAgent
}

// IsPerson reports whether a caller is a person, and not an agent.
func (c Caller) IsPerson() bool { return c.Origin == "" || c.Origin == Person }

// maxURL is the longest address of a source in characters; schema.sql says so too.
const maxURL = 2000

// CheckSource returns an address on one line. It fails with invalid_argument if it is too
// long, or stands beside a source that has none.
func CheckSource(operation, source, url string) (string, error) {
	url = strings.Join(strings.Fields(url), "")
	if err := db.CheckText(operation, "source_url", url, maxURL); err != nil {
		return "", err
	}
	if url != "" && (source == "" || source == Person) {
		return "", fault.New(fault.InvalidArgument, "%s: source_url is the address of a source; say in source which it is: web, tool, import, note or code", operation)
	}
	return url, nil
}

// TrustOf returns the expression for Aging.Trust of a memory. It walks for each row; Trust
// walks once for many. In a store without text of strangers it costs one look at an empty
// index for each query.
func TrustOf(memory string) string {
	return strings.ReplaceAll(`iif(
    (select rank from least_trust) < 4,
    (select t.mark from trusts t where t.memory = {m}.key),
    ''
  )`, "{m}", memory)
}

// Trust returns which of some memories are less trusted than an agent's own text, and the
// source that makes them so: web, tool or import. It says what the view trusts says.
func Trust(ctx context.Context, r *db.Reader, keys []int64) (map[int64]string, error) {
	var ofRank [RankOfAgent][]int64
	derived := map[int64][]int64{} // from a memory to those whose text goes back to it
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var memory int64
		var rank int
		var behind string
		if err := row.Scan(&memory, &rank, &behind); err != nil {
			return err
		}
		if rank < RankOfAgent {
			ofRank[rank] = append(ofRank[rank], memory)
		}
		var all []int64
		err := json.Unmarshal([]byte(behind), &all)
		for _, one := range all {
			derived[one] = append(derived[one], memory)
		}
		return err
	}, `
with recursive goes_back (memory) as (
  select value
  from json_each(?1)
  union
  select t.behind
  from goes_back g
  cross join own_trust a on a.memory = g.memory and a.rank > (select rank from least_trust)
  cross join texts_behind t on t.memory = g.memory
)
select
  g.memory,
  a.rank,
  iif(
    a.rank > (select rank from least_trust),
    (select json_group_array(t.behind) from texts_behind t where t.memory = g.memory),
    '[]'
  )
from goes_back g
cross join own_trust a on a.memory = g.memory
where (select rank from least_trust) < 4`, db.List(keys))
	if err != nil {
		return nil, err
	}

	marks := map[int64]string{}
	for rank, mark := range []string{1: Web, 2: Tool, 3: Import} {
		next := ofRank[rank]
		for len(next) > 0 {
			memory := next[len(next)-1]
			next = next[:len(next)-1]
			if marks[memory] == "" {
				marks[memory] = mark
				next = append(next, derived[memory]...)
			}
		}
	}
	trust := map[int64]string{}
	for _, key := range keys {
		if mark := marks[key]; mark != "" {
			trust[key] = mark
		}
	}
	return trust, nil
}

// FromWords says where the text of a stranger came from: "from the web".
func FromWords(trust string) string {
	switch trust {
	case "":
		return ""
	case Web:
		return "from the web"
	case Tool:
		return "from a tool"
	}
	return "from an import"
}

// fences enclose a stranger's text on one line. Inside they are replaced.
const (
	fenceOpen = "⟦"
	fenceShut = "⟧"
)

var unfence = strings.NewReplacer(fenceOpen, "[", fenceShut, "]")

// Fence encloses a stranger's text on one line, so that a reader sees where it ends; text
// that is trusted as an agent's own stays as it is.
func Fence(trust, text string) string {
	if trust == "" || text == "" {
		return text
	}
	return FromWords(trust) + ": " + fenceOpen + unfence.Replace(text) + fenceShut
}
