// pack(number, …) is an aggregate function of the engine: all numbers of all rows, eight
// bytes each, as pack.go reads them. No number is null.

#include <string.h>
#include "sqlite3.h"

typedef struct {
  unsigned char *bytes;
  sqlite3_int64 used, room;
} packed;

static void packStep(sqlite3_context *context, int given, sqlite3_value **values) {
  packed *p = sqlite3_aggregate_context(context, sizeof(packed));
  if (p == 0) {
    sqlite3_result_error_nomem(context);
    return;
  }
  if (p->room - p->used < 8 * given) {
    sqlite3_int64 room = 2 * p->room + 4096;
    unsigned char *bytes = sqlite3_realloc64(p->bytes, (sqlite3_uint64)room);
    if (bytes == 0) {
      sqlite3_result_error_nomem(context);
      return;
    }
    p->bytes = bytes;
    p->room = room;
  }
  for (int i = 0; i < given; i++) {
    sqlite3_uint64 number = (sqlite3_uint64)sqlite3_value_int64(values[i]);
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

static int packInit(sqlite3 *db, char **err, const struct sqlite3_api_routines *unused) {
  (void)err, (void)unused;
  return sqlite3_create_function_v2(db, "pack", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY | SQLITE_DETERMINISTIC, 0, 0, packStep, packFinal, 0);
}

// hence_pack makes the function known to every connection that is opened.
int hence_pack(void) { return sqlite3_auto_extension((void (*)(void))packInit); }
