/* Columns at work in conjugate gradients, and a file of them, from which a search that was killed
 * goes on.  For conjugate.c. */
#ifndef SRI_SUMS_CG_COLUMNS_H
#define SRI_SUMS_CG_COLUMNS_H

#include "sums/checkpoint_file.h"
#include "sums/conjugate.h"

/* What a column waits for: a product with its direction, or one with its solution. */
typedef enum sri_cg_state { SRI_CG_STEPPING, SRI_CG_CHECKING, SRI_CG_DONE } sri_cg_state;

typedef struct sri_cg_column {
    int64_t set, point, output;
    double lambda, mass;
    double size;           /* |h|                                                            */
    double *b, *x, *r, *p; /* right side, solution, residual, direction                      */
    double *before, *kept; /* the solution of the solve before; that of the last check       */
    struct sri_cg_column_progress {
        double rz;                   /* r'z of the last step                                */
        double residual, worst;      /* by the last check, infinite before one; of all solves */
        int solves, steps, restarts; /* solves that remain; steps since a restart           */
        sri_cg_state state;
    } at;
} sri_cg_column;

/* Columns that are solved for together. */
typedef struct sri_cg_columns {
    const sri_conjugate_question *q;
    sri_products *products;
    const sri_sums_preconditioner *preconditioner;
    sri_arena memory;
    int64_t r, count;
    sri_cg_column *column;
    int64_t *active, n_active; /* columns that are not done                              */
    int64_t *set;              /* of the active ones                                     */
    double *X, *Y;             /* n_active x r: what products are taken of, and products */
    double *lambda, *mass;
    sri_solution *solution;
} sri_cg_columns;

/* How far the work has come. */
typedef struct sri_cg_progress {
    int64_t first, count;      /* columns that are worked on; those before them are done */
    int64_t passes;            /* over the rows                                          */
    int64_t sample, unreached; /* see sri_conjugate_facts */
    double residual;
} sri_cg_progress;

typedef struct sri_cg_checkpoint {
    sri_checkpoint_file file;
    bool goes_on; /* the file has columns, which are still to be restored */
    sri_cg_progress progress;
    sri_sums_reader reader; /* behind the progress, where the work goes on */
} sri_cg_checkpoint;

/* Opens the file of a question, or begins one, which is written at once: a path that cannot be
 * written fails before the work. */
specreg_status sri_cg_checkpoint_open(specreg_context *ctx, const sri_conjugate_question *q,
                                      const sri_products *products, sri_cg_checkpoint *out);
/* The predictors of the columns that are done and, where there are such, the columns at work
 * (NULL: none), which are of the same question. */
specreg_status sri_cg_restore(specreg_context *ctx, sri_cg_checkpoint *c, sri_cg_columns *columns,
                              int64_t sets, sri_sums_path **path);
/* Writes these, with c->progress. */
specreg_status sri_cg_keep(specreg_context *ctx, sri_cg_checkpoint *c,
                           const sri_cg_columns *columns, int64_t sets, sri_sums_path **path);
void sri_cg_checkpoint_free(sri_cg_checkpoint *c);

#endif
