package db_test

import (
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

func TestAReceiptNamesTheLastRowOfItsOwnWrites(t *testing.T) {
	onFile := func(t *testing.T) *db.DB { return dbtest.New(t) }
	for name, open := range map[string]func(*testing.T) *db.DB{"File": onFile, "Cluster": onNode} {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			receipt := &db.Receipt{}
			ctx := receipt.In(t.Context())
			write := func(in bool, s db.Stmt) {
				t.Helper()
				c := t.Context()
				if in {
					c = ctx
				}
				if _, err := d.Write(c, "tester", db.Now(), s); err != nil {
					t.Fatal(err)
				}
			}
			last := func() int64 { return int64(dbtest.Count(t, d, `select coalesce(max(seq), 0) from journal`)) }
			write(false, insertNamed("one", "One", "text"))
			if receipt.Last() != 0 {
				t.Errorf("before a write of its own: %d", receipt.Last())
			}
			write(true, insertNamed("two", "Two", "text"))
			own := last()
			write(false, insertNamed("three", "Three", "text"))
			write(true, db.S(`delete from memories where id = 'nobody'`)) // changes nothing
			if receipt.Last() != own || last() == own {
				t.Errorf("the receipt says %d, and the journal %d; want %d and more", receipt.Last(), last(), own)
			}
			write(true, db.S(`update memories set title = 'Other' where id = 'one'`))
			if receipt.Last() != last() {
				t.Errorf("after another write the receipt says %d, want %d", receipt.Last(), last())
			}
		})
	}
}

func TestAReceiptNamesTheLastRowOfWhatIsWrittenAtOnce(t *testing.T) {
	d, receipt, tried := dbtest.New(t), &db.Receipt{}, &db.Receipt{}
	write := func(d *db.DB) error {
		_, err := d.Write(t.Context(), "tester", db.Now(), insertNamed("one", "One", "text"))
		return err
	}
	if err := d.Rehearse(tried.In(t.Context()), write); err != nil || tried.Last() != 0 {
		t.Errorf("a rehearsal is recorded as %d: %v", tried.Last(), err)
	}
	if err := d.AtOnce(receipt.In(t.Context()), write); err != nil || receipt.Last() == 0 || receipt.Last() != int64(dbtest.Count(t, d, `select max(seq) from journal`)) {
		t.Errorf("what is written at once is recorded as %d: %v", receipt.Last(), err)
	}
}
