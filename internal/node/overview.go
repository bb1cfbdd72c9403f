// Package node reads the state that the nodes of a cluster report. A node is a run of rqlited
// (https://rqlite.io), which has a copy of the store on its machine; docs/cluster.md says with
// which flags it must run.
package node

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"hence/internal/db"
	"hence/internal/db/remote"
	"hence/internal/fault"
	"hence/internal/pause"
)

// Overview is the state of the nodes of a cluster, as they report it.
type Overview struct {
	Nodes     []State  `json:"nodes"`         // sorted by id
	Leader    string   `json:"leader"`        // id of the leader; "" if there is none
	Digests   Verdict  `json:"digests"`       // whether the stores of the nodes are equal
	Differing []string `json:"differing"`     // tables that differ between nodes
	Apart     []string `json:"apart"`         // ids of the nodes whose store differs from that of most
	Why       string   `json:"why,omitempty"` // the reason for the verdict, unless it is Equal
	Warnings  []string `json:"warnings"`
}

// Verdict is the result of a comparison of nodes.
type Verdict string

// The verdicts.
const (
	Equal   Verdict = "equal"
	Differ  Verdict = "differ"
	Unknown Verdict = "unknown" // the nodes were not compared, or not at the same point of the log
)

// State is the state of one node.
type State struct {
	ID            string  `json:"id"`
	HTTP          string  `json:"http"` // HOST:PORT; "" if the node does not answer from here
	Raft          string  `json:"raft"`
	Here          bool    `json:"here"`  // whether it is the node beside this process
	State         string  `json:"state"` // leader, follower, candidate, unreachable …
	Voter         bool    `json:"voter"`
	SilentSeconds float64 `json:"silent_seconds"` // time since it heard from its leader; -1: not known
	Behind        int64   `json:"behind"`         // number of log entries that the leader has committed and it has not applied; -1: not known
	Version       string  `json:"version"`        // version of rqlited
	Engine        string  `json:"sqlite"`         // version of its SQLite
}

// Examine returns the state of all nodes of a cluster. If digests is true, it also compares
// their stores, for which it copies each to the folder for temporary files. It fails with
// unavailable if no node answers.
func Examine(ctx context.Context, c *remote.Client, digests bool) (o Overview, err error) {
	listed, err := c.Nodes(ctx)
	if err != nil {
		return o, err
	}
	o = Overview{Nodes: make([]State, len(listed)), Digests: Unknown, Differing: []string{}, Apart: []string{}, Warnings: []string{}}
	committed := make([]int64, len(listed))
	var here remote.Contact
	var group sync.WaitGroup
	group.Go(func() {
		if contact, err := c.Contact(ctx); err == nil {
			here = contact
		}
	})
	for i, n := range listed {
		group.Go(func() { o.Nodes[i], committed[i] = ask(ctx, c, n) })
	}
	group.Wait()
	for i := range o.Nodes {
		o.Nodes[i].Here = o.Nodes[i].HTTP != "" && o.Nodes[i].ID == here.ID
	}
	o.count(committed)
	o.warn()
	if digests {
		o.compare(ctx, c)
	} else {
		o.Why = "they were not compared"
	}
	return o, nil
}

// ask returns the state of one node, and the number of the last log entry that it knows to be
// committed. Behind is the number of the last entry that it has applied, until count replaces
// it.
func ask(ctx context.Context, c *remote.Client, n remote.Node) (s State, committed int64) {
	s = State{ID: n.ID, HTTP: n.API, Raft: n.Raft, Voter: n.Voter, State: "unreachable", SilentSeconds: -1, Behind: -1, Version: n.Version}
	if _, address, ok := strings.Cut(n.API, "://"); ok {
		s.HTTP = address
	}
	if n.Reachable {
		s.State = "follower"
	}
	if n.Leader {
		s.State = "leader"
	}
	if s.HTTP == "" {
		return s, 0
	}
	contact, err := c.ContactOf(ctx, s.HTTP)
	// On each machine, an address such as 127.0.0.1:4001 is that of another node.
	if err != nil || contact.ID != n.ID {
		s.HTTP = ""
		return s, 0
	}
	s.State, s.Version, s.Engine = strings.ToLower(contact.State), cmp.Or(contact.Version, n.Version), contact.Engine
	if contact.Silence >= 0 {
		s.SilentSeconds = contact.Silence.Seconds()
	}
	s.Behind = int64(contact.Applied)
	return s, int64(contact.Commit)
}

// count sets Leader, and replaces Behind of each node by the number of entries that it is
// behind the leader.
func (o *Overview) count(committed []int64) {
	leaderCommit := int64(-1)
	for i, n := range o.Nodes {
		if n.State == "leader" {
			o.Leader, leaderCommit = n.ID, committed[i]
		}
	}
	for i := range o.Nodes {
		n := &o.Nodes[i]
		switch {
		case n.Behind < 0:
		case leaderCommit < 0:
			n.Behind = -1
		default:
			n.Behind = max(0, leaderCommit-n.Behind)
		}
	}
}

// warn adds warnings about states that a person should change.
func (o *Overview) warn() {
	versions, engines, answering, voters := map[string]bool{}, map[string]bool{}, 0, 0
	for _, n := range o.Nodes {
		if n.Voter {
			voters++
		}
		switch {
		case n.State == "unreachable":
			o.Warnings = append(o.Warnings, n.ID+" does not answer the other nodes")
			continue
		case n.HTTP == "":
			o.Warnings = append(o.Warnings, n.ID+" can be reached by the other nodes, but not from here")
		default:
			versions[n.Version], engines[n.Engine] = true, true
		}
		if n.Voter {
			answering++
		}
	}
	if len(versions) > 1 || len(engines) > 1 {
		o.Warnings = append(o.Warnings, "the nodes run different versions; use the same rqlited on all")
	}
	if o.Leader == "" {
		o.Warnings = append(o.Warnings, "there is no leader: nothing can be written until more than half of the nodes answer")
	} else if answering > 0 && answering == voters/2+1 && answering < voters {
		o.Warnings = append(o.Warnings, "if one more node fails, nothing can be written")
	}
	if voters > 0 && voters%2 == 0 {
		o.Warnings = append(o.Warnings, "the number of nodes is even; with one more node, one more could fail")
	}
}

// The nodes are copied up to compareTries times, until all copies are of the same point of the
// log, with a pause in between.
const (
	compareTries = 5
	comparePause = time.Second
)

// compare sets Digests, Differing, Apart and Why: it compares the tables of all nodes after the
// same transaction.
func (o *Overview) compare(ctx context.Context, c *remote.Client) {
	addresses := []string{}
	for _, n := range o.Nodes {
		if n.HTTP == "" {
			o.Why = n.ID + " cannot be read from here"
			return
		}
		addresses = append(addresses, n.HTTP)
	}
	o.Why = "the store was written to while its nodes were copied; try again when it is quieter"
	for try := range compareTries {
		if try > 0 && pause.For(ctx, comparePause) != nil {
			return
		}
		copies, err := copyAll(ctx, c, addresses)
		if err != nil {
			o.Why = err.Error()
			return
		}
		if o.setVerdict(copies) {
			return
		}
	}
}

// setVerdict compares copies and sets the verdict. It returns false if they cannot be compared,
// because they are not equal and not of the same point of the log.
func (o *Overview) setVerdict(copies []db.Digests) bool {
	usual := mostFrequent(copies)
	differing, apart := []string{}, []string{}
	for i, c := range copies {
		if maps.Equal(c.Tables, usual.Tables) {
			continue
		}
		apart = append(apart, o.Nodes[i].ID)
		for _, tables := range []map[string]string{c.Tables, usual.Tables} {
			for table := range tables {
				if c.Tables[table] != usual.Tables[table] && !slices.Contains(differing, table) {
					differing = append(differing, table)
				}
			}
		}
	}
	if len(apart) == 0 {
		o.Digests, o.Why = Equal, ""
		return true
	}
	if slices.ContainsFunc(copies, func(c db.Digests) bool { return c.Act != usual.Act }) {
		return false
	}
	slices.Sort(differing)
	o.Digests, o.Differing, o.Apart = Differ, differing, apart
	o.Why = "tables differ at the same point of the log"
	return true
}

// mostFrequent returns the copy to which most copies are equal.
func mostFrequent(copies []db.Digests) (usual db.Digests) {
	highest := 0
	for _, c := range copies {
		equal := 0
		for _, other := range copies {
			if maps.Equal(c.Tables, other.Tables) {
				equal++
			}
		}
		if equal > highest {
			usual, highest = c, equal
		}
	}
	return usual
}

// copyAll copies the stores of nodes concurrently, and returns their digests.
func copyAll(ctx context.Context, c *remote.Client, addresses []string) ([]db.Digests, error) {
	copies := make([]db.Digests, len(addresses))
	return copies, db.InTemporaryFolder("compare nodes", func(folder string) error {
		var group errgroup.Group
		for i, address := range addresses {
			group.Go(func() error {
				path := filepath.Join(folder, strconv.Itoa(i))
				err := copyNode(ctx, c, address, path)
				if err == nil {
					copies[i], err = db.ReadDigests(ctx, path)
				}
				return err
			})
		}
		return group.Wait()
	})
}

// copyNode copies the store of one node to a new file.
func copyNode(ctx context.Context, c *remote.Client, address, path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "compare nodes: there is no room for copies")
	}
	err = c.Copy(ctx, address, f)
	if closeErr := f.Close(); err == nil && closeErr != nil {
		err = fault.Wrap(fault.Unavailable, closeErr, "compare nodes: there is no room for copies")
	}
	return err
}
