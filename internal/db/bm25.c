// bm25_of(section_search, idfs, best, weight of column 1, …) is bm25 of FTS5 for a caller that
// already knows how rare each phrase of the query is, and that wants only the best rows. bm25
// reads every row of every phrase for each query to learn the rarity, and it reads the length of
// each row; both take longer than the rest.
//
// idfs is a text of numbers separated by blanks, one for each phrase in the order of the query.
// With 0 the phrase does not count in the score; with ? the function looks the number up as bm25
// does. If there are more or fewer numbers than phrases, all are looked up. A number after @
// before the idfs is the average number of tokens of a row, for a caller that must not learn it
// from the rows of others.
//
// A row that cannot be among the first `best` rows so far gets 0, the worst score; with a best
// of 0 every row gets its score. At 120,000 memories a search takes 5 % less time than with the
// scores of all rows.
//
// The function differs from bm25 in one thing. BM25 takes a row of twenty times the average
// length for one that says the same thing twenty times, and gives its words almost no score. A
// long note among short memories is not like that: it is about more things. So the length beyond
// twice the average counts by its square root. A column with a weight below 1 has words beside
// the text, which do not count in the length.

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

// k1 and b are the constants of bm25 in FTS5. Up to usualLength times the average length, a row
// has the score of bm25.
static const double k1 = 1.2, b = 0.75, usualLength = 2;

enum { maxKept = 1000000 }; // scores in the heap; with a larger best, every row gets its score

// FTS5 looks up the length of a row in the tree of its table. The first maxLookedUp lengths are
// read so; the following ones are read by one scan of the table, which takes a quarter of the time
// for each and whose preparation takes as long as these lookups. The scan skips up to maxSkipped
// rows to reach the next one; if that is further away, the scan starts again there.
enum { maxLookedUp = 64, maxSkipped = 16 };

typedef struct {
  double averageTokens; // of a row
  sqlite3_int64 row;    // the last row that was scored, because the engine may ask twice
  double found;         // its score
  int best;             // number of rows wanted; 0: all
  int held;             // number of scores in the heap
  double *heap;         // the best scores, the lowest of them first
  int lengths;          // number of lengths that were read
  sqlite3_stmt *scan;   // of the lengths; 0: not started
  sqlite3_int64 scanned; // the row at which the scan is
  int phrases;
  double values[];      // the idf of each phrase, and then its number of occurrences in the row
} question;

static void end(void *ended) {
  question *q = ended;
  if (q == 0) return;
  sqlite3_finalize(q->scan);
  sqlite3_free(q->heap);
  sqlite3_free(q);
}

// hold adds a score to the heap if it is among the best.
static void hold(question *q, double score) {
  double *heap = q->heap;
  if (q->held < q->best) { // from below
    int at = q->held++;
    for (; at > 0 && heap[(at - 1) / 2] > score; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = score;
  } else if (q->best > 0 && score > heap[0]) { // from above
    int at = 0;
    for (int next; (next = 2 * at + 1) < q->held; at = next) {
      if (next + 1 < q->held && heap[next + 1] < heap[next]) next++;
      if (heap[next] >= score) break;
      heap[at] = heap[next];
    }
    heap[at] = score;
  }
}

// score returns the score of a row whose length is a multiple of the average length.
static double score(const question *q, double length) {
  if (length > usualLength) length = sqrt(usualLength * length);
  double sum = 0, shortness = k1 * (1 - b + b * length);
  const double *occurrences = q->values + q->phrases;
  for (int i = 0; i < q->phrases; i++) {
    if (occurrences[i] > 0) sum += q->values[i] * (occurrences[i] * (k1 + 1)) / (occurrences[i] + shortness);
  }
  return sum;
}

static int countRow(const Fts5ExtensionApi *api, Fts5Context *fts, void *rows) {
  (void)api, (void)fts;
  (*(sqlite3_int64 *)rows)++;
  return SQLITE_OK;
}

static int lookUp(const Fts5ExtensionApi *api, Fts5Context *fts, int phrase, sqlite3_int64 all, double *idf) {
  sqlite3_int64 rows = 0;
  int rc = api->xQueryPhrase(fts, phrase, &rows, countRow);
  *idf = log(((double)all - (double)rows + 0.5) / ((double)rows + 0.5));
  if (*idf <= 0) *idf = 1e-6;
  return rc;
}

// readIdfs reads the numbers from a text, and returns whether there is one for each phrase.
static int readIdfs(const char *text, question *q) {
  int n = 0;
  if (*text == '@') q->averageTokens = strtod(text + 1, (char **)&text);
  for (;;) {
    text += strspn(text, " ");
    if (*text == 0) return n == q->phrases;
    if (n == q->phrases) return 0;
    char *end = (char *)text + 1;
    q->values[n++] = *text == '?' ? NAN : strtod(text, &end);
    if (end == text) return 0;
    text = end;
  }
}

// lengthens returns whether the tokens of a column count in the length of a row.
static int lengthens(int column, int columns, sqlite3_value **weights) {
  return column >= columns || sqlite3_value_double(weights[column]) >= 1;
}

static int begin(const Fts5ExtensionApi *api, Fts5Context *fts, const char *idfs, int best, int columns, sqlite3_value **weights, question **out) {
  int phrases = api->xPhraseCount(fts);
  question *q = *out = sqlite3_malloc64(sizeof(question) + 2 * sizeof(double) * (sqlite3_uint64)phrases);
  if (q == 0) return SQLITE_NOMEM;
  memset(q, 0, sizeof(question));
  q->phrases = phrases;
  q->row = LLONG_MIN;
  if (best > 0 && best <= maxKept) {
    q->best = best;
    q->heap = sqlite3_malloc64(sizeof(double) * (sqlite3_uint64)best);
    if (q->heap == 0) return SQLITE_NOMEM;
  }
  if (!readIdfs(idfs ? idfs : "", q)) {
    for (int i = 0; i < phrases; i++) q->values[i] = NAN;
  }
  sqlite3_int64 rows = 0, tokens = 0;
  int rc = api->xRowCount(fts, &rows);
  for (int i = 0; i < api->xColumnCount(fts) && rc == SQLITE_OK; i++) {
    sqlite3_int64 inColumn = 0;
    if (lengthens(i, columns, weights)) rc = api->xColumnTotalSize(fts, i, &inColumn);
    tokens += inColumn;
  }
  if (!(q->averageTokens > 0)) q->averageTokens = rows > 0 && tokens > 0 ? (double)tokens / (double)rows : 1;
  for (int i = 0; i < phrases && rc == SQLITE_OK; i++) {
    if (isnan(q->values[i])) rc = lookUp(api, fts, i, rows, &q->values[i]);
  }
  return rc;
}

// places adds the occurrences of a phrase in the row, each with the weight of its column.
static int places(const Fts5ExtensionApi *api, Fts5Context *fts, int phrase, int columns, sqlite3_value **weights, double *occurrences) {
  Fts5PhraseIter at;
  int column, offset;
  int rc = api->xPhraseFirst(fts, phrase, &at, &column, &offset);
  if (rc != SQLITE_OK) return rc;
  for (; column >= 0; api->xPhraseNext(fts, &at, &column, &offset)) {
    *occurrences += column < columns ? sqlite3_value_double(weights[column]) : 1;
  }
  return SQLITE_OK;
}

// count counts the occurrences of each phrase that has a weight.
static int count(const Fts5ExtensionApi *api, Fts5Context *fts, question *q, int columns, sqlite3_value **weights) {
  for (int i = 0; i < q->phrases; i++) {
    double occurrences = 0;
    int rc = q->values[i] != 0 ? places(api, fts, i, columns, weights, &occurrences) : SQLITE_OK;
    if (rc != SQLITE_OK) return rc;
    q->values[q->phrases + i] = occurrences;
  }
  return SQLITE_OK;
}

// scanTo moves the scan to a row, and returns SQLITE_ROW if the row exists.
static int scanTo(question *q, sqlite3 *db, sqlite3_int64 row) {
  int rc = SQLITE_ROW;
  if (q->scan == 0) {
    rc = sqlite3_prepare_v2(db, "select id, sz from section_search_docsize where id >= ?1 order by id", -1, &q->scan, 0);
    if (rc != SQLITE_OK) return rc;
    q->scanned = LLONG_MAX;
  }
  if (q->scanned > row || (sqlite3_uint64)row - (sqlite3_uint64)q->scanned > maxSkipped) {
    sqlite3_reset(q->scan);
    sqlite3_bind_int64(q->scan, 1, row);
    q->scanned = LLONG_MIN;
  }
  while (q->scanned < row && (rc = sqlite3_step(q->scan)) == SQLITE_ROW) q->scanned = sqlite3_column_int64(q->scan, 0);
  if (rc != SQLITE_ROW) q->scanned = LLONG_MAX; // the scan has ended
  return rc == SQLITE_ROW && q->scanned != row ? SQLITE_DONE : rc;
}

// measure reads the number of tokens of the row.
static int measure(const Fts5ExtensionApi *api, Fts5Context *fts, question *q, sqlite3 *db, int columns, sqlite3_value **weights, int *tokens) {
  *tokens = 0;
  if (q->lengths++ < maxLookedUp || scanTo(q, db, q->row) != SQLITE_ROW) {
    int rc = SQLITE_OK;
    for (int i = 0; i < api->xColumnCount(fts) && rc == SQLITE_OK; i++) {
      int inColumn = 0;
      if (lengthens(i, columns, weights)) rc = api->xColumnSize(fts, i, &inColumn);
      *tokens += inColumn;
    }
    return rc;
  }
  const unsigned char *record = sqlite3_column_blob(q->scan, 1);
  int length = sqlite3_column_bytes(q->scan, 1);
  unsigned number = 0, sum = 0;
  for (int at = 0, column = 0; at < length; at++) { // a varint for each column
    number = number << 7 | (record[at] & 0x7f);
    if (record[at] >= 0x80) continue;
    if (lengthens(column++, columns, weights)) sum += number;
    number = 0;
  }
  *tokens = (int)sum;
  return SQLITE_OK;
}

// weigh computes the score of the row.
static int weigh(const Fts5ExtensionApi *api, Fts5Context *fts, question *q, sqlite3 *db, int columns, sqlite3_value **weights) {
  int rc = count(api, fts, q, columns, weights), tokens = 0;
  if (rc != SQLITE_OK) return rc;
  q->row = api->xRowid(fts);
  q->found = 0;
  // The score of an empty row is the upper bound of the score of this row.
  if (q->best > 0 && q->held == q->best && score(q, 0) <= q->heap[0]) return SQLITE_OK;
  rc = measure(api, fts, q, db, columns, weights, &tokens);
  hold(q, q->found = score(q, tokens / q->averageTokens));
  return rc;
}

static void bm25Of(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *context, int argc, sqlite3_value **values) {
  int rc = SQLITE_OK;
  question *q = api->xGetAuxdata(fts, 0);
  int columns = argc > 2 ? argc - 2 : 0;
  if (q == 0) {
    rc = begin(api, fts, argc > 0 ? (const char *)sqlite3_value_text(values[0]) : 0, argc > 1 ? sqlite3_value_int(values[1]) : 0, columns, values + 2, &q);
    if (rc != SQLITE_OK) {
      end(q);
    } else {
      rc = api->xSetAuxdata(fts, q, end);
    }
  }
  if (rc == SQLITE_OK && q->row != api->xRowid(fts)) rc = weigh(api, fts, q, sqlite3_context_db_handle(context), columns, values + 2);
  if (rc == SQLITE_OK) {
    sqlite3_result_double(context, -q->found);
  } else {
    sqlite3_result_error_code(context, rc);
  }
}

// often_of(table, weight of column 1, …) is the number of occurrences of the phrases of the query
// in the row, each with the weight of its column.
static void oftenOf(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *context, int columns, sqlite3_value **weights) {
  double occurrences = 0;
  for (int i = 0; i < api->xPhraseCount(fts); i++) {
    int rc = places(api, fts, i, columns, weights, &occurrences);
    if (rc != SQLITE_OK) {
      sqlite3_result_error_code(context, rc);
      return;
    }
  }
  sqlite3_result_double(context, occurrences);
}

// tokens_of(table, column) is the number of tokens of the row in a column. The first column is 0.
static void tokensOf(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *context, int argc, sqlite3_value **values) {
  int tokens = 0, column = argc > 0 ? sqlite3_value_int(values[0]) : -1;
  int rc = column >= 0 ? api->xColumnSize(fts, column, &tokens) : SQLITE_RANGE;
  if (rc == SQLITE_OK) {
    sqlite3_result_int(context, tokens);
  } else {
    sqlite3_result_error_code(context, rc);
  }
}

// begin_bm25() registers these functions for the connection. This is not possible when the
// connection is opened: only a select returns the API of FTS5, a select reads the schema, and
// another process may have locked that.
static void beginBM25(sqlite3_context *context, int argc, sqlite3_value **values) {
  (void)argc, (void)values;
  sqlite3 *db = sqlite3_context_db_handle(context);
  fts5_api *fts5 = 0;
  sqlite3_stmt *statement = 0;
  int rc = sqlite3_prepare_v2(db, "select fts5(?1)", -1, &statement, 0);
  if (rc == SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, &fts5, "fts5_api_ptr", 0);
    sqlite3_step(statement);
    rc = sqlite3_finalize(statement);
  }
  if (rc == SQLITE_OK) rc = fts5 ? fts5->xCreateFunction(fts5, "bm25_of", 0, bm25Of, 0) : SQLITE_ERROR;
  if (rc == SQLITE_OK) rc = fts5->xCreateFunction(fts5, "often_of", 0, oftenOf, 0);
  if (rc == SQLITE_OK) rc = fts5->xCreateFunction(fts5, "tokens_of", 0, tokensOf, 0);
  if (rc != SQLITE_OK) sqlite3_result_error_code(context, rc);
}

static int bm25Init(sqlite3 *db, char **err, const struct sqlite3_api_routines *unused) {
  (void)err, (void)unused;
  return sqlite3_create_function_v2(db, "begin_bm25", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY, 0, beginBM25, 0, 0, 0);
}

// hence_bm25 registers begin_bm25 for every connection that is opened later.
int hence_bm25(void) { return sqlite3_auto_extension((void (*)(void))bm25Init); }
