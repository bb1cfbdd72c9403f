package replay

import (
	"context"
	"errors"
	"strconv"

	"hence/internal/fault"
	"hence/internal/receipts"
)

// Keep sets for how many days receipts are kept, on this machine and for all stores, and returns what is
// set. With off, those that there are go, and no more are made.
func (s Reader) Keep(ctx context.Context, a KeepArgs) (k Kept, err error) {
	book, err := receipts.Open(ctx, s.DB.State(), wait)
	if err != nil {
		return k, err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	if a.Days != "" {
		days := 0
		if a.Days != "off" {
			if days, err = strconv.Atoi(a.Days); err != nil || days == 0 {
				return k, fault.New(fault.InvalidArgument, "receipts: %q is not a number of days; give one, or off", a.Days)
			}
		}
		if err := book.Keep(ctx, days); err != nil {
			return k, err
		}
	}
	k.File = receipts.Path(s.DB.State())
	k.Days, err = book.Days(ctx)
	return k, err
}
