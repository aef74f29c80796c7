/* What every call that learns begins with: a recipe and a table become a problem and its
 * kernels. */
#ifndef SRI_MODEL_PREPARE_H
#define SRI_MODEL_PREPARE_H

#include "model/dataset.h"

/* Members point to each other: it stays where it was made.  It is freed also after a failure. */
/* Rows without targets. */
typedef struct sri_semi {
    sri_unlabelled unlabelled;
    sri_extension *extension; /* NULL: there are none */
    double *score;            /* of each strength of the graph, where there are several */
    int64_t chosen;
} sri_semi;

typedef struct sri_prepared {
    const sri_call *call;
    sri_corpus corpus;
    sri_dataset data;
    sri_kernel_grid grid; /* the recipe's, with couplings, and with widths once it is resolved */
    sri_problem problem;
    sri_rule rule; /* the recipe's, `auto` resolved; its path is the recipe's */
    sri_search_spec spec;
    sri_semi semi;
    bool families_left; /* comparing automatic families would take too long */
    int64_t rows;       /* of the data, for plans, where the problem has a sample of them; else 0 */
} sri_prepared;

/* Documents become inputs, columns X and Y, rows points. */
specreg_status sri_prepare(specreg_context *ctx, const sri_call *call, const specreg_table *table,
                           sri_prepared *out);
/* The same without the constant that nobody asked for. */
specreg_status sri_prepare_kernel(specreg_context *ctx, const sri_call *call,
                                  const specreg_table *table, sri_prepared *out);
/* The rows alone, with their targets: no inputs and no kernels. */
specreg_status sri_prepare_rows(specreg_context *ctx, const sri_call *call,
                                const specreg_table *table, sri_prepared *out);
/* The inputs and their points, of a table that needs no target. */
specreg_status sri_prepare_inputs(specreg_context *ctx, const sri_call *call,
                                  const specreg_table *table, sri_prepared *out);
/* Fills in the widths of kernels that the data decide. */
specreg_status sri_prepare_kernels(specreg_context *ctx, sri_prepared *p);
/* The same, the selection rule, and the search itself: p->spec. */
specreg_status sri_prepare_search(specreg_context *ctx, sri_prepared *p);
/* The same for fewer centres than rows: one kernel family, and a rule that judges by sums. */
specreg_status sri_prepare_sums(specreg_context *ctx, sri_prepared *p);
/* What the search takes, and a kernel value or a product, by the rates of a nominal computer,
 * which are the same everywhere; infinite where it does not fit the memory. */
specreg_status sri_prepare_nominal_seconds(specreg_context *ctx, sri_prepared *p, double *seconds);
sri_rates sri_prepare_nominal_rates(void);
/* Tells the user's callback what is prepared, with or without its plan.  `rows` are those of the
 * data, of which all or some were prepared. */
specreg_status sri_prepared_announce(specreg_context *ctx, sri_prepared *p, int64_t rows,
                                     bool plan);
void sri_prepared_free(sri_prepared *p);

#endif
