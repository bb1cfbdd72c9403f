// Each statement is planned once for each connection. By default SQLite plans a statement again
// when a value is bound on which the plan may depend, as in "limit ?", and that takes longer than
// most queries.

#include "sqlite3.h"

static int plansInit(sqlite3 *db, char **err, const struct sqlite3_api_routines *unused) {
  (void)err, (void)unused;
  return sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_QPSG, 1, (int *)0);
}

// hence_plans applies the setting to every connection that is opened later.
int hence_plans(void) { return sqlite3_auto_extension((void (*)(void))plansInit); }
