/* Allocation: sizes are products of int64_t, checked for overflow before they are asked for. */
#ifndef SRI_CORE_MEMORY_H
#define SRI_CORE_MEMORY_H

#include "core/context.h"

/* rows * cols * size bytes, 64-byte aligned, not cleared (sri_alloc) or zero (sri_calloc).
 * Never NULL on success, also for zero elements; NULL with an error text on failure. */
void *sri_alloc(specreg_context *ctx, int64_t rows, int64_t cols, size_t size);
void *sri_calloc(specreg_context *ctx, int64_t rows, int64_t cols, size_t size);
/* n x n numbers, not cleared, of which the caller touches the lower triangle, rows first, and
 * nothing else: the pages above it never take memory, and the block counts for sri_lower_bytes. */
double *sri_alloc_lower(specreg_context *ctx, int64_t n);
double sri_lower_bytes(int64_t n);
/* Grows a block from sri_grow(NULL) to at least `count` elements, doubling; *capacity is updated.
 * The old block stays valid on failure. */
specreg_status sri_grow(specreg_context *ctx, void **block, int64_t *capacity, int64_t count,
                        size_t size);
#define SRI_GROW(ctx, ptr, capacity, count) \
    sri_grow((ctx), (void **)&(ptr), &(capacity), (count), sizeof *(ptr))
/* Copies of `count` elements of `size` bytes each, those that `which` names; NULL of NULL. */
specreg_status sri_gather(specreg_context *ctx, const void *from, size_t size, const int64_t *which,
                          int64_t count, void **out);
char *sri_strdup(specreg_context *ctx, const char *text);
char *sri_strndup(specreg_context *ctx, const char *text, size_t length);
/* Gives back what growing by doubling took too much; the block may move. */
void sri_trim(void **block, int64_t count, size_t size);
/* Frees a block of any of the above; NULL is nothing.  They come from the context's allocator and
 * go back to it, also after the context is gone.  Without a context: from malloc(), and a failure
 * leaves no text. */
void sri_free(void *block);
/* Frees `count` blocks and the list that holds them; NULL is nothing. */
void sri_free_list(char **list, int64_t count);

/* Sets `ptr` to a block that was asked for; without one the call fails. */
#define SRI_TAKEN(ptr, block) SRI_TRY(((ptr) = (block)) ? SPECREG_OK : SPECREG_E_NOMEM)
#define SRI_ALLOC(ctx, ptr, rows, cols) \
    SRI_TAKEN(ptr, sri_alloc((ctx), (rows), (cols), sizeof *(ptr)))
#define SRI_CALLOC(ctx, ptr, rows, cols) \
    SRI_TAKEN(ptr, sri_calloc((ctx), (rows), (cols), sizeof *(ptr)))
#define SRI_STRDUP(ctx, ptr, text) SRI_TAKEN(ptr, sri_strdup((ctx), (text)))
/* The same in a function that owns nothing: what they take belongs to the caller at once. */
#define SRI_GIVEN(ptr, block) SRI_CALL(((ptr) = (block)) ? SPECREG_OK : SPECREG_E_NOMEM)
#define SRI_NEW(ctx, ptr, rows, cols) \
    SRI_GIVEN(ptr, sri_alloc((ctx), (rows), (cols), sizeof *(ptr)))
#define SRI_NEW_ZERO(ctx, ptr, rows, cols) \
    SRI_GIVEN(ptr, sri_calloc((ctx), (rows), (cols), sizeof *(ptr)))
#define SRI_NEW_TEXT(ctx, ptr, text) SRI_GIVEN(ptr, sri_strdup((ctx), (text)))

/* Hands a block over: `from` has it no more. */
#define SRI_MOVE(to, from) \
    do {                   \
        (to) = (from);     \
        (from) = NULL;     \
    } while (0)

/* Between these two calls, what this thread takes in the context and does not give back may be at
 * most `limit` bytes; the limit outside is put back at the end. */
typedef struct sri_memory_scope {
    int64_t limit, start;
} sri_memory_scope;
sri_memory_scope sri_memory_begin(specreg_context *ctx, int64_t limit);
void sri_memory_end(specreg_context *ctx, sri_memory_scope outer);
/* What may still be taken: up to the limit, or what the machine has free. */
int64_t sri_memory_left(const specreg_context *ctx);

/* Asks for large pages for a block that will be used throughout, where the system has them: fewer
 * faults when it is filled, fewer misses when it is read.  Advice only. */
void sri_large_pages(void *block, double bytes);

/* What the machine has free, less a margin: the budget where `--memory` does not give one. */
int64_t sri_memory_available(void);
/* Largest resident size of this process so far, in bytes. */
int64_t sri_memory_peak(void);
/* "1.5 GiB" into a buffer of at least 32 bytes; returns it. */
char *sri_bytes_text(double bytes, char *buffer);

#endif
