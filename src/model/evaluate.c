#include "model/evaluate.h"

#include <string.h>

#include "core/memory.h"
#include "model/predict.h"

specreg_status sri_decode_classes(specreg_context *ctx, const specreg_model *model,
                                  sri_comparison *p)
{
    specreg_status st = SPECREG_OK;
    if (!p->truth.classes)
        return st;
    SRI_TRY(sri_comparison_decode(ctx, SRI_USES_LABELS | SRI_USES_SCORES, p));
    if (!model->uncertainty.calibration.slopes)
        goto done;
    SRI_ALLOC(ctx, p->probability, p->n, p->n_classes);
    sri_calibration_apply(&model->uncertainty.calibration, p->scores, p->n, p->n_classes,
                          p->probability);
done:
    return st;
}

/* How many targets of more rows lie inside their intervals about F, and how wide these are. */
static specreg_status add_coverage(specreg_context *ctx, const specreg_model *model,
                                   const sri_sample *d, const sri_recipe *recipe, const double *F,
                                   struct sri_coverage *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t count = d->n * model->T;
    double *lower = NULL, *upper = NULL;
    out->level = recipe->add.interval;
    out->local = recipe->add.local_interval;
    SRI_ALLOC(ctx, lower, count, 1);
    SRI_ALLOC(ctx, upper, count, 1);
    const sri_intervals wanted = {out->level, recipe->resources.memory, &d->rows.x, F, lower, upper,
                                  out->local};
    SRI_TRY(sri_interval(ctx, model, &wanted));
    for (int64_t k = 0; k < count; k++) {
        out->share += d->Y[k] >= lower[k] && d->Y[k] <= upper[k];
        out->width += upper[k] - lower[k];
    }
done:
    sri_free(upper);
    sri_free(lower);
    return st;
}

void sri_gathered_free(sri_gathered *g)
{
    sri_free(g->F);
    sri_free(g->Y);
    sri_free(g->classes);
    sri_free(g->task);
}

static specreg_status append_numbers(specreg_context *ctx, double **to, int64_t *room, int64_t n,
                                     const double *from, int64_t count)
{
    SRI_CALL(SRI_GROW(ctx, *to, *room, n + count));
    memcpy(*to + n, from, (size_t)count * sizeof *from);
    return SPECREG_OK;
}

/* NULL stays NULL. */
static specreg_status append_codes(specreg_context *ctx, int32_t **to, int64_t *room, int64_t n,
                                   const int32_t *from, int64_t count)
{
    if (!from)
        return SPECREG_OK;
    SRI_CALL(SRI_GROW(ctx, *to, *room, n + count));
    memcpy(*to + n, from, (size_t)count * sizeof *from);
    return SPECREG_OK;
}

static specreg_status gather(specreg_context *ctx, const sri_sample *d, sri_gathered *g)
{
    const int64_t T = g->model->T, n = g->n;
    SRI_CALL(SRI_GROW(ctx, g->F, g->F_room, (n + d->n) * T));
    SRI_CALL(sri_model_outputs(ctx, g->model, d, g->F + n * T));
    SRI_CALL(append_numbers(ctx, &g->Y, &g->Y_room, n * T, d->Y, d->n * T));
    SRI_CALL(append_codes(ctx, &g->classes, &g->classes_room, n, d->classes, d->n));
    SRI_CALL(append_codes(ctx, &g->task, &g->task_room, n, d->rows.label, d->n));
    g->n += d->n;
    return SPECREG_OK;
}

specreg_status sri_gather_table(specreg_context *ctx, const sri_recipe *recipe,
                                const specreg_table *data, sri_rows_how how, sri_gathered *g)
{
    specreg_status st = SPECREG_OK;
    sri_sample d = {0};
    SRI_TRY(sri_model_read(ctx, g->model, data, recipe, how, &d));
    g->out->rows += data->rows;
    g->out->unknown += d.unknown;
    sri_unseen_add(&g->out->unseen, &d.unseen);
    if (d.n == 0)
        goto done;
    SRI_TRY(gather(ctx, &d, g));
    if (recipe->add.interval > 0)
        SRI_TRY(add_coverage(ctx, g->model, &d, recipe, g->F + (g->n - d.n) * g->model->T,
                             &g->out->interval));
done:
    sri_sample_free(&d);
    return st;
}

static sri_comparison comparison_of(const sri_gathered *g)
{
    return sri_compare(g->F, (sri_truth){g->Y, g->classes, NULL}, g->n, g->model->T,
                       g->model->encoding.coding);
}

specreg_status sri_gathered_measure(specreg_context *ctx, const sri_gathered *g,
                                    const sri_measure *measure, double *value)
{
    specreg_status st = SPECREG_OK;
    sri_comparison p = comparison_of(g);
    SRI_TRY(sri_decode_classes(ctx, g->model, &p));
    SRI_TRY(sri_measure_report(ctx, measure, &p, value));
done:
    sri_comparison_free(&p);
    return st;
}

static specreg_status errors_of(specreg_context *ctx, const sri_gathered *g, int64_t top)
{
    specreg_status st = SPECREG_OK;
    const specreg_model *model = g->model;
    const sri_errors_request request = {.report = SRI_IN_TEST,
                                        .field = model->problem == SRI_FIELD,
                                        .target = model->encoding.target,
                                        .tasks = model->encoding.tasks,
                                        .task = g->task,
                                        .top = top};
    sri_comparison p = comparison_of(g);
    SRI_TRY(sri_decode_classes(ctx, model, &p));
    SRI_TRY(sri_errors_make(ctx, &p, &request, &g->out->errors));
    g->out->interval.share /= (double)(g->n * model->T);
    g->out->interval.width /= (double)(g->n * model->T);
done:
    sri_comparison_free(&p);
    return st;
}

specreg_status sri_evaluate_model(specreg_context *ctx, const sri_call *call,
                                  const specreg_model *model, const specreg_table *data,
                                  sri_evaluation *out)
{
    specreg_status st = SPECREG_OK;
    sri_gathered g = {.model = model, .out = out};
    *out = (sri_evaluation){0};
    SRI_TRY(sri_check_asked(ctx, model, false, call->recipe->add.interval > 0));
    SRI_TRY(sri_stage(ctx, "predict", 1));
    SRI_TRY(sri_gather_table(ctx, call->recipe, data, (sri_rows_how){.labelled = true}, &g));
    SRI_TRY(errors_of(ctx, &g, call->recipe->add.top));
done:
    sri_gathered_free(&g);
    return st;
}

specreg_status sri_evaluate_blocks(specreg_context *ctx, const sri_call *call,
                                   const specreg_model *model, sri_row_parts *rows,
                                   sri_evaluation *out)
{
    specreg_status st = SPECREG_OK;
    sri_gathered g = {.model = model, .out = out};
    specreg_table *part = NULL;
    int64_t before;
    *out = (sri_evaluation){0};
    SRI_TRY(sri_check_asked(ctx, model, false, call->recipe->add.interval > 0));
    SRI_TRY(sri_row_parts_stage(ctx, rows, "predict"));
    for (;; specreg_table_free(part), part = NULL) {
        SRI_TRY(sri_row_parts_next(ctx, rows, &before, &part));
        if (!part)
            break;
        const sri_rows_how how = {.labelled = true, .is_part = true, .before = before};
        SRI_TRY(sri_gather_table(ctx, call->recipe, part, how, &g));
    }
    SRI_REQUIRE(ctx, g.n > 0, SPECREG_E_SHAPE, "%s has no rows that can be used",
                sri_row_parts_name(rows));
    SRI_TRY(errors_of(ctx, &g, call->recipe->add.top));
done:
    specreg_table_free(part);
    sri_gathered_free(&g);
    return st;
}
