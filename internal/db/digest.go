package db

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"strings"

	"hence/internal/fault"
)

// Digests are the SHA-256 of the rows of every table of a store. Two files have the same
// digests if their tables have the same rows, of the same types, with the same keys, in
// whatever order and pages the file stores them. The tables of the full-text index are
// included; virtual tables are not, since they show the rows of these.
type Digests struct {
	Act    int64             // number of the store's last transaction
	Tables map[string]string // by the table's name
}

// ReadDigests returns the digests of a file that nobody writes, such as a copy. It fails
// with invalid_argument if the file is not a store, and with unavailable if it cannot be
// read.
func ReadDigests(ctx context.Context, path string) (all Digests, err error) {
	if _, err := os.Stat(path); err != nil {
		return all, fault.Wrap(fault.Unavailable, err, "read %s", path)
	}
	err = withDatabase(ctx, fileURL(path, url.Values{"mode": {"ro"}, "immutable": {"1"}}), func(c *conn) error {
		all, err = digestAll(ctx, c)
		return err
	})
	return all, explain(err, "read %s", path)
}

// digestAll takes the digests of what one connection reads.
func digestAll(ctx context.Context, c *conn) (Digests, error) {
	all := Digests{Tables: map[string]string{}}
	orders, err := tableOrders(ctx, c)
	if err != nil {
		return all, err
	}
	if _, isStore := orders["writer"]; !isStore {
		return all, fault.New(fault.InvalidArgument, "the file is not a store of Hence")
	}
	if err := c.QueryRowContext(ctx, `select batch from writer`).Scan(&all.Act); err != nil {
		return all, err
	}
	for table, order := range orders {
		if all.Tables[table], err = digest(ctx, c, table, order); err != nil {
			return all, err
		}
	}
	return all, nil
}

// tableOrders maps each table to the columns that order its rows: its primary key or rowid.
func tableOrders(ctx context.Context, c *conn) (map[string]string, error) {
	orders := map[string]string{}
	return orders, Fill(ctx, &Reader{c}, orders, `
select
  t.name,
  case
    when t.wr then coalesce((
      select group_concat('"' || k.name || '"')
      from (select name from pragma_table_info(t.name) where pk > 0 order by pk) k
    ), '')
    else 'rowid'
  end
from pragma_table_list t
where t.schema = 'main'
  and t.type in ('table', 'shadow')`)
}

// digest hashes the rows of a table. It hashes each value in hex with its type, so that tables
// with different rows give different streams of bytes.
func digest(ctx context.Context, c *conn, table, order string) (string, error) {
	// The names come from the schema of the file.
	rows, err := c.QueryContext(ctx, fmt.Sprintf(`select %s, * from "%s" order by %s`, order, strings.ReplaceAll(table, `"`, `""`), order))
	if err != nil {
		return "", err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	values, places := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		places[i] = &values[i]
	}
	sum := sha256.New()
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return "", err
		}
		for _, v := range values {
			fmt.Fprintf(sum, "%T %x\n", v, v)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), rows.Err()
}
