package node

import (
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hence/internal/fault"
)

// Options say how a node runs.
type Options struct {
	Folder  string   // folder of the node's data, created for its owner only
	HTTP    string   // host:port for requests
	Raft    string   // host:port for the other nodes
	Nodes   []string // Raft addresses of nodes: with Raft among them they form a new cluster, else this node joins theirs; empty: a cluster of one
	ID      string   // "": the same as Raft
	CA      string   // file of the certificates that sign those of nodes and clients
	Cert    string   // file of this node's certificate
	Key     string   // file of its key
	Auth    string   // file of users, in rqlite's format; "": no authentication
	As      string   // user in the file Auth as whom the node joins
	Further []string // further flags of rqlited, which are passed on unchanged
}

// commitTimeout is the flag for how long a leader waits for another write before it tells
// followers that a write has been committed.
const commitTimeout = "raft-commit-timeout"

// requiredFlags are the flags on which a store relies:
//
//   - fk: deletes cascade, as in a plain store
//   - raft-commit-timeout: a process beside a follower sees a write after 8 ms, not 80
//   - auto-optimize-int: off, because each node would collect its own statistics, which
//     change query plans, and so the order of rows that a statement without an order writes
//   - raft-snap-int: how often the length of the write-ahead log is checked
//
// A flag that rqlited does not know is omitted: before 8.28 it has no automatic optimization.
var requiredFlags = []struct{ name, value string }{
	{"fk", "true"}, {commitTimeout, "5ms"}, {"auto-optimize-int", "0h"}, {"raft-snap-int", "2s"},
}

// Arguments returns the arguments for rqlited. joined says that the node already belongs to a
// cluster; then it must not join again, because a node that joins does not start while the
// others are down. Arguments fails with invalid_argument if other machines could reach the
// node without a certificate, and for options that do not work.
func (p Program) Arguments(o Options, joined bool) ([]string, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	words := []string{}
	add := func(name, value string) {
		if value != "" {
			words = append(words, "-"+name+"="+value)
		}
	}
	for _, f := range requiredFlags {
		if p.flags[f.name] {
			add(f.name, f.value)
		}
	}
	add("node-id", o.ID)
	add("http-addr", o.HTTP)
	add("raft-addr", o.Raft)
	if !joined && len(o.Nodes) > 0 {
		add("join", strings.Join(o.Nodes, ","))
		if slices.Contains(o.Nodes, o.Raft) {
			add("bootstrap-expect", strconv.Itoa(len(o.Nodes)))
		}
	}
	if !IsLoopback(o.HTTP) {
		add("http-cert", o.Cert)
		add("http-key", o.Key)
		if o.Auth == "" {
			add("http-ca-cert", o.CA)
			add("http-verify-client", "true")
		}
	}
	if o.Cert != "" {
		add("node-cert", o.Cert)
		add("node-key", o.Key)
		add("node-ca-cert", o.CA)
		add("node-verify-client", "true")
	}
	add("auth", o.Auth)
	add("join-as", o.As)
	return append(append(words, o.Further...), o.Folder), nil
}

// check fails with invalid_argument for options that do not work, or that let other machines
// in without a certificate.
func (o Options) check() error {
	for _, option := range []struct{ name, address string }{{"http", o.HTTP}, {"raft", o.Raft}} {
		name, address := option.name, option.address
		host, port, err := net.SplitHostPort(address)
		if err != nil || port == "" || host == "" {
			return fault.New(fault.InvalidArgument, "cluster run: --%s %q is not an address; write it as 127.0.0.1:4001", name, address)
		}
		if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
			return fault.New(fault.InvalidArgument, "cluster run: --%s %s: other nodes cannot reach a node by that address; give the one of this machine", name, address)
		}
		if !IsLoopback(address) && (o.Cert == "" || o.Key == "" || o.CA == "") {
			return fault.New(fault.InvalidArgument, "cluster run: --%s %s is open to other machines, which needs certificates: give --cert, --key and --ca", name, address)
		}
	}
	if o.Cert != "" && o.Key == "" || o.Cert == "" && o.Key != "" || o.Cert != "" && o.CA == "" {
		return fault.New(fault.InvalidArgument, "cluster run: --cert, --key and --ca must be given together")
	}
	for _, address := range o.Nodes {
		if _, _, err := net.SplitHostPort(address); err != nil {
			return fault.New(fault.InvalidArgument, "cluster run: --nodes: %q is not an address; write it as 10.0.0.1:4002", address)
		}
	}
	// rqlited inserts the path into a URI without escaping it.
	if folder, err := filepath.Abs(o.Folder); err != nil || strings.ContainsAny(folder, "?#%") {
		return fault.New(fault.InvalidArgument, "cluster run: the path of the folder %s contains ?, # or %%, so rqlited would store its file elsewhere; choose another folder", o.Folder)
	}
	return nil
}

// IsLoopback reports whether an address can only be reached from this machine.
func IsLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
