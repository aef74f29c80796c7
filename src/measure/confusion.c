#include "measure/confusion.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

void sri_losses_wrong(const sri_comparison *p, double *x)
{
    for (int64_t i = 0; i < p->n; i++)
        x[i] = p->label[i] != sri_row_class(p, i);
}

void sri_confusion(const sri_comparison *p, double *counts)
{
    const int64_t k = p->n_classes;
    memset(counts, 0, (size_t)(k * k) * sizeof *counts);
    for (int64_t i = 0; i < p->n; i++)
        counts[sri_row_class(p, i) * k + p->label[i]] += sri_row_weight(p, i);
}

specreg_status sri_of_confusion(specreg_context *ctx, const sri_comparison *p,
                                double (*of_counts)(const double *counts, int64_t k), double *out)
{
    double *counts = NULL;
    SRI_NEW(ctx, counts, p->n_classes, p->n_classes);
    sri_confusion(p, counts);
    *out = of_counts(counts, p->n_classes);
    sri_free(counts);
    return SPECREG_OK;
}

sri_class_measure sri_measure_class(const double *counts, int64_t k, int64_t c)
{
    sri_class_measure m = {.right = counts[c * k + c]};
    for (int64_t other = 0; other < k; other++) {
        m.support += counts[c * k + other];
        m.predicted += counts[other * k + c];
    }
    m.precision = m.predicted ? m.right / m.predicted : NAN;
    m.recall = m.support ? m.right / m.support : NAN;
    m.f1 = m.support + m.predicted ? 2 * m.right / (m.support + m.predicted) : NAN;
    return m;
}

sri_macro_measure sri_measure_macro(const double *counts, int64_t k)
{
    sri_macro_measure sum = {0, 0, 0};
    double present = 0;
    for (int64_t c = 0; c < k; c++) {
        const sri_class_measure m = sri_measure_class(counts, k, c);
        if (!m.support)
            continue;
        present++;
        sum.precision += m.predicted ? m.precision : 0;
        sum.recall += m.recall;
        sum.f1 += m.f1;
    }
    return (sri_macro_measure){sum.precision / present, sum.recall / present, sum.f1 / present};
}

/* Whether class c is among the `top` largest; a score that is NaN is not. */
static bool is_among(const double *scores, int64_t k, int64_t c, int64_t top)
{
    int64_t before = 0;
    for (int64_t d = 0; d < k; d++)
        before += scores[d] > scores[c] || (scores[d] == scores[c] && d < c);
    return before < top && !isnan(scores[c]);
}

double sri_top_error(const sri_comparison *p, int64_t top)
{
    const int64_t k = p->n_classes;
    double wrong = 0, weight = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double v = sri_row_weight(p, i);
        wrong += is_among(p->scores + i * k, k, sri_row_class(p, i), top) ? 0 : v;
        weight += v;
    }
    return wrong / weight;
}
