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

// Node describes a node of a cluster, as another node reports it.
type Node struct {
	ID        string `json:"id"`
	API       string `json:"api_addr"` // http://HOST:PORT, or https; "" if it cannot be reached
	Raft      string `json:"addr"`     // HOST:PORT
	Version   string `json:"version"`  // version of rqlited; "" if it cannot be reached or does not report it
	Voter     bool   `json:"voter"`
	Reachable bool   `json:"reachable"`
	Leader    bool   `json:"leader"`
}

// Nodes returns the nodes, sorted by id. It fails with unavailable if no node answers.
func (c *Client) Nodes(ctx context.Context) ([]Node, error) {
	var answer struct {
		Nodes []Node `json:"nodes"`
	}
	err := c.tryNodes(ctx, func(ctx context.Context, node string) error {
		return c.getFrom(ctx, node, "/nodes?nonvoters&ver=2&timeout=1s", &answer)
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(answer.Nodes, func(a, b Node) int { return cmp.Compare(a.ID, b.ID) })
	return answer.Nodes, nil
}

// Contact is a node's report about itself and its leader.
type Contact struct {
	ID      string
	State   string        // Leader, Follower, Candidate …
	Leader  string        // HOST:PORT for Raft; "" if it knows no leader
	Silence time.Duration // time since it heard from the leader; 0 if it is the leader, -1 if never
	Applied uint64        // number of the last log entry that it has applied to its file
	Commit  uint64        // number of the last log entry that it knows to be committed
	Version string        // version of rqlited
	Engine  string        // version of its SQLite
}

// Contact returns the report of the node beside this process. It fails with unavailable if the
// node does not answer.
func (c *Client) Contact(ctx context.Context) (Contact, error) {
	return c.ContactOf(ctx, c.address.Nodes[0])
}

// ContactOf is Contact for any node, given as HOST:PORT.
func (c *Client) ContactOf(ctx context.Context, node string) (contact Contact, err error) {
	var answer struct {
		Store struct {
			ID   string `json:"node_id"`
			Raft struct {
				State   string `json:"state"`
				Silence any    `json:"last_contact"` // "12ms", "never", or on the leader the number 0
				Applied uint64 `json:"applied_index"`
				Commit  uint64 `json:"commit_index"`
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
	if err := c.getFrom(ctx, node, "/status", &answer); err != nil {
		return contact, err
	}
	raft := answer.Store.Raft
	contact = Contact{
		ID: answer.Store.ID, State: raft.State, Leader: answer.Store.Leader.Addr, Silence: -1,
		Applied: raft.Applied, Commit: raft.Commit, Version: answer.Build.Version, Engine: answer.Store.SQLite.Version,
	}
	if text, ok := raft.Silence.(string); ok {
		if silence, err := time.ParseDuration(text); err == nil { // it is not "never"
			contact.Silence = silence
		}
	}
	if raft.State == "Leader" {
		contact.Silence = 0
	}
	return contact, nil
}

// Query runs a query of one column on the leader, after all committed writes, and returns the
// value in the first row. ok is false if there is no row.
func (c *Client) Query(ctx context.Context, s Statement) (value any, ok bool, err error) {
	body, err := encode([]Statement{s})
	if err != nil {
		return nil, false, err
	}
	var answer struct {
		Results []struct {
			Values [][]any `json:"values"`
			Error  string  `json:"error"`
		} `json:"results"`
		Error string `json:"error"`
	}
	err = c.tryNodes(ctx, func(ctx context.Context, node string) error {
		r, err := c.ask(ctx, http.MethodPost, node, "/db/query?level=strong&noparse", "application/json", body)
		return readJSON(r, err, &answer)
	})
	if err != nil {
		return nil, false, err
	}
	if answer.Error != "" || len(answer.Results) != 1 || answer.Results[0].Error != "" {
		return nil, false, fault.New(fault.Unavailable, "ask the cluster: it answers %.200q; try again", answer.Error)
	}
	if rows := answer.Results[0].Values; len(rows) > 0 && len(rows[0]) > 0 {
		return rows[0][0], true, nil
	}
	return nil, false, nil
}

// tryNodes calls ask with one node after another until a call does not fail.
func (c *Client) tryNodes(ctx context.Context, ask func(ctx context.Context, node string) error) (err error) {
	for try := range c.address.Nodes {
		_, node := c.node(try)
		if err = ask(ctx, node); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// getFrom decodes the JSON that a node returns for a path into a value.
func (c *Client) getFrom(ctx context.Context, node, path string, target any) error {
	ctx, cancel := context.WithTimeout(ctx, c.Try)
	defer cancel()
	r, err := c.ask(ctx, http.MethodGet, node, path, "application/json", nil)
	return readJSON(r, err, target)
}

// readJSON decodes the body of a reply into a value. It fails with unavailable if err is not nil
// or the status is not 200.
func readJSON(r reply, err error, target any) error {
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
	if err := d.Decode(target); err != nil {
		return fault.Wrap(fault.Unavailable, err, "%s: the answer cannot be read", doing)
	}
	return nil
}

// Copy writes the SQLite file of one node, not that of the leader, to a writer, because it may be too large for memory. node is
// HOST:PORT.
func (c *Client) Copy(ctx context.Context, node string, to io.Writer) error {
	answer, err := c.send(ctx, http.MethodGet, node, "/db/backup?noleader", "application/json", nil)
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "copy the file of node %s", node)
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusOK:
		_, err = io.Copy(to, answer.Body)
	case http.StatusUnauthorized, http.StatusForbidden:
		err = errDenied
	default:
		message, _ := io.ReadAll(io.LimitReader(answer.Body, 200)) // if it fails, the status is enough
		err = fmt.Errorf("HTTP %d: %s", answer.StatusCode, strings.TrimSpace(string(message)))
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "copy the file of node %s", node)
	}
	return nil
}

// Load replaces the database of all nodes by a SQLite file that has no write-ahead log. If it
// fails and sent is true, the database may have been replaced.
func (c *Client) Load(ctx context.Context, file []byte) (sent bool, err error) {
	err = c.tryNodes(ctx, func(ctx context.Context, node string) error {
		if sent {
			return err
		}
		r, askErr := c.ask(ctx, http.MethodPost, node, "/db/load", "application/octet-stream", file)
		sent = sent || r.sent && (askErr != nil || r.status == http.StatusOK || r.status >= 500 && !slices.Contains(unwritten, strings.TrimSpace(string(r.body))))
		if err = askErr; err == nil && r.status != http.StatusOK {
			err = fmt.Errorf("HTTP %d: %.200s", r.status, strings.TrimSpace(string(r.body)))
		}
		return err
	})
	return sent, err
}
