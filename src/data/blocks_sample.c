/* A sample of rows that come in blocks. */
#include <string.h>

#include "core/memory.h"
#include "data/blocks_kind.h"

/* Where the number of rows is known and single rows can be read; else *out is NULL. */
static specreg_status pick_sample(specreg_context *ctx, sri_blocks *b, sri_least *least,
                                  specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    int64_t *row = NULL;
    for (int64_t i = 0; i < sri_blocks_rows(b); i++)
        sri_least_offer(least, i);
    SRI_ALLOC(ctx, row, least->count, 1);
    sri_least_rows(least, row);
    SRI_TRY(sri_blocks_pick(ctx, b, row, least->count, out));
done:
    sri_free(row);
    return st;
}

/* Rows that were among the least ones when they came. */
typedef struct kept {
    specreg_table **part;
    int64_t *number; /* of all rows of the parts */
    int64_t parts, rows, part_capacity, number_capacity;
    int64_t width; /* of the sparse columns of all blocks */
} kept;

static void free_parts(kept *k)
{
    for (int64_t i = 0; i < k->parts; i++)
        specreg_table_free(k->part[i]);
    k->parts = k->rows = 0;
}

/* The rows of a block that are among the least ones so far. */
static specreg_status keep(specreg_context *ctx, const specreg_table *block, int64_t first,
                           sri_least *least, kept *k)
{
    specreg_status st = SPECREG_OK;
    int64_t *row = NULL, count = 0;
    SRI_ALLOC(ctx, row, block->rows, 1);
    SRI_TRY(SRI_GROW(ctx, k->number, k->number_capacity, k->rows + block->rows));
    SRI_TRY(SRI_GROW(ctx, k->part, k->part_capacity, k->parts + 1));
    for (int64_t i = 0; i < block->rows; i++)
        if (sri_least_offer(least, first + i)) {
            k->number[k->rows + count] = first + i;
            row[count++] = i;
        }
    if (count == 0 && k->parts > 0)
        goto done;
    SRI_TRY(specreg_table_select(ctx, block, row, count, &k->part[k->parts]));
    k->parts++;
    k->rows += count;
done:
    sri_free(row);
    return st;
}

/* One table of what is still among the least ones. */
static specreg_status compact(specreg_context *ctx, sri_least *least, kept *k, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *all = NULL;
    int64_t *wanted = NULL, *row = NULL, count = 0;
    SRI_ALLOC(ctx, wanted, least->count, 1);
    SRI_ALLOC(ctx, row, least->count, 1);
    sri_least_rows(least, wanted);
    for (int64_t i = 0; i < k->rows && count < least->count; i++)
        if (k->number[i] == wanted[count])
            row[count++] = i;
    SRI_TRY(sri_table_join(ctx, k->part, k->parts, &all));
    SRI_TRY(specreg_table_select(ctx, all, row, count, out));
    if (count > 0)
        memcpy(k->number, wanted, (size_t)count * sizeof *wanted);
done:
    specreg_table_free(all);
    sri_free(row);
    sri_free(wanted);
    return st;
}

static specreg_status compact_kept(specreg_context *ctx, sri_least *least, kept *k)
{
    specreg_table *all = NULL;
    SRI_CALL(compact(ctx, least, k, &all));
    free_parts(k);
    k->part[0] = all;
    k->parts = 1;
    k->rows = all->rows;
    return SPECREG_OK;
}

/* Reads all rows; *rows is their number. */
static specreg_status read_sample(specreg_context *ctx, sri_blocks *b, sri_least *least,
                                  int64_t *rows, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *block = NULL;
    kept k = {0};
    int64_t first;
    for (*rows = 0;; *rows += block->rows, specreg_table_free(block), block = NULL) {
        SRI_TRY(sri_blocks_next(ctx, b, SRI_BLOCK_ROWS, &first, &block));
        if (!block)
            break;
        SRI_TRY(keep(ctx, block, first, least, &k));
        if (block->sparse && block->sparse->p > k.width)
            k.width = block->sparse->p;
        if (k.rows > 2 * least->most + SRI_BLOCK_ROWS)
            SRI_TRY(compact_kept(ctx, least, &k));
    }
    if (k.parts > 0)
        SRI_TRY(compact(ctx, least, &k, out));
    if (*out && (*out)->sparse)
        SRI_TRY(sri_table_widen(ctx, *out, k.width));
done:
    specreg_table_free(block);
    free_parts(&k);
    sri_free(k.part);
    sri_free(k.number);
    return st;
}

/* The numbers that rows of files have among all n of them; those of a table are known. */
static specreg_status number_rows(specreg_context *ctx, const sri_blocks *b, sri_least *least,
                                  int64_t n, specreg_table *t)
{
    int64_t *number = NULL;
    if (sri_blocks_table(b) || !t)
        return SPECREG_OK;
    SRI_NEW(ctx, number, least->count, 1);
    sri_least_rows(least, number);
    sri_free(t->origin);
    t->origin = number;
    t->origins = n;
    return SPECREG_OK;
}

/* A table of rows from several files has the name of all of them. */
static specreg_status name_rows(specreg_context *ctx, const sri_blocks *b, specreg_table *t)
{
    const char *name = sri_blocks_name(b);
    char *source = NULL;
    if (!name || !t)
        return SPECREG_OK;
    SRI_NEW_TEXT(ctx, source, name);
    sri_free(t->source);
    t->source = source;
    return SPECREG_OK;
}

specreg_status sri_blocks_sample(specreg_context *ctx, sri_blocks *b, const sri_sample_rows *which,
                                 int64_t *rows, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    sri_least least = {0};
    int64_t n = sri_blocks_rows(b);
    *out = NULL;
    SRI_TRY(sri_blocks_rewind(ctx, b));
    SRI_TRY(sri_least_begin(ctx, which, n >= 0 && n < which->count ? n : which->count, &least));
    if (n >= 0)
        SRI_TRY(pick_sample(ctx, b, &least, out));
    if (!*out) {
        least.count = 0;
        SRI_TRY(read_sample(ctx, b, &least, &n, out));
    }
    SRI_TRY(number_rows(ctx, b, &least, n, *out));
    SRI_TRY(name_rows(ctx, b, *out));
    SRI_TRY(sri_blocks_rewind(ctx, b));
    if (rows)
        *rows = n;
done:
    if (st != SPECREG_OK) {
        specreg_table_free(*out);
        *out = NULL;
    }
    sri_least_free(&least);
    return st;
}
