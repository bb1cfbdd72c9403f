package edges

// SaysNothing is the SQL condition that the memory m is a file without text, such as a
// picture or an empty canvas. It is false for a note without text, because somebody chose
// its title.
const SaysNothing = `m.kind in ('file', 'canvas') and m.content = ''`
