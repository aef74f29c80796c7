#include "sums/pass.h"

#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "core/digest.h"
#include "sums/crew.h"

/* A hash of the inputs of row i, and of its label. */
static uint64_t hash_row(const sri_rows_view *rows, int64_t i, uint64_t seed)
{
    const sri_matrix *x = &rows->x;
    const uint64_t label = (uint64_t)sri_view_label(rows, i);
    if (x->x)
        return sri_hash(x->x + i * x->p, (size_t)x->p * sizeof *x->x, seed + label);
    const int64_t from = x->start[i], count = x->start[i + 1] - from;
    const uint64_t columns =
        sri_hash(x->index + from, (size_t)count * sizeof *x->index, seed + label);
    return sri_hash(x->value + from, (size_t)count * sizeof *x->value, columns);
}

/* A hash of the group that a row belongs to. */
static specreg_status hash_group(specreg_context *ctx, const specreg_table *table, int64_t row,
                                 int64_t column, uint64_t seed, uint64_t *out)
{
    const sri_column *c = &table->column[column];
    if (sri_table_gap(table, row, column))
        return sri_fail_at_cell(ctx, SPECREG_E_NUMERIC, table, row, c->name,
                                "the group is missing");
    const char *text = c->is_text ? c->texts.text[c->code[row]] : "";
    const double number = c->is_text ? 0 : sri_cell_number(table, row, c) + 0.0; /* no -0 */
    *out = c->is_text ? sri_hash(text, strlen(text), seed) : sri_hash(&number, sizeof number, seed);
    return SPECREG_OK;
}

/* What the part of each row goes by. */
static specreg_status hash_rows(specreg_context *ctx, const sri_pass_reader *reader,
                                const specreg_table *table, const sri_sample *s, uint64_t *hash)
{
    const uint64_t seed = reader->parting.seed;
    const int64_t column = reader->group ? sri_table_find_name(table, reader->group) : -1;
    SRI_CHECK(ctx, !reader->group || column >= 0, SPECREG_E_SHAPE,
              "%s: the column of groups '%s' is missing", table->source, reader->group);
    for (int64_t i = 0; i < s->n; i++) {
        if (column >= 0)
            SRI_CALL(hash_group(ctx, table, s->row[i], column, seed, &hash[i]));
        else
            hash[i] = hash_row(&s->rows, i, seed);
    }
    return SPECREG_OK;
}

static int64_t fold_of(const sri_parting *parting, uint64_t hash)
{
    if (parting->held_out > 0)
        return ldexp((double)(hash >> 11), -53) < parting->held_out ? 0 : 1;
    return (int64_t)(hash % (uint64_t)parting->folds);
}

static int64_t part_of(const sri_parting *parting, uint64_t hash, const sri_sample *rows, int64_t i)
{
    const int64_t fold = fold_of(parting, hash);
    return parting->classes == 1 ? fold : fold * parting->classes + rows->classes[i];
}

/* The rows of a block in the order of their parts, and where each part begins. */
static specreg_status order_rows(specreg_context *ctx, const sri_parting *parting,
                                 const uint64_t *hash, sri_row_block *block, int64_t *order)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = block->rows.n, parts = sri_parting_parts(parting);
    int64_t *part = NULL, *next = NULL;
    SRI_ALLOC(ctx, part, n, 1);
    SRI_ALLOC(ctx, next, parts, 1);
    SRI_CALLOC(ctx, block->start, parts + 1, 1);
    for (int64_t i = 0; i < n; i++) {
        part[i] = part_of(parting, hash[i], &block->rows, i);
        block->start[part[i] + 1]++;
    }
    for (int64_t f = 0; f < parts; f++) {
        next[f] = block->start[f];
        block->start[f + 1] += block->start[f];
    }
    for (int64_t i = 0; i < n; i++)
        order[next[part[i]]++] = i;
done:
    sri_free(next);
    sri_free(part);
    return st;
}

/* Replaces an array by its rows of `size` bytes in another order. */
static specreg_status reorder(specreg_context *ctx, void *array, size_t size, const int64_t *order,
                              int64_t n)
{
    void **block = array, *out;
    SRI_CALL(sri_gather(ctx, *block, size, order, n, &out));
    sri_free(*block);
    *block = out;
    return SPECREG_OK;
}

static specreg_status sort_rows(specreg_context *ctx, const sri_pass_reader *reader,
                                const specreg_table *table, sri_row_block *block)
{
    specreg_status st = SPECREG_OK;
    sri_sample *s = &block->rows;
    sri_rows_view sorted = {0};
    int64_t *order = NULL;
    uint64_t *hash = NULL;
    SRI_ALLOC(ctx, order, s->n, 1);
    SRI_ALLOC(ctx, hash, s->n, 1);
    SRI_TRY(hash_rows(ctx, reader, table, s, hash));
    SRI_TRY(order_rows(ctx, &reader->parting, hash, block, order));
    SRI_TRY(sri_view_gather(ctx, &s->rows, order, s->n, &sorted));
    sri_view_free(&s->rows);
    s->rows = sorted;
    SRI_TRY(reorder(ctx, &s->Y, (size_t)reader->T * sizeof *s->Y, order, s->n));
    SRI_TRY(reorder(ctx, &s->P, (size_t)reader->l * sizeof *s->P, order, s->n));
    SRI_TRY(reorder(ctx, &s->classes, sizeof *s->classes, order, s->n));
    SRI_TRY(reorder(ctx, &s->row, sizeof *s->row, order, s->n));
done:
    sri_free(hash);
    sri_free(order);
    return st;
}

static specreg_status bad_weight(specreg_context *ctx, const specreg_table *table, int64_t row,
                                 const char *column, double weight)
{
    return sri_fail_at_cell(ctx, SPECREG_E_NUMERIC, table, row, column,
                            "a weight must be a number of 0 or more, not %g", weight);
}

static specreg_status read_weights(specreg_context *ctx, const sri_pass_reader *reader,
                                   const specreg_table *table, sri_sample *s)
{
    const int64_t column = reader->weights ? sri_table_find_name(table, reader->weights) : -1;
    if (!reader->weights && !reader->class_weight)
        return SPECREG_OK;
    SRI_CHECK(ctx, !reader->weights || (column >= 0 && !table->column[column].is_text),
              SPECREG_E_SHAPE, "%s: the column of weights '%s' is missing, or not of numbers",
              table->source, reader->weights);
    SRI_NEW(ctx, s->weight, s->n, 1);
    for (int64_t i = 0; i < s->n; i++) {
        const double w =
            column >= 0 ? sri_cell_number(table, s->row[i], &table->column[column]) : 1;
        if (!(w >= 0 && isfinite(w)))
            return bad_weight(ctx, table, s->row[i], reader->weights, w);
        s->weight[i] = w * (reader->class_weight ? reader->class_weight[s->classes[i]] : 1);
    }
    return SPECREG_OK;
}

static void block_free(sri_row_block *block)
{
    sri_sample_free(&block->rows);
    sri_free(block->start);
    *block = (sri_row_block){0};
}

/* From a table to numbers, sorted by part. */
static specreg_status prepare_block(specreg_context *ctx, const sri_pass_reader *reader,
                                    const specreg_table *table, sri_row_block *out)
{
    SRI_CALL(sri_sample_read(ctx, reader->reader, table, &out->rows));
    SRI_CALL(sort_rows(ctx, reader, table, out));
    return read_weights(ctx, reader, table, &out->rows);
}

/* A pass, and the blocks that are worked on: read one after the other, all else at the same time.
 * Memory is counted by thread: each thread frees what it took. */
typedef struct some_blocks {
    const sri_pass *pass;
    const sri_pass_reader *reader;
    specreg_table **table;
    int64_t *first, *rows; /* the number of the first row, and how many are used */
} some_blocks;

static specreg_status work_on_one(specreg_context *ctx, void *payload, int64_t job)
{
    specreg_status st = SPECREG_OK;
    const some_blocks *some = payload;
    sri_row_block block = {.first = some->first[job]};
    SRI_TRY(prepare_block(ctx, some->reader, some->table[job], &block));
    some->rows[job] = block.rows.n;
    SRI_TRY(some->pass->work(ctx, some->pass->payload, &block, (int)job));
done:
    block_free(&block);
    return st;
}

static specreg_status work_on(specreg_context *ctx, some_blocks *some, int count)
{
    SRI_CALL(sri_crew_run(ctx, count, count, work_on_one, some));
    return some->pass->settle ? some->pass->settle(ctx, some->pass->payload, count) : SPECREG_OK;
}

specreg_status sri_pass_run(specreg_context *ctx, const sri_pass *pass,
                            const sri_pass_reader *reader, sri_blocks *blocks, int64_t *rows)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    some_blocks some = {.pass = pass, .reader = reader};
    const int places = sri_crew_size();
    const int64_t all = sri_blocks_rows(blocks);
    int64_t done_blocks = 0;
    bool more = true;
    *rows = 0;
    SRI_CALL(sri_blocks_rewind(ctx, blocks));
    SRI_ARENA_NEW_ZERO(ctx, &scratch, some.table, places, 1);
    SRI_SCRATCH(ctx, &scratch, some.first, places, 1);
    SRI_SCRATCH(ctx, &scratch, some.rows, places, 1);
    if (pass->stage)
        SRI_TRY(
            sri_stage(ctx, pass->stage, all > 0 ? (all + SRI_BLOCK_ROWS - 1) / SRI_BLOCK_ROWS : 0));
    while (more) {
        int count = 0;
        for (; count < places && more; count += more) {
            SRI_TRY(sri_blocks_next(ctx, blocks, SRI_BLOCK_ROWS, &some.first[count],
                                    &some.table[count]));
            more = some.table[count] != NULL;
        }
        SRI_TRY(work_on(ctx, &some, count));
        for (int k = 0; k < count; k++) {
            *rows += some.rows[k];
            specreg_table_free(some.table[k]);
            some.table[k] = NULL;
        }
        done_blocks += count;
        SRI_TRY(pass->stage ? sri_progress(ctx, done_blocks) : sri_poll(ctx));
    }
done:
    for (int k = 0; k < places; k++)
        specreg_table_free(some.table[k]);
    sri_arena_free(&scratch);
    return st;
}
