package main

import (
	"os"
	"path/filepath"
	"runtime"

	"hence/internal/fault"
)

// defaultPath returns the path of the store if none is given.
func defaultPath(env func(string) string) (string, error) {
	folder, err := dataDir(runtime.GOOS, env, os.UserHomeDir)
	if err != nil {
		return "", fault.Wrap(fault.InvalidArgument, err, "the place of the store is not known; name a file with --db or HENCE_DB")
	}
	return filepath.Join(folder, "hence", "hence.db"), nil
}

// stateDir returns the folder of Hence's own records: of what it wrote into files of clients,
// of the sessions of hooks, and of the folders of teams.
func stateDir(system string, env func(string) string, home func() (string, error)) (string, error) {
	if folder := env("XDG_STATE_HOME"); filepath.IsAbs(folder) && system != "windows" {
		return filepath.Join(folder, "hence"), nil
	}
	if system == "windows" || system == "darwin" || system == "ios" {
		folder, err := dataDir(system, env, home)
		return filepath.Join(folder, "hence"), err
	}
	folder, err := home()
	return filepath.Join(folder, ".local", "state", "hence"), err
}

// dataDir returns the folder in which programs keep a user's data.
func dataDir(system string, env func(string) string, home func() (string, error)) (string, error) {
	switch system {
	case "windows":
		if folder := env("LocalAppData"); folder != "" {
			return folder, nil
		}
	case "darwin", "ios":
	default:
		if folder := env("XDG_DATA_HOME"); filepath.IsAbs(folder) {
			return folder, nil
		}
	}
	folder, err := home()
	if err != nil {
		return "", err
	}
	switch system {
	case "windows":
		return filepath.Join(folder, "AppData", "Local"), nil
	case "darwin", "ios":
		return filepath.Join(folder, "Library", "Application Support"), nil
	}
	return filepath.Join(folder, ".local", "share"), nil
}
