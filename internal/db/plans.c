// A connection plans each statement once. By default the engine plans one again whenever a
// value is bound on which the plan might depend, such as that of "limit ?", which costs
// more than most queries take.

#include "sqlite3.h"

static int plansInit(sqlite3 *db, char **err, const struct sqlite3_api_routines *unused) {
  (void)err, (void)unused;
  return sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_QPSG, 1, (int *)0);
}

// hence_plans has every connection that is opened plan so.
int hence_plans(void) { return sqlite3_auto_extension((void (*)(void))plansInit); }
