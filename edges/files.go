package edges

// SaysNothing is an SQL condition: the memory m is a file without text, such as a
// picture or an empty canvas. A note without text has at least the title that somebody
// gave it.
const SaysNothing = `m.kind in ('file', 'canvas') and m.content = ''`
