#include "select/class_measure.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

void sri_measure_confusion(const int32_t *truth, const int32_t *said, int64_t n, int64_t k,
                           int64_t *counts)
{
    memset(counts, 0, (size_t)(k * k) * sizeof *counts);
    for (int64_t i = 0; i < n; i++)
        counts[truth[i] * k + said[i]]++;
}

static double share(int64_t part, int64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

sri_class_measure sri_measure_class(const int64_t *counts, int64_t k, int64_t c)
{
    sri_class_measure m = {.right = counts[c * k + c]};
    for (int64_t other = 0; other < k; other++) {
        m.support += counts[c * k + other];
        m.predicted += counts[other * k + c];
    }
    m.precision = share(m.right, m.predicted);
    m.recall = share(m.right, m.support);
    m.f1 = share(2 * m.right, m.support + m.predicted);
    return m;
}

sri_macro_measure sri_measure_macro(const int64_t *counts, int64_t k)
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

double sri_measure_top(const double *scores, const int32_t *truth, int64_t n, int64_t k,
                       int64_t top)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++)
        wrong += !is_among(scores + i * k, k, truth[i], top);
    return share(wrong, n);
}

double sri_measure_log_loss(const double *P, const int32_t *truth, int64_t n, int64_t k)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum -= log(P[i * k + truth[i]]);
    return sum / (double)n;
}
