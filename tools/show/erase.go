package show

import (
	"strconv"

	"hence/internal/plural"
	"hence/memory/erase"
)

// whys are the words for why a memory is below one that is erased.
var whys = map[string]string{
	"derived": "is derived from it", "version": "was replaced by it or replaced it", "quotes": "has a part of its text",
	"turn": "is a turn with a part of its text", "checkpoint": "was checkpointed with it",
	"shares": "shares a rare word with it",
}

// Erased shows what was erased, or would be, what is below it, and the receipt.
func Erased(r erase.Result) (d Doc) {
	for _, t := range r.Erased {
		d.Add("", Outcome(r.DryRun, "erased ", "would erase "), nameRef(t.Named, Heading), fileOf(t))
	}
	for _, t := range r.Below {
		remark := fileOf(t)
		if remark == "" && t.Person {
			remark = ", and a person said it"
		}
		d.Add("  ", Span{t.Do + " ", Strong}, nameRef(t.Named, Heading), ": it "+whys[t.Why]+remark)
	}
	if r.DryRun && len(r.Below) == 0 {
		d.AddIn(Faint, "  ", "nothing is derived from it, quotes it, came with it or shares a rare word with it")
	}
	if r.Receipt != nil {
		d = append(d, Receipt(*r.Receipt)...)
	}
	d.Warn(r.Warnings)
	return d
}

// fileOf names the file of a memory; the receipt does not, for the name may be the title.
func fileOf(t erase.Thing) string {
	if t.File == "" {
		return ""
	}
	return ", and is your file " + t.File
}

// Receipt shows the receipt of an erasure.
func Receipt(r erase.Receipt) (d Doc) {
	c := r.Counts
	waited := ""
	if c.Calls > 0 {
		waited = plural.Count(c.Calls, "call that waited", "calls that waited") + ", "
	}
	d.Add("  ", "gone: "+plural.Count(c.Memories, "memory", "memories")+", "+waited+plural.Count(c.Edges, "edge", "edges")+", "+plural.Count(c.EarlierTexts, "earlier text", "earlier texts")+", "+plural.Count(c.Notes, "note of another", "notes of others")+
		"; rewritten: "+strconv.Itoa(c.Rewritten)+"; also in "+plural.Count(c.Backups, "backup", "backups")+" and "+plural.Count(c.Folders, "team's folder", "teams' folders"))
	searched := plural.Count(r.Searched.Marks, "part", "parts") + " of the text in " + plural.Count(r.Searched.Files, "file", "files") + " (" + strconv.FormatInt(r.Searched.Bytes, 10) + " bytes)"
	switch {
	case r.Searched.Marks == 0:
		d.Add("  ", Span{"not searched: ", Warn}, "no part of it of 8 bytes tells it from what is kept")
	case len(r.Found) == 0:
		d.Add("  ", Span{"found nothing ", Good}, "of "+searched)
	default:
		d.Add("  ", Span{"still found ", Bad}, "of "+searched+":")
	}
	for _, f := range r.Found {
		d.Add("    ", f.Where+": "+plural.Count(f.Times, "time", "times"))
	}
	if short := r.Searched.Short; short > 0 {
		d.AddIn(Faint, "  ", "not searched for: "+plural.Count(short, "word", "words")+" under 8 bytes, but in receipts of answers that showed it")
	}
	if kept := r.Searched.Kept; kept > 0 {
		d.AddIn(Faint, "  ", "not searched for: "+plural.Count(kept, "part", "parts")+" that what is kept has too")
	}
	for _, where := range r.OutOfReach {
		d.AddIn(Warn, "  ", "out of reach: "+where)
	}
	if r.Unfinished != "" {
		d.AddIn(Warn, "  ", "not finished: "+r.Unfinished)
	}
	d.AddIn(Faint, "  ", "receipt "+r.ID+" of "+r.At+" by "+r.Actor)
	return d
}
