#include "sqlite3-binding.h"
