package explore

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
)

func fetch(method, address string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost"+address, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	Pages(w, r)
	return w
}

// Every address of a view can be loaded again: the server answers with the page, whatever
// the address looks like.
func TestPages_EveryViewIsThePage(t *testing.T) {
	want := pages()[homePage].content
	for _, view := range []string{
		"", "index.html", "search?q=queue", "memory/01a1fbf5-08d1-731e-b387-a6a0300c40a1", "graph/x?depth=2", "memory/obsidian-fs%3A%2F%2Fv%2Fa.md",
		"memory/a/../b", "memory/..%2f..%2fschema.sql", "Assets/x", "%00", "api", "%61ssets", "memory/.js",
	} {
		w := fetch(http.MethodGet, Path+view)
		if w.Code != http.StatusOK || !bytes.Equal(w.Body.Bytes(), want) {
			t.Errorf("%q: %d %.80s", view, w.Code, w.Body)
		}
		if kind, kept := w.Header().Get("Content-Type"), w.Header().Get("Cache-Control"); kind != "text/html; charset=utf-8" || kept != "no-cache" {
			t.Errorf("%q is %s, kept %q", view, kind, kept)
		}
	}
}

func TestPages_FilesAreKept(t *testing.T) {
	kinds := map[string]bool{}
	for name, p := range pages() {
		w := fetch(http.MethodGet, Path+name)
		if w.Code != http.StatusOK || !bytes.Equal(w.Body.Bytes(), p.content) || len(p.content) == 0 {
			t.Errorf("%s: %d, %d bytes", name, w.Code, w.Body.Len())
		}
		if kind, known := types[path.Ext(name)]; !known || w.Header().Get("Content-Type") != kind {
			t.Errorf("%s is %q", name, w.Header().Get("Content-Type"))
		}
		want := "no-cache"
		if strings.HasPrefix(name, assets) {
			want = "public, max-age=31536000, immutable"
			kinds[path.Ext(name)] = true
		}
		if got := w.Header().Get("Cache-Control"); got != want {
			t.Errorf("%s is kept %q, want %q", name, got, want)
		}
		tag := w.Header().Get("ETag")
		if again := fetch(http.MethodGet, Path+name, "If-None-Match", tag); again.Code != http.StatusNotModified || again.Body.Len() != 0 {
			t.Errorf("%s again: %d, %d bytes", name, again.Code, again.Body.Len())
		}
		if head := fetch(http.MethodHead, Path+name); head.Code != http.StatusOK || head.Body.Len() != 0 || head.Header().Get("ETag") != tag || tag == "" {
			t.Errorf("head of %s: %d, %d bytes, %q", name, head.Code, head.Body.Len(), head.Header().Get("ETag"))
		}
	}
	if !kinds[".js"] || !kinds[".css"] {
		t.Errorf("a page of scripts and styles has under %s: %v", assets, kinds)
	}
}

// A missing file is answered with 404, not with the page, which a browser would treat as a
// script.
func TestPages_MissingFilesAreMissing(t *testing.T) {
	for _, name := range []string{"assets/", "assets/none.js", "assets/../index.html", "assets/none.js?x=1"} {
		if w := fetch(http.MethodGet, Path+name); w.Code != http.StatusNotFound || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d, kept %q", name, w.Code, w.Header().Get("Cache-Control"))
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodTrace} {
		if w := fetch(method, Path); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d, allow %q", method, w.Code, w.Header().Get("Allow"))
		}
	}
}

func TestPages_AreGuarded(t *testing.T) {
	for _, address := range []string{Path, Path + "memory/x", Path + "assets/none.js"} {
		header := fetch(http.MethodGet, address).Header()
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %s is %q", address, name, got)
			}
		}
		said := map[string]string{}
		for rule := range strings.SplitSeq(header.Get("Content-Security-Policy"), ";") {
			name, sources, _ := strings.Cut(strings.TrimSpace(rule), " ")
			said[name] = sources
		}
		for name, want := range map[string]string{
			"default-src": "'none'", "script-src": "'self'", "connect-src": "'self'", "font-src": "'self'", "style-src": "'self'",
			"img-src": "'self' data: blob:", "frame-src": "'self'", "base-uri": "'none'", "form-action": "'none'", "frame-ancestors": "'none'",
		} {
			if said[name] != want {
				t.Errorf("%s: %s is %q", address, name, said[name])
			}
		}
		if strings.Contains(said["script-src"]+said["default-src"], "unsafe") {
			t.Errorf("%s: %v", address, said)
		}
	}
}

// The frame that draws diagrams can neither reach the page nor send requests.
func TestPages_TheFrameIsConfined(t *testing.T) {
	header := fetch(http.MethodGet, Path+framePage).Header()
	policy := header.Get("Content-Security-Policy")
	for _, rule := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'self'", "sandbox allow-scripts"} {
		if !strings.Contains(policy+";", rule+";") {
			t.Errorf("the frame lacks %s: %s", rule, policy)
		}
	}
	if strings.Contains(policy, "connect-src") || strings.Contains(policy, "allow-same-origin") {
		t.Errorf("the frame may do more: %s", policy)
	}
	strangers := 0
	for name := range pages() {
		foreign := fetch(http.MethodGet, Path+name).Header().Get("Cross-Origin-Resource-Policy") == "cross-origin"
		if foreign != strings.HasPrefix(name, frameScripts) {
			t.Errorf("%s is given to strangers: %v", name, foreign)
		}
		if foreign {
			strangers++
		}
	}
	if strangers != 3 {
		t.Errorf("%d scripts of the frame", strangers)
	}
}

// The built page loads nothing from other hosts, and has no inline script or style, which
// the policy would block.
func TestPages_HomeRefersToItsOwnFiles(t *testing.T) {
	d := xml.NewDecoder(bytes.NewReader(pages()[homePage].content))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	scripts, inside := 0, ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inside = strings.ToLower(token.Name.Local)
			if inside == "style" || inside == "base" || inside == "iframe" {
				t.Errorf("there is a %s in the page", inside)
			}
			for _, a := range token.Attr {
				checkAttribute(t, inside, strings.ToLower(a.Name.Local), a.Value)
				if inside == "script" && a.Name.Local == "src" {
					scripts++
				}
			}
		case xml.EndElement:
			inside = ""
		case xml.CharData:
			if inside == "script" && strings.TrimSpace(string(token)) != "" {
				t.Errorf("there is a script in the page: %.80s", token)
			}
		}
	}
	if scripts == 0 {
		t.Error("the page has no script; has it been built?")
	}
}

func checkAttribute(t *testing.T, element, name, value string) {
	t.Helper()
	switch {
	case name == "style" || strings.HasPrefix(name, "on"):
		t.Errorf("%s has %s=%q", element, name, value)
	case (name == "src" || name == "href") && !strings.HasPrefix(value, "data:image/") && !strings.HasPrefix(value, "#"):
		file, ours := strings.CutPrefix(value, Path)
		if _, there := pages()[file]; !ours || !there {
			t.Errorf("%s refers to %q, which is not a file of the page", element, value)
		}
	}
}

// Styles load nothing from other hosts either.
func TestPages_StylesReferToItsOwnFiles(t *testing.T) {
	dbtest.SkipUnderRace(t)
	outside := regexp.MustCompile(`(?i)(@import|url\(\s*["']?(https?:)?//)`)
	for name, p := range pages() {
		if match := outside.Find(p.content); path.Ext(name) == ".css" && match != nil {
			t.Errorf("%s has %s", name, match)
		}
	}
}
