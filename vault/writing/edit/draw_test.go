package edit_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

var oddNames = []string{"?", "<<", "...", "---", "%YAML", "# x", "x: y", "- a", ".inf", "null", "a\nb", "\u2028", "[x]", "&x", "\"q\""}

// drawNote draws a note with frontmatter of every kind that people and programs write, and
// with some hostile kinds.
func drawNote(t *rapid.T) written {
	w := written{head: "---\n", tail: "---\n# Title\n\n[[Link]] text\n\n---\n\nmore: text\n"}
	w.head = pick(t, "", "", "", "\uFEFF") + w.head
	w.pieces = append(w.pieces, piece{"", drawGap(t)})
	anchors := []string{}
	for range rapid.IntRange(0, 5).Draw(t, "properties") {
		name := rapid.SampledFrom(names).Draw(t, "name")
		if w.last(name) >= 0 && rapid.IntRange(0, 9).Draw(t, "twice?") > 0 {
			continue
		}
		key := pick(t, name, name, name, `"`+name+`"`, "'"+name+"'", name+" ")
		anchor := ""
		switch {
		case rapid.IntRange(0, 14).Draw(t, "anchor?") == 0:
			anchor = fmt.Sprintf(" &x%d", len(anchors))
			anchors = append(anchors, "*"+anchor[2:])
		case len(anchors) > 0 && rapid.IntRange(0, 2).Draw(t, "alias?") == 0:
			alias := rapid.SampledFrom(anchors).Draw(t, "alias")
			text := pick(t, key+": "+alias+drawEnd(t), key+":\n  - "+alias+"\n  # an alias\n  - x\n", key+":\n  <<: "+alias+"\n  # merged\n  k: 1\n")
			w.pieces = append(w.pieces, piece{name, text}, piece{"", drawGap(t)})
			continue
		}
		text := key + ":" + anchor + drawBlock(t, 0, 3)
		if rapid.IntRange(0, 39).Draw(t, "long key?") == 0 {
			text = "? " + name + "\n: v" + drawEnd(t)
		}
		w.pieces = append(w.pieces, piece{name, text}, piece{"", drawGap(t)})
	}
	if rapid.IntRange(0, 9).Draw(t, "hostile?") == 0 {
		index := rapid.IntRange(0, len(w.pieces)-1).Draw(t, "place")
		w.pieces[index].text += pick(t, "...\n", "... # end\n", "--- # second\n", "--- text\n", "--- |\n  x\n", "---\u2028", "%YAML 1.2\n", "%TAG ! x\n", "stray\n", "  stray: 1\n",
			"...\n\n# One\n\nText [[B]].\n\n", "{x: 1}\n", "- x\n", "\t- x\n", "# c\r...\n", "\x00", "]\n", "\"\n", "\uFEFF# mark\n", "%x\n")
		w.join(index) // if it is YAML, it belongs to the property above
	}
	if rapid.IntRange(0, 3).Draw(t, "carriage returns?") == 0 {
		w.head = strings.ReplaceAll(w.head, "\n", "\r\n")
		w.tail = strings.ReplaceAll(w.tail, "\n", "\r\n")
		for i := range w.pieces {
			w.pieces[i].text = strings.ReplaceAll(w.pieces[i].text, "\n", "\r\n")
		}
	}
	return w
}

func pick(t *rapid.T, texts ...string) string { return rapid.SampledFrom(texts).Draw(t, "pick") }

// drawGap draws a text between properties: comments and blank lines.
func drawGap(t *rapid.T) string {
	return pick(t, "", "", "", "# comment\n", "\n", "  # indented\n", "#\n\n", "\n\n# a: b\n", "      # deep\n# flat\n", "\t# tab\n", "   \n", "#...\n", "# --- x\n", "# c\r# d\n", "# \u2028# e\n")
}

// drawEnd draws the end of a line, with or without a comment.
func drawEnd(t *rapid.T) string { return pick(t, "\n", "\n", " # why\n", "   #\n", "\t# tab\n", " \n") }

// drawBetween draws a text between the lines of a value.
func drawBetween(t *rapid.T, indent int) string {
	in := strings.Repeat(" ", indent)
	return pick(t, "", "", "", in+"# inner\n", "# flat\n", "\n", in+"  # deeper\n", in+"# a: b\n\n"+in+"# two\n")
}

// drawBlock draws the text after a colon: a value, whose lines are indented by more than
// indent blanks.
func drawBlock(t *rapid.T, indent, depth int) string {
	in := strings.Repeat(" ", indent+rapid.IntRange(1, 3).Draw(t, "indent"))
	kind := rapid.IntRange(0, 11).Draw(t, "kind")
	if depth == 0 {
		kind = min(kind, 5)
	}
	var b strings.Builder
	switch kind {
	case 0, 1:
		return " " + pick(t, "1", "text", "\"quoted # not\"", "'it''s'", "[a, \"b\"]", "{a: 1, b: [2]}", "\"[[X]]\"", "[[X]]", "2026-01-01", "!!str 5", "plain\n"+in+"on two", "~", ".inf", "[]") + drawEnd(t)
	case 2:
		return drawEnd(t)
	case 3: // a block of text
		b.WriteString(" " + pick(t, "|", ">", "|-", ">-", "|", "|+", ">+") + drawEnd(t))
		for range rapid.IntRange(1, 4).Draw(t, "lines") {
			b.WriteString(pick(t, in+"one\n", in+"# not a comment\n", in+"  - x\n", "\n", in+"...\n", in+"---\n", in+"%YAML 1.2\n", in+"k: v # text\n"))
		}
		if strings.TrimSpace(strings.SplitN(b.String(), "\n", 2)[1]) == "" {
			b.WriteString(in + "end\n")
		}
		return strings.ReplaceAll(b.String(), "\n"+in+"  - x", "\n"+in+"- x") // the first line sets the indentation
	case 4: // over several lines
		return " " + pick(t, "\"double\n"+in+"# not a comment\n"+in+"end\"", "'single\n\n"+in+"# nor this'", "\"a\n  #\\\n"+in+"b\"") + drawEnd(t)
	case 5: // within brackets, over several lines
		return " " + pick(t, "[a, # one\n"+in+"# own\n"+in+"b]", "[\n"+in+"# own\n"+in+"a,\n\n"+in+"b,\n"+in+"]", "{a: 1,\n"+in+"# own\n"+in+"b: 2}", "[\n"+in+"\"#x\",\n"+in+"'a\n"+in+"# text'\n"+in+"]") + drawEnd(t)
	case 6, 7, 8: // a list
		if indent == 0 {
			in = pick(t, in, "")
		}
		b.WriteString(drawEnd(t))
		for i := range rapid.IntRange(1, 4).Draw(t, "items") {
			if i > 0 {
				b.WriteString(drawBetween(t, len(in)))
			}
			if rapid.IntRange(0, 3).Draw(t, "mapping?") == 0 {
				b.WriteString(in + "- k:" + drawBlock(t, len(in)+2, depth-1) + in + "  # of l\n" + in + "  l: w\n")
			} else {
				b.WriteString(in + "-" + drawBlock(t, len(in), depth-1))
			}
		}
	default: // a mapping
		b.WriteString(drawEnd(t))
		for i := range rapid.IntRange(1, 3).Draw(t, "fields") {
			b.WriteString(drawBetween(t, len(in)))
			fmt.Fprintf(&b, "%s%s:%s", in, []string{"m", "n", "x y"}[i], drawBlock(t, len(in), depth-1))
		}
	}
	return b.String()
}
