package main

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// loaded is when the program had been loaded and its packages initialised.
var loaded = time.Now()

// startTime is when the process began, to about 10 ms: where the system does not tell (it
// does on Linux), when the program had been loaded. On a busy machine these lie far apart.
func startTime() time.Time {
	uptime, _ := os.ReadFile("/proc/uptime")
	stat, _ := os.ReadFile("/proc/self/stat")
	if age, ok := ageOf(string(uptime), string(stat)); ok {
		if began := time.Now().Add(-age); began.Before(loaded) {
			return began
		}
	}
	return loaded
}

// ticks is how many units of time the kernel counts in a second: see proc_pid_stat(5).
const ticks = 100

// ageOf returns how long a process has run, from what /proc says of the system and of
// the process. It reports false for what it cannot read, and for a process that has run
// for longer than a command that could be late.
func ageOf(uptime, stat string) (time.Duration, bool) {
	up, _, _ := strings.Cut(uptime, " ")
	now, err := strconv.ParseFloat(up, 64)
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(stat[strings.LastIndexByte(stat, ')')+1:], " ") // the name may have spaces
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return 0, false
	}
	began, err := strconv.ParseFloat(fields[19], 64)
	age := time.Duration((now - began/ticks) * float64(time.Second))
	return age, err == nil && age >= 0 && age < time.Minute
}
