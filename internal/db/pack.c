// pack(number, …) is an aggregate function. It returns all numbers of all rows as one blob, which
// pack.go reads: eight bytes for each number, which are an integer or the bits of a real number.
// Nulls are not allowed.

#include <string.h>
#include "sqlite3.h"

static sqlite3_uint64 bitsOf(sqlite3_value *value) {
  if (sqlite3_value_type(value) != SQLITE_FLOAT) return (sqlite3_uint64)sqlite3_value_int64(value);
  double number = sqlite3_value_double(value);
  sqlite3_uint64 bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

typedef struct {
  unsigned char *bytes;
  sqlite3_int64 used, capacity;
} packed;

static void packStep(sqlite3_context *context, int argc, sqlite3_value **values) {
  packed *p = sqlite3_aggregate_context(context, sizeof(packed));
  if (p == 0) {
    sqlite3_result_error_nomem(context);
    return;
  }
  if (p->capacity - p->used < 8 * argc) {
    sqlite3_int64 capacity = 2 * p->capacity + 4096 + 8 * argc;
    unsigned char *bytes = sqlite3_realloc64(p->bytes, (sqlite3_uint64)capacity);
    if (bytes == 0) {
      sqlite3_result_error_nomem(context);
      return;
    }
    p->bytes = bytes;
    p->capacity = capacity;
  }
  for (int i = 0; i < argc; i++) {
    sqlite3_uint64 number = bitsOf(values[i]);
    for (int at = 0; at < 8; at++) p->bytes[p->used++] = (unsigned char)(number >> 8 * at);
  }
}

static void packFinal(sqlite3_context *context) {
  packed *p = sqlite3_aggregate_context(context, 0);
  if (p == 0 || p->bytes == 0) {
    sqlite3_result_zeroblob(context, 0);
    return;
  }
  sqlite3_result_blob64(context, p->bytes, (sqlite3_uint64)p->used, sqlite3_free);
  p->bytes = 0;
}

// number_of(record, n) is the number at index n, from 0, of a record of FTS5; 0 if the record has
// fewer numbers.
static void numberOf(sqlite3_context *context, int argc, sqlite3_value **values) {
  (void)argc;
  const unsigned char *record = sqlite3_value_blob(values[0]);
  int length = sqlite3_value_bytes(values[0]), n = sqlite3_value_int(values[1]);
  sqlite3_uint64 number = 0;
  for (int at = 0; record && at < length; at++) {
    number = number << 7 | (record[at] & 0x7f);
    if (record[at] < 0x80) {
      if (n-- == 0) {
        sqlite3_result_int64(context, (sqlite3_int64)number);
        return;
      }
      number = 0;
    }
  }
  sqlite3_result_int(context, 0);
}

static int packInit(sqlite3 *db, char **err, const struct sqlite3_api_routines *unused) {
  (void)err, (void)unused;
  const int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY | SQLITE_DETERMINISTIC;
  int rc = sqlite3_create_function_v2(db, "number_of", 2, flags, 0, numberOf, 0, 0, 0);
  return rc ? rc : sqlite3_create_function_v2(db, "pack", -1, flags, 0, 0, packStep, packFinal, 0);
}

// hence_pack registers the functions for every connection that is opened later.
int hence_pack(void) { return sqlite3_auto_extension((void (*)(void))packInit); }
