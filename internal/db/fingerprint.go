package db

import (
	"crypto/rand"
	"encoding/binary"
	"slices"
)

// FingerprintKey is the key of fingerprint(key, value, …), an SQL function that hashes values
// and their types. It is 16 random bytes, so that nobody can construct other values with the
// same fingerprint.
type FingerprintKey []byte

// NewFingerprintKey returns a new key.
func NewFingerprintKey() FingerprintKey {
	key := make([]byte, 16)
	_, _ = rand.Read(key) // never fails
	return key
}

// Numbers is a sorted list of numbers, such as fingerprints, in the form of the first argument
// of the SQL function has_number(list, number).
type Numbers []byte

// NumbersOf returns the numbers of all rows of the given values, each of one column.
func NumbersOf(columns ...Packed) Numbers {
	numbers := []uint64{}
	for _, column := range columns {
		for row := range column.Rows(1) {
			numbers = append(numbers, uint64(row[0]))
		}
	}
	slices.Sort(numbers)
	list := make(Numbers, 0, len(numbers)*packedNumber)
	for _, number := range numbers {
		list = binary.LittleEndian.AppendUint64(list, number)
	}
	return list
}
