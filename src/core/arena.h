/* An arena holds the scratch memory of a call: blocks are taken one by one and freed together.
 *
 *     sri_arena scratch = {0};
 *     SRI_SCRATCH(ctx, &scratch, F, n, T);
 *     ...
 * done:
 *     sri_arena_free(&scratch);
 *
 * Each block is an allocation of its own, so that a memory checker sees where it ends. */
#ifndef SRI_CORE_ARENA_H
#define SRI_CORE_ARENA_H

#include "core/memory.h"

typedef struct sri_arena {
    struct sri_arena_block *newest; /* NULL: nothing was taken */
} sri_arena;

/* rows * cols * size bytes as sri_alloc (sri_calloc) gives them, until sri_arena_free. */
void *sri_arena_take(specreg_context *ctx, sri_arena *arena, int64_t rows, int64_t cols,
                     size_t size);
void *sri_arena_take_zero(specreg_context *ctx, sri_arena *arena, int64_t rows, int64_t cols,
                          size_t size);
/* A copy of a text. */
specreg_status sri_arena_text(specreg_context *ctx, sri_arena *arena, const char *text,
                              const char **out);
/* Such a block of numbers for each pointer of a list that ends with NULL. */
specreg_status sri_arena_take_each(specreg_context *ctx, sri_arena *arena, int64_t rows,
                                   int64_t cols, double **const *list);
/* Frees every block; the arena is empty and may be used again. */
void sri_arena_free(sri_arena *arena);

/* As SRI_ALLOC and SRI_CALLOC. */
#define SRI_SCRATCH(ctx, arena, ptr, rows, cols) \
    SRI_TAKEN(ptr, sri_arena_take((ctx), (arena), (rows), (cols), sizeof *(ptr)))
#define SRI_SCRATCH_ZERO(ctx, arena, ptr, rows, cols) \
    SRI_TAKEN(ptr, sri_arena_take_zero((ctx), (arena), (rows), (cols), sizeof *(ptr)))
/* Numbers for each of the pointers whose addresses follow. */
#define SRI_SCRATCH_EACH(ctx, arena, rows, cols, ...)           \
    SRI_TRY(sri_arena_take_each((ctx), (arena), (rows), (cols), \
                                (double **const[]){__VA_ARGS__, NULL}))

/* As SRI_NEW and SRI_NEW_ZERO: for functions that are given the arena. */
#define SRI_ARENA_NEW(ctx, arena, ptr, rows, cols) \
    SRI_GIVEN(ptr, sri_arena_take((ctx), (arena), (rows), (cols), sizeof *(ptr)))
#define SRI_ARENA_NEW_ZERO(ctx, arena, ptr, rows, cols) \
    SRI_GIVEN(ptr, sri_arena_take_zero((ctx), (arena), (rows), (cols), sizeof *(ptr)))

#endif
