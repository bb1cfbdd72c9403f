package use

import (
	"context"
	"time"

	"hence/internal/db"
	"hence/internal/receipts"
)

// JudgeReceipts judges each conversation by its receipts alone, and returns what is sure.
func (q Reader) JudgeReceipts(ctx context.Context, book *receipts.Book) (byID map[string][]Use, err error) {
	_, all, subjects, err := q.read(ctx, book, time.UnixMilli(0))
	if err != nil {
		return nil, err
	}
	byID = map[string][]Use{}
	return byID, q.DB.Read(ctx, func(r *db.Reader) error {
		rarity, err := RarityIn(ctx, r, q.Caller.Namespace)
		if err != nil {
			return err
		}
		for _, t := range talks(all, nil) {
			for _, u := range t.judgeReceipts(subjects, rarity) {
				if !isSure(u.How) {
					u.How = nil
				}
				byID[t.id] = append(byID[t.id], u)
			}
		}
		return rarity.Err()
	})
}
