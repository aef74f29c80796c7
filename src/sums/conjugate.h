/* Many centres: the predictors of a path from products alone (products.h), without sums.
 *
 * Filters made of solves with G + mass lambda I (tikhonov, iterated) go by preconditioned conjugate
 * gradients, all parameters, outputs and training sets as columns of one pass; a column leaves when
 * its residual, computed anew from its solution, is small enough.  Iterations with fixed
 * coefficients (landweber, nu) take one pass for each step. */
#ifndef SRI_SUMS_CONJUGATE_H
#define SRI_SUMS_CONJUGATE_H

#include "sums/precondition.h"
#include "sums/products.h"
#include "sums/search.h"

/* The longest path of an iteration: each step is a pass over all rows. */
enum { SRI_MOST_STEPS = 1000 };

/* How many rows a preconditioner for m centres is made of, where there are `rows`. */
int64_t sri_conjugate_sample(int64_t m, int64_t rows);
/* Why a search cannot go this way; NULL: it can. */
const char *sri_conjugate_refuses(const sri_sums_spec *spec);

/* What is asked for. */
typedef struct sri_conjugate_question {
    const sri_sums_question *sums;
    sri_sample_source sample;
    int64_t sample_rows;
    double residual; /* |h - (G + mass lambda I) x| / |h|, at most */
} sri_conjugate_question;

/* The predictors of each set: path[0] of all rows, path[1] without part 0 and so on. */
specreg_status sri_conjugate_solve(specreg_context *ctx, const sri_conjugate_question *q,
                                   sri_products *products, sri_sums_path **path,
                                   sri_conjugate_facts *facts);

#endif
