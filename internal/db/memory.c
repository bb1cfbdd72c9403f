// SQLite's statistics about allocated memory are off: nothing reads them, and each allocation of
// any connection would wait for one lock. A connection has more small pieces of memory of its own
// than by default, because a statement on tables with many triggers takes hundreds to compile.

#include "sqlite3.h"

// hence_memory applies these settings. It must be the first call of SQLite: later ones fail.
int hence_memory(void) {
  int rc = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  return rc ? rc : sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 1200, 600);
}
