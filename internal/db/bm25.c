// bm25_of(section_search, idfs, best, weight of column 1, …) is bm25 of FTS5 for a caller
// who knows how rare each phrase of the question is, and takes the best rows
// only. bm25 finds the one out by reading every row of every phrase anew for
// each question, and reads how long each row is; both take longer than the
// rest. The idfs are numbers in a text with blanks between them, one for each
// phrase in the order of the question: 0 leaves the phrase out of the score, ?
// has it looked up as bm25 does. Where there are not as many as phrases, all
// are looked up. A row that cannot be among so many best of those before it has
// 0, the worst there is; with a best of 0 each row has its score. A number after @
// before the idfs is how many tokens a row usually has: for a caller who may not learn
// that from the rows of others.
//
// In one thing it differs: BM25 takes a row twenty times as long as usual for
// one that says the same twenty times over, and its words for next to nothing.
// Among short memories a long note is no such thing, it speaks of more. Length
// beyond twice the usual counts by its root. A column of a weight below 1 holds words beside
// the text, which do not make the row longer.

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

// The constants of bm25 in FTS5, and how many times the usual length a row may
// have to be weighed as there.
static const double k1 = 1.2, b = 0.75, ordinary = 2;

enum { mostKept = 1000000 }; // scores in the heap; who wants more gets all

// The lengths of rows that are asked for one by one, each by a statement of FTS5 that
// looks it up from the root. Beyond these, they are read in one pass: it takes a quarter
// of the time, and its statement as much as these.
enum { lookedUp = 64 };
enum { passedOver = 16 }; // rows that the pass reads on its way to the next rather than looking that up

typedef struct {
  double averageTokens; // of a row
  sqlite3_int64 row;    // the last one, and its score, should it be asked for twice
  double found;
  int best;             // rows that are wanted; 0: all
  int held;             // scores in the heap
  double *heap;         // the best scores, the least of them first
  int lengths;          // rows whose length was asked for
  sqlite3_stmt *pass;   // over the lengths; 0: none yet
  sqlite3_int64 passed; // the row at which it stands
  int phrases;
  double values[];      // an idf for each phrase, and how often the row has it
} question;

static void end(void *ended) {
  question *q = ended;
  if (q == 0) return;
  sqlite3_finalize(q->pass);
  sqlite3_free(q->heap);
  sqlite3_free(q);
}

// hold takes a score in if it is among the best.
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

// score adds up what the phrases say of a row so many times as long as usual.
static double score(const question *q, double length) {
  if (length > ordinary) length = sqrt(ordinary * length);
  double sum = 0, shortness = k1 * (1 - b + b * length);
  const double *often = q->values + q->phrases;
  for (int i = 0; i < q->phrases; i++) {
    if (often[i] > 0) sum += q->values[i] * (often[i] * (k1 + 1)) / (often[i] + shortness);
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

// readIdfs fills in the numbers of a text, and returns whether they are as many
// as there are phrases.
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

// lengthens says whether the tokens of a column count in the length of a row.
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
  if (best > 0 && best <= mostKept) {
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

// places adds up the places of a phrase in the row, each at its column's weight.
static int places(const Fts5ExtensionApi *api, Fts5Context *fts, int phrase, int columns, sqlite3_value **weights, double *often) {
  Fts5PhraseIter at;
  int column, offset;
  int rc = api->xPhraseFirst(fts, phrase, &at, &column, &offset);
  if (rc != SQLITE_OK) return rc;
  for (; column >= 0; api->xPhraseNext(fts, &at, &column, &offset)) {
    *often += column < columns ? sqlite3_value_double(weights[column]) : 1;
  }
  return SQLITE_OK;
}

// count finds how often the row has each phrase that counts.
static int count(const Fts5ExtensionApi *api, Fts5Context *fts, question *q, int columns, sqlite3_value **weights) {
  for (int i = 0; i < q->phrases; i++) {
    double often = 0;
    int rc = q->values[i] != 0 ? places(api, fts, i, columns, weights, &often) : SQLITE_OK;
    if (rc != SQLITE_OK) return rc;
    q->values[q->phrases + i] = often;
  }
  return SQLITE_OK;
}

// passTo brings the pass to a row, and returns SQLITE_ROW if it is there.
static int passTo(question *q, sqlite3 *db, sqlite3_int64 row) {
  int rc = SQLITE_ROW;
  if (q->pass == 0) {
    rc = sqlite3_prepare_v2(db, "select id, sz from section_search_docsize where id >= ?1 order by id", -1, &q->pass, 0);
    if (rc != SQLITE_OK) return rc;
    q->passed = LLONG_MAX;
  }
  if (q->passed > row || (sqlite3_uint64)row - (sqlite3_uint64)q->passed > passedOver) {
    sqlite3_reset(q->pass);
    sqlite3_bind_int64(q->pass, 1, row);
    q->passed = LLONG_MIN;
  }
  while (q->passed < row && (rc = sqlite3_step(q->pass)) == SQLITE_ROW) q->passed = sqlite3_column_int64(q->pass, 0);
  if (rc != SQLITE_ROW) q->passed = LLONG_MAX; // it is over
  return rc == SQLITE_ROW && q->passed != row ? SQLITE_DONE : rc;
}

// measure finds how many tokens the row has.
static int measure(const Fts5ExtensionApi *api, Fts5Context *fts, question *q, sqlite3 *db, int columns, sqlite3_value **weights, int *tokens) {
  *tokens = 0;
  if (q->lengths++ < lookedUp || passTo(q, db, q->row) != SQLITE_ROW) {
    int rc = SQLITE_OK;
    for (int i = 0; i < api->xColumnCount(fts) && rc == SQLITE_OK; i++) {
      int inColumn = 0;
      if (lengthens(i, columns, weights)) rc = api->xColumnSize(fts, i, &inColumn);
      *tokens += inColumn;
    }
    return rc;
  }
  const unsigned char *record = sqlite3_column_blob(q->pass, 1);
  int length = sqlite3_column_bytes(q->pass, 1);
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

// weigh finds the score of the row.
static int weigh(const Fts5ExtensionApi *api, Fts5Context *fts, question *q, sqlite3 *db, int columns, sqlite3_value **weights) {
  int rc = count(api, fts, q, columns, weights), tokens = 0;
  if (rc != SQLITE_OK) return rc;
  q->row = api->xRowid(fts);
  q->found = 0;
  // No row is shorter than nothing, so that this is more than its score.
  if (q->best > 0 && q->held == q->best && score(q, 0) <= q->heap[0]) return SQLITE_OK;
  rc = measure(api, fts, q, db, columns, weights, &tokens);
  hold(q, q->found = score(q, tokens / q->averageTokens));
  return rc;
}

static void bm25Of(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *context, int given, sqlite3_value **values) {
  int rc = SQLITE_OK;
  question *q = api->xGetAuxdata(fts, 0);
  int columns = given > 2 ? given - 2 : 0;
  if (q == 0) {
    rc = begin(api, fts, given > 0 ? (const char *)sqlite3_value_text(values[0]) : 0, given > 1 ? sqlite3_value_int(values[1]) : 0, columns, values + 2, &q);
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

// often_of(table, weight of column 1, …) is how often the row has the phrases of
// the question, each place at its column's weight.
static void oftenOf(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *context, int columns, sqlite3_value **weights) {
  double often = 0;
  for (int i = 0; i < api->xPhraseCount(fts); i++) {
    int rc = places(api, fts, i, columns, weights, &often);
    if (rc != SQLITE_OK) {
      sqlite3_result_error_code(context, rc);
      return;
    }
  }
  sqlite3_result_double(context, often);
}

// tokens_of(table, column) is how many tokens the row has in a column, the first
// of which is 0.
static void tokensOf(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *context, int given, sqlite3_value **values) {
  int tokens = 0, column = given > 0 ? sqlite3_value_int(values[0]) : -1;
  int rc = column >= 0 ? api->xColumnSize(fts, column, &tokens) : SQLITE_RANGE;
  if (rc == SQLITE_OK) {
    sqlite3_result_int(context, tokens);
  } else {
    sqlite3_result_error_code(context, rc);
  }
}

// begin_bm25() makes these functions known to the connection. It cannot be done
// when the connection is opened: FTS5 is reached by a select alone, which reads the
// schema, for which another process may be in the way.
static void beginBM25(sqlite3_context *context, int given, sqlite3_value **values) {
  (void)given, (void)values;
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

// hence_bm25 makes begin_bm25 known to every connection that is opened.
int hence_bm25(void) { return sqlite3_auto_extension((void (*)(void))bm25Init); }
