// Package tidy proposes what could be tidied in a store, and does what is accepted.
//
// Proposals are found by rules, never by a model: the same memories give the same
// proposals, in the same order, whatever the order in which they were stored. Nothing
// is changed before somebody accepts; what is accepted in one call is one transaction,
// which undo takes back.
//
// # What is read
//
// The rules read the current memories of one namespace after another, with their
// edges, so that a caller who is confined to a namespace learns nothing of others.
// Notes are the files of a person: a proposal of a rule may tie a memory to a note, and
// never replaces, forgets or edits a note. Files without text, code, and the turns of imported
// conversations are left out.
//
// # Bounded work
//
// No rule compares all pairs. Texts are compared if they have the same key (the text
// without case, spaces and punctuation; the text without one of its numbers), or if they
// share one of their rarest words or runs of words (the prefix filter of Chaudhuri, Ganti
// and Kaushik, A primitive operator for similarity joins, 2006). Clusters are stars
// (Aslam, Pelekhov and Rus, The star clustering algorithm, 2004).
//
// # What agents ask for
//
// An agent's change of a person's words is kept as a proposal too: a link as an edge
// (edges.Proposed), any other change in the table asked. Only a person accepts these, and
// then answers for the text.
//
// # Keys
//
// The key of a proposal is made of its kind and the ids and revisions of its memories.
// Before one is accepted, the rules run again: a proposal that they no longer make is a
// conflict, and the transaction itself expects the same revisions. A rejection
// remembers the kind and the texts, so that the same proposal does not come back, but
// one about edited texts does.
//
// # Reading
//
// A memory fades if nobody opens it. The table opened holds when a memory was last
// opened by memory_get. A server writes it together with the counts of its calls
// (package usage), in the background, at most once a day for each memory. A process
// that may not write keeps nothing.
package tidy
