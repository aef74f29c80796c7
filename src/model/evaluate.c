/* How good a model is on labelled data. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "model/class_report.h"
#include "model/features.h"
#include "model/model.h"
#include "model/record.h"
#include "select/measure.h"
#include "model/task_errors.h"

specreg_status sri_evaluate_record(specreg_context *ctx, const sri_call *call,
                                   const specreg_model *model, const specreg_table *data,
                                   json_t **out)
{
    specreg_status st = SPECREG_OK;
    sri_sample d = {0};
    double *F = NULL;
    specreg_table *file = NULL;
    json_t *record = sri_record_new("eval"), *test = NULL;
    *out = NULL;
    SRI_TRY(sri_features_read(ctx, &model->features, call->recipe->data.features_file, &file));
    const sri_reader reader = {.encoder = model->encoder,
                               .target = model->target,
                               .coding = model->coding,
                               .words = model->words,
                               .features = model->features.n_terms ? &model->features : NULL,
                               .features_file = file,
                               .missing = call->recipe->data.missing,
                               .memory = call->recipe->resources.memory,
                               .tasks = model->tasks,
                               .known_only = sri_model_known_only(model)};
    SRI_TRY(sri_sample_read(ctx, &reader, data, &d));
    SRI_ALLOC(ctx, F, d.n, model->T);
    SRI_TRY(sri_stage(ctx, "predict", 1));
    SRI_TRY(sri_model_outputs(ctx, model, &(sri_model_rows){d.X, d.task, d.P}, F));
    const sri_task task = {.T = model->T,
                           .n_classes = model->target->n_classes,
                           .coding = model->coding,
                           .reader = reader};
    SRI_TRY(sri_record_errors(ctx, &task, F, d.Y, d.classes, d.n, &test));
    if (d.task)
        SRI_TRY(sri_task_errors(ctx, &task, F, d.Y, d.classes, d.task, d.n, &test));
    if (sri_model_is_field(model))
        sri_json_put(&test, "angular_error",
                     sri_json_number(sri_measure_angle(F, d.Y, d.n, model->T)));
    if (d.classes)
        SRI_TRY(sri_class_report(ctx, model, F, d.classes, d.n, call->recipe->add.top, &test));
    sri_json_put(&record, "data",
                 json_pack("{s:o, s:I}", "file", sri_json_string(data->source), "n",
                           (json_int_t)d.n));
    if (d.unknown)
        sri_record_note(&record, "%lld of %lld documents have no word that the model knows",
                        (long long)d.unknown, (long long)data->rows);
    sri_json_put(&record, "kernel", json_incref(model->kernel));
    if (json_object_get(model->record, "outputs"))
        sri_json_put(&record, "outputs", json_incref(json_object_get(model->record, "outputs")));
    sri_json_put(&record, "filter", json_incref(json_object_get(model->record, "filter")));
    if (model->coding)
        sri_json_put(&record, "coding", sri_coding_json(model->coding));
    sri_json_put(&record, "seconds",
                 json_pack("{s:f, s:f}", "read", data->read_seconds, "total",
                           sri_call_seconds(call) + data->read_seconds));
    sri_json_put(&record, "test", json_incref(test));
    SRI_REQUIRE(ctx, record, SPECREG_E_NOMEM, "out of memory");
    *out = json_incref(record);
done:
    json_decref(test);
    json_decref(record);
    free(F);
    specreg_table_free(file);
    sri_sample_free(&d);
    return st;
}

specreg_status specreg_evaluate(specreg_context *ctx, const specreg_model *model,
                                const specreg_table *data, const specreg_options *options,
                                char **json)
{
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    json_t *record = NULL;
    *json = NULL;
    SRI_TRY(sri_call_enter_predict(ctx, options, &call));
    SRI_TRY(sri_evaluate_record(ctx, &call, model, data, &record));
    st = sri_record_text(ctx, json_incref(record), json);
done:
    json_decref(record);
    sri_call_leave(&call);
    return st;
}
