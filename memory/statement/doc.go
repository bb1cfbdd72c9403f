// Package statement reads a short text as a statement: a subject, an attribute and its
// value. It separates the value, which may change, from the rest of the text, so that two
// texts can be compared: "The port of PocketBase is 8090" and "PocketBase runs on port
// 9000" state the same attribute of the same subject.
//
// It reads English by rules, and only a few forms of sentences; it ignores all others. It
// reads only attributes that have one value at a time: where somebody lives, but not which
// languages they speak.
package statement
