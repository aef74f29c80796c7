/* Many centres: the predictors of a path from products alone (products.h), without sums.
 *
 * Filters made of solves with G + mass lambda I (tikhonov, iterated) go by preconditioned conjugate
 * gradients, all parameters, outputs and training sets as columns of one pass; a column leaves when
 * its residual, computed anew from its solution, is small enough.  Iterations with fixed
 * coefficients (landweber, nu) and the steps of filter cg take a pass each. */
#ifndef SRI_SUMS_CONJUGATE_H
#define SRI_SUMS_CONJUGATE_H

#include "sums/precondition.h"
#include "sums/products.h"
#include "sums/search.h"

/* The longest path of an iteration: each step is a pass over all rows. */
enum { SRI_MOST_STEPS = 1000 };

/* What such a search takes, as flops of matrix products; a kernel value counts for `value`. */
typedef struct sri_conjugate_size {
    double rows, m, columns; /* columns: parameters x outputs x training sets */
    double value;            /* kept in memory: what it takes to read it      */
    double residual;
    double solves; /* with each matrix: of iterated tikhonov its order */
    double steps;  /* of an iteration, which has no solves; 0: there are solves */
} sri_conjugate_size;

/* What a kernel value takes, in such flops: to compute it with some ten columns, and to read it. */
enum { SRI_VALUE_COMPUTED = 150, SRI_VALUE_KEPT = 50 };
/* Passes over the rows with a preconditioner from a sample of so many. */
double sri_conjugate_passes(const sri_conjugate_size *size, double sample);
/* The rows of the sample, of `most` that there are, that make for the least work. */
int64_t sri_conjugate_sample(const sri_conjugate_size *size, int64_t most);
/* All of it with the best sample. */
double sri_conjugate_flops(const sri_conjugate_size *size, int64_t most);
/* Bytes that it takes, but for kernel values that are kept. */
double sri_conjugate_bytes(double m, double columns);
/* Whether a filter is an iteration. */
bool sri_goes_by_steps(const sri_filter *filter);
/* Why a search cannot go this way; NULL: it can. */
const char *sri_conjugate_refuses(const sri_sums_spec *spec);

/* What is asked for. */
typedef struct sri_conjugate_question {
    const sri_sums_question *sums;
    sri_sample_source sample;
    int64_t sample_rows;
    double residual;        /* |h - (G + mass lambda I) x| / |h|, at most                  */
    const char *checkpoint; /* a file for the columns that are solved for; NULL: none      */
    sri_digest fingerprint; /* of what they depend on, beside the above and the products   */
} sri_conjugate_question;

/* The predictors of each set: path[0] of all rows, path[1] without part 0 and so on.  Coupled
 * outputs are apart in the products. */
specreg_status sri_conjugate_solve(specreg_context *ctx, const sri_conjugate_question *q,
                                   sri_products *products, sri_sums_path **path,
                                   sri_conjugate_facts *facts);

/* The predictors of an iteration: a pass for each step. */
specreg_status sri_steps_solve(specreg_context *ctx, const sri_sums_question *q,
                               sri_products *products, sri_sums_path **path);

/* Where a solution belongs. */
typedef struct sri_solution {
    int64_t set, point, output;
} sri_solution;

/* Coordinates X (count x r) of solutions become predictors. */
specreg_status sri_solutions_take(specreg_context *ctx, const sri_products *products,
                                  const sri_solution *of, int64_t count, const double *X,
                                  sri_sums_path **path);

#endif
