// Package db opens the file that holds a store of memories, creates or migrates
// its schema, and runs reads and writes on it. It is the only package that knows
// the engine.
//
// A store has one connection that writes and several that read. Write runs
// statements as one transaction. A precondition is one of these statements (Expect),
// never a read in the middle, so that locks stay short. A statement carries the error to
// return if the schema refuses it, so that callers distinguish errors by statement and
// code, never by the engine's text.
//
// A batch is the unit that undo takes back: one transaction, or all transactions of a
// command such as an import (the table batches of the schema). Large reads and writes are
// split into groups and chunks, which are not called batches.
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
// The check constraints of edges and the journal say `a = 1 or a = 2`, because SQLite
// builds an `in` list again for every row. If a partial index has the condition
// kind = 'supersedes', a query says kind = +? instead of kind = ?, because SQLite would
// prepare the statement again for every value.
//
// bm25 of FTS5 reads every row of every word once more for each query, to learn how rare
// the words are. bm25_of (bm25.c) takes these numbers, and the number of rows wanted, as
// arguments.
//
// # Files
//
// The table store holds the version of Hence that created the schema and a hash of
// its statements; comments and white space do not count. Until 0.1.0 is released the
// schema is version 1 and changes in place, so that a file with another hash is
// refused. Export it with the build that it names, then import it. From 0.1.0 on a
// change is a migration from one version to the next. It runs when a file is opened,
// after a copy of the file has been saved beside it. testdata/released has a file of each
// release, and a test opens them all.
//
// The time of a transaction is never earlier than that of the one before, even if
// the clock was set back. The table writer keeps it, so that a journal row added by
// hand does not move it.
//
// A backup is SQLite's own copy, and is checked before it gets its name. Restoring
// one writes through SQLite, so that processes that have the store open go on.
//
// Others may remove or replace the file, its log or the index of the log while a process has them
// open. Each transaction compares the files that it has open with those that the path names, before
// a read and after it, and before and after a commit (replaced.go). Where nothing is missing in the files
// at the path, they are opened again; else reads and writes fail until the process is started again,
// and the error says where what is missing can be copied from. If somebody truncates the log, its
// last transactions are lost, and nothing in the file shows the loss.
package db
