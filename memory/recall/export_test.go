package recall

import (
	"time"

	"hence/memory/recall/vectors"
)

// SetPatience changes how long storing a memory (brief) and a hybrid search (optional) wait for
// a vector.
func SetPatience(brief, optional time.Duration) (restore func()) {
	before, other := vectors.Brief, vectors.Optional
	vectors.Brief.Wait, vectors.Optional.Wait = brief, optional
	return func() { vectors.Brief, vectors.Optional = before, other }
}
