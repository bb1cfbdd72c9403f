// Package erase takes memories out of everything that Hence owns: the store with its index, its journal and its
// log, backups, the folders of teams, and records beside them. A second pass then reads the bytes of all
// these files, and the receipt says what it found and what is out of reach.
//
// An erasure is begun by one batch, which deletes the rows and records what remains to be done, without the
// text. Finish does that, also after the process was killed.
package erase
