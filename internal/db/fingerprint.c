// fingerprint(key, value, …) is a hash of values and their types, SipHash-2-4
// (Aumasson and Bernstein 2012) by a key of 16 bytes: whoever does not know the key
// cannot find other values with the same fingerprint. has_number(list, number) tells
// whether a sorted list of numbers, eight bytes each as fingerprint.go writes them, has
// one.

#include <string.h>
#include "sqlite3.h"

typedef struct {
  sqlite3_uint64 v0, v1, v2, v3;
} sip;

static sqlite3_uint64 turned(sqlite3_uint64 v, int by) { return v << by | v >> (64 - by); }

static void sipRound(sip *s) {
  s->v0 += s->v1, s->v1 = turned(s->v1, 13) ^ s->v0, s->v0 = turned(s->v0, 32);
  s->v2 += s->v3, s->v3 = turned(s->v3, 16) ^ s->v2;
  s->v0 += s->v3, s->v3 = turned(s->v3, 21) ^ s->v0;
  s->v2 += s->v1, s->v1 = turned(s->v1, 17) ^ s->v2, s->v2 = turned(s->v2, 32);
}

static void sipBlock(sip *s, sqlite3_uint64 block) {
  s->v3 ^= block;
  sipRound(s);
  sipRound(s);
  s->v0 ^= block;
}

static sqlite3_uint64 blockAt(const unsigned char *bytes, sqlite3_int64 number) {
  sqlite3_uint64 block = 0;
  memcpy(&block, bytes, (size_t)(number < 8 ? number : 8));
  return block;
}

static void fingerprint(sqlite3_context *context, int given, sqlite3_value **values) {
  const unsigned char *key = given > 0 ? sqlite3_value_blob(values[0]) : 0;
  if (key == 0 || sqlite3_value_bytes(values[0]) != 16) {
    sqlite3_result_error(context, "fingerprint: the key has 16 bytes", -1);
    return;
  }
  sqlite3_uint64 k0 = blockAt(key, 8), k1 = blockAt(key + 8, 8), blocks = 0;
  sip s = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573};
  for (int i = 1; i < given; i++) {
    int type = sqlite3_value_type(values[i]);
    sqlite3_uint64 number = 0;
    const unsigned char *bytes = 0;
    sqlite3_int64 length = 0;
    if (type == SQLITE_INTEGER) {
      number = (sqlite3_uint64)sqlite3_value_int64(values[i]);
    } else if (type == SQLITE_FLOAT) {
      double real = sqlite3_value_double(values[i]);
      memcpy(&number, &real, sizeof number);
    } else if (type != SQLITE_NULL) {
      bytes = type == SQLITE_TEXT ? sqlite3_value_text(values[i]) : sqlite3_value_blob(values[i]);
      length = sqlite3_value_bytes(values[i]);
      number = (sqlite3_uint64)length;
    }
    // With its type and length before it, a value ends where it ends: the last block of
    // its bytes is filled with zeros.
    sipBlock(&s, (sqlite3_uint64)type);
    sipBlock(&s, number);
    blocks += 2;
    for (sqlite3_int64 at = 0; at < length; at += 8, blocks++) sipBlock(&s, blockAt(bytes + at, length - at));
  }
  sipBlock(&s, blocks << 59); // the length of the message in bytes, in the upper eight bits
  s.v2 ^= 0xff;
  for (int i = 0; i < 4; i++) sipRound(&s);
  sqlite3_result_int64(context, (sqlite3_int64)(s.v0 ^ s.v1 ^ s.v2 ^ s.v3));
}

static void hasNumber(sqlite3_context *context, int given, sqlite3_value **values) {
  (void)given;
  const unsigned char *list = sqlite3_value_blob(values[0]);
  sqlite3_int64 low = 0, high = list ? sqlite3_value_bytes(values[0]) / 8 : 0;
  sqlite3_uint64 wanted = (sqlite3_uint64)sqlite3_value_int64(values[1]);
  while (low < high) {
    sqlite3_int64 middle = low + (high - low) / 2;
    sqlite3_uint64 number = 0;
    for (int at = 0; at < 8; at++) number |= (sqlite3_uint64)list[8 * middle + at] << 8 * at;
    if (number == wanted) {
      sqlite3_result_int(context, 1);
      return;
    }
    if (number < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  sqlite3_result_int(context, 0);
}

static int fingerprintInit(sqlite3 *db, char **err, const struct sqlite3_api_routines *unused) {
  (void)err, (void)unused;
  const int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY | SQLITE_DETERMINISTIC;
  int rc = sqlite3_create_function_v2(db, "fingerprint", -1, flags, 0, fingerprint, 0, 0, 0);
  return rc ? rc : sqlite3_create_function_v2(db, "has_number", 2, flags, 0, hasNumber, 0, 0, 0);
}

// hence_fingerprint makes the functions known to every connection that is opened.
int hence_fingerprint(void) { return sqlite3_auto_extension((void (*)(void))fingerprintInit); }
