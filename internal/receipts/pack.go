package receipts

import (
	"encoding/binary"
	"slices"
	"strconv"

	"hence/internal/db"
	"hence/internal/ref"
)

// Shown is a part of a memory in an answer. From and To are bytes of its content, the same number if only
// its title was shown; To is -1 for the end of the content.
type Shown struct {
	Key      int64 // of the memory in its store; below zero for one that a call stores which waited: see Waited
	Check    byte  // of its id: see checkOf
	Revision int   // of one that waited a checksum of its text, which a person may change before accepting it
	From, To int
	Why      string // one of reasons
}

// reasons are why a memory is in an answer: the lists of results in which it stands. The number of a reason
// is in the file, so new ones come last.
var reasons = []string{
	"named", "results", "memories", "rules", "holds", "unconfirmed", "to_settle", "changed", "left_off", "edges", "nodes", "path",
	"alternatives", "chain", "stale", "contradicted_by", "superseded_by", "near", "proposals", "because", "prompt", "act", "edit", "start",
}

// whyBits is how many bits of a number its reason takes.
const whyBits = 5

// checkOf returns a byte by which a memory is told from another one that got its key after a purge.
func checkOf(id string) byte { return db.Hash(id)[0]<<4 ^ db.Hash(id)[1] }

// Waited names a memory that a call stores which waits, by its short id, because it has no key.
func Waited(id string) Shown {
	short, _ := strconv.ParseUint(ref.ShortID(id), 16, 32) // 0 for another program's id
	return Shown{Key: -1 - int64(short), Check: checkOf(id)}
}

// Sum returns the checksum of a text that waited, of three bytes as a varint.
func Sum(text string) int { return int(binary.BigEndian.Uint32(HashOf([]byte(text))) >> 11) }

// Is reports whether a memory, by the id that has the key now, is the one that was shown.
func (s Shown) Is(id string) bool { return s.Check == checkOf(id) }

// IsOf reports whether what was shown is a memory that has a key, or waited before it had one.
func (s Shown) IsOf(key int64, id string) bool {
	return s.Is(id) && (s.Key == key || s.Key == Waited(id).Key)
}

// pack returns the parts in about seven bytes each: numbers as varints, keys as differences.
func pack(all []Shown) (packed []byte) {
	last := int64(0)
	for _, s := range all {
		why := max(0, slices.Index(reasons, s.Why))
		packed = binary.AppendVarint(packed, s.Key-last)
		packed = append(packed, s.Check)
		packed = binary.AppendUvarint(packed, uint64(s.Revision))
		packed = binary.AppendUvarint(packed, uint64(s.From)<<whyBits|uint64(why))
		packed = binary.AppendUvarint(packed, uint64(s.To-s.From+1)) // 0: the rest
		last = s.Key
	}
	return packed
}

// unpack reads what pack has written, as far as it can.
func unpack(packed []byte) (all []Shown) {
	last := int64(0)
	ok := true
	next := func() uint64 {
		n, length := binary.Uvarint(packed)
		if ok = ok && length > 0; !ok {
			return 0
		}
		packed = packed[length:]
		return n
	}
	for len(packed) > 0 {
		difference, length := binary.Varint(packed)
		if length <= 0 || len(packed) == length {
			return all
		}
		s := Shown{Key: last + difference, Check: packed[length]}
		packed = packed[length+1:]
		s.Revision = int(next())
		from, size := next(), next()
		if !ok {
			return all
		}
		s.From = int(from >> whyBits)
		s.To = s.From + int(size) - 1
		if size == 0 {
			s.To = -1
		}
		if why := int(from & (1<<whyBits - 1)); why < len(reasons) {
			s.Why = reasons[why]
		}
		last, all = s.Key, append(all, s)
	}
	return all
}
