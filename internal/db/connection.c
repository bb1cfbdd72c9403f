// What every connection is told when it is opened: the schema of a file from elsewhere may call
// nothing but functions that do no harm (trusted_schema), and nobody writes the tables behind the
// full-text index or the schema's own by hand (defensive).

#include "sqlite3.h"

// keep_log() has the connection leave the log as it is when it is closed. The last connection
// would otherwise copy the log into the file, and remove the file that has the log's name.
static void keepLog(sqlite3_context *context, int given, sqlite3_value **values) {
  (void)given, (void)values;
  sqlite3_db_config(sqlite3_context_db_handle(context), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

static int connectionInit(sqlite3 *db, char **err, const struct sqlite3_api_routines *unused) {
  (void)err, (void)unused;
  int rc = sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
  if (rc == SQLITE_OK) rc = sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  return rc ? rc : sqlite3_create_function_v2(db, "keep_log", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY, 0, keepLog, 0, 0, 0);
}

// hence_connection makes these settings those of every connection that is opened.
int hence_connection(void) { return sqlite3_auto_extension((void (*)(void))connectionInit); }
