// Package recall is ranked retrieval: the memories that a question is about, best
// first, and why.
//
// Search parses the question (query.go), looks its words up (lookup.go, terms.go),
// corrects those that no memory has (spelling.go, vocabulary.go, compounds.go), lets
// the rare ones propose candidates (keyword.go), adds memories near in meaning
// (nearest.go), scores every candidate word by word (pool.go), lends scores along
// edges (graph.go) and describes the best (search.go). If it finds little, it says
// what else was perhaps meant (hints.go).
//
// Edges lend word by word. For each word of the question a memory scores the
// maximum of its own score and what its neighbours lend it, so a word in both
// counts once. A sum (the usual spreading activation) made the first result worse;
// the maximum makes it better. Nearness in meaning is one more such word. A whole
// and its parts lend each other their sums: the best part counts fully, each next
// one a third of the one before. Where a file declares the parts, as notes do of their
// class, they lend word by word too, because they are about other things: seven words of
// a note of logseq-docs find it first for 0.939 of the notes instead of 0.923, and in six
// other vaults nothing changes.
//
// Who said a thing counts where persons and agents talk (speakers.go). A model's
// answer repeats what the person said, and is twelve times as long (BEAM). So a word
// that a person's memory among the candidates has counts less in a reply: an agent's
// memory that follows a person's of the same kind. A word that only the reply has
// counts in full, and a decision or finding that an agent stores is not a reply. A reply
// lends more to its message than other memories lend along follows, and what a person
// says next is lent across the reply. Other rules found less of BEAM: all words of a
// reply at less weight, or only those of the message that it answers.
//
// Three clues are in a memory itself (emphasis.go): a standing instruction or
// preference of a person ("Always …", "I prefer …"), a time if the question asks for
// one, and the name of who said it if the question names somebody. They add a share to
// the score of what has words of the question, and read only the candidates that could
// come among the results. The words of the first two are English. Likewise tried, and
// left out because they found no more: more weight for numbers where a question asks
// how many, for "never" where it asks whether one ever did, for memories that have more
// of the question's words. docs/benchmarks.md has the figures.
//
// A time that the question speaks of counts as one more word, with a quarter of the best
// score, in what was made, held or is dated then (dated.go). A date such as 2026-03-11 is
// one word. The name of a month that is another word as well, such as march, counts little
// in a short text that has it as that word.
//
// A memory whose title or alias the question is comes first (titles.go): upper and lower
// case, accents, and the signs between words may differ. What looks like a filter may be a
// title too (path:foo), and so may signs alone. A file without text, such as a
// picture, comes last, whatever its title, unless the question says which kinds it
// wants. Both hold after the filter.
//
// A memory is found by its best section and by all of it (wholes.go). Each word adds a
// fifth of its BM25 in the best section, and four fifths of its BM25 in the memory as if
// it had one section: all its places, in the length of the whole. To the latter its
// presence adds as much as one place in a memory of the usual length does (BM25+), so
// that a long note that has all words is before a short one that has most of them.
// The constants were chosen on the notes of two vaults (dendron-site and
// kepano-obsidian; BenchmarkFound of vault) and are not sensitive: on dendron-site seven
// words find 0.843 to 0.858 of the notes first for 0.5 to 1 of the whole (without
// normalising its presence), and 0.843, 0.851 and 0.857 where presence adds 0.5, 1 and 2.
// Without presence it is 0.826, with the length beyond twice the usual by its root 0.844,
// with the best section alone 0.75. Words in other sections that count by the best of
// them, less the more sections there are, add nothing to this. Words that the question
// repeats do not count more: plain FTS5 does that, and here it found no more.
//
// A whole and its parts that are all results keep the order of what they say themselves
// (sums.go): several parts that lend to their whole put it before each of them.
//
// Beside a result comes the memory that contradicts it, the newer of the two first
// (opposed.go), whether it has a word of the question or not.
//
// bm25 of FTS5 reads every row of every word again for each question, to learn how
// rare the words are. bm25_of (internal/db/bm25.c) is given the weights of the
// words and the number of rows wanted, and returns the same scores for rows of up
// to twice the usual length. The length beyond that counts by its square root,
// because a note among short turns of a conversation does not repeat itself. A
// word may be given without weight, which is how common words score what rare
// ones propose.
//
// The list of stopwords is short: articles, pronouns, auxiliaries, question words
// and conjunctions. Common lists leave out words of time, place and number too
// (after, over, both); keeping these finds more of LoCoMo and of real vaults.
//
// Text in scripts without spaces is indexed as pairs of characters (package script;
// memory/cut.go). A run of such characters in a question is a phrase of pairs. Its pairs
// are words of the question if no memory has the phrase, or if the run is as long as a
// sentence: stored conversations quote their questions. A single character is searched
// in titles, aliases and tags.
//
// Accents, the vowels of Arabic and Hebrew, and the ways of Unicode to write a character
// make no difference. What the tokenizer does not fold by itself is indexed folded, as
// pairs are.
//
// The words of a question of at most four are also searched as a phrase,
// stopwords included.
//
// A word that no memory has is corrected: it is searched as two words, or as the words
// that are spelled most similarly. A word of four letters or more may have one mistake,
// of eight or more two; the first letter is right, or swapped with the second, and two
// mistakes are not both at the second and third. Fewer mistakes come first, then the
// same first letter, then the more frequent word; digits must agree. Only where nothing
// at all is found is the first letter of a longer word taken for wrong, missing or too
// many, and where little is found the answer asks whether it was. The vocabulary of
// the index (fts5vocab) proposes stems, of every namespace; the texts of memories that
// the caller may read say which words there are, and how frequent they are. So an
// answer is that of a store without the others. A word that a few memories have, or only
// memories that are superseded or over, is searched as it is. Runs of scripts without spaces are not corrected, because their
// pairs are not words.
//
// A total is exact or a lower bound. Finding the sections that match takes 0.07 µs
// each, looking up their memories ten times as long. So all matches are counted if
// at most 10,000 sections can have the words, and 1,000 memories otherwise.
//
// A caller who is confined to a namespace is answered as if there were no other (part.go).
// The index is sorted by namespaces, so that only the sections of one are read: how many
// have a word, what rank they have, how long they are. The length and the number of the
// sections are estimated from a sample of those. A caller who may see others has the words
// of all for common or rare, also where the question names a namespace: in the small store
// that a namespace often is, that finds more (docs/benchmarks.md).
//
// Snippets are plain text; what matched is a list of offsets. FTS5 marks matches
// with signs that are random for each search, so that no text can contain them.
package recall
