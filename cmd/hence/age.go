package main

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// loaded is the time at which the packages of the program were initialised.
var loaded = time.Now()

// startTime returns when the process began, to about 10 ms. Without /proc, which only Linux
// has, it returns loaded. On a busy machine, loaded is much later than the begin.
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

// ticks is the number of clock ticks in a second in the times of /proc: see proc_pid_stat(5).
const ticks = 100

// ageOf returns how long a process has run, from the texts of /proc/uptime and of the
// process's /proc/PID/stat. It reports false for texts that it cannot parse and for an age
// of a minute or more, because a hook never takes that long to start.
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
