package secret_test

import (
	"strings"
	"testing"

	"hence/internal/lineartest"
	"hence/internal/secret"
)

// TestHostileTextTakesLinearTime repeats the texts from which the functions look ahead.
func TestHostileTextTakesLinearTime(t *testing.T) {
	for _, part := range []string{
		"sk-", "eyJ.", "eyJa.eyJa.", "ghp_", "token=", "password:", "://a:", "://a:b@", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("A", 64) + "\n",
		"Authorization: ", "authorization: digest a=b,", "1234567890:AA", "curl -u a:bcdef ", "<private>", "<private></private>", "</private>", "AKIA", "=", "a", "Q~", "https://", "MT.", "xoxb-1-",
	} {
		lineartest.Check(t, 1<<15, func(size int) func() {
			text := strings.Repeat(part, size/len(part)) + "-----END PRIVATE KEY-----"
			return func() {
				var c secret.Cleaner
				c.Clean(text)
			}
		})
	}
}

func BenchmarkFind(b *testing.B) {
	text := strings.Repeat("The queue moved to NATS because Redis lost messages at a failover; see [[Job Queue]] (id 0193c1b2) and https://example.com/a?b=c. ", 8)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if secret.Find(text) != nil {
			b.Fatal("found")
		}
	}
}
