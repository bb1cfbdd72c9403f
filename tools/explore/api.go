// Package explore is the explorer: a page that shows memories and their edges,
// and the API behind it. The page is embedded in the program; its source is in
// web.
//
// The page calls the tools, by the same code as over MCP, and questions: calls that only
// the page needs, whose queries are in this package. Package httpserve checks tokens before
// a request gets here.
//
// A token of one namespace may use neither the journal nor undo, because sequence numbers show
// how much others write.
package explore

import (
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/journal"
	"hence/memory/tidy"
	"hence/tools"
)

// The addresses of the explorer.
const (
	Path      = "/explore/"         // the page; addresses below that are not files are views
	APIPath   = Path + "api/"       // the API
	FramePath = Path + frameScripts // the scripts of the frame that draws maths and diagrams
	callPath  = "call/"             // the tools, below APIPath

	changeHeader = "Hence-Change" // number of the change that a call made
)

// API answers the page on behalf of one caller:
//
//	GET  about        tools, questions and facts about the caller
//	GET  file?id=     a picture of a vault
//	GET  events       a stream of changes
//	POST call/{tool}  a tool
//	POST {question}   a question
//
// The answer is the structured result, or {"error": {code, message, details}}
// with the status of the code. If the call changed something, the header Hence-Change has the
// number of the change, for undo.
type API struct {
	db        *db.DB
	caller    ref.Caller
	offered   tools.Options
	locked    func() bool // reports whether a token is needed
	calls     map[string]call
	order     []string // keys of calls, tools first
	listeners listeners
}

// call is a tool or a question, at an address below APIPath.
type call struct {
	tools.Tool
	refusal string // why the caller may not call it; "" if it may
}

// New returns the explorer's API on behalf of a caller.
func New(d *db.DB, caller ref.Caller, offered tools.Options, locked func() bool) *API {
	offered.ReadOnly = offered.ReadOnly || d.ReadOnly()
	a := &API{db: d, caller: caller, offered: offered, locked: locked, calls: map[string]call{}, listeners: listeners{beat: beatEvery}}
	for _, t := range tools.Choose(d, caller, offered) {
		a.add(callPath+t.Name, t)
	}
	for _, q := range a.questions() {
		a.add(strings.TrimPrefix(q.Name, questionPrefix), q)
	}
	return a
}

// add adds a call at a path below APIPath.
func (a *API) add(path string, t tools.Tool) {
	c := call{Tool: t}
	switch {
	case a.offered.ReadOnly && !t.Hints.ReadOnly:
		c.refusal = "nothing may be changed here; start without --read-only, or take a token that may write"
	case a.caller.Confined && journalQuestions[t.Name]:
		c.refusal = "a token of one namespace may not use the journal, whose numbers show how much others write"
	}
	a.calls[path] = c
	a.order = append(a.order, path)
}

// questionPrefix is the prefix of the names of questions in package usage.
const questionPrefix = "explore_"

// journalQuestions are the questions whose answers have sequence numbers of the journal, which
// show how much others write.
var journalQuestions = map[string]bool{questionPrefix + "journal": true, questionPrefix + "undo": true}

// questions returns the calls that only the page makes.
func (a *API) questions() []tools.Tool {
	reads, undoes, sets := tools.Hints{ReadOnly: true, Idempotent: true}, tools.Hints{Destructive: true}, tools.Hints{Idempotent: true}
	v := ref.View{DB: a.db, Caller: a.caller}
	q := reader(v)
	return []tools.Tool{
		tools.Question(questionPrefix+"search", reads, q.Search),
		tools.Question(questionPrefix+"edges", reads, q.Edges),
		tools.Question(questionPrefix+"among", reads, q.ReadAmong),
		tools.Question(questionPrefix+"atlas", reads, q.Atlas),
		tools.Question(questionPrefix+"atlas_names", reads, q.AtlasNames),
		tools.Question(questionPrefix+"atlas_edges", reads, q.AtlasEdges),
		tools.Question(questionPrefix+"topics", reads, q.Topics),
		tools.Question(questionPrefix+"packages", reads, q.Packages),
		tools.Question(questionPrefix+"links", reads, q.Links),
		tools.Question(questionPrefix+"stale", reads, belief.Graph(v).Doubtful),
		tools.Question(questionPrefix+"conflicts", reads, belief.Graph(v).Conflicts),
		tools.Question(questionPrefix+"candidates", reads, q.Candidates),
		tools.Question(questionPrefix+"dismiss", sets, q.Dismiss),
		tools.Question(questionPrefix+"reconsider", sets, tidy.Tidier(v).Reconsider),
		tools.Question(questionPrefix+"journal", reads, q.Changes),
		tools.Question(questionPrefix+"past", reads, journal.Journal(v).ReadPast),
		tools.Question(questionPrefix+"edit", reads, journal.Journal(v).Edit),
		tools.Question(questionPrefix+"days", reads, q.Days),
		tools.Question(questionPrefix+"undo", undoes, a.undo),
	}
}

// ServeHTTP answers a request for an address below APIPath.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, APIPath)
	for _, route := range []struct {
		path    string
		answer  http.HandlerFunc
		methods []string
	}{
		{"about", a.about, []string{http.MethodGet, http.MethodHead}},
		{filePath, a.file, []string{http.MethodGet, http.MethodHead}},
		{events, a.events, []string{http.MethodGet}},
	} {
		if path == route.path {
			if isAllowed(w, r, route.methods...) {
				route.answer(w, r)
			}
			return
		}
	}
	c, ok := a.calls[path]
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case !isAllowed(w, r, http.MethodPost):
	case err != nil || kind != "application/json":
		Refuse(w, http.StatusUnsupportedMediaType, "send the arguments as JSON, with Content-Type: application/json")
	case !ok:
		Refuse(w, http.StatusNotFound, "there is no call or question at "+strings.ToValidUTF8(path, "�"))
	case c.refusal != "":
		refuse(w, fault.ReadOnly, c.refusal)
	default:
		arguments, err := io.ReadAll(r.Body)
		if err != nil {
			Refuse(w, http.StatusBadRequest, "the body cannot be read")
			return
		}
		receipt := &db.Receipt{}
		structured, code := c.Ask(receipt.In(ref.Marked(r.Context(), a.db)), a.caller.Actor, a.offered, arguments)
		if seq := receipt.Last(); seq != 0 && !a.caller.Confined {
			w.Header().Set(changeHeader, strconv.FormatInt(seq, 10))
		}
		respond(w, statusOf(code), structured)
	}
}

// isAllowed reports whether the method of a request is one of methods. It answers the
// request if it is not.
func isAllowed(w http.ResponseWriter, r *http.Request, methods ...string) bool {
	if slices.Contains(methods, r.Method) {
		return true
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	Refuse(w, http.StatusMethodNotAllowed, "the method is "+r.Method+", and must be "+strings.Join(methods, " or "))
	return false
}
