package tidy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"hence/internal/budget"
	"hence/internal/prose"
	"hence/internal/ref"
	"hence/internal/secret"
)

// proposal is a Proposal with what accepting or rejecting it needs.
type proposal struct {
	Proposal
	memories  []*memo // in the order of Memories
	sure      float64 // surer ones are listed first
	change    change
	support   [][]*memo // what supports each of memories; may be nil
	textBytes int       // bytes of the text of a memory
	about     string    // the id of a wish, which is part of the key; "" for others
	then      *Member   // how the last memory would read; may be nil
	mark      string    // what a rejection remembers
	rejected  bool
}

const (
	keyDigits    = 10     // hexadecimal digits of a key: with 10,000 proposals, one in 20,000 stores has a key twice
	shownBytes   = 200    // of the text of a memory
	decidedBytes = 20_000 // of a text for which the person who accepts answers
)

// propose makes a proposal about some memories.
func propose(sure float64, why string, do change, memories ...*memo) proposal {
	return proposal{Proposal: Proposal{Why: why}, memories: memories, sure: sure, change: do, textBytes: shownBytes}
}

// decide returns a proposal that only a person decides. It shows up to decidedBytes of a
// text, because the person answers for it.
func decide(p proposal) proposal {
	p.textBytes = decidedBytes
	return p
}

// identify fills in the keys and the marks of proposals of one kind, and whether each was
// rejected.
func (w *world) identify(kind string, proposals []proposal) []proposal {
	for i := range proposals {
		p := &proposals[i]
		p.What = kind
		key, mark := sha256.New(), sha256.New()
		fmt.Fprintln(key, kind+p.about)
		fmt.Fprintln(mark, kind+p.about)
		for _, m := range p.memories {
			fmt.Fprintln(key, len(m.ID), m.ID, m.Revision)
			fmt.Fprintln(mark, len(m.ID), m.ID, len(m.Title), m.Title, m.ContentHash)
		}
		p.Key = kind + "-" + hex.EncodeToString(key.Sum(nil))[:keyDigits]
		p.mark = hex.EncodeToString(mark.Sum(nil))
		p.rejected = w.rejected[p.mark] || kind == "summarise" && w.refusedCluster(p.memories)
	}
	return proposals
}

// describe returns a proposal with its memories and its call.
func (p proposal) describe() Proposal {
	p.Call = p.change.call
	if p.Call.Tool == acceptTool {
		p.Call.Arguments["accept"] = []string{p.Key}
	}
	p.Memories = []Member{}
	for n, m := range p.memories {
		member := m.member(p.textBytes)
		if n < len(p.support) {
			for _, one := range p.support[n][:min(len(p.support[n]), mostSupporting)] {
				member.SupportedBy = append(member.SupportedBy, one.name())
			}
		}
		p.Memories = append(p.Memories, member)
	}
	if p.then != nil {
		p.Memories = append(p.Memories, *p.then)
	}
	return p.Proposal
}

// refusedCluster reports whether more than half of the memories are in one cluster that was
// rejected.
func (w *world) refusedCluster(memories []*memo) bool {
	for _, ids := range w.refused {
		common := 0
		for _, m := range memories {
			if ids[m.ID] {
				common++
			}
		}
		if 2*common > len(memories) {
			return true
		}
	}
	return false
}

// member returns a memory as a proposal shows it, with a number of bytes of its text.
func (m *memo) member(bytes int) Member {
	member := Member{Named: m.name(), At: m.since()}
	member.Trust = m.Trust
	text := prose.OneLine(m.Content)
	if text != m.Title {
		member.Text, _ = budget.Cut(secret.Mask(text), bytes)
	}
	return member
}

// name names a memory, without what looks like a secret in its title.
func (m *memo) name() ref.Named { return ref.Named{ID: m.ID, Title: secret.Mask(m.Title)} }

// quote names a memory in a sentence, with its mark.
func (m *memo) quote() string {
	title, _ := budget.Cut(m.name().Title, 80)
	return fmt.Sprintf("%q%s", title, ref.Named{Trust: m.Trust}.Mark())
}
