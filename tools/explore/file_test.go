package explore

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/tools"
)

func TestPictures(t *testing.T) {
	var dot bytes.Buffer
	if err := png.Encode(&dot, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	d := dbtest.New(t)
	importNotes(t, d, "v", "ours", map[string]string{
		"Note.md": "x", "dot.png": dot.String(), "really a picture.jpg": dot.String(), "page.png": "<!doctype html><script>alert(1)</script>",
		"drawing.svg": `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`, "words.svg": "no drawing", "data.csv": "a,b",
	})
	api := New(d, person, tools.Options{}, func() bool { return false })
	ask := func(h http.Handler, method, id string) *http.Response {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, APIPath+"file?id="+url.QueryEscape(id), nil))
		return w.Result()
	}
	for _, c := range []struct {
		id     string
		status int
		kind   string
	}{
		{"dot.png", 200, "image/png"},
		{"really a picture.jpg", 200, "image/png"},
		{"drawing.svg", 200, "image/svg+xml"},
		{"page.png", 400, "application/json"},
		{"words.svg", 400, "application/json"},
		{"data.csv", 400, "application/json"},
		{"Note.md", 400, "application/json"},
		{"../dot.png", 404, "application/json"},
		{"gone.png", 404, "application/json"},
		{"", 400, "application/json"},
	} {
		r := ask(api, http.MethodGet, c.id)
		policy := r.Header.Get("Content-Security-Policy")
		if r.StatusCode != c.status || r.Header.Get("Content-Type") != c.kind || r.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(policy, "default-src 'none'") {
			t.Errorf("%q: %d %v", c.id, r.StatusCode, r.Header)
		}
		if c.status == 200 && !strings.Contains(policy, "sandbox") {
			t.Errorf("%q may do what it wants: %s", c.id, policy)
		}
	}
	if r := ask(api, http.MethodPost, "dot.png"); r.StatusCode != 405 {
		t.Errorf("POST: %d", r.StatusCode)
	}
	confined := New(d, ref.Caller{Namespace: "theirs", Confined: true}, tools.Options{}, func() bool { return false })
	if r := ask(confined, http.MethodGet, "dot.png"); r.StatusCode != 404 {
		t.Errorf("a caller of another namespace gets %d", r.StatusCode)
	}
}
