package folder

import (
	"testing"
	"time"
)

// Windows cannot lock a folder, so TryLock locks a file for it; a second caller waits.
func TestAFolderIsLockedByAFileThatStandsForIt(t *testing.T) {
	dir := t.TempDir()
	unlock, ok, err := TryLock(dir)
	if err != nil || !ok {
		t.Fatalf("TryLock: %v, %v", ok, err)
	}
	second := make(chan func())
	go func() {
		unlock, ok, err := TryLock(dir)
		if err != nil || !ok {
			t.Errorf("the second TryLock: %v, %v", ok, err)
		}
		second <- unlock
	}()
	select {
	case <-second:
		t.Error("two have the lock")
	case <-time.After(100 * time.Millisecond): // by chance the test may pass wrongly, but not fail wrongly
	}
	unlock()
	(<-second)()
	other, ok, err := TryLock(t.TempDir())
	if err != nil || !ok {
		t.Fatalf("TryLock of another folder: %v, %v", ok, err)
	}
	other()
}

func TestAFolderOfAnotherMachineIsOnANetwork(t *testing.T) {
	for dir, want := range map[string]bool{`\\server\share\notes`: true, `C:\notes`: false, t.TempDir(): false} {
		if got := OnNetwork(dir); got != want {
			t.Errorf("OnNetwork(%s) = %v", dir, got)
		}
	}
}
