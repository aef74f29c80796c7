#include "select/criterion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "select/measure.h"

static const char *const names[] = {
    [SRI_CRITERION_AUTO] = "auto",
    [SRI_CRITERION_ERROR_RATE] = "error_rate",
    [SRI_CRITERION_BALANCED] = "balanced_error",
    [SRI_CRITERION_AUC] = "auc",
    [SRI_CRITERION_MSE] = "mse",
    [SRI_CRITERION_MAE] = "mae",
};
enum { CRITERIA = sizeof names / sizeof *names };

specreg_status sri_criterion_parse(specreg_context *ctx, const char *text, sri_criterion *out)
{
    for (int i = 0; i < CRITERIA; i++)
        if (strcmp(names[i], text) == 0) {
            *out = (sri_criterion)i;
            return SPECREG_OK;
        }
    return sri_fail_unknown(ctx, "criterion", text, names, CRITERIA);
}

sri_criterion sri_criterion_of(const sri_task *task)
{
    if (task->criterion != SRI_CRITERION_AUTO)
        return task->criterion;
    return task->n_classes ? SRI_CRITERION_ERROR_RATE : SRI_CRITERION_MSE;
}

const char *sri_criterion_name(sri_criterion criterion)
{
    return names[criterion];
}

specreg_status sri_criterion_check(specreg_context *ctx, const sri_task *task)
{
    const sri_criterion c = sri_criterion_of(task);
    const bool for_classes =
        c == SRI_CRITERION_ERROR_RATE || c == SRI_CRITERION_BALANCED || c == SRI_CRITERION_AUC;
    if (for_classes && !task->classes)
        return sri_fail(ctx, SPECREG_E_ARG, "criterion: %s is for classes, this is a regression",
                        names[c]);
    return SPECREG_OK;
}

double sri_criterion_shown(sri_criterion criterion, double value)
{
    return criterion == SRI_CRITERION_AUC ? -value : value;
}

bool sri_score_better(const sri_score *a, const sri_score *b)
{
    if (isnan(a->value))
        return false;
    return isnan(b->value) || a->value < b->value || (a->value == b->value && a->tie < b->tie);
}

/* ------------------------------------------------------------------- sums over rows */

/* Mean over the classes (or the one there is to tell from the other) of the area under the curve
 * of its score against all others; NaN where a class is absent. */
static specreg_status mean_auc(specreg_context *ctx, int64_t k, const double *scores,
                               const int32_t *classes, const double *weight, int64_t n, double *auc)
{
    specreg_status st = SPECREG_OK;
    double *one = NULL, area;
    SRI_ALLOC(ctx, one, n, 1);
    *auc = 0;
    for (int32_t c = k == 2 ? 1 : 0; c < k; c++) {
        for (int64_t i = 0; i < n; i++)
            one[i] = sri_class_score(scores + i * k, k, c);
        SRI_TRY(sri_measure_auc(ctx, one, classes, weight, c, n, &area));
        *auc += area / (double)(k == 2 ? 1 : k);
    }
done:
    free(one);
    return st;
}

typedef struct part { /* what the area needs of n rows */
    double *scores;   /* n x classes */
    int32_t *classes;
    double *weight;
} part;

static void part_free(part *p)
{
    free(p->weight);
    free(p->classes);
    free(p->scores);
}

/* The row's mean squared and mean absolute error. */
static void row_error(const double *f, const double *y, int64_t T, double *square, double *size)
{
    *square = *size = 0;
    for (int64_t t = 0; t < T; t++) {
        const double e = f[t] - y[t];
        *square += e * e / (double)T;
        *size += fabs(e) / (double)T;
    }
}

static void add_loss(struct sri_loss *loss, double v, double x)
{
    loss->vx += v * x;
    loss->vvx += v * v * x;
    loss->vvxx += v * v * x * x;
}

specreg_status sri_losses_add(specreg_context *ctx, const sri_task *task, const double *F,
                              int64_t ldf, const sri_truth *truth, const int64_t *rows, int64_t n,
                              sri_losses *losses)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = task->T, k = task->n_classes;
    const bool area = truth->classes && sri_criterion_of(task) == SRI_CRITERION_AUC;
    part p = {0};
    SRI_ALLOC(ctx, p.scores, truth->classes ? (area ? n : 1) : 0, k);
    SRI_ALLOC(ctx, p.classes, area ? n : 0, 1);
    SRI_ALLOC(ctx, p.weight, area ? n : 0, 1);
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = rows ? rows[i] : i;
        double square, size, v = truth->weight ? truth->weight[row] : 1;
        if (truth->classes && task->class_cost)
            v *= task->class_cost[truth->classes[row]];
        row_error(F + row * ldf, truth->Y + row * T, T, &square, &size);
        losses->v += v;
        losses->vv += v * v;
        add_loss(&losses->squared, v, square);
        add_loss(&losses->absolute, v, size);
        if (!truth->classes)
            continue;
        const int32_t said = sri_decode(task->coding, F + row * ldf, p.scores + (area ? i * k : 0));
        add_loss(&losses->wrong, v, said != truth->classes[row]);
        if (area) {
            p.classes[i] = truth->classes[row];
            p.weight[i] = v;
        }
    }
    if (area) {
        double auc;
        SRI_TRY(mean_auc(ctx, k, p.scores, p.classes, p.weight, n, &auc));
        losses->auc += isnan(auc) ? 0 : auc;
        losses->auc_parts += !isnan(auc);
    }
done:
    part_free(&p);
    return st;
}

/* ------------------------------------------------------------------- scores */

/* A weighted mean m = sum v x / sum v, and sqrt(sum v^2 (x - m)^2) / sum v; one row has no
 * spread. */
static sri_score mean_of(const sri_losses *l, const struct sri_loss *x)
{
    const double mean = x->vx / l->v, sum = x->vvxx - 2 * mean * x->vvx + mean * mean * l->vv;
    return (sri_score){.value = mean,
                       .tie = l->squared.vx / l->v,
                       .stderr_ = l->vv < l->v * l->v ? sqrt(sum > 0 ? sum : 0) / l->v : NAN,
                       .df = NAN};
}

sri_score sri_losses_score(const sri_task *task, const sri_losses *l)
{
    const sri_criterion c = sri_criterion_of(task);
    sri_score s = mean_of(l, c == SRI_CRITERION_MSE   ? &l->squared
                             : c == SRI_CRITERION_MAE ? &l->absolute
                                                      : &l->wrong);
    if (c == SRI_CRITERION_AUC) {
        s.value = l->auc_parts ? -l->auc / (double)l->auc_parts : NAN;
        s.stderr_ = NAN;
    }
    if (isnan(s.tie)) /* a prediction that is not a number says nothing by any measure */
        s.value = NAN;
    return s;
}

/* The spread of the parts' own values, as a standard error of their mean. */
static double spread(const sri_task *task, const sri_losses *losses, int64_t stride, int64_t parts)
{
    double sum = 0, sum2 = 0, count = 0;
    for (int64_t f = 0; f < parts; f++) {
        const double v = sri_losses_score(task, &losses[f * stride]).value;
        if (isnan(v)) /* a part without one of the classes has no area */
            continue;
        sum += v;
        sum2 += v * v;
        count++;
    }
    const double mean = sum / count, variance = sum2 / count - mean * mean;
    return count > 1 ? sqrt((variance > 0 ? variance : 0) / (count - 1)) : NAN;
}

static void pool_loss(struct sri_loss *all, const struct sri_loss *one)
{
    all->vx += one->vx;
    all->vvx += one->vvx;
    all->vvxx += one->vvxx;
}

sri_score sri_losses_pool(const sri_task *task, const sri_losses *losses, int64_t stride,
                          int64_t parts)
{
    sri_losses all = {0};
    for (int64_t f = 0; f < parts; f++) {
        const sri_losses *l = &losses[f * stride];
        all.v += l->v;
        all.vv += l->vv;
        pool_loss(&all.squared, &l->squared);
        pool_loss(&all.absolute, &l->absolute);
        pool_loss(&all.wrong, &l->wrong);
        all.auc += l->auc;
        all.auc_parts += l->auc_parts;
    }
    sri_score score = sri_losses_score(task, &all);
    if (parts > 1)
        score.stderr_ = spread(task, losses, stride, parts);
    return score;
}
