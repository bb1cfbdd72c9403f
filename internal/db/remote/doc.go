// Package remote sends batches of statements to a cluster of rqlite nodes, over HTTP.
// It knows addresses, JSON and what an answer means; the statements and the files of
// the nodes are known to package db.
//
// A request that got no answer may have been carried out, and may still be carried out
// by a node that was stopped. So a batch carries a claim, a statement that the schema
// refuses the second time; see Client.Execute.
package remote
