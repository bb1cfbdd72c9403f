package screen

import "strings"

// Column is a column of a table.
type Column struct {
	Head string
	Min  int // least width when the table is cut; 0: the column is never cut
}

const gap = 2 // spaces between columns

// Table writes rows under their heads, aligned. If the window is too narrow, it
// cuts the widest columns first.
func (p *Page) Table(columns []Column, rows [][]Span) {
	widths := p.widthsOf(columns, rows)
	heads := make([]Span, len(columns))
	for i, c := range columns {
		heads[i] = Span{Text: c.Head, Style: Faint}
	}
	p.row(heads, widths)
	for _, row := range rows {
		p.row(row, widths)
	}
}

// FitsTable reports whether a table, cut as far as its columns allow, fits in the window.
func (p *Page) FitsTable(columns []Column, rows [][]Span) bool {
	return !p.Narrow(total(p.widthsOf(columns, rows)))
}

// widthsOf returns the widths of a table's columns, cut to fit the window as far as the columns
// allow.
func (p *Page) widthsOf(columns []Column, rows [][]Span) []int {
	widths := make([]int, len(columns))
	for i, c := range columns {
		widths[i] = textWidth(c.Head)
		for _, row := range rows {
			widths[i] = max(widths[i], Width(row[i].Text))
		}
	}
	for sum := total(widths); p.width > 0 && sum > p.width; sum-- {
		widest := -1
		for i, c := range columns {
			if c.Min > 0 && widths[i] > c.Min && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return widths
}

// total returns the width of a table, with the gaps between its columns.
func total(widths []int) int {
	sum := gap * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

func (p *Page) row(cells []Span, widths []int) {
	for i, cell := range cells {
		text := Clean(cell.Text)
		if p.width > 0 && textWidth(text) > widths[i] && !cell.Whole {
			head, _ := splitAt(text, widths[i]-1)
			text = strings.TrimRight(head, " ") + "…"
		}
		p.write(Span{Text: text, Style: cell.Style})
		if i < len(cells)-1 {
			p.out.WriteString(strings.Repeat(" ", max(widths[i]-textWidth(text), 0)+gap))
		}
	}
	p.out.WriteByte('\n')
}
