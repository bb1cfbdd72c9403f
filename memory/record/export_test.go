package record

// Words returns how many words the column's tag has.
func (c Column) Words() int { return len(c.words) }
