// bm25_of(table, idfs, weight of column 1, …) is bm25 of FTS5 for a caller who
// knows how rare each phrase of the question is. bm25 finds that out by reading
// every row of every phrase anew for each question, which takes longer than the
// rest. The idfs are numbers in a text with blanks between them, one for each
// phrase in the order of the question: 0 leaves the phrase out of the score, ?
// has it looked up as bm25 does. Where there are not as many as phrases, all
// are looked up.

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

// The constants of bm25 in FTS5.
static const double k1 = 1.2, b = 0.75;

typedef struct {
  double averageTokens; // of a row
  int phrases;
  double idfs[];
} question;

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
  for (;;) {
    text += strspn(text, " ");
    if (*text == 0) return n == q->phrases;
    if (n == q->phrases) return 0;
    char *end = (char *)text + 1;
    q->idfs[n++] = *text == '?' ? NAN : strtod(text, &end);
    if (end == text) return 0;
    text = end;
  }
}

static int begin(const Fts5ExtensionApi *api, Fts5Context *fts, const char *idfs, question **out) {
  int phrases = api->xPhraseCount(fts);
  question *q = *out = sqlite3_malloc64(sizeof(question) + sizeof(double) * (sqlite3_uint64)phrases);
  if (q == 0) return SQLITE_NOMEM;
  q->phrases = phrases;
  if (!readIdfs(idfs ? idfs : "", q)) {
    for (int i = 0; i < phrases; i++) q->idfs[i] = NAN;
  }
  sqlite3_int64 rows = 0, tokens = 0;
  int rc = api->xRowCount(fts, &rows);
  if (rc == SQLITE_OK) rc = api->xColumnTotalSize(fts, -1, &tokens);
  q->averageTokens = rows > 0 && tokens > 0 ? (double)tokens / (double)rows : 1;
  for (int i = 0; i < phrases && rc == SQLITE_OK; i++) {
    if (isnan(q->idfs[i])) rc = lookUp(api, fts, i, rows, &q->idfs[i]);
  }
  return rc;
}

static void bm25Of(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *context, int given, sqlite3_value **values) {
  int rc = SQLITE_OK, tokens = 0;
  question *q = api->xGetAuxdata(fts, 0);
  if (q == 0) {
    rc = begin(api, fts, given > 0 ? (const char *)sqlite3_value_text(values[0]) : 0, &q);
    if (rc != SQLITE_OK) {
      sqlite3_free(q);
    } else {
      rc = api->xSetAuxdata(fts, q, sqlite3_free);
    }
  }
  if (rc == SQLITE_OK) rc = api->xColumnSize(fts, -1, &tokens);
  double score = 0;
  for (int i = 0; rc == SQLITE_OK && i < q->phrases; i++) {
    if (q->idfs[i] == 0) continue;
    double often = 0;
    Fts5PhraseIter at;
    int column, offset;
    rc = api->xPhraseFirst(fts, i, &at, &column, &offset);
    for (; rc == SQLITE_OK && column >= 0; api->xPhraseNext(fts, &at, &column, &offset)) {
      often += column + 1 < given ? sqlite3_value_double(values[column + 1]) : 1;
    }
    score += q->idfs[i] * (often * (k1 + 1)) / (often + k1 * (1 - b + b * tokens / q->averageTokens));
  }
  if (rc == SQLITE_OK) {
    sqlite3_result_double(context, -score);
  } else {
    sqlite3_result_error_code(context, rc);
  }
}

static int bm25Init(sqlite3 *db, char **err, const struct sqlite3_api_routines *unused) {
  (void)err, (void)unused;
  fts5_api *fts5 = 0;
  sqlite3_stmt *statement = 0;
  int rc = sqlite3_prepare_v2(db, "select fts5(?1)", -1, &statement, 0);
  if (rc != SQLITE_OK) return rc;
  sqlite3_bind_pointer(statement, 1, &fts5, "fts5_api_ptr", 0);
  sqlite3_step(statement);
  rc = sqlite3_finalize(statement);
  if (rc != SQLITE_OK || fts5 == 0) return SQLITE_ERROR;
  return fts5->xCreateFunction(fts5, "bm25_of", 0, bm25Of, 0);
}

// hence_bm25 makes the function known to every connection that is opened.
int hence_bm25(void) { return sqlite3_auto_extension((void (*)(void))bm25Init); }
