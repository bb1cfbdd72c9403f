// Package explore is the explorer: a page in which a person sees what is
// remembered and how it hangs together, and what that page asks. The page is
// in the program; its source is under web.
//
// It decides nothing itself: the page asks what the tools do, by the same
// calls. Who may ask is decided before a request gets here.
package explore

import (
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/journal"
	"hence/tools"
)

// Where the explorer is.
const (
	Path    = "/explore/"   // the page; every address below that is none of its files is a view of it
	APIPath = Path + "api/" // what the page asks
	callAt  = "call/"       // below APIPath: the tools
)

// API answers what the page asks on behalf of one caller:
//
//	GET  about        what there is to ask, and as whom
//	POST call/{tool}  a tool
//	POST {question}   one of the questions that no tool answers
//
// An answer is the structured result, that of an error {"error": {code,
// message, details}} with a status that goes with the code.
type API struct {
	db      *db.DB
	caller  ref.Caller
	offered tools.Options
	locked  func() bool // whether a token is needed
	calls   map[string]call
	order   []string // the names of calls, tools first
}

// call is a tool or a question at its place below APIPath.
type call struct {
	tools.Tool
	closed string // why the caller may not, "" who may
}

// New returns the explorer's API on behalf of a caller.
func New(d *db.DB, caller ref.Caller, offered tools.Options, locked func() bool) *API {
	offered.ReadOnly = offered.ReadOnly || d.ReadOnly()
	a := &API{db: d, caller: caller, offered: offered, locked: locked, calls: map[string]call{}}
	for _, t := range tools.Chosen(d, caller, offered) {
		a.add(callAt+t.Name, t)
	}
	for _, q := range questions(d, caller) {
		a.add(strings.TrimPrefix(q.Name, asked), q)
	}
	return a
}

func (a *API) add(place string, t tools.Tool) {
	c := call{Tool: t}
	switch {
	case a.offered.ReadOnly && !t.Hints.ReadOnly:
		c.closed = "nothing may be changed here; start without --read-only, or take a token that may write"
	case a.caller.Confined && numbered[t.Name]:
		c.closed = "the journal numbers what everybody does, and is not shown to a token of one namespace"
	}
	a.calls[place] = c
	a.order = append(a.order, place)
}

// asked begins the names of questions where calls are counted.
const asked = "explore_"

// numbered are the questions whose answers hold numbers of the whole journal,
// which tell how much others do.
var numbered = map[string]bool{asked + "journal": true, asked + "undo": true}

// questions are what the page asks and no tool answers.
func questions(d *db.DB, caller ref.Caller) []tools.Tool {
	reads, takesBack := tools.Hints{ReadOnly: true, Idempotent: true}, tools.Hints{Destructive: true}
	v := ref.View{DB: d, Caller: caller}
	q := reader(v)
	return []tools.Tool{
		tools.Question(asked+"search", reads, q.Search),
		tools.Question(asked+"edges", reads, q.Edges),
		tools.Question(asked+"among", reads, q.Among),
		tools.Question(asked+"stale", reads, belief.Graph(v).Doubtful),
		tools.Question(asked+"conflicts", reads, belief.Graph(v).Conflicts),
		tools.Question(asked+"candidates", reads, q.Candidates),
		tools.Question(asked+"journal", reads, journal.Journal(v).Log),
		tools.Question(asked+"days", reads, q.Days),
		tools.Question(asked+"undo", takesBack, journal.Journal(v).Undo),
	}
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	place := strings.TrimPrefix(r.URL.Path, APIPath)
	if place == "about" {
		if allow(w, r, http.MethodGet, http.MethodHead) {
			a.about(w, r)
		}
		return
	}
	c, ok := a.calls[place]
	switch {
	case !allow(w, r, http.MethodPost):
	case !isJSON(r):
		Refuse(w, http.StatusUnsupportedMediaType, "a call has arguments in JSON: Content-Type: application/json")
	case !ok:
		Refuse(w, http.StatusNotFound, "there is nothing to ask at "+strings.ToValidUTF8(place, "�"))
	case c.closed != "":
		refuse(w, fault.ReadOnly, c.closed)
	default:
		a.answer(w, r, c.Tool)
	}
}

func (a *API) answer(w http.ResponseWriter, r *http.Request, t tools.Tool) {
	arguments, err := io.ReadAll(r.Body)
	if err != nil {
		Refuse(w, http.StatusBadRequest, "the body cannot be read")
		return
	}
	structured, code := t.Ask(r.Context(), a.caller.Actor, a.offered, arguments)
	respond(w, statusOf(code), structured)
}

// allow answers a request of another method.
func allow(w http.ResponseWriter, r *http.Request, methods ...string) bool {
	if slices.Contains(methods, r.Method) {
		return true
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	Refuse(w, http.StatusMethodNotAllowed, r.Method+" is not what is done here; "+strings.Join(methods, " or ")+" is")
	return false
}

func isJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}
