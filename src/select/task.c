#include "select/task.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"

specreg_status sri_losses_add(specreg_context *ctx, const sri_task *task, const double *F,
                              int64_t ldf, const double *Y, const int32_t *classes, int64_t n,
                              sri_losses *losses)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = task->T;
    double *scores = NULL;
    if (classes)
        SRI_ALLOC(ctx, scores, task->n_classes, 1);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t t = 0; t < T; t++) {
            const double e = F[i * ldf + t] - Y[i * T + t];
            sum += e * e;
        }
        sum /= (double)T;
        losses->squared += sum;
        losses->squared2 += sum * sum;
        if (classes)
            losses->wrong +=
                sri_decode(task->coding, F + i * ldf, task->n_classes, scores) != classes[i];
    }
    losses->n += n;
done:
    free(scores);
    return st;
}

sri_score sri_losses_score(const sri_task *task, const sri_losses *losses)
{
    const double n = (double)losses->n, mse = losses->squared / n;
    if (task->classes) {
        const double rate = losses->wrong / n;
        return (sri_score){.value = rate,
                           .tie = mse,
                           .stderr_ = sqrt(rate * (1 - rate) / n),
                           .df = NAN};
    }
    const double variance = losses->squared2 / n - mse * mse;
    return (sri_score){.value = mse,
                       .tie = mse,
                       .stderr_ = sqrt((variance > 0 ? variance : 0) / n),
                       .df = NAN};
}

/* The spread of the parts' own values, as a standard error of their mean. */
static double spread(const sri_task *task, const sri_losses *losses, int64_t stride, int64_t parts)
{
    double sum = 0, sum2 = 0;
    for (int64_t f = 0; f < parts; f++) {
        const double v = sri_losses_score(task, &losses[f * stride]).value;
        sum += v;
        sum2 += v * v;
    }
    const double mean = sum / (double)parts, variance = sum2 / (double)parts - mean * mean;
    return sqrt((variance > 0 ? variance : 0) / (double)(parts - 1));
}

sri_score sri_losses_pool(const sri_task *task, const sri_losses *losses, int64_t stride,
                          int64_t parts)
{
    sri_losses all = {0};
    for (int64_t f = 0; f < parts; f++) {
        all.n += losses[f * stride].n;
        all.squared += losses[f * stride].squared;
        all.squared2 += losses[f * stride].squared2;
        all.wrong += losses[f * stride].wrong;
    }
    sri_score score = sri_losses_score(task, &all);
    if (parts > 1)
        score.stderr_ = spread(task, losses, stride, parts);
    return score;
}

bool sri_score_better(const sri_score *a, const sri_score *b)
{
    if (isnan(a->value))
        return false;
    return isnan(b->value) || a->value < b->value || (a->value == b->value && a->tie < b->tie);
}
