package recall

import (
	"time"

	"hence/memory/recall/vectors"
)

// SetPatience changes how long a hybrid search waits for a vector.
func SetPatience(wait time.Duration) (restore func()) {
	before := vectors.Optional
	vectors.Optional.Wait = wait
	return func() { vectors.Optional = before }
}
