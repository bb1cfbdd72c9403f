package explore

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/projection/folder"
	"hence/vault"
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
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
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

// filePath is the address of the pictures of a vault, below APIPath.
const filePath = "file"

// maxPicture is the size limit of a file that is shown, in bytes.
const maxPicture = 32 << 20

// filePolicy keeps a picture from running scripts and loading anything, because an SVG file may
// try to.
const filePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

// file answers with a picture of a vault, as it is on disk now.
func (a *API) file(w http.ResponseWriter, r *http.Request) {
	content, kind, err := a.picture(r.Context(), r.URL.Query().Get("id"))
	if err != nil {
		refuse(w, fault.CodeOf(err), err.Error())
		return
	}
	secure(w.Header())
	w.Header().Set("Content-Security-Policy", filePolicy)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(content) // the client may be gone
}

// picture returns the content and the content type of a memory that is a picture in a
// vault. It fails with not_found for a memory that the caller may not see, with
// invalid_argument for one that is not a picture, with too_large for a file over
// maxPicture, with outside_vault for a file that import leaves out, and with unavailable if
// the vault's folder is missing.
func (a *API) picture(ctx context.Context, id string) (content []byte, kind string, err error) {
	uri := ""
	err = a.db.Read(ctx, func(r *db.Reader) error {
		m, err := a.caller.Find(ctx, r, id)
		if err != nil {
			return err
		}
		if m.Kind == "file" {
			uri = m.URI
		}
		return nil
	})
	if err == nil && uri == "" {
		err = fault.New(fault.InvalidArgument, "file: %q is not a file of a vault", id)
	}
	if err != nil {
		return nil, "", err
	}
	f, err := vault.Importer{DB: a.db, Caller: a.caller}.FindFile(ctx, "file", "", uri)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	content, err = f.Read(folder.Entry{Path: f.Path}, maxPicture)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", vault.ErrMissing("file", f.Path)
	case err != nil:
		return nil, "", fault.Wrap(fault.Unavailable, err, "file: %s cannot be read", f.Path)
	case len(content) > maxPicture:
		return nil, "", fault.New(fault.TooLarge, "file: %s is too large to be shown: it has more than %d bytes", f.Path, maxPicture)
	}
	if kind = pictureType(f.Path, content); kind == "" {
		return nil, "", fault.New(fault.InvalidArgument, "file: %s is not a picture that can be shown: PNG, JPEG, GIF, WebP, BMP, AVIF or SVG", f.Path)
	}
	return content, kind, nil
}

// pictureType returns the content type of a picture by its bytes, whatever its name is; "" if
// content is not a picture. SVG has no typical first bytes, so it is recognised as text with an
// svg element and the extension .svg.
func pictureType(name string, content []byte) string {
	kind := http.DetectContentType(content)
	switch {
	case strings.HasPrefix(kind, "image/"):
		return kind
	case len(content) > 12 && string(content[4:8]) == "ftyp" && (string(content[8:12]) == "avif" || string(content[8:12]) == "avis"):
		return "image/avif"
	case strings.EqualFold(path.Ext(name), ".svg") && utf8.Valid(content) && bytes.Contains(content, []byte("<svg")):
		return "image/svg+xml"
	}
	return ""
}
