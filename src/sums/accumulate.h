/* The passes over all rows: one that adds up the sums, and one that looks at each row once more. */
#ifndef SRI_SUMS_ACCUMULATE_H
#define SRI_SUMS_ACCUMULATE_H

#include "core/digest.h"
#include "select/criterion.h"
#include "sums/collect.h"
#include "sums/coupled.h"
#include "sums/pass.h"
#include "sums/pass_checkpoint.h"
#include "sums/solve.h"
#include "sums/parts.h"
#include "sums/whiten.h"

struct sri_sums_spectrum; /* spectrum.h */

/* The rows of a problem, and the coordinates that they have. */
typedef struct sri_sums_source {
    sri_blocks *blocks;
    const sri_pass_reader *reader;
    const sri_whitening *whitening;
    sri_sums_layout at;
} sri_sums_source;

/* Digests of the blocks that were read, in their order. */
typedef struct sri_block_list {
    sri_digest *block;
    int64_t count, capacity;
} sri_block_list;

/* Adds all rows to sums that are 0; `blocks`, which may be NULL, gets their digests.  With a
 * checkpoint, which may be NULL too, the sums are those of its blocks, and the rows of these are
 * only looked at to see that they are the same. */
specreg_status sri_accumulate(specreg_context *ctx, const sri_sums_source *source, sri_sums *sums,
                              sri_block_list *blocks, sri_pass_checkpoint *checkpoint);

/* How rows are judged: those of fold f by predictors trained without it. */
typedef struct sri_second_look {
    const sri_problem *problem; /* its coding and measure                             */
    const sri_sums_parts *parts;
    const sri_sums_path *path; /* of each judged fold                                 */
    int64_t judged;            /* folds 0 .. judged - 1 are looked at                 */
    /* Leave-one-out: the path of all rows, and what 1 - H_ii is made of for each group of outputs;
     * NULL: held-out folds. */
    const struct sri_leverages *leverages;
    /* Sees the predictions F (n x (count T)) of rows first .. first + n - 1 of a block, in place of
     * their losses being added up; called by several threads.  NULL: losses are wanted. */
    void (*seen)(void *payload, const sri_row_block *block, int64_t first, int64_t n,
                 const double *F);
    void *payload;
    sri_collect *collect; /* takes predictions in place of losses; NULL: none */
} sri_second_look;

/* Adds the losses of every row: losses (judged x count), or NULL where predictions are seen. */
specreg_status sri_look_again(specreg_context *ctx, const sri_sums_source *source,
                              const sri_second_look *look, sri_losses *losses);

/* H_ii of a row with weight w is w (|S z|^2 terms + |phi-part|^2), see leverages.c.  Coupled
 * outputs have one for each of their scales, apart (coupled.h). */
typedef struct sri_leverages {
    sri_arena memory;
    int64_t r, l, count;
    const sri_coupling *coupling; /* NULL: none */
    sri_scales scales;
    double *V;                   /* (r + l) x r: coordinates (b, phi) to eigenvectors      */
    double *g;                   /* r x (scales count): a g(a s_j) / mass                  */
    double *E;                   /* (r + l) x l: coordinates (b, phi) to orthonormal terms */
    double *V_panels, *g_panels; /* V and g for many rows, see slab.h    */
} sri_leverages;
/* Of a question's path, whose filter has its step, from the decomposition of the sums of all
 * rows. */
specreg_status sri_leverages_make(specreg_context *ctx, const struct sri_sums_spectrum *sp,
                                  const sri_sums_question *question, const sri_filter *filter,
                                  sri_leverages *out);
/* How many a row has: for each scale those of all points. */
static inline int64_t sri_leverages_columns(const sri_leverages *of)
{
    return of->scales.count * of->count;
}
void sri_leverages_free(sri_leverages *leverages);
/* The same with V and g for many rows, which `memory` owns. */
specreg_status sri_leverages_pack(specreg_context *ctx, sri_arena *memory, const sri_leverages *of,
                                  sri_leverages *out);
/* h (rows x columns, padded to panels): H_ii / w_i of rows Z, whose numbers are `ld` apart. */
specreg_status sri_leverages_of(specreg_context *ctx, const sri_leverages *of, const double *Z,
                                int64_t ld, int64_t rows, double *h);

#endif
