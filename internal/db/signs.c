// signs_apart(a, b) is the number of places in which the signs of two vectors of bytes differ, null
// unless both are blobs of one length. It is a coarse distance, for a search that reads all vectors: a
// tenth of the time of the exact one of sqlite-vec, which then decides among the nearest.

#include <string.h>
#include "sqlite3.h"

static void signsApart(sqlite3_context *context, int argc, sqlite3_value **values) {
  (void)argc;
  if (sqlite3_value_type(values[0]) != SQLITE_BLOB || sqlite3_value_type(values[1]) != SQLITE_BLOB) return;
  const unsigned char *a = sqlite3_value_blob(values[0]), *b = sqlite3_value_blob(values[1]);
  int length = sqlite3_value_bytes(values[0]), at = 0;
  if (length != sqlite3_value_bytes(values[1])) return;
  sqlite3_int64 apart = 0;
  for (; at + 8 <= length; at += 8) { // eight bytes at once: the multiplication adds them up
    sqlite3_uint64 x, y;
    memcpy(&x, a + at, 8);
    memcpy(&y, b + at, 8);
    apart += (sqlite3_int64)((((x ^ y) >> 7 & 0x0101010101010101u) * 0x0101010101010101u) >> 56);
  }
  for (; at < length; at++) apart += (a[at] ^ b[at]) >> 7;
  sqlite3_result_int64(context, apart);
}

static int signsInit(sqlite3 *db, char **err, const struct sqlite3_api_routines *unused) {
  (void)err, (void)unused;
  return sqlite3_create_function_v2(db, "signs_apart", 2, SQLITE_UTF8 | SQLITE_DIRECTONLY | SQLITE_DETERMINISTIC, 0, signsApart, 0, 0, 0);
}

// hence_signs registers the function for every connection that is opened later.
int hence_signs(void) { return sqlite3_auto_extension((void (*)(void))signsInit); }
