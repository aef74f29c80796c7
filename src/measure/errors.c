#include "measure/errors.h"

#include <math.h>
#include <stdio.h>

#include "core/memory.h"
#include "measure/columns.h"

static unsigned problem_of(const sri_comparison *p, const sri_errors_request *r)
{
    if (p->truth.classes)
        return SRI_SUITS_CLASSES;
    return SRI_SUITS_REGRESSION | (p->T > 1 || r->tasks ? SRI_SUITS_OUTPUTS : 0) |
           (r->field ? SRI_SUITS_FIELDS : 0);
}

static bool has_all(const sri_measure *m, const sri_comparison *p)
{
    return !(m->uses & SRI_USES_PROBABILITIES) || p->probability;
}

/* The measures of a report in their order that use `uses`, or ANYTHING.  Labels and scores that `p`
 * lacks are made. */
enum { ANYTHING = ~0 };
static specreg_status fill(specreg_context *ctx, sri_comparison *p, unsigned problem,
                           unsigned report, unsigned uses, sri_error_list *out)
{
    out->n = p->n;
    for (int i = 0; i < SRI_MEASURES; i++) {
        const sri_measure *m = sri_measure_at(i);
        if (!(m->suits & problem) || !(m->reports & report) || !has_all(m, p) ||
            (uses != (unsigned)ANYTHING && m->uses != uses))
            continue;
        SRI_CALL(sri_comparison_decode(ctx, m->uses, p));
        struct sri_error *e = &out->error[out->count++];
        e->measure = m;
        SRI_CALL(sri_measure_report(ctx, m, p, &e->value));
    }
    return SPECREG_OK;
}

/* The mean by weight of the targets that there are. */
static double mean_of(const sri_comparison *p, int64_t t)
{
    double sum = 0, weight = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double y = sri_row_targets(p, i)[t], v = sri_row_weight(p, i);
        if (isnan(y))
            continue;
        sum += v * y;
        weight += v;
    }
    return sum / weight;
}

static specreg_status frequent_class(specreg_context *ctx, const sri_comparison *p, int32_t *out)
{
    double *weight;
    SRI_NEW_ZERO(ctx, weight, p->n_classes, 1);
    *out = 0;
    for (int64_t i = 0; i < p->n; i++)
        weight[sri_row_class(p, i)] += sri_row_weight(p, i);
    for (int32_t c = 1; c < p->n_classes; c++)
        if (weight[c] > weight[*out])
            *out = c;
    sri_free(weight);
    return SPECREG_OK;
}

/* What a constant gets that knows the mean of these very rows, or their most frequent class: by the
 * measures that go by outputs of numbers, or by labels. */
static specreg_status fill_baseline(specreg_context *ctx, const sri_comparison *p, unsigned problem,
                                    unsigned report, sri_error_list *out)
{
    specreg_status st = SPECREG_OK;
    sri_comparison one = *p;
    int32_t class = 0;
    double *F = NULL;
    one.label = NULL;
    one.scores = one.probability = NULL;
    one.ldf = 0;
    SRI_CALLOC(ctx, F, p->T, 1);
    one.F = F;
    if (p->truth.classes) {
        SRI_ALLOC(ctx, one.label, p->n, 1);
        SRI_TRY(frequent_class(ctx, p, &class));
        for (int64_t i = 0; i < p->n; i++)
            one.label[i] = class;
    }
    for (int64_t t = 0; t < p->T && !p->truth.classes; t++)
        F[t] = mean_of(p, t);
    SRI_TRY(fill(ctx, &one, problem, report, p->truth.classes ? SRI_USES_LABELS : 0, out));
done:
    sri_comparison_free(&one);
    sri_free(F);
    return st;
}

/* Of labels that are there. */
static specreg_status find_unpredicted(specreg_context *ctx, const sri_comparison *p,
                                       char *const *label, struct sri_unpredicted *out)
{
    double *counts;
    SRI_NEW(ctx, counts, p->n_classes, p->n_classes);
    sri_confusion(p, counts);
    for (int64_t c = p->n_classes - 1; c >= 0; c--) {
        const sri_class_measure m = sri_measure_class(counts, p->n_classes, c);
        if (!(m.support > 0) || m.predicted > 0)
            continue;
        out->classes++;
        out->first = label[c];
        out->rows = 0;
        for (int64_t i = 0; i < p->n; i++)
            out->rows += sri_row_class(p, i) == c;
    }
    sri_free(counts);
    return SPECREG_OK;
}

bool sri_unpredicted_text(const sri_errors *errors, char *text, size_t size)
{
    const struct sri_unpredicted *u = &errors->unpredicted;
    if (u->classes == 1)
        snprintf(text, size,
                 "class '%s' (%lld of %lld rows) is never predicted: --class-weight balanced gives "
                 "rare classes more weight",
                 u->first, (long long)u->rows, (long long)errors->all.n);
    else if (u->classes)
        snprintf(text, size,
                 "%lld classes are never predicted, such as '%s' (%lld of %lld rows): "
                 "--class-weight balanced gives rare classes more weight",
                 (long long)u->classes, u->first, (long long)u->rows, (long long)errors->all.n);
    return u->classes > 0;
}

static specreg_status fill_outputs(specreg_context *ctx, const sri_comparison *p,
                                   const sri_target *target, sri_errors *out)
{
    SRI_NEW_ZERO(ctx, out->output, p->T, 1);
    for (int64_t t = 0; t < p->T; t++) {
        sri_comparison one = *p;
        one.F += t;
        one.truth.Y += t;
        one.T = 1;
        SRI_CALL(fill(ctx, &one, SRI_SUITS_REGRESSION, SRI_IN_EACH, ANYTHING, &out->output[t]));
        out->output[t].name = target->name[t];
        out->output[t].n = sri_errors_of_column(&one, 0).n;
    }
    out->outputs = p->T;
    return SPECREG_OK;
}

static int64_t rows_of_task(const sri_errors_request *r, int32_t task, int64_t n, int64_t *rows)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        if (r->task[i] == task)
            rows[count++] = i;
    return count;
}

static specreg_status fill_tasks(specreg_context *ctx, const sri_comparison *p,
                                 const sri_errors_request *r, sri_errors *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t tasks = r->tasks->n_classes;
    const unsigned problem = p->truth.classes ? SRI_SUITS_CLASSES : SRI_SUITS_REGRESSION;
    sri_comparison one = *p;
    int64_t *rows = NULL;
    SRI_ALLOC(ctx, rows, p->n, 1);
    SRI_CALLOC(ctx, out->task, tasks + 1, 1);
    for (int64_t t = 0; t <= tasks; t++) {
        one.label = NULL;
        one.scores = one.probability = NULL;
        one.rows = rows;
        one.n = rows_of_task(r, t < tasks ? (int32_t)t : -1, p->n, rows);
        if (one.n == 0)
            continue;
        sri_error_list *list = &out->task[out->tasks++];
        list->name = t < tasks ? r->tasks->label[t] : NULL;
        st = fill(ctx, &one, problem, SRI_IN_EACH, ANYTHING, list);
        sri_comparison_free(&one);
        SRI_TRY(st);
    }
done:
    sri_free(rows);
    return st;
}

specreg_status sri_errors_make(specreg_context *ctx, sri_comparison *p, const sri_errors_request *r,
                               sri_errors *out)
{
    specreg_status st = SPECREG_OK;
    *out = (sri_errors){0};
    SRI_TRY(fill(ctx, p, problem_of(p, r), r->report, ANYTHING, &out->all));
    SRI_TRY(fill_baseline(ctx, p, problem_of(p, r), r->report | SRI_IN_TEST, &out->baseline));
    if (r->weight) {
        sri_comparison weighed = *p;
        weighed.truth.weight = r->weight;
        SRI_TRY(fill_baseline(ctx, &weighed, problem_of(p, r), r->report | SRI_IN_TEST,
                              &out->weighted));
    }
    if (p->truth.classes && p->label)
        SRI_TRY(find_unpredicted(ctx, p, r->target->label, &out->unpredicted));
    if (!p->truth.classes && p->T > 1)
        SRI_TRY(fill_outputs(ctx, p, r->target, out));
    if (r->task)
        SRI_TRY(fill_tasks(ctx, p, r, out));
    if (p->truth.classes && r->report == SRI_IN_TEST)
        SRI_TRY(sri_class_errors_make(ctx, p, r->target->label, r->top, &out->classes));
done:
    if (st != SPECREG_OK)
        sri_errors_free(out);
    return st;
}

void sri_errors_free(sri_errors *errors)
{
    sri_class_errors_free(&errors->classes);
    sri_free(errors->task);
    sri_free(errors->output);
    *errors = (sri_errors){0};
}

/* The value by a measure; NaN where the list lacks it. */
static double value_by(const sri_error_list *errors, const sri_measure *measure)
{
    for (int i = 0; i < errors->count; i++)
        if (errors->error[i].measure == measure)
            return errors->error[i].value;
    return NAN;
}

bool sri_errors_over_folds(const sri_error_list *fold, int64_t n, const sri_measure *measure,
                           double *mean, double *deviation)
{
    double sum = 0, squares = 0;
    for (int64_t f = 0; f < n; f++) {
        if (!isfinite(value_by(&fold[f], measure)))
            return false;
        sum += value_by(&fold[f], measure);
    }
    *mean = sum / (double)n;
    for (int64_t f = 0; f < n; f++)
        squares += pow(value_by(&fold[f], measure) - *mean, 2);
    *deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
    return n > 0;
}
