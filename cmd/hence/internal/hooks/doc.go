// Package hooks reads what clients tell a hook on standard input, and writes what they
// expect on standard output. Each client has its own words for the same few events.
//
// It also keeps what a session has seen, in one private file per session of a client.
package hooks
