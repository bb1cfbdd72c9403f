package replay

import (
	"context"
	"strconv"

	"hence/internal/fault"
	"hence/internal/receipts"
	"hence/internal/ref"
)

// Keep sets for how many days receipts are kept, on this machine and for all stores, and returns what is
// set. With off, those that there are go, and no more are made.
func (s Reader) Keep(ctx context.Context, a KeepArgs) (k Kept, err error) {
	err = receipts.With(ctx, ref.View(s), func(book *receipts.Book, _ receipts.Scope) (err error) {
		if a.Days != "" {
			days := 0
			if a.Days != "off" {
				if days, err = strconv.Atoi(a.Days); err != nil || days == 0 {
					return fault.New(fault.InvalidArgument, "receipts: %q is not a number of days; give one, or off", a.Days)
				}
			}
			if err := book.Keep(ctx, days); err != nil {
				return err
			}
		}
		k.File = receipts.Path(s.DB.State())
		k.Days, err = book.Days(ctx)
		return err
	})
	return k, err
}
