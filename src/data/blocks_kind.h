/* Kinds of sources that rows come from in blocks: one table of functions for each. */
#ifndef SRI_DATA_BLOCKS_KIND_H
#define SRI_DATA_BLOCKS_KIND_H

#include "data/blocks.h"

typedef struct sri_blocks_kind {
    /* The next rows, at most so many, as a table of the caller's; NULL after the last one. */
    specreg_status (*next)(specreg_context *ctx, void *source, int64_t rows, specreg_table **out);
    /* NULL: whoever wants the first row again opens the source anew. */
    specreg_status (*rewind)(specreg_context *ctx, void *source);
    /* How many rows there are, -1 where that is not known; NULL: it never is. */
    int64_t (*rows)(const void *source);
    /* The rows with these numbers, which ascend, wherever reading is; *out NULL where single rows
     * cannot be read. */
    specreg_status (*pick)(specreg_context *ctx, void *source, const int64_t *row, int64_t count,
                           specreg_table **out);
    /* There will be no second reading; NULL: that changes nothing. */
    void (*read_once)(void *source);
    void (*free)(void *source); /* accepts NULL */
    /* What people call the rows of several files; NULL: a block knows its file. */
    const char *(*name)(const void *source);
} sri_blocks_kind;

/* A source of rows of some kind. */
typedef struct sri_row_source {
    const sri_blocks_kind *kind; /* NULL: none */
    void *state;
} sri_row_source;

/* The rows of a table, which the source owns or which must outlive it. */
specreg_status sri_row_source_of_table(specreg_context *ctx, const specreg_table *table,
                                       specreg_table *owned, sri_row_source *out);
void sri_row_source_close(sri_row_source *s);

/* Blocks of a source, which they own from here on, also where this fails; `table` is the table in
 * memory, NULL for files. */
specreg_status sri_blocks_new(specreg_context *ctx, sri_row_source source,
                              const specreg_table *table, sri_blocks **out);

/* See sri_blocks_kind; NULL: blocks know their file. */
const char *sri_blocks_name(const sri_blocks *b);
/* The rows with these numbers, which ascend; *out NULL where single rows cannot be read. */
specreg_status sri_blocks_pick(specreg_context *ctx, sri_blocks *b, const int64_t *row,
                               int64_t count, specreg_table **out);

/* The numbers of the rows with the least hashes of seed and number, found one after the other; rows
 * that are listed come before all others. */
typedef struct sri_least {
    const sri_sample_rows *which;
    int64_t most, count;
    struct sri_least_row {
        uint64_t hash;
        int64_t row;
    } * heap; /* the largest hash first */
} sri_least;

specreg_status sri_least_begin(specreg_context *ctx, const sri_sample_rows *which, int64_t most,
                               sri_least *out);
/* Whether a row is among the least ones of those seen so far, this one included. */
bool sri_least_offer(sri_least *l, int64_t row);
/* Ends the search: the numbers of the rows, ascending, into row[l->count]. */
void sri_least_rows(sri_least *l, int64_t *row);
void sri_least_free(sri_least *l);

#endif
