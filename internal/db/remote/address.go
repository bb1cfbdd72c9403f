package remote

import (
	"maps"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"

	"hence/internal/fault"
)

// Scheme is what the name of a cluster's store begins with.
const Scheme = "rqlite:"

// Address says where a cluster is: the file of the node beside this process, and the
// HTTP addresses of nodes.
type Address struct {
	File  string   // the SQLite file of the node beside this process
	Nodes []string // HOST:PORT; the first is that node
	TLS   bool
	CA    string // file of certificates that sign those of the nodes; "" for the system's
	Cert  string // file of this client's certificate; "" for none
	Key   string // file of its key

	user, password string // never printed
}

// settings are the parameters of a name, and the variables of the environment that
// stand in for them.
var settings = map[string]struct {
	variable string
	set      func(a *Address, value string)
}{
	"at":       {"", func(a *Address, v string) { a.Nodes = strings.Split(v, ",") }},
	"tls":      {"HENCE_RQLITE_TLS", func(a *Address, v string) { a.TLS = a.TLS || v != "0" }},
	"ca":       {"HENCE_RQLITE_CA", func(a *Address, v string) { a.CA, a.TLS = v, true }},
	"cert":     {"HENCE_RQLITE_CERT", func(a *Address, v string) { a.Cert, a.TLS = v, true }},
	"key":      {"HENCE_RQLITE_KEY", func(a *Address, v string) { a.Key, a.TLS = v, true }},
	"user":     {"HENCE_RQLITE_USER", func(a *Address, v string) { a.user = v }},
	"password": {"HENCE_RQLITE_PASSWORD", func(a *Address, v string) { a.password = v }},
}

// Is reports whether the name of a store is that of a cluster.
func Is(name string) bool { return strings.HasPrefix(name, Scheme) }

// Cut splits the name of a store into its file and what follows that, which begins with a
// question mark; that is "" where the name is not of a cluster.
func Cut(name string) (file, parameters string) {
	rest, ok := strings.CutPrefix(name, Scheme)
	if mark := strings.LastIndexByte(rest, '?'); ok && mark >= 0 {
		return rest[:mark], rest[mark:]
	}
	return rest, ""
}

// Parse reads a name such as rqlite:/var/lib/hence/db.sqlite?at=10.0.0.1:4001,10.0.0.2:4001.
// What it lacks of tls, ca, cert, key, user and password is taken from the environment:
// HENCE_RQLITE_TLS and so on. Its errors, of code invalid_argument, repeat no value.
func Parse(name string) (a Address, err error) {
	file, parameters := Cut(name)
	if !Is(name) || file == "" || parameters == "" {
		return a, fault.New(fault.InvalidArgument, "--db rqlite: the name is not rqlite:FILE?at=HOST:PORT,HOST:PORT; FILE is that of the node beside this process")
	}
	a.File = file
	query, err := url.ParseQuery(parameters[1:])
	if err != nil {
		return a, fault.New(fault.InvalidArgument, "--db rqlite: the parameters after ? cannot be read; write name=value, joined by &")
	}
	known := slices.Sorted(maps.Keys(settings))
	for parameter, values := range query {
		if _, ok := settings[parameter]; !ok || len(values) > 1 {
			return a, fault.New(fault.InvalidArgument, "--db rqlite: the parameters are %s, each once at most", strings.Join(known, ", "))
		}
	}
	for _, parameter := range known {
		value := query.Get(parameter)
		if s := settings[parameter]; value == "" && s.variable != "" {
			value = os.Getenv(s.variable)
		}
		if value != "" {
			settings[parameter].set(&a, value)
		}
	}
	return a, a.check()
}

func (a Address) check() error {
	if len(a.Nodes) == 0 {
		return fault.New(fault.InvalidArgument, "--db rqlite: at is missing; give at=HOST:PORT,HOST:PORT, the node beside this process first")
	}
	for _, node := range a.Nodes {
		if host, port, err := net.SplitHostPort(node); err != nil || host == "" || port == "" {
			return fault.New(fault.InvalidArgument, "--db rqlite: an entry of the parameter at is not HOST:PORT; write the nodes as at=HOST:PORT,HOST:PORT")
		}
	}
	if (a.Cert == "") != (a.Key == "") {
		return fault.New(fault.InvalidArgument, "--db rqlite: cert and key are the two halves of one identity; give both or neither")
	}
	return nil
}

// String is the file, so that no message shows more of the address.
func (a Address) String() string { return a.File }

// GoString is String.
func (a Address) GoString() string { return a.File }
