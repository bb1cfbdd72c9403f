package doctor_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/memory"
	"hence/memory/doctor"
)

// For any damaged file that opens, the report is complete, and begins with the damage.
func TestADamagedStoreGetsAWholeReport(t *testing.T) {
	dbtest.SkipOnCluster(t, "a node's file is damaged by hand only")
	d := filled(t)
	s := memory.Store{DB: d}
	for n := range 150 {
		if _, err := s.Remember(t.Context(), memory.StoreArgs{
			Content: fmt.Sprintf("Number %d of many. %0500d", n, n), Links: []memory.NewLink{{To: "top", Type: "supports"}}, Dedup: "off",
		}, nil); err != nil {
			t.Fatal(err)
		}
	}
	whole := t.TempDir() + "/whole.db"
	if err := d.Backup(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	bytes, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	opened, sick, random := 0, 0, rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		damaged, path := append([]byte{}, bytes...), fmt.Sprintf("%s/%d.db", t.TempDir(), n)
		for range 1 + random.IntN(60) {
			at := 4096 + random.IntN(len(damaged)-4096-512)
			for i := range random.IntN(512) {
				damaged[at+i] = byte(random.Uint32()) * byte(n%2) // noise, or zeros
			}
		}
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		broken, err := db.Open(t.Context(), path, db.Options{})
		if err != nil {
			continue // its schema cannot be read
		}
		opened++
		for _, fix := range []bool{false, true} {
			report, err := doctor.Doctor{DB: broken, Actor: "tester"}.Examine(t.Context(), fix)
			if err != nil || report.Findings[0].Check != "file" || len(report.Findings) < 15 {
				t.Errorf("damage %d, fix %v: %d findings, %v", n, fix, len(report.Findings), err)
			} else if !report.Findings[0].Healthy {
				sick++
			}
		}
		if err := broken.Close(); err != nil {
			t.Log(err)
		}
	}
	if opened < 5 || sick < opened {
		t.Errorf("%d of the damaged stores open, and %d reports say that the file is damaged", opened, sick)
	}
}
