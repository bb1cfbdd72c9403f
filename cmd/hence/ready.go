package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hence/internal/fault"
	"hence/tools/httpserve/oauth"
)

// readyTime is the longest time that hence ready waits for an answer: health checks of
// containers have a few seconds.
const readyTime = 4 * time.Second

func (s *session) readyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "ready [ADDRESS]",
		Short: "Ask a server whether it is ready",
		Long: `Asks the server at ADDRESS (127.0.0.1:7420 if it is left out), which hence serve
--http started, for /readyz, and exits with 0 if it can be read and is not outdated.
It is the health check of a container, which has no other program. The certificate of
an address of this machine (https://127.0.0.1:443) is not checked: it is for another
name, and the request holds no secret.`,
		Example: `  hence ready
  hence ready https://hence.example`,
		Hidden: true,
		Args:   count{0, 1}.check,
		RunE: func(cmd *cobra.Command, words []string) error {
			address := "127.0.0.1:7420"
			if len(words) > 0 {
				address = words[0]
			}
			answer, err := askReady(cmd.Context(), address)
			if err != nil {
				return err
			}
			if s.asJSON {
				return printJSON(s.out, map[string]any{"ready": true, "said": answer})
			}
			_, err = fmt.Fprintln(s.out, answer)
			return err
		},
	}
}

// askReady asks a server, at host:port or a URL, whether it is ready, and returns the text of
// its answer. It fails with unavailable if the server is not ready or does not answer.
func askReady(ctx context.Context, address string) (message string, err error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	at, err := url.Parse(address)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return "", fault.New(fault.InvalidArgument, "ready: %q is not an address; write it as 127.0.0.1:7420 or https://hence.example", address)
	}
	at.Path, at.RawQuery, at.Fragment = "/readyz", "", ""
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return "", fault.Wrap(fault.InvalidArgument, err, "ready: %s", address)
	}
	client := &http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: oauth.IsLoopback(at.Hostname())}}, //nolint:gosec // see Long
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	answer, err := client.Do(request)
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, err, "ready: there is no answer; see whether hence serve --http runs there")
	}
	defer answer.Body.Close()
	const enough = 1000 // bytes
	body, err := io.ReadAll(io.LimitReader(answer.Body, enough))
	message = strings.TrimSpace(string(body))
	if err != nil || answer.StatusCode != http.StatusOK {
		return "", fault.New(fault.Unavailable, "ready: %s says %s: %s", at.Host, answer.Status, message)
	}
	return message, nil
}
