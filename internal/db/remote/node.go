package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"hence/internal/fault"
)

// Node is a node of a cluster, as another one describes it.
type Node struct {
	ID        string `json:"id"`
	API       string `json:"api_addr"` // http://HOST:PORT, or https; "" if it cannot be reached
	Raft      string `json:"addr"`     // HOST:PORT
	Version   string `json:"version"`  // of rqlited; "" if it cannot be reached or does not tell
	Voter     bool   `json:"voter"`
	Reachable bool   `json:"reachable"`
	Leader    bool   `json:"leader"`
}

// Nodes lists the nodes by their ids. It fails with unavailable if no node answers.
func (c *Client) Nodes(ctx context.Context) ([]Node, error) {
	var said struct {
		Nodes []Node `json:"nodes"`
	}
	err := c.inTurn(ctx, func(ctx context.Context, node string) error {
		return c.getFrom(ctx, node, "/nodes?nonvoters&ver=2&timeout=1s", &said)
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(said.Nodes, func(a, b Node) int { return cmp.Compare(a.ID, b.ID) })
	return said.Nodes, nil
}

// Contact is what a node knows of its leader, and of itself.
type Contact struct {
	ID      string
	State   string        // Leader, Follower, Candidate …
	Leader  string        // HOST:PORT for Raft; "" if it knows of none
	Silence time.Duration // since it heard of the leader; 0 if it is the leader, -1 if never
	Applied uint64        // number of the last entry of the log that is in its file
	Commit  uint64        // number of the last entry that it knows to be committed
	Version string        // of rqlited
	Engine  string        // version of its SQLite
}

// Contact asks the node beside this process. It fails with unavailable if that does not
// answer.
func (c *Client) Contact(ctx context.Context) (Contact, error) {
	return c.ContactOf(ctx, c.address.Nodes[0])
}

// ContactOf is Contact for any node, HOST:PORT.
func (c *Client) ContactOf(ctx context.Context, node string) (contact Contact, err error) {
	var said struct {
		Store struct {
			ID   string `json:"node_id"`
			Raft struct {
				State   string      `json:"state"`
				Silence any         `json:"last_contact"` // "12ms", "never", or on the leader the number 0
				Applied json.Number `json:"applied_index"`
				Commit  json.Number `json:"commit_index"`
			} `json:"raft"`
			Leader struct {
				Addr string `json:"addr"`
			} `json:"leader"`
			SQLite struct {
				Version string `json:"version"`
			} `json:"sqlite3"`
		} `json:"store"`
		Build struct {
			Version string `json:"version"`
		} `json:"build"`
	}
	if err := c.getFrom(ctx, node, "/status", &said); err != nil {
		return contact, err
	}
	raft := said.Store.Raft
	contact = Contact{
		ID: said.Store.ID, State: raft.State, Leader: said.Store.Leader.Addr, Silence: -1,
		Applied: whole(raft.Applied), Commit: whole(raft.Commit), Version: said.Build.Version, Engine: said.Store.SQLite.Version,
	}
	if text, ok := raft.Silence.(string); ok {
		if silence, err := time.ParseDuration(text); err == nil { // else never
			contact.Silence = silence
		}
	}
	if raft.State == "Leader" {
		contact.Silence = 0
	}
	return contact, nil
}

func whole(n json.Number) uint64 {
	i, _ := n.Int64() // rqlite writes numbers
	return uint64(max(i, 0))
}

// Query asks the leader for the only value of a query's first row, as it is after all
// that has landed. It is false for ok if there is no row.
func (c *Client) Query(ctx context.Context, s Statement) (value any, ok bool, err error) {
	body, err := encode([]Statement{s})
	if err != nil {
		return nil, false, err
	}
	var said struct {
		Results []struct {
			Values [][]any `json:"values"`
			Error  string  `json:"error"`
		} `json:"results"`
		Error string `json:"error"`
	}
	err = c.inTurn(ctx, func(ctx context.Context, node string) error {
		r, err := c.ask(ctx, http.MethodPost, node, "/db/query?level=strong&noparse", "application/json", body)
		return readJSON(r, err, &said)
	})
	if err != nil {
		return nil, false, err
	}
	if said.Error != "" || len(said.Results) != 1 || said.Results[0].Error != "" {
		return nil, false, fault.New(fault.Unavailable, "ask the cluster: it says %.200q; try again", said.Error)
	}
	if rows := said.Results[0].Values; len(rows) > 0 && len(rows[0]) > 0 {
		return rows[0][0], true, nil
	}
	return nil, false, nil
}

// inTurn calls ask with each node until one does not fail.
func (c *Client) inTurn(ctx context.Context, ask func(ctx context.Context, node string) error) (err error) {
	for try := range c.address.Nodes {
		_, node := c.node(try)
		if err = ask(ctx, node); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

func (c *Client) getFrom(ctx context.Context, node, path string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, c.Try)
	defer cancel()
	r, err := c.ask(ctx, http.MethodGet, node, path, "application/json", nil)
	return readJSON(r, err, into)
}

func readJSON(r reply, err error, into any) error {
	const doing = "ask the cluster"
	switch {
	case err != nil:
		return fault.Wrap(fault.Unavailable, err, "%s: no answer; see whether the nodes run", doing)
	case r.status == http.StatusUnauthorized || r.status == http.StatusForbidden:
		return fault.Wrap(fault.Unavailable, errDenied, doing)
	case r.status != http.StatusOK:
		return fault.New(fault.Unavailable, "%s: HTTP %d: %.200s", doing, r.status, strings.TrimSpace(string(r.body)))
	}
	d := json.NewDecoder(bytes.NewReader(r.body))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return fault.Wrap(fault.Unavailable, err, "%s: the answer cannot be read", doing)
	}
	return nil
}

// Copy writes the SQLite file of one node, as the node itself has it, to a writer. node
// is HOST:PORT.
func (c *Client) Copy(ctx context.Context, node string, to io.Writer) error {
	if err := c.download(ctx, node, "/db/backup?noleader", to); err != nil {
		return fault.Wrap(fault.Unavailable, err, "copy the file of node %s", node)
	}
	return nil
}

// download writes an answer that may be too large for the memory to a writer.
func (c *Client) download(ctx context.Context, node, path string, to io.Writer) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.scheme()+"://"+node+path, nil)
	if err != nil {
		return err
	}
	if c.address.user != "" {
		request.SetBasicAuth(c.address.user, c.address.password)
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return plainError(err)
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusOK:
		_, err = io.Copy(to, answer.Body)
		return err
	case http.StatusUnauthorized, http.StatusForbidden:
		return errDenied
	}
	said, _ := io.ReadAll(io.LimitReader(answer.Body, 200)) // what the status says is enough
	return fmt.Errorf("HTTP %d: %s", answer.StatusCode, strings.TrimSpace(string(said)))
}

// Load replaces the database of all nodes by a SQLite file that has no write-ahead log.
// An error leaves open whether it was replaced, unless sent is false.
func (c *Client) Load(ctx context.Context, file []byte) (sent bool, err error) {
	err = c.inTurn(ctx, func(ctx context.Context, node string) error {
		if sent {
			return err
		}
		r, failed := c.ask(ctx, http.MethodPost, node, "/db/load", "application/octet-stream", file)
		sent = sent || r.sent && (failed != nil || r.status == http.StatusOK || r.status >= 500 && !slices.Contains(unwritten, strings.TrimSpace(string(r.body))))
		if err = failed; err == nil && r.status != http.StatusOK {
			err = fmt.Errorf("HTTP %d: %.200s", r.status, strings.TrimSpace(string(r.body)))
		}
		return err
	})
	return sent, err
}
