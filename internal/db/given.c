// given(list) is a table-valued function of the engine: the rows of one list,
// in the form that given.go writes them. Its columns are c1 to c32; those that
// a row does not have are null.

#include <string.h>
#include "sqlite3.h"

#define COLUMNS 32
#define LIST COLUMNS // the hidden column, the function's argument

enum { tagNull = 0, tagInteger = 1, tagText = 2, tagReal = 3 };

typedef struct {
  const unsigned char *bytes; // of a text
  sqlite3_int64 number;       // an integer, a text's length, or the bits of a real
  unsigned char tag;
} value;

typedef struct {
  sqlite3_vtab_cursor base;
  sqlite3_value *list;      // our own copy, to which the texts point
  const unsigned char *at;  // after the row, 0 at the end
  const unsigned char *end;
  sqlite3_int64 row;
  value values[COLUMNS];
} cursor;

static int givenConnect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **err) {
  (void)aux, (void)argc, (void)argv, (void)err;
  int rc = sqlite3_declare_vtab(db,
    "create table given ("
    "c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, "
    "c13, c14, c15, c16, c17, c18, c19, c20, c21, c22, c23, c24, "
    "c25, c26, c27, c28, c29, c30, c31, c32, list hidden)");
  if (rc != SQLITE_OK) return rc;
  *out = sqlite3_malloc(sizeof(sqlite3_vtab));
  if (*out == 0) return SQLITE_NOMEM;
  memset(*out, 0, sizeof(sqlite3_vtab));
  sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
  return SQLITE_OK;
}

static int givenDisconnect(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}

// There is one plan: the list comes first.
static int givenBestIndex(sqlite3_vtab *table, sqlite3_index_info *info) {
  (void)table;
  for (int i = 0; i < info->nConstraint; i++) {
    if (info->aConstraint[i].iColumn != LIST || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (!info->aConstraint[i].usable) return SQLITE_CONSTRAINT;
    info->aConstraintUsage[i].argvIndex = 1;
    info->aConstraintUsage[i].omit = 1;
    info->estimatedCost = 1000;
    info->estimatedRows = 1000;
    return SQLITE_OK;
  }
  return SQLITE_CONSTRAINT;
}

static int givenOpen(sqlite3_vtab *table, sqlite3_vtab_cursor **out) {
  (void)table;
  cursor *c = sqlite3_malloc(sizeof(cursor));
  if (c == 0) return SQLITE_NOMEM;
  memset(c, 0, sizeof(cursor));
  *out = &c->base;
  return SQLITE_OK;
}

static int givenClose(sqlite3_vtab_cursor *base) {
  cursor *c = (cursor *)base;
  sqlite3_value_free(c->list);
  sqlite3_free(c);
  return SQLITE_OK;
}

static sqlite3_uint64 littleEndian(const unsigned char *p, int bytes) {
  sqlite3_uint64 n = 0;
  for (int i = bytes - 1; i >= 0; i--) n = n << 8 | p[i];
  return n;
}

// givenNext reads a row: the number of its values, then each with its tag.
// Whatever the bytes are, nothing beyond them is read.
static int givenNext(sqlite3_vtab_cursor *base) {
  cursor *c = (cursor *)base;
  const unsigned char *p = c->at;
  if (p == c->end) {
    c->at = 0;
    return SQLITE_OK;
  }
  int count = *p++;
  if (count > COLUMNS) goto broken;
  for (int i = 0; i < count; i++) {
    value *v = &c->values[i];
    if (p == c->end) goto broken;
    switch (v->tag = *p++) {
    case tagNull:
      break;
    case tagInteger:
    case tagReal:
      if (c->end - p < 8) goto broken;
      v->number = (sqlite3_int64)littleEndian(p, 8);
      p += 8;
      break;
    case tagText:
      if (c->end - p < 4) goto broken;
      v->number = (sqlite3_int64)littleEndian(p, 4);
      v->bytes = p += 4;
      if (c->end - p < v->number) goto broken;
      p += v->number;
      break;
    default:
      goto broken;
    }
  }
  for (int i = count; i < COLUMNS; i++) c->values[i].tag = tagNull;
  c->at = p;
  c->row++;
  return SQLITE_OK;
broken:
  base->pVtab->zErrMsg = sqlite3_mprintf("given: row %lld is not what given.go writes", c->row + 1);
  return SQLITE_ERROR;
}

static int givenFilter(sqlite3_vtab_cursor *base, int plan, const char *name, int argc, sqlite3_value **argv) {
  (void)plan, (void)name, (void)argc;
  cursor *c = (cursor *)base;
  sqlite3_value_free(c->list);
  c->list = sqlite3_value_dup(argv[0]);
  if (c->list == 0) return SQLITE_NOMEM;
  c->at = sqlite3_value_blob(c->list);
  c->end = c->at + sqlite3_value_bytes(c->list);
  c->row = 0;
  return givenNext(base);
}

static int givenEof(sqlite3_vtab_cursor *base) { return ((cursor *)base)->at == 0; }

static int givenColumn(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  cursor *c = (cursor *)base;
  if (column >= COLUMNS) return SQLITE_OK;
  value *v = &c->values[column];
  switch (v->tag) {
  case tagInteger:
    sqlite3_result_int64(context, v->number);
    break;
  case tagReal: {
    double real;
    memcpy(&real, &v->number, sizeof real);
    sqlite3_result_double(context, real);
    break;
  }
  case tagText:
    sqlite3_result_text(context, (const char *)v->bytes, (int)v->number, SQLITE_TRANSIENT); // max() and min() keep it beyond the row
    break;
  }
  return SQLITE_OK;
}

static int givenRowid(sqlite3_vtab_cursor *base, sqlite3_int64 *row) {
  *row = ((cursor *)base)->row;
  return SQLITE_OK;
}

static sqlite3_module givenModule = {
  .xConnect = givenConnect,
  .xBestIndex = givenBestIndex,
  .xDisconnect = givenDisconnect,
  .xOpen = givenOpen,
  .xClose = givenClose,
  .xFilter = givenFilter,
  .xNext = givenNext,
  .xEof = givenEof,
  .xColumn = givenColumn,
  .xRowid = givenRowid,
};

static int givenInit(sqlite3 *db, char **err, const struct sqlite3_api_routines *api) {
  (void)err, (void)api;
  return sqlite3_create_module(db, "given", &givenModule, 0);
}

// hence_given makes the function known to every connection that is opened.
int hence_given(void) { return sqlite3_auto_extension((void (*)(void))givenInit); }
