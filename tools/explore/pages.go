package explore

import (
	"bytes"
	"embed"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"hence/internal/db"
)

// dist is the page as it was built: see web/README.md.
//
//go:embed all:dist
var dist embed.FS

const (
	home   = "index.html"
	press  = "press.html"      // the frame that draws maths and diagrams
	hashed = "assets/"         // names of these files change with their content
	frames = hashed + "press-" // begins the names of its scripts
)

// policy lets the page load only what this server holds. Text of memories can
// neither run scripts nor send requests.
// Pictures of a vault are fetched with the token, and shown as blobs; maths and
// diagrams are made in a frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; " +
	"frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// pressPolicy is for the frame, which has no origin, may run scripts of this server and
// style what it draws, and can send nothing: a flaw of a library for diagrams reaches
// neither the page nor the store.
const pressPolicy = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"

// types are the content types of the built files. The types that the operating
// system registers are not reliable.
var types = map[string]string{
	".html":        "text/html; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".svg":         "image/svg+xml",
	".png":         "image/png",
	".ico":         "image/x-icon",
	".woff2":       "font/woff2",
	".json":        "application/json",
	".webmanifest": "application/manifest+json",
	".txt":         "text/plain; charset=utf-8",
	".md":          "text/plain; charset=utf-8",
}

// page is a file of the built page.
type page struct {
	content []byte
	kind    string
	tag     string
}

// pages are the files by path. They are embedded, so reading them cannot fail.
var pages = sync.OnceValue(func() map[string]page {
	all := map[string]page{}
	err := fs.WalkDir(dist, "dist", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := dist.ReadFile(name)
		all[strings.TrimPrefix(name, "dist/")] = page{content, types[path.Ext(name)], `"` + db.Hash(content)[:32] + `"`}
		return err
	})
	if err != nil {
		panic(err)
	}
	return all
})

// Pages serves the built files. They hold no data and need no token.
func Pages(w http.ResponseWriter, r *http.Request) {
	secure(w.Header())
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "use GET or HEAD", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, Path)
	p, ok := pages()[name]
	if !ok && !strings.HasPrefix(name, hashed) { // a view
		name = home
		p, ok = pages()[home]
	}
	if !ok {
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, "there is no such file", http.StatusNotFound)
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	if strings.HasPrefix(name, hashed) {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	switch {
	case name == press:
		w.Header().Set("Content-Security-Policy", pressPolicy)
	case strings.HasPrefix(name, frames):
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin") // the frame has no origin, and asks as a stranger
	}
	if p.kind != "" {
		w.Header().Set("Content-Type", p.kind)
	}
	w.Header().Set("ETag", p.tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(p.content))
}

// secure sets the headers that keep browsers from guessing types, framing the
// page and leaking its address.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}
