/* The search where there are fewer centres than rows: kernels times a whole path, judged from
 * sums. */
#ifndef SRI_SUMS_SEARCH_H
#define SRI_SUMS_SEARCH_H

#include "select/search.h"
#include "sums/accumulate.h"
#include "sums/centres.h"

struct sri_sums_candidate;

typedef struct sri_sums_spec {
    const sri_problem *problem; /* of the rows that were looked at first */
    const sri_search_spec *search;
    const sri_approx *approx; /* its m is given */
    sri_blocks *blocks;       /* all rows       */
    sri_blocks *first;      /* the rows that were looked at first: where there are many more, these
                               * judge which kernels all rows are asked about; NULL: all kernels */
    sri_pass_reader reader; /* but for its parting, which follows from the rule */
    const int64_t *number;  /* of the problem's rows in the data                */
    const bool *only; /* of each kernel of the grid: whether it comes into question; NULL: all do */
    sri_sums *given;  /* sums of every kernel, which the search takes over, in place of
                               * blocks; NULL: there are none */
    int64_t n_given;
    /* Optional: sees every kernel with its whole path, trained on all rows. */
    specreg_status (*watch)(specreg_context *ctx, void *payload,
                            const struct sri_sums_candidate *candidate);
    void *payload;
} sri_sums_spec;

/* How a search without sums went (conjugate.h). */
typedef struct sri_conjugate_facts {
    int64_t passes;    /* over the rows; 0: there were sums           */
    int64_t sample;    /* rows that the preconditioner is made of     */
    double residual;   /* the largest of all columns                  */
    int64_t unreached; /* columns whose residual is not what is asked */
} sri_conjugate_facts;

/* What a person may want to know of it. */
typedef struct sri_sums_facts {
    int64_t rows;    /* that were used          */
    int64_t looked;  /* at first                */
    int64_t m, rank; /* centres that were asked for, and that are independent */
    double captured; /* the share of the kernel's trace that they capture, of the rows looked at */
    double seconds_centres, seconds_sums, seconds_solve, seconds_second_pass;
    sri_conjugate_facts conjugate;
} sri_sums_facts;

/* Fails for rules that cannot judge by sums, and other things that do not go together. */
specreg_status sri_sums_check(specreg_context *ctx, const sri_sums_spec *spec);
/* The part of this that holds for rules of all kinds. */
specreg_status sri_approx_check(specreg_context *ctx, const sri_sums_spec *spec);
/* What the model with these coefficients leaves of the problem's targets. */
specreg_status sri_residuals_of_model(specreg_context *ctx, const sri_problem *problem,
                                      const sri_kernel *kernel, const sri_points *centres,
                                      sri_fitted *fitted);
/* The winner's coefficients are those of `centres`, which are the caller's; its residuals are
 * of the problem's rows. */
specreg_status sri_sums_search(specreg_context *ctx, const sri_sums_spec *spec,
                               sri_search_result *out, sri_points **centres, sri_sums_facts *facts);

/* The sums of every kernel over all rows, newly allocated, and digests of the blocks.  They are
 * freed also after a failure. */
specreg_status sri_sums_of_kernels(specreg_context *ctx, const sri_sums_spec *spec, sri_sums **sums,
                                   int64_t *kernels, sri_block_list *blocks);

#endif
