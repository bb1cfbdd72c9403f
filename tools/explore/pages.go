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

// dist holds the built page: see web/README.md.
//
//go:embed all:dist
var dist embed.FS

const (
	homePage     = "index.html"
	framePage    = "press.html"      // the frame that draws maths and diagrams
	assets       = "assets/"         // folder of files whose names change with their content
	frameScripts = assets + "press-" // prefix of the scripts of the frame
)

// policy lets the page load only files of this server, so that text of memories can neither run
// scripts nor send requests. It allows blobs, because the page fetches pictures of a vault with
// the token, and a frame, which draws maths and diagrams.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; " +
	"frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// framePolicy is for the frame. The frame has no origin, may run scripts of this server and
// use inline styles, and cannot send requests, so that a flaw in a library for diagrams
// harms neither the page nor the store.
const framePolicy = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"

// types are the content types of the built files by extension. The types that the operating
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
	kind    string // content type
	tag     string // ETag
}

// pages returns the files by path. They are embedded, so reading them cannot fail.
var pages = sync.OnceValue(func() map[string]page {
	files := map[string]page{}
	err := fs.WalkDir(dist, "dist", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := dist.ReadFile(name)
		files[strings.TrimPrefix(name, "dist/")] = page{content, types[path.Ext(name)], `"` + db.Hash(content)[:32] + `"`}
		return err
	})
	if err != nil {
		panic(err)
	}
	return files
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
	if !ok && !strings.HasPrefix(name, assets) { // the address of a view
		name = homePage
		p, ok = pages()[homePage]
	}
	if !ok {
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, "there is no such file", http.StatusNotFound)
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	if strings.HasPrefix(name, assets) {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	switch {
	case name == framePage:
		w.Header().Set("Content-Security-Policy", framePolicy)
	case strings.HasPrefix(name, frameScripts):
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin") // the frame has no origin, so its requests are cross-origin
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
