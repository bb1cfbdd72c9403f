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
	"cmp"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/memory/journal"
	"hence/memory/tidy"
	"hence/memory/use"
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
	for _, t := range tools.Choose(offered) {
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

// questionPrefix is the prefix of the names of questions of calls.
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
		tools.Question(questionPrefix+"packages", reads, q.Packages),
		tools.Question(questionPrefix+"links", reads, q.Links),
		tools.Question(questionPrefix+"stale", reads, belief.Graph(v).Doubtful),
		tools.Question(questionPrefix+"conflicts", reads, belief.Graph(v).Conflicts),
		tools.Question(questionPrefix+"resting", reads, q.Resting),
		tools.Question(questionPrefix+"candidates", reads, q.Candidates),
		tools.Question(questionPrefix+"dismiss", sets, q.Dismiss),
		tools.Question(questionPrefix+"reconsider", sets, tidy.Tidier(v).Reconsider),
		tools.Question(questionPrefix+"journal", reads, q.Changes),
		tools.Question(questionPrefix+"past", reads, journal.Journal(v).ReadPast),
		tools.Question(questionPrefix+"edit", reads, journal.Journal(v).Edit),
		tools.Question(questionPrefix+"days", reads, q.Days),
		tools.Question(questionPrefix+"use", reads, use.Reader(v).Stats),
		tools.Question(questionPrefix+"replay", reads, q.Replay),
		tools.Question(questionPrefix+"undo", undoes, a.undo),
	}
}

// ServeHTTP answers a request for an address below APIPath.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, APIPath)
	methods := []string{http.MethodGet, http.MethodHead}
	if path == events { // a stream has no head
		methods = methods[:1]
	}
	if answer := (map[string]http.HandlerFunc{"about": a.about, filePath: a.file, events: a.events})[path]; answer != nil {
		if isAllowed(w, r, methods...) {
			answer(w, r)
		}
		return
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
		structured, code := c.Ask(receipt.In(ref.Marked(r.Context(), a.db)), ref.View{DB: a.db, Caller: a.caller}, a.offered, arguments)
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

// About holds the facts that the page requests first.
type About struct {
	Version   string   `json:"version"`
	Locked    bool     `json:"locked"`    // a token is needed
	ReadOnly  bool     `json:"read_only"` // for this caller
	Namespace string   `json:"namespace"` // the only one that the caller reads; "": all
	Database  string   `json:"database"`  // name of the file
	Path      string   `json:"path"`      // of the file, for commands on this machine; "" if the caller may be elsewhere
	Code      bool     `json:"code"`      // the caller may read source code
	Tools     []string `json:"tools"`     // those that the caller may call
	Features  []string `json:"features"`  // questions that the caller may ask
	Kinds     []Kind   `json:"kinds"`     // in the order of the vocabulary
}

// Kind is a type of edge and its meaning.
type Kind struct {
	Name      edges.Kind `json:"name"`
	Reads     string     `json:"reads"`
	Inverse   string     `json:"inverse"`
	Symmetric bool       `json:"symmetric"`
	Declared  bool       `json:"declared"` // false: found by a heuristic
}

// about answers with About.
func (a *API) about(w http.ResponseWriter, r *http.Request) {
	code, _, err := db.One[bool](r.Context(), a.db, `
select exists (
  select 1
  from memory_counts
  where ?1 in ('', namespace)
    and origin = 'code'
    and number > 0
)`, a.caller.Namespace)
	if err != nil {
		refuse(w, fault.Unavailable, "the store cannot be read")
		return
	}
	about := About{
		Version: a.offered.Version, Locked: a.locked(), ReadOnly: a.offered.ReadOnly, Namespace: a.caller.Namespace,
		Database: filepath.Base(a.db.Path()), Code: code, Tools: []string{}, Features: []string{},
		Kinds: lists.Map(edges.Kinds(), func(k edges.Kind) Kind {
			return Kind{k, k.Reads(), k.Inverse(), k.Symmetric(), slices.Contains(edges.DeclaredKinds(), k)}
		}),
	}
	if !about.Locked && !a.caller.Confined && a.db.Cluster() == nil {
		if path, err := filepath.Abs(a.db.Path()); err == nil {
			about.Path = path
		}
	}
	for _, path := range a.order {
		name, isTool := strings.CutPrefix(path, callPath)
		switch {
		case a.calls[path].refusal != "":
		case isTool:
			about.Tools = append(about.Tools, name)
		default:
			about.Features = append(about.Features, name)
		}
	}
	respond(w, http.StatusOK, json.RawMessage(db.List(about)))
}

// statuses are the HTTP statuses by error code. Other codes are internal errors.
var statuses = map[fault.Code]int{
	"":                    http.StatusOK,
	fault.InvalidArgument: http.StatusBadRequest,
	fault.Ambiguous:       http.StatusBadRequest,
	fault.NotFound:        http.StatusNotFound,
	fault.Conflict:        http.StatusConflict,
	fault.Exists:          http.StatusConflict,
	fault.Cycle:           http.StatusConflict,
	fault.ReadOnly:        http.StatusForbidden,
	fault.OutsideVault:    http.StatusForbidden,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	fault.Unavailable:     http.StatusServiceUnavailable,
	fault.OutcomeUnknown:  http.StatusGatewayTimeout,
}

func statusOf(code fault.Code) int { return cmp.Or(statuses[code], http.StatusInternalServerError) }

// refusalCodes are the error codes of requests that are refused before a call, by HTTP status,
// if it is not invalid_argument: codes of package fault, or of their own for missing rights.
var refusalCodes = map[int]string{
	http.StatusUnauthorized:          "unauthorized",
	http.StatusForbidden:             "forbidden",
	http.StatusNotFound:              string(fault.NotFound),
	http.StatusRequestEntityTooLarge: string(fault.TooLarge),
	http.StatusTooManyRequests:       string(fault.Unavailable),
	http.StatusInternalServerError:   string(fault.Internal),
	http.StatusServiceUnavailable:    string(fault.Unavailable),
}

// Refuse answers a request that is refused before a call, in the format of the errors of calls.
func Refuse(w http.ResponseWriter, status int, message string) {
	writeError(w, status, cmp.Or(refusalCodes[status], string(fault.InvalidArgument)), message)
}

// refuse answers a request with an error of a call.
func refuse(w http.ResponseWriter, code fault.Code, message string) {
	writeError(w, statusOf(code), string(code), message)
}

func writeError(w http.ResponseWriter, status int, code, message string) {
	respond(w, status, json.RawMessage(db.List(map[string]any{"error": map[string]string{"code": code, "message": message}})))
}

func respond(w http.ResponseWriter, status int, raw json.RawMessage) {
	secure(w.Header())
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw) // the client may be gone
}
