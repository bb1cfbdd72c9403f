package db

import "context"

// Raised returns the messages with which the triggers of the schema refuse.
func Raised() []string { return triggerMessages() }

// MigrateCluster opens the store of a cluster as a build that is two versions newer, and closes
// it.
func MigrateCluster(ctx context.Context, name string, migrated func(Migration)) error {
	c, err := newCluster(name, Options{})
	if err != nil {
		return err
	}
	d := newDB(ctx, c.path, Options{Migrated: migrated})
	d.engine = c
	defer d.Close()
	return d.migrate(ctx, later)
}
