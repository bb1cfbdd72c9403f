// Package record describes the columns of a memory and of an edge, once: each is a field of Memory or
// Edge, with a tag. Select lists, inserts, updates, what the journal keeps, what a merge decides, lines,
// files of a team and the page's list of columns are made from these. So a new column is two lines:
// one in schema.sql, with its place in the triggers (a test says which), and one here.
//
// A field that is a column has a tag `is`, even if empty. The column has the field's name in JSON, or, if
// answers do not show it, the name that the tag column gives. The words of `is`:
//
//	line=n       its name in a line, if it is another
//	end          of an edge, the id of a memory: the table has its key
//	null         the column is null where the field is empty
//	journaled    undo sets the old value that the journal keeps; with logged, the journal keeps it, and
//	             undo gets it in another way
//	edited       an update of it raises the revision
//	stamped      a merge takes the side that was stamped later; stamped=f: as a part of the field f
//	kept         a merge decides it, and keeps the old value for undo, because the journal does not
//	open         an agent may change it though a person said the memory
//	team         it is in the files of a team; team=n: under the name n
//	mirrored     an import of a folder writes it
//	shown        the page tells how it changed
//
// Another room uses the table so:
//
//	columns := record.Memories                               // or record.Of[T](): T embeds Memory, or shadows a field
//	stamped := record.Where(columns, "stamped")              // those with a word of the tag
//	record.List(columns, "m.%[1]s")                          // "m.id, m.namespace, …", for a text of SQL
//	record.Select(columns, "m")                              // the same, with '' for null: record.Scan scans it
//	record.Insert("memories", columns)                       // inserts the rows of record.Values(columns, &m) in ?1
//	record.Row(columns)                                      // select list of a row g of record.Values(columns, &m)
//	record.Set(columns, "?2")                                // assignments by a patch, a JSON object: what it lacks stays
//	record.SetRow(record.Memories, columns)                  // assignments by a row g of record.Values(record.Memories, &m)
//	record.At(columns, "id"), record.Pick(columns, some)     // the values of columns in such a row
//	column.In(&m), column.Name, column.Team, column.Stamp    // the address of the field; names
//	column.JSON(&m), column.ReadJSON("title", text, &m)      // the value as JSON, with null
//	record.NewForm("edge", columns, name, "id! from! … basis") // objects of JSON, such as lines: form.Of(&e), form.Into
//	record.Team                                              // the columns in the order of a memory's file of a team
package record
