package explore

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory"
)

// About holds the facts that the page requests first.
type About struct {
	Version   string   `json:"version"`
	Locked    bool     `json:"locked"`    // a token is needed
	ReadOnly  bool     `json:"read_only"` // for this caller
	Namespace string   `json:"namespace"` // the only one that the caller reads; "": all
	Database  string   `json:"database"`  // name of the file
	Path      string   `json:"path"`      // of the file, for commands on this machine; "" if the caller may be elsewhere
	Vaults    []Vault  `json:"vaults"`
	Code      bool     `json:"code"`     // the caller may read source code
	Tools     []string `json:"tools"`    // those that the caller may call
	Features  []string `json:"features"` // questions that the caller may ask
	Kinds     []Kind   `json:"kinds"`    // in the order of the vocabulary
}

// Vault is a vault in the store.
type Vault struct {
	Name string `json:"name"`
}

// Kind is a type of edge and its meaning.
type Kind struct {
	Name      edges.Kind `json:"name"`
	Reads     string     `json:"reads"`
	Inverse   string     `json:"inverse"`
	Symmetric bool       `json:"symmetric"`
	Acyclic   bool       `json:"acyclic"`
	Declared  bool       `json:"declared"` // false: found by a heuristic
}

// maxVaults is the limit of vaults in About.
const maxVaults = 1000

// about answers with About.
func (a *API) about(w http.ResponseWriter, r *http.Request) {
	names, err := memory.Store{DB: a.db, Caller: a.caller}.Vaults(r.Context(), "", maxVaults)
	code := false
	if err == nil {
		code, _, err = db.One[bool](r.Context(), a.db, `
select exists (
  select 1
  from memory_counts
  where ?1 in ('', namespace)
    and origin = 'code'
    and number > 0
)`, a.caller.Namespace)
	}
	if err != nil {
		refuse(w, fault.Unavailable, "the store cannot be read")
		return
	}
	about := About{
		Version: a.offered.Version, Locked: a.locked(), ReadOnly: a.offered.ReadOnly, Namespace: a.caller.Namespace,
		Database: filepath.Base(a.db.Path()), Vaults: []Vault{}, Code: code, Tools: []string{}, Features: []string{}, Kinds: []Kind{},
	}
	if !about.Locked && !a.caller.Confined && a.db.Cluster() == nil {
		if path, err := filepath.Abs(a.db.Path()); err == nil {
			about.Path = path
		}
	}
	for _, k := range edges.Kinds() {
		about.Kinds = append(about.Kinds, Kind{k, k.Reads(), k.Inverse(), k.Symmetric(), k.Acyclic(), slices.Contains(edges.DeclaredKinds(), k)})
	}
	for _, name := range names {
		about.Vaults = append(about.Vaults, Vault{name})
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
	raw, err := json.Marshal(about)
	if err != nil {
		refuse(w, fault.Internal, "the answer cannot be encoded as JSON")
		return
	}
	respond(w, http.StatusOK, raw)
}
