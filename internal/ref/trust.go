package ref

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
)

// The sources of a memory's text. Texts from Web, Tool and Import are strangers' texts. The
// column own_rank of schema.sql ranks the sources.
const (
	Person = "person" // a person said it
	Agent  = "agent"  // an agent's own conclusion
	Note   = "note"   // a file of a person's vault
	Code   = "code"   // source code
	Tool   = "tool"   // the output of a tool
	Web    = "web"    // a page or message that others wrote
	Import = "import" // a file of another program
)

// Sources returns the sources, the most trusted first.
func Sources() []string { return []string{Person, Note, Agent, Code, Import, Tool, Web} }

// The ranks of the view trusts that rules depend on.
const (
	RankOfAgent  = 4 // an agent's own text; lower ranks are strangers' texts
	RankOfPerson = 5 // a person's text in a file, or as an agent reports it
	RankOfMost   = 6 // a text that a person wrote in the store, or confirmed
)

// Rank returns the rank of a text from a source, 0 for no source. It is the rank of a text
// that somebody reports, so that of Person is RankOfPerson.
func Rank(source string) int {
	return map[string]int{Person: RankOfPerson, Note: RankOfPerson, Agent: RankOfAgent, Code: RankOfAgent, Import: 3, Tool: 2, Web: 1}[source]
}

// MaxRank returns the highest rank of a memory that a caller may change to a text from a source.
// A person may change any memory. An agent may change memories of at most RankOfAgent, or
// RankOfPerson if it reports a person's words. Its change of a memory with a higher rank is
// only a proposal.
func (c Caller) MaxRank(source string) int {
	switch {
	case c.IsPerson():
		return RankOfMost
	case source == Person:
		return RankOfPerson
	}
	return RankOfAgent
}

// IsPerson reports whether a caller is a person, not an agent.
func (c Caller) IsPerson() bool { return c.Origin == "" || c.Origin == Person }

// MaxURL is the maximum length of the address of a source, in characters; schema.sql has the same limit.
const MaxURL = 2000

// CheckSource returns the address of a source without white space. It fails with
// invalid_argument if it is not valid UTF-8, or if the source cannot have an address, and with
// too_large if it is too long.
func CheckSource(operation, source, url string) (string, error) {
	url = strings.Join(strings.Fields(url), "")
	if err := db.CheckText(operation, "source_url", url, MaxURL); err != nil {
		return "", err
	}
	if url != "" && (source == "" || source == Person) {
		return "", fault.New(fault.InvalidArgument, "%s: source_url is the address of a source; say in source which it is: web, tool, import, note or code", operation)
	}
	return url, nil
}

// LeastRank is an SQL expression: the least rank that a stranger's own text has in the store, and
// RankOfMost without strangers. It costs one lookup in an index.
const LeastRank = `(select coalesce(min(own_rank), 6) from memories where own_rank < 4)`

// HasStrangers reports whether a store has strangers' texts.
func HasStrangers(ctx context.Context, q db.Source) (has bool, err error) {
	has, _, err = db.One[bool](ctx, q, `select `+LeastRank+` < ?`, RankOfAgent)
	return has, err
}

// RankIn returns the SQL expression for the rank that the view trusts has of a memory m. In a store without
// strangers' texts that is its own: to plan the view takes longer than most queries.
func RankIn(ctx context.Context, q db.Source) (string, error) {
	has, err := HasStrangers(ctx, q)
	if err != nil || !has {
		return "m.own_rank", err
	}
	return "(select t.rank from trusts t where t.memory = m.key)", nil
}

// TrustOf returns the SQL expression for Named.Trust of a memory. It follows the sources of
// each row separately; Trust does so once for many memories. In a store without strangers'
// texts it costs one lookup in an empty index per query.
func TrustOf(memory string) string {
	return strings.ReplaceAll(`iif(
    `+LeastRank+` < 4,
    (select t.mark from trusts t where t.memory = {m}.key),
    ''
  )`, "{m}", memory)
}

// Trust returns, by the keys of those given memories that are less trusted than an agent's own
// text, the source that makes them so: web, tool or import. It computes the same as the view
// trusts. As TrustOf, it reads no memory in a store without strangers' texts.
func Trust(ctx context.Context, r *db.Reader, keys []int64) (map[int64]string, error) {
	var byRank [RankOfAgent][]int64
	derived := map[int64][]int64{} // memories whose text is derived from a memory, by its key
	behind := []int64{}            // those memories
	read := func(row *sql.Rows) error {
		var memory int64
		var rank int
		var sources []int64
		var list string
		err := row.Scan(&memory, &rank, &list)
		if rank < RankOfAgent {
			byRank[rank] = append(byRank[rank], memory)
		}
		if err == nil && list != "" {
			err = json.Unmarshal([]byte(list), &sources)
		}
		for _, source := range sources {
			derived[source], behind = append(derived[source], memory), append(behind, source)
		}
		return err
	}
	err := db.Each(ctx, r, read, selectRanks+`
from json_each(?1) k
cross join memories m on m.key = k.value
where `+LeastRank+` < 4`, db.List(keys))
	if err == nil && len(behind) > 0 {
		err = db.Each(ctx, r, read, `
with recursive goes_back (memory) as (
  select value
  from json_each(?1)
  union
  select s.behind
  from goes_back g
  cross join memories m on m.key = g.memory and `+goesOn+`
  cross join said_behind s on s.memory = g.memory
)`+selectRanks+`
from goes_back g
cross join memories m on m.key = g.memory`, db.List(behind))
	}
	if err != nil {
		return nil, err
	}
	marks := map[int64]string{}
	for rank, mark := range []string{1: Web, 2: Tool, 3: Import} {
		next := byRank[rank]
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

// selectRanks reads of memories m how far each is trusted for its own source, and what its text goes back to.
const selectRanks = `
select
  m.key,
  m.own_rank,
  iif(` + goesOn + `, (select json_group_array(s.behind) from said_behind s where s.memory = m.key), '')`

// goesOn is the SQL condition that a text m may be less trusted for what it goes back to.
const goesOn = `m.own_rank > ` + LeastRank + ` and m.confirmed is not m.content_hash || ' ' || m.title`

// FromWords returns words for the source of a stranger's text: "from the web"; "" if trust is
// "".
func FromWords(trust string) string {
	if trust == "" {
		return ""
	}
	return cmp.Or(map[string]string{Web: "from the web", Tool: "from a tool"}[trust], "from an import")
}

// The fences around a stranger's text. Fence replaces them within the text.
const (
	fenceOpen  = "⟦"
	fenceClose = "⟧"
)

var unfence = strings.NewReplacer(fenceOpen, "[", fenceClose, "]")

// Fence returns a stranger's text with its source and between fences, so that a reader sees
// where it ends. It returns other text, for which trust is "", unchanged.
func Fence(trust, text string) string {
	if trust == "" || text == "" {
		return text
	}
	return FromWords(trust) + ": " + fenceOpen + unfence.Replace(text) + fenceClose
}
