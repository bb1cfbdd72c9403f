// Package recall is ranked retrieval: it finds the memories that a question is about, the best
// first, and says why.
//
// Search parses the question (query.go), looks its words up (lookup.go, terms.go),
// corrects those that no memory has (spelling.go, vocabulary.go), lets
// the rare ones propose candidates (keyword.go), adds memories near in meaning
// (nearest.go), scores every candidate word by word (pool.go), lends scores along
// edges (graph.go) and describes the best (search.go). If it finds little, it
// says where else the words are (hints.go).
//
// Edges lend word by word. For each word of the question a memory scores the
// maximum of its own score and of what its neighbours lend it, so a word in both
// counts once. The usual spreading activation adds them: this made the first result
// worse, while the maximum makes it better. Nearness in meaning is one more such word.
// A whole and its parts lend each other their whole scores: the best part counts fully,
// each next one a third of the one before. If a file declares the parts, as notes do
// with their class, they lend word by word too, because they are about other things: seven
// words of a note of logseq-docs find it first for 0.939 of the notes instead of 0.923, and
// in six other vaults nothing changes.
//
// Where persons and agents talk, the speaker of a memory counts (speakers.go). A model's
// answer repeats the person's message, and is twelve times as long (BEAM). So a word that a
// person's memory among the candidates has counts less in a reply: an agent's memory that
// follows a person's of the same kind. A word that only the reply has counts in full. A
// decision or finding that an agent stores is not a reply. A reply lends more to its
// message than other memories lend along follows, and the next message of the person is
// lent to across the reply. Other rules found less of BEAM: all words of a reply at less
// weight, or only the words of the message that it answers.
//
// Three clues are in a memory itself (emphasis.go): a standing instruction or
// preference of a person ("Always …", "I prefer …"), a time if the question asks for
// one, and the name of the speaker if the question names somebody. They add a share to the
// score of a memory that has words of the question, and read only the candidates that could
// be among the results. The words of the first two are English. Other clues were tried and
// left out because they found no more: more weight for numbers if a question asks how
// many, for "never" if it asks whether somebody ever did something, and for memories that
// have more of the question's words. docs/benchmarks.md has the figures.
//
// A time that the question names counts as one more word, with a quarter of the best
// score, in memories that were created, began to hold, ended or are dated then (dated.go). A
// date such as 2026-03-11 is one word.
//
// A memory whose title or alias is the question comes first (titles.go). Upper and lower
// case, accents, and the punctuation between words may differ. A title may look like a
// filter (path:foo), or have punctuation alone. A file without text, such as a picture,
// comes last, whatever its title, unless the question asks for kinds. Both rules apply
// after the filter.
//
// A memory is found by its best section and by all of it (wholes.go). Each word adds a
// fifth of its BM25 in the best section, and four fifths of its BM25 in the memory as if
// it had one section: all its occurrences, in the length of the whole. To the latter its
// presence adds as much as one occurrence in a memory of average length does (BM25+), so
// that a long note that has all words ranks before a short one that has most of them.
// The constants were chosen on the notes of two vaults (dendron-site and
// kepano-obsidian; BenchmarkFound of vault). Small changes of them matter little. On
// dendron-site, this share of the notes came first when searched by seven of their words:
//
//   - 0.843 to 0.858 with four fifths replaced by 0.5 to 1 (presence not normalised)
//   - 0.843, 0.851 and 0.857 with presence worth 0.5, 1 and 2 occurrences; 0.826 with none
//   - 0.844 with the square root of the length beyond twice the average
//   - 0.75 with the best section alone
//
// Counting the words of other sections by the best of them, and less with more sections,
// changed nothing. Words that the question repeats do not count more, as they do in plain
// FTS5: that found no more.
//
// The bm25 of FTS5 reads every row of every word again for each question, to learn how
// rare the words are. bm25_of (internal/db/bm25.c) takes the weights of the words and the
// number of rows wanted as arguments, and returns the same scores for rows of up to twice
// the average length. The length beyond that counts by its square root, because a note among
// short turns of a conversation does not repeat itself. A word may have no weight in one
// place of the query: so common words score the candidates that rare words propose.
//
// The list of stopwords is short: articles, pronouns, auxiliaries, question words
// and conjunctions. Common lists also have words of time, place and number (after, over,
// both); searching these finds more of LoCoMo and of real vaults.
//
// Text in scripts without spaces is indexed as pairs of characters (package script;
// memory/cut.go). A run of such characters in a question is a phrase of pairs. Its pairs
// are words of the question if no memory has the phrase, or if the run is as long as a
// sentence: stored conversations quote their questions. A single character is searched
// in titles, aliases and tags.
//
// Accents, the vowels of Arabic and Hebrew, and the ways of Unicode to write a character
// make no difference. If the tokenizer does not fold a word by itself, it is indexed folded, as
// pairs are.
//
// The words of a question of at most four are also searched as a phrase,
// stopwords included.
//
// A word that no memory has is corrected: it is searched as two words, or as the words
// that are spelled most similarly. A word of four letters or more may have one mistake,
// of eight or more two; the first letter is right, or swapped with the second, and two
// mistakes are not both at the second and third. Fewer mistakes come first, then the
// same first letter, then the more frequent word; digits must agree. The vocabulary of the index
// (fts5vocab) proposes stems, of every namespace; the texts of memories that the caller may read
// determine the words and how frequent they are. So the answer is the same as in a store
// without the other memories. A word that a few memories have, or only memories that are
// superseded or over, is searched as it is. Runs of scripts without spaces are not corrected,
// because their pairs are not words.
//
// A total is exact or a lower bound. Finding the sections that match takes 0.07 µs
// each, looking up their memories ten times as long. So all matches are counted if
// at most 10,000 sections can have the words, and 1,000 memories otherwise.
//
// A caller who is confined to a namespace gets the answer of a store without other namespaces
// (part.go). The index is sorted by namespaces, so that only the sections of one are read to
// find which have a word, how they rank and how long they are. The length and the number of
// these sections are estimated from a sample. For a caller who may read others, the whole
// index determines which words are common or rare, even if the question names a namespace:
// in the small store that a namespace often is, that finds more (docs/benchmarks.md).
//
// Snippets are words without markup (excerpt.go), with the matches as a list of offsets. FTS5 marks matches with
// markers that are random for each search, so that no text can contain them.
package recall
