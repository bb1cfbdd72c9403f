// The settings of every connection. Without trusted_schema, the schema of a file from elsewhere can
// call only harmless functions. With defensive, no statement writes to the schema table or to the
// tables of the full-text index.

#include "sqlite3.h"

// keep_log() makes the connection leave the log unchanged when it is closed. Otherwise the last
// connection copies the log into the database file, and removes the file with the log's name.
static void keepLog(sqlite3_context *context, int argc, sqlite3_value **values) {
  (void)argc, (void)values;
  sqlite3_db_config(sqlite3_context_db_handle(context), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

static int connectionInit(sqlite3 *db, char **err, const struct sqlite3_api_routines *unused) {
  (void)err, (void)unused;
  int rc = sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
  if (rc == SQLITE_OK) rc = sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  return rc ? rc : sqlite3_create_function_v2(db, "keep_log", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY, 0, keepLog, 0, 0, 0);
}

// hence_connection applies the settings to every connection that is opened later.
int hence_connection(void) { return sqlite3_auto_extension((void (*)(void))connectionInit); }
