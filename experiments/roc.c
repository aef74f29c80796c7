/* The ROC of scores. */
#include "roc.h"

#include <math.h>
#include <stdlib.h>

typedef struct scored {
    double score;
    bool positive;
} scored;

static int descending(const void *a, const void *b)
{
    const double x = ((const scored *)a)->score, y = ((const scored *)b)->score;
    return (x < y) - (x > y);
}

double roc_rate(int point)
{
    return pow(10.0, -3.0 + 3.0 * point / (ROC_POINTS - 1));
}

exp_roc roc_of(const double *y, const double *score, int64_t n)
{
    scored *list = cli_alloc((size_t)n, sizeof *list);
    exp_roc roc = {0};
    double positives = 0.0, hits = 0.0, alarms = 0.0;
    for (int64_t i = 0; i < n; i++) {
        list[i] = (scored){score[i], y[i] > 0};
        positives += y[i] > 0;
    }
    qsort(list, (size_t)n, sizeof *list, descending);
    const double negatives = (double)n - positives;
    for (int64_t i = 0, next; i < n; i = next) {
        double here = 0.0;
        for (next = i; next < n && list[next].score == list[i].score; next++)
            here += list[next].positive;
        const double false_here = (double)(next - i) - here;
        roc.area += false_here * (hits + 0.5 * here) / (positives * negatives);
        hits += here;
        alarms += false_here;
        for (int k = 0; k < ROC_POINTS; k++)
            if (alarms <= roc_rate(k) * negatives * (1.0 + 1e-12))
                roc.found[k] = hits / positives;
    }
    free(list);
    return roc;
}

void roc_add(exp_roc *sum, const exp_roc *one, double weight)
{
    sum->area += weight * one->area;
    for (int k = 0; k < ROC_POINTS; k++)
        sum->found[k] += weight * one->found[k];
}
