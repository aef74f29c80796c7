#include "core/arena.h"

#include <string.h>

/* What stands before each block; the block keeps the alignment of sri_alloc. */
typedef struct sri_arena_block {
    _Alignas(64) struct sri_arena_block *older;
} block;

void *sri_arena_take(specreg_context *ctx, sri_arena *arena, int64_t rows, int64_t cols,
                     size_t size)
{
    int64_t bytes;
    if (__builtin_mul_overflow(rows, cols, &bytes) ||
        __builtin_mul_overflow(bytes, (int64_t)size, &bytes) || bytes < 0 ||
        bytes > INT64_MAX - (int64_t)sizeof(block))
        return sri_alloc(ctx, rows, cols, size); /* which says that this cannot be had */
    block *b = sri_alloc(ctx, bytes + (int64_t)sizeof *b, 1, 1);
    if (!b)
        return NULL;
    b->older = arena->newest;
    arena->newest = b;
    return b + 1;
}

void *sri_arena_take_zero(specreg_context *ctx, sri_arena *arena, int64_t rows, int64_t cols,
                          size_t size)
{
    void *p = sri_arena_take(ctx, arena, rows, cols, size);
    if (p)
        memset(p, 0, (size_t)rows * (size_t)cols * size);
    return p;
}

specreg_status sri_arena_text(specreg_context *ctx, sri_arena *arena, const char *text,
                              const char **out)
{
    char *copy;
    const size_t size = strlen(text) + 1;
    SRI_ARENA_NEW(ctx, arena, copy, (int64_t)size, 1);
    memcpy(copy, text, size);
    *out = copy;
    return SPECREG_OK;
}

specreg_status sri_arena_take_each(specreg_context *ctx, sri_arena *arena, int64_t rows,
                                   int64_t cols, double **const *list)
{
    for (; *list; list++)
        SRI_ARENA_NEW(ctx, arena, **list, rows, cols);
    return SPECREG_OK;
}

void sri_arena_free(sri_arena *arena)
{
    while (arena->newest) {
        block *b = arena->newest;
        arena->newest = b->older;
        sri_free(b);
    }
}
