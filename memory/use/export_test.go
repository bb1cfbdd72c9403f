package use

import (
	"context"
	"time"

	"hence/internal/db"
)

// JudgeReceipts judges each conversation by its receipts alone, and returns what is sure.
func (l Log) JudgeReceipts(ctx context.Context) (byID map[string][]Use, err error) {
	_, all, subjects, err := l.read(ctx, time.UnixMilli(0))
	if err != nil {
		return nil, err
	}
	byID = map[string][]Use{}
	return byID, l.DB.Read(ctx, func(r *db.Reader) error {
		rarity, err := RarityIn(ctx, r, l.Caller.Namespace)
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
