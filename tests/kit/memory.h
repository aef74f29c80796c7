/* Tests take memory as the library does, so that either may free what the other made.  The build
 * includes this before every test; a test that wants the C library's own functions undefines
 * these. */
#ifndef KIT_MEMORY_H
#define KIT_MEMORY_H

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "core/memory.h"

/* The text of a JSON value, as a block of the library's. */
static inline char *kit_json_text(const json_t *json, size_t flags)
{
    char *made = json_dumps(json, flags), *text = made ? sri_strdup(NULL, made) : NULL;
    free(made);
    return text;
}

#undef strdup
#define malloc(bytes) sri_alloc(NULL, (int64_t)(bytes), 1, 1)
#define calloc(count, size) sri_calloc(NULL, (int64_t)(count), 1, (size))
#define strdup(text) sri_strdup(NULL, (text))
#define json_dumps(json, flags) kit_json_text((json), (flags))
#define free(block) sri_free(block)

#endif
