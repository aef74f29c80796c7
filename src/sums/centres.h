/* Which rows are centres. */
#ifndef SRI_SUMS_CENTRES_H
#define SRI_SUMS_CENTRES_H

#include "core/spec.h"
#include "kernel/kernel.h"

/* What centres are chosen from: rows in memory. */
typedef struct sri_centre_pool {
    const sri_kernel *kernel;
    const sri_points *points;
    const int64_t *number; /* of each point: the number of its row in the data, which random choices
                            * go by, so that they do not depend on threads or files */
    uint64_t seed;
    const char *file; /* of the rule that takes one, else NULL */
} sri_centre_pool;

typedef struct sri_centre_rule {
    const char *name;
    const char *words;    /* for people                                     */
    bool looks_at_kernel; /* another kernel has other centres               */
    bool takes_file;      /* name:FILE lists rows                           */
    /* Puts *count rows into row (room for m of them), all different: fewer than m where the rest of
     * the points adds nothing. */
    specreg_status (*choose)(specreg_context *ctx, const sri_centre_pool *pool, int64_t m,
                             int64_t *row, int64_t *count);
} sri_centre_rule;

/* NULL at the end. */
const sri_centre_rule *sri_centre_rule_at(int index);

/* How fewer centres than rows take part. */
typedef enum sri_approx_kind {
    SRI_APPROX_AUTO, /* exact, unless that takes too long */
    SRI_APPROX_EXACT,
    SRI_APPROX_RECTANGLE, /* centres expand the function, all rows are fitted          */
    SRI_APPROX_SUBSET,    /* the centres are all there is                              */
    SRI_APPROX_NYSTROM,   /* the kernel matrix of all rows is replaced by one of low rank */
    SRI_APPROXES
} sri_approx_kind;

extern const char *const sri_approx_names[SRI_APPROXES];

/* How rectangle is solved. */
typedef enum sri_solver {
    SRI_SOLVER_AUTO, /* what takes less time    */
    SRI_SOLVER_SUMS, /* sums.h                  */
    SRI_SOLVER_CG,   /* conjugate.h             */
    SRI_SOLVERS
} sri_solver;

extern const char *const sri_solver_names[SRI_SOLVERS];

typedef struct sri_approx {
    sri_approx_kind kind;
    int64_t m; /* 0: automatic */
    const sri_centre_rule *centres;
    char *file;  /* of the rule that takes one, else NULL */
    bool chosen; /* by auto, where nobody asked for fewer centres than rows */
    sri_solver solver;
    double residual; /* of conjugate gradients, relative to the right side */
} sri_approx;

/* The text of --approx: auto, exact, rectangle:m=1000,centers=uniform and so on. */
specreg_status sri_approx_parse(specreg_context *ctx, const char *text, sri_approx *out);
/* The rows that it names, newly allocated and all different; more centres than rows are an error.
 * There are fewer than m where the rest of the points adds nothing. */
specreg_status sri_centres_choose(specreg_context *ctx, const sri_approx *approx,
                                  const sri_centre_pool *pool, int64_t **row, int64_t *count);
/* The rows that the file of centres lists, from 0 on and ascending, newly allocated; there are none
 * where there is no file. */
specreg_status sri_centres_listed(specreg_context *ctx, const sri_approx *approx, int64_t **row,
                                  int64_t *count);
void sri_approx_free(sri_approx *approx);

#endif
