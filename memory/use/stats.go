package use

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/pattern"
	"hence/internal/ref"
)

// Args say what of the uses is told.
type Args struct {
	Since string `json:"since,omitempty" jsonschema:"count from this time, date or 7d on"`
	Limit int    `json:"limit,omitempty" default:"20" min:"1" max:"500" jsonschema:"most rows of each list"`
}

// Stats says what was shown, used and corrected. A memory counts once a conversation.
type Stats struct {
	Since         string    `json:"since,omitempty"`
	Sessions      int       `json:"sessions"` // in which something was shown
	Shown         int       `json:"shown"`
	Used          int       `json:"used"`
	Possible      int       `json:"possible"` // see isSure
	Corrected     int       `json:"corrected"`
	Tokens        int       `json:"tokens"` // of the answers that showed something
	TokensPerUsed int       `json:"tokens_per_used,omitempty"`
	Memories      []Row     `json:"memories"`   // that were used or corrected, the most used first
	NeverUsed     []Row     `json:"never_used"` // of those that were shown often, the most shown first
	NotFound      []Missing `json:"not_found"`  // the most searched first
	Weeks         []Week    `json:"weeks"`      // without gaps
	Truncated     bool      `json:"truncated"`
}

// Row is a memory that was shown.
type Row struct {
	ref.Named
	Kind      string   `json:"kind"`
	Sessions  int      `json:"sessions"` // in which it was shown
	Shown     int      `json:"shown"`    // in how many answers
	Used      int      `json:"used"`     // in how many sessions
	Possible  int      `json:"possible"` // in how many more it may have been
	How       []string `json:"how"`
	Corrected int      `json:"corrected"` // in how many sessions
	Last      string   `json:"last"`
}

// Missing is what was searched without a result, and not found since.
type Missing struct {
	Words    string `json:"words"` // as they were searched last
	Searches int    `json:"searches"`
	Sessions int    `json:"sessions"`
	Last     string `json:"last"`
}

// Week is a week of what was shown first in it in a conversation.
type Week struct {
	Week      string `json:"week"` // its Monday
	Sessions  int    `json:"sessions"`
	Shown     int    `json:"shown"`
	Used      int    `json:"used"`
	Corrected int    `json:"corrected"`
}

// isSure reports whether receipts alone tell that a memory was used: its name stands in a call. Where a command, a file or words
// of it stand in an act, the agent may have them from a file that it read, or from its own answer, which no receipt tells.
func isSure(how []string) bool {
	return len(how) == 0 || slices.ContainsFunc(how, func(way string) bool { return way != Command && way != File && way != Words })
}

// often is in how many answers a memory that was never used must have been shown to be told.
const often = 10

// counter counts uses.
type counter struct {
	Stats
	rows     map[int64]*Row
	subjects map[int64]subject
	weeks    map[string]*Week
}

// Stats counts what the receipts since a time tell, and what was judged when conversations were taken in.
func (q Reader) Stats(ctx context.Context, a Args) (s Stats, err error) {
	if err := args.Check("stats", &a); err != nil {
		return s, err
	}
	book, err := q.open(ctx)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	since, err := db.ParseTime("since", a.Since)
	if err != nil {
		return s, err
	}
	begin := time.UnixMilli(0)
	if since != "" {
		if begin, err = time.Parse(time.RFC3339Nano, since); err != nil {
			return s, err
		}
	}
	tag, all, subjects, err := q.read(ctx, book, begin)
	if err != nil {
		return s, err
	}
	kept, err := book.Uses(ctx, tag)
	if err != nil {
		return s, err
	}
	byTalk := map[string]map[int64]Use{}
	for _, u := range kept {
		if m, isThere := subjects[u.Key]; isThere && u.Shown.Is(m.ID) {
			if byTalk[u.Conversation] == nil {
				byTalk[u.Conversation] = map[int64]Use{}
			}
			byTalk[u.Conversation][u.Key] = Use{m.ID, u.At, strings.Fields(u.How), u.Corrected}
		}
	}
	c := counter{Stats: Stats{Since: since}, rows: map[int64]*Row{}, subjects: subjects, weeks: map[string]*Week{}}
	conversations := talks(all, kept)
	err = q.DB.Read(ctx, func(r *db.Reader) error {
		rarity, err := RarityIn(ctx, r, q.Caller.Namespace)
		if err != nil {
			return err
		}
		for _, t := range conversations {
			c.add(t, t.judgeReceipts(subjects, rarity), byTalk[t.id])
		}
		return rarity.Err()
	})
	if err != nil {
		return s, err
	}
	c.NotFound = missing(conversations)
	s = c.finish(a.Limit)
	return s, ref.Mark(ctx, q.DB, &s)
}

func (t talk) judgeReceipts(subjects map[int64]subject, rarity *Rarity) []Use {
	steps := []Step{}
	for _, r := range t.receipts {
		steps = append(steps, stepsOf(r, subjects)...)
	}
	return t.judge(steps, subjects, rarity)
}

// add counts a conversation. What was judged from all of it counts beside what its receipts tell.
func (c *counter) add(t *talk, uses []Use, heard map[int64]Use) {
	byID := map[string]int64{}
	for _, r := range t.receipts {
		shown := shownIn(r, c.subjects)
		if len(shown) > 0 {
			c.Tokens += (r.BytesOut + 3) / 4
		}
		for _, m := range shown {
			if c.rows[m.key] == nil {
				c.rows[m.key] = &Row{Named: ref.Named{ID: m.ID, Title: m.Title}, Kind: m.kind, How: []string{}}
			}
			row := c.rows[m.key]
			row.Shown, row.Last = row.Shown+1, max(row.Last, db.Time(r.At))
			byID[m.ID] = m.key
		}
	}
	if len(uses) == 0 {
		return
	}
	c.Sessions++
	c.week(uses[0].At).Sessions++
	for _, u := range uses {
		key := byID[u.ID]
		also, row, week := heard[key], c.rows[key], c.week(u.At)
		if !isSure(u.How) {
			if len(also.How) == 0 && heard == nil {
				row.Possible, c.Possible = row.Possible+1, c.Possible+1
			}
			u.How = nil
		}
		row.Sessions, c.Shown, week.Shown = row.Sessions+1, c.Shown+1, week.Shown+1
		for _, how := range append(u.How, also.How...) {
			if !slices.Contains(row.How, how) {
				row.How = append(row.How, how)
			}
		}
		if len(u.How)+len(also.How) > 0 {
			row.Used, c.Used, week.Used = row.Used+1, c.Used+1, week.Used+1
		}
		if cmp.Or(u.Corrected, also.Corrected) != "" {
			row.Corrected, c.Corrected, week.Corrected = row.Corrected+1, c.Corrected+1, week.Corrected+1
		}
	}
}

func (c *counter) week(at time.Time) *Week {
	at = at.UTC()
	monday := at.AddDate(0, 0, -(int(at.Weekday())+6)%7).Format(time.DateOnly)
	if c.weeks[monday] == nil {
		c.weeks[monday] = &Week{Week: monday}
	}
	return c.weeks[monday]
}

// finish puts the rows in order, at most limit in each list.
func (c *counter) finish(limit int) Stats {
	s := c.Stats
	s.Memories, s.NeverUsed, s.Weeks = []Row{}, []Row{}, []Week{}
	if s.Used > 0 {
		s.TokensPerUsed = s.Tokens / s.Used
	}
	for _, row := range c.rows {
		switch {
		case row.Used+row.Corrected > 0:
			slices.Sort(row.How)
			s.Memories = append(s.Memories, *row)
		case row.Shown >= often && row.Possible == 0:
			s.NeverUsed = append(s.NeverUsed, *row)
		}
	}
	slices.SortFunc(s.Memories, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Used, a.Used), cmp.Compare(b.Corrected, a.Corrected), cmp.Compare(b.Shown, a.Shown), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(s.NeverUsed, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Shown, a.Shown), cmp.Compare(a.ID, b.ID))
	})
	s.Truncated = max(len(s.Memories), len(s.NeverUsed), len(s.NotFound)) > limit
	s.Memories, s.NeverUsed, s.NotFound = s.Memories[:min(limit, len(s.Memories))], s.NeverUsed[:min(limit, len(s.NeverUsed))], s.NotFound[:min(limit, len(s.NotFound))]
	mondays := slices.Sorted(maps.Keys(c.weeks))
	if len(mondays) > 0 {
		at, _ := time.Parse(time.DateOnly, mondays[0])
		for day := mondays[0]; day <= mondays[len(mondays)-1]; day = at.Format(time.DateOnly) {
			s.Weeks = append(s.Weeks, *c.week(at))
			at = at.AddDate(0, 0, 7)
		}
	}
	return s
}

var queryOf = pattern.Lazy(`"query"\s*:\s*("(?:[^"\\]|\\.)*"?)`)

// missing returns what was searched without a result, by the words that say what it is about.
func missing(talks []*talk) []Missing {
	type search struct {
		Missing
		lastTalk *talk
		found    time.Time
	}
	all := map[string]*search{}
	for _, t := range talks {
		for _, r := range t.receipts {
			given := queryOf().FindStringSubmatch(r.Arguments)
			if r.Tool != "memory_search" && r.Tool != "search" || r.Outcome != "ok" || given == nil {
				continue
			}
			query := ""
			if json.Unmarshal([]byte(given[1]), &query) != nil {
				query = strings.Trim(given[1], `"`)
			}
			stems := []string{}
			for _, w := range split(query) {
				stems = append(stems, w.stems...)
			}
			slices.Sort(stems)
			key := strings.Join(slices.Compact(stems), " ")
			if all[key] == nil {
				all[key] = &search{}
			}
			s, at := all[key], db.Time(r.At)
			switch {
			case len(r.Shown) > 0:
				if r.At.After(s.found) {
					s.found = r.At
				}
				continue
			case at >= s.Last:
				s.Last, s.Words = at, query
			}
			if s.Searches++; s.lastTalk != t {
				s.lastTalk = t
				s.Sessions++
			}
		}
	}
	result := []Missing{}
	for key, s := range all {
		if key != "" && s.Searches > 0 && s.Last > db.Time(s.found) {
			result = append(result, s.Missing)
		}
	}
	slices.SortFunc(result, func(a, b Missing) int {
		return cmp.Or(cmp.Compare(b.Searches, a.Searches), cmp.Compare(b.Last, a.Last), cmp.Compare(a.Words, b.Words))
	})
	return result
}
