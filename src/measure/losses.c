#include "measure/losses.h"

#include <math.h>

#include "core/memory.h"
#include "measure/calibration.h"

bool sri_score_better(const sri_score *a, const sri_score *b)
{
    if (isnan(a->value))
        return false;
    return isnan(b->value) || a->value < b->value || (a->value == b->value && a->tie < b->tie);
}

static void add_rows(const sri_comparison *p, const double *x, struct sri_loss *sum)
{
    for (int64_t i = 0; i < p->n; i++) {
        const double v = sri_row_weight(p, i);
        sum->v += v;
        sum->vv += v * v;
        sum->vx += v * x[i];
        sum->vvx += v * v * x[i];
        sum->vvxx += v * v * x[i] * x[i];
    }
}

/* Probabilities that nobody has given: calibrated on these rows, as those of a model are on its
 * held-out rows. */
static specreg_status calibrate(specreg_context *ctx, sri_comparison *p)
{
    specreg_status st = SPECREG_OK;
    int32_t *classes = NULL;
    double *weight = NULL;
    sri_calibration calibration;
    SRI_CALL(sri_comparison_decode(ctx, SRI_USES_SCORES, p));
    SRI_ALLOC(ctx, classes, p->n, 1);
    SRI_ALLOC(ctx, weight, p->n, 1);
    for (int64_t i = 0; i < p->n; i++) {
        classes[i] = sri_row_class(p, i);
        weight[i] = sri_row_weight(p, i);
    }
    const sri_scored_rows rows = {p->scores, classes,      weight,
                                  p->n,      p->n_classes, sri_coding_posterior(p->coding)};
    SRI_TRY(sri_calibration_fit(ctx, &rows, &calibration));
    if (!calibration.slopes) /* no row has scores that are numbers: all classes are as likely */
        calibration = (sri_calibration){.slopes = 1};
    SRI_ALLOC(ctx, p->probability, p->n, p->n_classes);
    sri_calibration_apply(&calibration, p->scores, p->n, p->n_classes, p->probability);
done:
    sri_free(weight);
    sri_free(classes);
    return st;
}

specreg_status sri_measure_add(specreg_context *ctx, const sri_measure *measure, sri_comparison *p,
                               sri_losses *losses)
{
    specreg_status st = SPECREG_OK;
    double *x = NULL, value;
    SRI_ALLOC(ctx, x, p->n, 1);
    SRI_TRY(sri_comparison_decode(ctx, measure->uses, p));
    if (measure->uses & SRI_USES_PROBABILITIES && !p->probability)
        SRI_TRY(calibrate(ctx, p));
    sri_measure_mse.losses(p, x);
    add_rows(p, x, &losses->squared);
    if (measure->losses) {
        measure->losses(p, x);
        add_rows(p, x, &losses->own);
    } else {
        SRI_TRY(measure->value(ctx, p, &value));
        losses->values += isnan(value) ? 0 : value;
        losses->folds += !isnan(value);
    }
done:
    sri_free(x);
    return st;
}

/* The mean m, and sqrt(sum v^2 (x - m)^2) / sum v; one row has no spread. */
static void mean_of_rows(const struct sri_loss *l, sri_score *s)
{
    const double mean = sri_loss_mean(l), sum = l->vvxx - 2 * mean * l->vvx + mean * mean * l->vv;
    s->value = mean;
    s->stderr_ = l->vv < l->v * l->v ? sqrt(sum > 0 ? sum : 0) / l->v : NAN;
}

sri_score sri_measure_score(const sri_measure *measure, const sri_losses *l)
{
    sri_score s = {.value = NAN, .tie = sri_loss_mean(&l->squared), .stderr_ = NAN, .df = NAN};
    if (measure->losses)
        mean_of_rows(&l->own, &s);
    else if (l->folds)
        s.value = l->values / (double)l->folds;
    if (measure->info.larger_is_better)
        s.value = -s.value;
    if (isnan(s.tie)) /* a prediction that is not a number has no value by any measure */
        s.value = NAN;
    return s;
}

/* The spread of the folds' own values, as a standard error of their mean. */
static double spread(const sri_measure *measure, const sri_losses *losses, int64_t stride,
                     int64_t folds)
{
    double sum = 0, sum2 = 0, count = 0;
    for (int64_t f = 0; f < folds; f++) {
        const double v = sri_measure_score(measure, &losses[f * stride]).value;
        if (isnan(v)) /* the measure is not defined for this fold, as an area without one class */
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
    all->v += one->v;
    all->vv += one->vv;
    all->vx += one->vx;
    all->vvx += one->vvx;
    all->vvxx += one->vvxx;
}

void sri_losses_join(sri_losses *all, const sri_losses *more)
{
    pool_loss(&all->squared, &more->squared);
    pool_loss(&all->own, &more->own);
    all->values += more->values;
    all->folds += more->folds;
}

sri_score sri_measure_pool(const sri_measure *measure, const sri_losses *losses, int64_t stride,
                           int64_t folds)
{
    sri_losses all = {0};
    for (int64_t f = 0; f < folds; f++)
        sri_losses_join(&all, &losses[f * stride]);
    sri_score score = sri_measure_score(measure, &all);
    if (folds > 1)
        score.stderr_ = spread(measure, losses, stride, folds);
    return score;
}
