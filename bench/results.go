package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// results are the newest figures of each group.
type results struct {
	Machine string                        `json:"machine"`
	Tables  map[string]table              `json:"tables"`  // by id
	Metrics map[string]map[string]metrics `json:"metrics"` // of Go benchmarks, by group and name
	Rows    map[string][]string           `json:"rows"`    // of tables that Go benchmarks log, by group
	ripple  map[string]map[string]string  // cells of the table of docs/ripple.json, by system and question
}

// metrics are the values of one Go benchmark by unit.
type metrics map[string]float64

func readResults(path string) (*results, error) {
	r := &results{Tables: map[string]table{}, Metrics: map[string]map[string]metrics{}, Rows: map[string][]string{}}
	raw, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, nil
	case err != nil:
		return nil, err
	}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, err
	}
	r.ripple, err = readRipple(filepath.Join(filepath.Dir(path), "ripple.json"))
	return r, err
}

// readRipple reads what make ripple wrote; nothing if it has not run.
func readRipple(path string) (cells map[string]map[string]string, err error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var report struct {
		Systems []struct {
			Name  string
			Cells map[string]string
		}
	}
	if err := json.Unmarshal(raw, &report); err != nil {
		return nil, err
	}
	cells = map[string]map[string]string{}
	for _, s := range report.Systems {
		cells[s.Name] = s.Cells
	}
	return cells, nil
}

func (r *results) write(path string) error {
	raw, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o644)
}

// machine describes the machine and the date in one line.
func machine() string {
	model := runtime.GOARCH
	if raw, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(raw)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	cores := "1 core"
	if n := runtime.NumCPU(); n > 1 {
		cores = strconv.Itoa(n) + " cores"
	}
	return strings.Join([]string{time.Now().UTC().Format(time.DateOnly), runtime.GOOS, model, cores, runtime.Version()}, ", ")
}
