#include "model/evaluate.h"

#include "core/memory.h"
#include "model/predict.h"

/* Labels, scores, and probabilities where the model has them. */
static specreg_status decode(specreg_context *ctx, const specreg_model *model, sri_comparison *p)
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

/* How many targets lie inside their intervals about F, and how wide these are. */
static specreg_status coverage_of(specreg_context *ctx, const specreg_model *model,
                                  const sri_sample *d, const sri_recipe *recipe, const double *F,
                                  struct sri_coverage *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t count = d->n * model->T;
    double *lower = NULL, *upper = NULL;
    *out =
        (struct sri_coverage){.level = recipe->add.interval, .local = recipe->add.local_interval};
    SRI_ALLOC(ctx, lower, count, 1);
    SRI_ALLOC(ctx, upper, count, 1);
    const sri_intervals wanted = {out->level, recipe->resources.memory, &d->rows.x, F, lower, upper,
                                  out->local};
    SRI_TRY(sri_interval(ctx, model, &wanted));
    for (int64_t k = 0; k < count; k++) {
        out->share += (d->Y[k] >= lower[k] && d->Y[k] <= upper[k]) / (double)count;
        out->width += (upper[k] - lower[k]) / (double)count;
    }
done:
    sri_free(upper);
    sri_free(lower);
    return st;
}

static specreg_status errors_of(specreg_context *ctx, const specreg_model *model,
                                const sri_sample *d, const sri_recipe *recipe, sri_evaluation *out)
{
    specreg_status st = SPECREG_OK;
    double *F = NULL;
    sri_comparison p = {0};
    const sri_errors_request request = {.report = SRI_IN_TEST,
                                        .field = model->problem == SRI_FIELD,
                                        .target = model->encoding.target,
                                        .tasks = model->encoding.tasks,
                                        .task = d->rows.label,
                                        .top = recipe->add.top};
    SRI_ALLOC(ctx, F, d->n, model->T);
    SRI_TRY(sri_stage(ctx, "predict", 1));
    SRI_TRY(sri_model_outputs(ctx, model, d, F));
    p = sri_compare(F, (sri_truth){d->Y, d->classes, NULL}, d->n, model->T, model->encoding.coding);
    SRI_TRY(decode(ctx, model, &p));
    SRI_TRY(sri_errors_make(ctx, &p, &request, &out->errors));
    if (recipe->add.interval > 0)
        SRI_TRY(coverage_of(ctx, model, d, recipe, F, &out->interval));
done:
    sri_comparison_free(&p);
    sri_free(F);
    return st;
}

specreg_status sri_evaluate_model(specreg_context *ctx, const sri_call *call,
                                  const specreg_model *model, const specreg_table *data,
                                  sri_evaluation *out)
{
    specreg_status st = SPECREG_OK;
    sri_sample d = {0};
    *out = (sri_evaluation){0};
    SRI_TRY(sri_check_asked(ctx, model, false, call->recipe->add.interval > 0));
    SRI_TRY(sri_model_read(ctx, model, data, call->recipe, true, &d));
    out->unknown = d.unknown;
    out->unseen = d.unseen;
    SRI_TRY(errors_of(ctx, model, &d, call->recipe, out));
done:
    sri_sample_free(&d);
    return st;
}
