#include <stdint.h>

// One node of a tree, in the order of the text; next is the index behind its last
// descendant. Package syntax reads an array of these.
typedef struct {
	uint32_t start, end, next, parent;
	uint16_t kind, field, flags;
} hence_node;

enum { hence_named = 1, hence_error = 2, hence_missing = 4, hence_extra = 8 };

int hence_parse(const void *language, const char *text, uint32_t size, uint32_t depth, uint64_t time,
		hence_node **nodes, uint32_t *count);
uint32_t hence_kinds(const void *language);
uint32_t hence_fields(const void *language);
const char *hence_kind(const void *language, uint16_t kind);
const char *hence_field(const void *language, uint16_t field);
void hence_plain_allocator(void);
