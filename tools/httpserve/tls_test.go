package httpserve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writeCertificate writes a certificate for this machine, with a serial number, and its
// key. It returns the certificate.
func writeCertificate(t *testing.T, folder string, serial int64) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "hence"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestTLS_FilesAreReadAgain(t *testing.T) {
	folder := t.TempDir()
	first := writeCertificate(t, folder, 1)
	w := open(t, Options{TLSCert: filepath.Join(folder, "cert.pem"), TLSKey: filepath.Join(folder, "key.pem")})
	if !strings.HasPrefix(w.server.URL(), "https://") {
		t.Fatal(w.server.URL())
	}
	serial := func(trusted *x509.Certificate) int64 {
		t.Helper()
		roots := x509.NewCertPool()
		roots.AddCert(trusted)
		one := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true}}
		answer, err := one.Get(strings.TrimSuffix(w.server.URL(), Path) + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		return answer.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	if n := serial(first); n != 1 {
		t.Errorf("serial %d", n)
	}
	plain, err := http.Get("http" + strings.TrimPrefix(strings.TrimSuffix(w.server.URL(), Path), "https") + "/healthz")
	if err == nil {
		if plain.Body.Close(); plain.StatusCode == http.StatusOK {
			t.Error("it answers without TLS")
		}
	}
}

// The files are checked again after a while. An error in reading them is reported once, and
// the previous certificate is still served.
func TestCertificate_Changes(t *testing.T) {
	folder, told := t.TempDir(), 0
	writeCertificate(t, folder, 1)
	c, err := loadCertificate(filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem"), func(error) { told++ })
	if err != nil {
		t.Fatal(err)
	}
	serial := func(later time.Duration) int64 {
		t.Helper()
		c.loadedAt = c.loadedAt.Add(-later)
		got, err := c.get(nil)
		if err != nil {
			t.Fatal(err)
		}
		read, err := x509.ParseCertificate(got.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		return read.SerialNumber.Int64()
	}
	writeCertificate(t, folder, 2)
	if n := serial(time.Minute); n != 2 {
		t.Errorf("serial %d after a change", n)
	}
	if err := os.WriteFile(c.key, []byte("half a key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if a, b := serial(time.Minute), serial(time.Minute); a != 2 || b != 2 || told != 1 {
		t.Errorf("serials %d and %d, told %d times", a, b, told)
	}
}

func TestProxies_Client(t *testing.T) {
	p, err := parseProxies([]string{"10.0.0.0/8", "::1"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ from, forwarded, want string }{
		"Itself":                  {"192.0.2.1:9", "", "192.0.2.1"},
		"NobodySpeaksForItself":   {"192.0.2.1:9", "198.51.100.7", "192.0.2.1"},
		"BehindAProxy":            {"10.1.2.3:9", "198.51.100.7", "198.51.100.7"},
		"TheLastThatIsNotAProxy":  {"10.1.2.3:9", "1.1.1.1, 198.51.100.7, 10.9.9.9", "198.51.100.7"},
		"WhatAClientMadeUpBefore": {"10.1.2.3:9", "127.0.0.1, 198.51.100.7", "198.51.100.7"},
		"NotAnAddress":            {"10.1.2.3:9", "unknown", "10.1.2.3"},
		"OfVersion6":              {"[::1]:9", "2001:db8::7", "2001:db8::7"},
	} {
		r, _ := http.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.from
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := p.clientAddr(r); got != netip.MustParseAddr(c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// Behind a proxy, requests from other addresses are refused, whatever their headers say.
func TestProxies_NobodyComesAround(t *testing.T) {
	p, err := parseProxies([]string{"10.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	served := p.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	for from, want := range map[string]int{"10.0.0.1:9": http.StatusOK, "127.0.0.1:9": http.StatusOK, "10.0.0.2:9": http.StatusForbidden} {
		r, _ := http.NewRequest(http.MethodGet, "/mcp", nil)
		r.RemoteAddr = from
		r.Header.Set("X-Forwarded-For", "10.0.0.1")
		w := &recorder{header: http.Header{}}
		if served.ServeHTTP(w, r); w.status != want {
			t.Errorf("from %s: %d, want %d", from, w.status, want)
		}
	}
}

type recorder struct {
	header http.Header
	status int
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) Write(b []byte) (int, error) { return len(b), nil }
func (r *recorder) WriteHeader(status int)      { r.status = status }

// Wrong tokens from one address do not lock out others.
func TestWrongTokens_ByAddress(t *testing.T) {
	var all wrongTokens
	a, b := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	now := time.Now() // a busy machine lets time pass between two calls
	for range 5 * maxWrongTokens {
		all.limiter(a).AllowN(now, 1)
	}
	if all.limiter(a).AllowN(now, 1) || !all.limiter(b).AllowN(now, 1) {
		t.Error("the limit is not of one address")
	}
	one, other := netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:db8::2")
	if all.limiter(one) != all.limiter(other) {
		t.Error("addresses of one network of version 6 are told apart")
	}
}
