// Package statement reads what a short text states: of which subject, which attribute
// has which value. It tells apart the value that may change from what a text is about,
// so that two texts can be held against each other: "The port of PocketBase is 8090" and
// "PocketBase runs on port 9000" state the same attribute of the same subject.
//
// It reads English by rules, and few sentences: whatever it does not read is no
// statement. Only an attribute that has one value at a time counts: where somebody
// lives, not which languages they speak.
package statement
