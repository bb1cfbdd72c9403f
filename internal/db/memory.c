// The engine does not add up the bytes that it has allocated, of which nobody asks: each
// allocation of every connection would wait for one lock.

#include "sqlite3.h"

// hence_memory has the engine keep no account of its memory. It comes before all else that
// is asked of the engine, which is refused afterwards.
int hence_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
