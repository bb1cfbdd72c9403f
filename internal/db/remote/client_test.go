package remote

import (
	"crypto/tls"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A node that wants a certificate of its clients has not read the request, so nothing is
// in doubt.
func TestARefusedCertificateLeavesNoDoubt(t *testing.T) {
	node := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the request was read") }))
	node.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS13}
	node.StartTLS()
	defer node.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: node.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := New(Address{File: "db", Nodes: []string{strings.TrimPrefix(node.URL, "https://")}, TLS: true, CA: ca})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	is := c.Execute(t.Context(), Batch{Claimed: func(int, string) bool { return false }, Void: []Statement{}})
	if is.Kind != NotLanded || !errors.Is(is.Err, errDenied) {
		t.Errorf("%v %v, want that nothing was written", is.Kind, is.Err)
	}
}
