// Package db opens the file that holds a store of memories, creates or migrates
// its schema, and runs reads and writes on it. It is the only package that knows
// the engine.
//
// A store has one connection that writes and several that read. Write runs
// statements as one transaction. What must be true is a condition among them
// (Expect), never a read in the middle: locks stay short. A statement carries the
// error that a refusal stands for, so that errors are told apart by statement and
// code, never by the engine's text.
//
// A batch is what undo takes back at once: one transaction, or all transactions of
// a command such as an import (the table batches of the schema). The word is used
// for nothing else. The pieces in which much is read or written are groups and
// chunks.
//
// # Rules
//
// Every invariant is a constraint or a trigger in schema.sql, so that it holds
// for every writer, the sqlite3 shell included. The schema uses nothing newer than
// SQLite 3.40. Deletes are spelled out in triggers, because the shell has foreign
// keys off. JSON columns are checked when they are written, because one row that Go
// cannot read would make every list fail; a read that meets such a row names it and
// fails.
//
// SQL cannot compute SHA-256. Content that changes without its hash was edited by
// hand; a trigger then makes the hash unknown, so that dependents become stale and
// sections are cut again.
//
// # Speed
//
// Checks that edges and the journal pass for every row say `a = 1 or a = 2`: for an
// `in` list SQLite builds the list again for every row. Where a partial index says
// kind = 'supersedes', a query says kind = +? instead of kind = ?, because SQLite
// would prepare the statement again for every value.
//
// bm25 of FTS5 reads every row of every word once more for each query, to learn how
// rare the words are. bm25_of (bm25.c) is given that, and how many rows are wanted.
// given (given.c) passes rows as one argument, in a tenth of the time of json_each.
//
// # Files
//
// The table store holds the version of Hence that created the schema and a hash of
// its statements; comments and white space do not count. Until 0.1.0 is released the
// schema is version 1 and changes in place, so that a file with another hash is
// refused. Export it with the build that it names, then import it. From 0.1.0 on a
// change is a migration: it leads from a version to the next, runs when a file is
// opened, and the file as it was is saved beside it first. The files that each release
// wrote are in testdata/released, and a test opens them all.
//
// The time of a transaction is never earlier than that of the one before, even if
// the clock was set back. The table writer keeps it, so that a journal row added by
// hand does not move it.
//
// A backup is SQLite's own copy, and is checked before it gets its name. Restoring
// one writes through SQLite, so that processes that have the store open go on.
//
// A write-ahead log that somebody truncates or deletes takes its last transactions
// with it. The file stays consistent, and nothing in it tells that there was more.
package db
