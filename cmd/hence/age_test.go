package main

import (
	"testing"
	"time"
)

func TestAgeOf(t *testing.T) {
	const stat = "7 (a )b (c) S 1 7 7 0 -1 4194304 98 0 0 0 1 2 0 0 20 0 8 0 123456 1300 280 18446744073709551615"
	for name, c := range map[string]struct {
		uptime, stat string
		want         time.Duration
		ok           bool
	}{
		"a process":              {"1234.81 2400.10\n", stat, 250 * time.Millisecond, true},
		"one that runs for long": {"9999.00 1.00\n", stat, 0, false},
		"one of the future":      {"1.00 1.00\n", stat, 0, false},
		"nothing":                {"", "", 0, false},
		"too few fields":         {"1234.81 1\n", "7 (a) S 1 7", 0, false},
		"no number":              {"x 1\n", stat, 0, false},
	} {
		got, ok := ageOf(c.uptime, c.stat)
		if ok != c.ok || ok && (got-c.want).Abs() > time.Microsecond {
			t.Errorf("%s: %v, %v; want %v, %v", name, got, ok, c.want, c.ok)
		}
	}
	if began := startTime(); began.After(loaded) || loaded.Sub(began) > time.Minute {
		t.Errorf("this process began %v before it was loaded", loaded.Sub(began))
	}
}
