package db

// #cgo linux LDFLAGS: -lm
// int hence_memory(void);
// int hence_connection(void);
// int hence_bm25(void);
// int hence_pack(void);
// int hence_plans(void);
// int hence_signs(void);
import "C"

import "fmt"

// extendEngine adds the functions of bm25.c, pack.c and signs.c to every connection, and applies the
// settings of connection.c, memory.c and plans.c.
func extendEngine() {
	for _, code := range []C.int{C.hence_memory(), C.hence_connection(), C.hence_bm25(), C.hence_pack(), C.hence_plans(), C.hence_signs()} {
		if code != 0 {
			panic(fmt.Sprintf("db: the engine cannot be extended: code %d", code))
		}
	}
}
