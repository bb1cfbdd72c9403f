package db

// #cgo linux LDFLAGS: -lm
// int hence_given(void);
// int hence_bm25(void);
import "C"

import "fmt"

// extendEngine adds the functions of given.c and bm25.c to every connection.
func extendEngine() {
	for _, code := range []C.int{C.hence_given(), C.hence_bm25()} {
		if code != 0 {
			panic(fmt.Sprintf("db: the engine cannot be extended: code %d", code))
		}
	}
}
