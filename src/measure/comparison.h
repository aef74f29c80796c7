/* Predictions of some rows beside the truth: what every measure is computed from. */
#ifndef SRI_MEASURE_COMPARISON_H
#define SRI_MEASURE_COMPARISON_H

#include "coding/coding.h"

/* Labelled rows. */
typedef struct sri_truth {
    const double *Y;        /* n x T                     */
    const int32_t *classes; /* NULL for regression       */
    const double *weight;   /* NULL: all 1               */
} sri_truth;

typedef struct sri_comparison {
    const double *F; /* outputs, rows ldf apart */
    sri_truth truth; /* Y has rows ldy apart    */
    int64_t ldf, ldy, T;
    const int64_t *rows; /* the n rows of F and of the truth that count; NULL: 0 .. n-1 */
    int64_t n;
    const sri_coding *coding; /* NULL for regression */
    int64_t n_classes;
    const double *class_cost; /* a factor on the weight of each class; NULL: 1 */
    /* Of classes, by place 0 .. n-1 in the list of rows.  sri_comparison_decode() makes the first
     * two; probabilities are known where the caller has a calibration. */
    int32_t *label;      /* n                                */
    double *scores;      /* n x n_classes                    */
    double *probability; /* n x n_classes; NULL: not known   */
} sri_comparison;

/* What a measure uses beyond outputs and targets. */
enum { SRI_USES_LABELS = 1, SRI_USES_SCORES = 2, SRI_USES_PROBABILITIES = 4 };

static inline int64_t sri_row(const sri_comparison *p, int64_t i)
{
    return p->rows ? p->rows[i] : i;
}

static inline const double *sri_row_outputs(const sri_comparison *p, int64_t i)
{
    return p->F + sri_row(p, i) * p->ldf;
}

static inline const double *sri_row_targets(const sri_comparison *p, int64_t i)
{
    return p->truth.Y + sri_row(p, i) * p->ldy;
}

static inline int32_t sri_row_class(const sri_comparison *p, int64_t i)
{
    return p->truth.classes[sri_row(p, i)];
}

/* A row counts as often as its weight says, times its class's cost. */
static inline double sri_row_weight(const sri_comparison *p, int64_t i)
{
    const double w = p->truth.weight ? p->truth.weight[sri_row(p, i)] : 1;
    return p->truth.classes && p->class_cost ? w * p->class_cost[sri_row_class(p, i)] : w;
}

/* Whether the target y is that of an output which the row's class is left out of. */
static inline bool sri_is_left_out(const sri_comparison *p, double y)
{
    return y == 0 && p->coding && p->coding->leaves_out;
}

/* Predictions F (n x T) of rows 0 .. n-1; coding NULL: of a regression. */
static inline sri_comparison sri_compare(const double *F, sri_truth truth, int64_t n, int64_t T,
                                         const sri_coding *coding)
{
    return (sri_comparison){.F = F,
                            .truth = truth,
                            .ldf = T,
                            .ldy = T,
                            .T = T,
                            .n = n,
                            .coding = coding,
                            .n_classes = coding ? coding->n_classes : 0};
}

/* Makes the labels and scores that `uses` asks for and that are not there yet. */
specreg_status sri_comparison_decode(specreg_context *ctx, unsigned uses, sri_comparison *p);
/* Frees labels, scores and probabilities. */
void sri_comparison_free(sri_comparison *p);

#endif
