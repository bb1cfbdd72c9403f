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

	"hence/internal/db"
	"hence/internal/db/remote"
	"hence/internal/fault"
)

// Overview is what the nodes of a cluster say of themselves.
type Overview struct {
	Nodes     []State  `json:"nodes"`     // by their ids
	Leader    string   `json:"leader"`    // id of a node; "" if there is none
	Digests   Verdict  `json:"digests"`   // whether the nodes hold the same
	Differing []string `json:"differing"` // tables that are not the same on all nodes
	Apart     []string `json:"apart"`     // ids of the nodes that hold something else than most
	Why       string   `json:"why,omitempty"`
	Warnings  []string `json:"warnings"`
}

// Verdict is what a comparison of nodes came to.
type Verdict string

// The verdicts.
const (
	Equal   Verdict = "equal"
	Differ  Verdict = "differ"
	Unknown Verdict = "unknown" // not every node could be read at one point of the log
)

// State is what is known of a node.
type State struct {
	ID            string  `json:"id"`
	HTTP          string  `json:"http"` // HOST:PORT; "" if the node does not answer the others
	Raft          string  `json:"raft"`
	Here          bool    `json:"here"`  // the node beside this process
	State         string  `json:"state"` // leader, follower, candidate, unreachable …
	Voter         bool    `json:"voter"`
	SilentSeconds float64 `json:"silent_seconds"` // since it heard of its leader; -1: not known
	Behind        int64   `json:"behind"`         // entries of the log that the leader has committed and it has not carried out; -1: not known
	Version       string  `json:"version"`        // of rqlited
	Engine        string  `json:"sqlite"`
}

// Examine asks all nodes of a cluster, and compares what they hold if digests is true:
// that copies the store of each node to the folder for temporary files. It fails with
// unavailable if no node answers.
func Examine(ctx context.Context, c *remote.Client, digests bool) (o Overview, err error) {
	listed, err := c.Nodes(ctx)
	if err != nil {
		return o, err
	}
	o = Overview{Nodes: make([]State, len(listed)), Digests: Unknown, Differing: []string{}, Apart: []string{}, Warnings: []string{}}
	committed := make([]int64, len(listed))
	var here remote.Contact
	var all sync.WaitGroup
	all.Go(func() {
		if own, err := c.Contact(ctx); err == nil {
			here = own
		}
	})
	for i, n := range listed {
		all.Go(func() { o.Nodes[i], committed[i] = ask(ctx, c, n) })
	}
	all.Wait()
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

// ask asks one node, and returns the number of the last entry that it knows to be committed,
// and the number of the last one that it has carried out in Behind.
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
	said, err := c.ContactOf(ctx, s.HTTP)
	// An address such as 127.0.0.1:4001 is that of another node on each machine.
	if err != nil || said.ID != n.ID {
		s.HTTP = ""
		return s, 0
	}
	s.State, s.Version, s.Engine = strings.ToLower(said.State), cmp.Or(said.Version, n.Version), said.Engine
	if said.Silence >= 0 {
		s.SilentSeconds = said.Silence.Seconds()
	}
	s.Behind = int64(said.Applied)
	return s, int64(said.Commit)
}

// count turns the numbers of entries into how far each node is behind the leader.
func (o *Overview) count(committed []int64) {
	last := int64(-1)
	for i, n := range o.Nodes {
		if n.State == "leader" {
			o.Leader, last = n.ID, committed[i]
		}
	}
	for i := range o.Nodes {
		n := &o.Nodes[i]
		switch {
		case n.Behind < 0:
		case last < 0:
			n.Behind = -1
		default:
			n.Behind = max(0, last-n.Behind)
		}
	}
}

// warn says what a person should change.
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
		o.Warnings = append(o.Warnings, "the number of nodes is even, so that one more would let as many fail and help more")
	}
}

// How often nodes are copied until all copies are of one point of the log, and how long
// is waited in between.
const (
	compareTries = 5
	comparePause = time.Second
)

// compare compares the tables of all nodes, as they are after the same transaction.
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
		if try > 0 {
			select {
			case <-ctx.Done():
				return
			case <-time.After(comparePause):
			}
		}
		copies, err := copyAll(ctx, c, addresses)
		if err != nil {
			o.Why = err.Error()
			return
		}
		if o.judge(copies) {
			return
		}
	}
}

// judge compares copies, and reports whether that was possible: they are of one point of
// the log, or equal.
func (o *Overview) judge(copies []db.Digests) bool {
	usual := most(copies)
	differing, apart := []string{}, []string{}
	for i, one := range copies {
		if maps.Equal(one.Tables, usual.Tables) {
			continue
		}
		apart = append(apart, o.Nodes[i].ID)
		for _, tables := range []map[string]string{one.Tables, usual.Tables} {
			for table := range tables {
				if one.Tables[table] != usual.Tables[table] && !slices.Contains(differing, table) {
					differing = append(differing, table)
				}
			}
		}
	}
	if len(apart) == 0 {
		o.Digests, o.Why = Equal, ""
		return true
	}
	if slices.ContainsFunc(copies, func(one db.Digests) bool { return one.Act != usual.Act }) {
		return false
	}
	slices.Sort(differing)
	o.Digests, o.Differing, o.Apart = Differ, differing, apart
	o.Why = "tables are not the same at one point of the log"
	return true
}

// most returns the copy that most are equal to.
func most(copies []db.Digests) (usual db.Digests) {
	highest := 0
	for _, one := range copies {
		equal := 0
		for _, other := range copies {
			if maps.Equal(one.Tables, other.Tables) {
				equal++
			}
		}
		if equal > highest {
			usual, highest = one, equal
		}
	}
	return usual
}

// copyAll copies the stores of nodes at the same time, and takes their digests.
func copyAll(ctx context.Context, c *remote.Client, addresses []string) ([]db.Digests, error) {
	folder, err := os.MkdirTemp("", "hence-status-") // for its owner only
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "compare nodes: there is no room for copies")
	}
	defer os.RemoveAll(folder)
	copies, failed := make([]db.Digests, len(addresses)), make([]error, len(addresses))
	var all sync.WaitGroup
	for i, address := range addresses {
		all.Go(func() {
			path := filepath.Join(folder, strconv.Itoa(i))
			if failed[i] = copyNode(ctx, c, address, path); failed[i] != nil {
				return
			}
			copies[i], failed[i] = db.ReadDigests(ctx, path)
		})
	}
	all.Wait()
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return copies, nil
}

func copyNode(ctx context.Context, c *remote.Client, address, path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "compare nodes: there is no room for copies")
	}
	err = c.Copy(ctx, address, f)
	if closed := f.Close(); err == nil && closed != nil {
		err = fault.Wrap(fault.Unavailable, closed, "compare nodes: there is no room for copies")
	}
	return err
}
