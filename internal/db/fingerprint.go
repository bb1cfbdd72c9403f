package db

import (
	"crypto/rand"
	"encoding/binary"
	"slices"
)

// FingerprintKey is the key of fingerprint(key, value, …), an SQL function that hashes
// values and their types: 16 bytes made by chance, so that nobody can write other values
// with the same fingerprint.
type FingerprintKey []byte

// NewFingerprintKey returns a new key.
func NewFingerprintKey() FingerprintKey {
	key := make([]byte, 16)
	_, _ = rand.Read(key) // which never fails
	return key
}

// Numbers is a sorted list of numbers, such as fingerprints, as the argument of the SQL
// function has_number(list, number).
type Numbers []byte

// NumbersOf returns the numbers of the rows of one column.
func NumbersOf(columns ...Packed) Numbers {
	all := []uint64{}
	for _, column := range columns {
		for row := range column.Rows(1) {
			all = append(all, uint64(row[0]))
		}
	}
	slices.Sort(all)
	list := make(Numbers, 0, len(all)*packedNumber)
	for _, number := range all {
		list = binary.LittleEndian.AppendUint64(list, number)
	}
	return list
}
