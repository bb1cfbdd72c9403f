package db

import "context"

// Raised are the words of the schema's refusals.
func Raised() []string { return raised() }

// MigrateCluster opens the store of a cluster as a build does that is two versions newer,
// and closes it.
func MigrateCluster(ctx context.Context, name string, told func(Migration)) error {
	c, err := newCluster(name, Options{})
	if err != nil {
		return err
	}
	d := &DB{path: c.path, wait: defaultWait, cluster: c, migrated: told}
	d.life, d.end = context.WithCancel(ctx)
	defer d.Close()
	return d.prepareCluster(ctx, later)
}
