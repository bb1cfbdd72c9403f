// SQLite's statistics about allocated memory are off: nothing reads them, and each allocation of
// any connection would wait for one lock.

#include "sqlite3.h"

// hence_memory turns the statistics off. It must be the first call of SQLite: later ones fail.
int hence_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
