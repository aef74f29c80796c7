/* How good a model is on labelled data. */
#include "model/evaluate.h"

#include <stdlib.h>

#include "core/memory.h"
#include "model/config.h"
#include "model/errors_record.h"
#include "model/features.h"
#include "model/record.h"

/* Labels, scores, and probabilities where the model has them. */
static specreg_status decode(specreg_context *ctx, const specreg_model *model, sri_comparison *p)
{
    specreg_status st = SPECREG_OK;
    if (!p->truth.classes)
        return st;
    SRI_TRY(sri_comparison_decode(ctx, SRI_USES_LABELS | SRI_USES_SCORES, p));
    if (!model->calibration.slopes)
        goto done;
    SRI_ALLOC(ctx, p->probability, p->n, p->n_classes);
    sri_calibration_apply(&model->calibration, p->scores, p->n, p->n_classes, p->probability);
done:
    return st;
}

static specreg_status errors_of(specreg_context *ctx, const specreg_model *model,
                                const sri_sample *d, int64_t top, sri_errors *out)
{
    specreg_status st = SPECREG_OK;
    double *F = NULL;
    sri_comparison p = {0};
    const sri_errors_request request = {.report = SRI_IN_TEST,
                                        .field = sri_model_is_field(model),
                                        .target = model->target,
                                        .tasks = model->tasks,
                                        .task = d->rows.label,
                                        .top = top};
    SRI_ALLOC(ctx, F, d->n, model->T);
    SRI_TRY(sri_stage(ctx, "predict", 1));
    const sri_model_rows rows = {d->rows.x, (int32_t *)d->rows.label, d->P};
    SRI_TRY(sri_model_outputs(ctx, model, &rows, F));
    p = sri_compare(F, (sri_truth){d->Y, d->classes, NULL}, d->n, model->T, model->coding);
    SRI_TRY(decode(ctx, model, &p));
    SRI_TRY(sri_errors_make(ctx, &p, &request, out));
done:
    sri_comparison_free(&p);
    free(F);
    return st;
}

specreg_status sri_model_errors(specreg_context *ctx, const specreg_model *model,
                                const specreg_table *data, const specreg_options *options,
                                sri_errors *out, int64_t *unknown)
{
    specreg_status st = SPECREG_OK;
    sri_config config = {0};
    sri_sample d = {0};
    specreg_table *file = NULL;
    SRI_TRY(sri_config_parse_predict(ctx, options, &config));
    SRI_TRY(sri_features_read(ctx, &model->features, options, &file));
    const sri_reader reader = {.encoder = model->encoder,
                               .target = model->target,
                               .coding = model->coding,
                               .words = model->words,
                               .features = model->features.n_terms ? &model->features : NULL,
                               .features_file = file,
                               .missing = config.missing,
                               .memory = config.memory,
                               .tasks = model->tasks,
                               .known_only = sri_model_known_only(model)};
    SRI_TRY(sri_sample_read(ctx, &reader, data, &d));
    SRI_TRY(errors_of(ctx, model, &d, config.top, out));
    *unknown = d.unknown;
done:
    specreg_table_free(file);
    sri_sample_free(&d);
    sri_config_free(&config);
    return st;
}

specreg_status specreg_evaluate(specreg_context *ctx, const specreg_model *model,
                                const specreg_table *data, const specreg_options *options,
                                char **json)
{
    specreg_status st = SPECREG_OK;
    const double start = sri_clock();
    sri_errors errors = {0};
    int64_t unknown;
    json_t *record = sri_record_new("eval");
    *json = NULL;
    SRI_TRY(sri_model_errors(ctx, model, data, options, &errors, &unknown));
    sri_json_put(&record, "data",
                 json_pack("{s:o, s:I}", "file", sri_json_string(data->source), "n",
                           (json_int_t)errors.all.n));
    if (unknown)
        sri_record_note(&record, "%lld of %lld documents have no word that the model knows",
                        (long long)unknown, (long long)data->rows);
    sri_json_put(&record, "kernel", json_incref(model->kernel));
    if (json_object_get(model->record, "outputs"))
        sri_json_put(&record, "outputs", json_incref(json_object_get(model->record, "outputs")));
    sri_json_put(&record, "filter", json_incref(json_object_get(model->record, "filter")));
    if (model->coding)
        sri_json_put(&record, "coding", sri_coding_json(model->coding));
    sri_json_put(&record, "seconds",
                 json_pack("{s:f, s:f}", "read", data->read_seconds, "total",
                           sri_clock() - start + data->read_seconds));
    sri_json_put(&record, "test", sri_errors_json(&errors));
    st = sri_record_text(ctx, json_incref(record), json);
done:
    json_decref(record);
    sri_errors_free(&errors);
    return st;
}
