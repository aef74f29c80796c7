/* A pass over rows that come in blocks: tables become numbers, rows are sorted by their part, and
 * several blocks are worked on at the same time. */
#ifndef SRI_SUMS_PASS_H
#define SRI_SUMS_PASS_H

#include "data/blocks.h"
#include "select/sample.h"

/* How rows are divided into parts: into folds by a hash of their group, or else of their inputs,
 * and the seed, so that groups and equal rows stay together, wherever and in whatever order they
 * are read; then, where that is asked for, by class: part fold * classes + class. */
typedef struct sri_parting {
    int64_t folds;
    int64_t classes; /* whose rows are parts of their own within each fold; 1: they are not    */
    double held_out; /* the share of fold 0 where there are two unequal ones; 0: all are alike */
    uint64_t seed;
} sri_parting;

static inline int64_t sri_parting_parts(const sri_parting *parting)
{
    return parting->folds * parting->classes;
}

/* How a table becomes rows. */
typedef struct sri_pass_reader {
    const sri_reader *reader;
    sri_parting parting;
    const char *weights;        /* the column of weights; NULL: none            */
    const char *group;          /* the column of groups; NULL: none             */
    const double *class_weight; /* of each class; NULL: 1                       */
    int64_t T, l;               /* targets, unpenalised terms                   */
} sri_pass_reader;

/* Rows of one block, those of a part together. */
typedef struct sri_row_block {
    sri_sample rows; /* its weights are those of the rows; NULL: all 1    */
    int64_t first;   /* the number of its first row among all             */
    int64_t *start;  /* parts + 1: where the rows of each part begin      */
} sri_row_block;

typedef struct sri_pass {
    /* Works on a block, several at the same time; `place` is its number among these. */
    specreg_status (*work)(specreg_context *ctx, void *payload, const sri_row_block *block,
                           int place);
    /* Optional: after each few blocks, which were at places 0 .. count - 1 in the order of rows. */
    specreg_status (*settle)(specreg_context *ctx, void *payload, int count);
    void *payload;
    const char *stage; /* for progress; NULL: a short pass, which belongs to the stage before it */
} sri_pass;

/* All blocks from the first row on.  *rows is the number of rows used. */
specreg_status sri_pass_run(specreg_context *ctx, const sri_pass *pass,
                            const sri_pass_reader *reader, sri_blocks *blocks, int64_t *rows);

#endif
