// Package recall is ranked retrieval: it finds the memories that a question is about, the best
// first, and says why. A search goes one way:
//
//	question.Parse     words, phrases and operators become terms and filters
//	question.LookUp    counts the sections of each term, and corrects terms that no memory has
//	rank.collect       candidates: by words, by name, along edges
//	rank.readWords     what the index says of each candidate
//	rank.features      one table: each row adds to scores or takes away; meaning adds candidates
//	answer.Describe    the best become results with snippets
//	recall             pages (search.go), source code below (code.go), hints where little is found
//
// docs/benchmarks.md has the trials by which rules and constants were chosen.
package recall
