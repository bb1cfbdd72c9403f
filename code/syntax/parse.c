// The tree of a file as one array, in one call: a call from Go into C for each node
// costs more than the parser does.
//
// The functions of tree-sitter are in the module go-tree-sitter of the same binary.
// Its headers are not on the path, so that what is called of <tree_sitter/api.h>
// (0.25) is declared here. They are weak because cgo links each package alone too,
// to see what it takes from shared libraries, and they are not there then.

#if !defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L // for clock_gettime
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include "parse.h"

#if defined(__APPLE__)
#define ELSEWHERE extern __attribute__((weak_import))
#else
#define ELSEWHERE extern __attribute__((weak))
#endif

typedef struct { uint32_t row, column; } TSPoint;
typedef struct { uint32_t context[4]; const void *id; const void *tree; } TSNode;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } TSTreeCursor;
typedef struct {
	void *payload;
	const char *(*read)(void *, uint32_t, TSPoint, uint32_t *);
	int encoding;
	void *decode;
} TSInput;
typedef struct { void *payload; uint32_t current_byte_offset; bool has_error; } TSParseState;
typedef struct { void *payload; bool (*progress_callback)(TSParseState *); } TSParseOptions;

ELSEWHERE void ts_set_allocator(void *, void *, void *, void *);
ELSEWHERE void *ts_parser_new(void);
ELSEWHERE void ts_parser_delete(void *);
ELSEWHERE bool ts_parser_set_language(void *, const void *);
ELSEWHERE void *ts_parser_parse_with_options(void *, const void *, TSInput, TSParseOptions);
ELSEWHERE TSNode ts_tree_root_node(const void *);
ELSEWHERE void ts_tree_delete(void *);
ELSEWHERE TSTreeCursor ts_tree_cursor_new(TSNode);
ELSEWHERE void ts_tree_cursor_delete(TSTreeCursor *);
ELSEWHERE TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
ELSEWHERE uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *);
ELSEWHERE bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
ELSEWHERE bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
ELSEWHERE bool ts_tree_cursor_goto_parent(TSTreeCursor *);
ELSEWHERE uint16_t ts_node_symbol(TSNode);
ELSEWHERE uint32_t ts_node_start_byte(TSNode);
ELSEWHERE uint32_t ts_node_end_byte(TSNode);
ELSEWHERE bool ts_node_is_named(TSNode);
ELSEWHERE bool ts_node_is_error(TSNode);
ELSEWHERE bool ts_node_is_missing(TSNode);
ELSEWHERE bool ts_node_is_extra(TSNode);
ELSEWHERE uint32_t ts_language_symbol_count(const void *);
ELSEWHERE uint32_t ts_language_field_count(const void *);
ELSEWHERE const char *ts_language_symbol_name(const void *, uint16_t);
ELSEWHERE const char *ts_language_field_name_for_id(const void *, uint16_t);

struct source { const char *text; uint32_t size; uint64_t until; };

// The time that this thread has had of a processor, in microseconds: it does not pass
// while others have the processor.
static uint64_t thread_time(void) {
	struct timespec now = {0};
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static const char *read_source(void *payload, uint32_t at, TSPoint point, uint32_t *size) {
	struct source *source = payload;
	(void)point;
	if (at >= source->size) {
		*size = 0;
		return "";
	}
	*size = source->size - at;
	return source->text + at;
}

// The parser asks every 100 operations. After an error one operation may cost as much
// as the text before it is long, so that time is bounded and not operations.
static bool is_over(TSParseState *state) {
	struct source *source = state->payload;
	return thread_time() > source->until;
}

struct list { hence_node *nodes; uint32_t count, room; };

static bool add(struct list *list, const TSTreeCursor *cursor, uint32_t parent) {
	if (list->count == list->room) {
		uint32_t room = list->room ? list->room * 2 : 1024;
		hence_node *nodes = realloc(list->nodes, (size_t)room * sizeof *nodes);
		if (!nodes) return false;
		list->nodes = nodes;
		list->room = room;
	}
	TSNode node = ts_tree_cursor_current_node(cursor);
	hence_node *added = &list->nodes[list->count++];
	added->start = ts_node_start_byte(node);
	added->end = ts_node_end_byte(node);
	added->next = list->count;
	added->parent = parent;
	added->kind = ts_node_symbol(node);
	added->field = ts_tree_cursor_current_field_id(cursor);
	added->flags = (ts_node_is_named(node) ? hence_named : 0) | (ts_node_is_error(node) ? hence_error : 0) |
		(ts_node_is_missing(node) ? hence_missing : 0) | (ts_node_is_extra(node) ? hence_extra : 0);
	return true;
}

static bool flatten(TSTreeCursor *cursor, uint32_t depth, struct list *list) {
	uint32_t parent = 0, level = 0;
	if (!add(list, cursor, 0)) return false;
	for (;;) {
		uint32_t here = list->count - 1;
		if (level < depth && ts_tree_cursor_goto_first_child(cursor)) {
			parent = here;
			level++;
		} else {
			while (level > 0 && !ts_tree_cursor_goto_next_sibling(cursor)) {
				list->nodes[parent].next = list->count;
				parent = list->nodes[parent].parent;
				ts_tree_cursor_goto_parent(cursor);
				level--;
			}
			if (level == 0) return true;
		}
		if (!add(list, cursor, parent)) return false;
	}
}

// Below depth nothing is told of the tree: nodes there are without children. After
// so many microseconds the parser gives up. The caller frees nodes, which is null unless
// the result is 0.
int hence_parse(const void *language, const char *text, uint32_t size, uint32_t depth, uint64_t time,
		hence_node **nodes, uint32_t *count) {
	struct source source = {text, size, thread_time() + time};
	struct list list = {0};
	int failed = 1;
	*nodes = NULL;
	void *parser = ts_parser_new();
	if (!ts_parser_set_language(parser, language)) {
		ts_parser_delete(parser);
		return 2;
	}
	TSInput input = {&source, read_source, 0, NULL};
	TSParseOptions options = {&source, is_over};
	void *tree = ts_parser_parse_with_options(parser, NULL, input, options);
	if (tree) {
		TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
		failed = !flatten(&cursor, depth, &list);
		ts_tree_cursor_delete(&cursor);
		ts_tree_delete(tree);
	}
	ts_parser_delete(parser);
	if (failed) {
		free(list.nodes);
		return 1;
	}
	*nodes = list.nodes;
	*count = list.count;
	return 0;
}

uint32_t hence_kinds(const void *language) { return ts_language_symbol_count(language); }
uint32_t hence_fields(const void *language) { return ts_language_field_count(language); }
const char *hence_kind(const void *language, uint16_t kind) { return ts_language_symbol_name(language, kind); }
const char *hence_field(const void *language, uint16_t field) { return ts_language_field_name_for_id(language, field); }
void hence_plain_allocator(void) { ts_set_allocator(NULL, NULL, NULL, NULL); }
