/* How good a model is on labelled data. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "model/config.h"
#include "select/measure.h"
#include "model/model.h"
#include "model/record.h"

static json_t *confusion_json(const specreg_model *model, const int32_t *truth,
                              const int32_t *winner, int64_t n)
{
    const int64_t k = model->target->n_classes;
    json_t *labels = json_array(), *counts = json_array();
    for (int64_t c = 0; c < k; c++) {
        json_t *row = json_array();
        for (int64_t g = 0; g < k; g++) {
            int64_t count = 0;
            for (int64_t i = 0; i < n; i++)
                count += truth[i] == c && winner[i] == g;
            sri_json_add(&row, json_integer(count));
        }
        sri_json_add(&labels, json_string(model->target->label[c]));
        sri_json_add(&counts, row);
    }
    return json_pack("{s:o, s:o}", "labels", labels, "counts", counts);
}

/* Confusion, and for two classes the ROC curve of the second one's score. */
static specreg_status class_measures(specreg_context *ctx, const specreg_model *model,
                                     const double *F, const sri_sample *d, json_t **test)
{
    specreg_status st = SPECREG_OK;
    const int64_t k = model->target->n_classes;
    double *scores = NULL, auc;
    int32_t *winner = NULL;
    sri_roc_point *roc = NULL;
    int64_t points;
    SRI_ALLOC(ctx, scores, d->n, k);
    SRI_ALLOC(ctx, winner, d->n, 1);
    sri_model_decode(model, F, d->n, scores, winner);
    sri_json_put(test, "confusion", confusion_json(model, d->classes, winner, d->n));
    if (k != 2)
        goto done;
    SRI_TRY(sri_measure_auc(ctx, F, d->classes, NULL, 1, d->n, &auc));
    SRI_TRY(sri_measure_roc(ctx, F, d->classes, 1, d->n, &roc, &points));
    json_t *curve = json_array();
    for (int64_t i = 0; i < points; i++)
        sri_json_add(&curve, json_pack("{s:o, s:o, s:o}", "threshold",
                                               sri_json_number(roc[i].threshold), "fpr",
                                               sri_json_number(roc[i].fpr), "tpr",
                                               sri_json_number(roc[i].tpr)));
    sri_json_put(test, "auc", sri_json_number(auc));
    sri_json_put(test, "roc", curve);
done:
    free(roc);
    free(winner);
    free(scores);
    return st;
}

specreg_status specreg_evaluate(specreg_context *ctx, const specreg_model *model,
                                const specreg_table *data, const specreg_options *options,
                                char **json)
{
    specreg_status st = SPECREG_OK;
    const double start = sri_clock();
    sri_config config = {0};
    sri_sample d = {0};
    double *F = NULL;
    json_t *record = sri_record_new("eval"), *test = NULL;
    *json = NULL;
    SRI_TRY(sri_config_parse_predict(ctx, options, &config));
    const sri_reader reader = {.encoder = model->encoder,
                               .target = model->target,
                               .coding = model->coding,
                               .missing = config.missing,
                               .memory = config.memory,
                               .tasks = model->tasks};
    SRI_TRY(sri_sample_read(ctx, &reader, data, &d));
    SRI_ALLOC(ctx, F, d.n, model->T);
    SRI_TRY(sri_stage(ctx, "predict", 1));
    SRI_TRY(sri_model_outputs(ctx, model, d.X, d.task, d.n, F));
    const sri_task task = {.T = model->T,
                           .n_classes = model->target->n_classes,
                           .coding = model->coding,
                           .reader = reader};
    SRI_TRY(sri_record_errors(ctx, &task, F, d.Y, d.classes, d.n, &test));
    if (sri_model_is_field(model))
        sri_json_put(&test, "angular_error",
                     sri_json_number(sri_measure_angle(F, d.Y, d.n, model->T)));
    if (d.classes)
        SRI_TRY(class_measures(ctx, model, F, &d, &test));
    sri_json_put(&record, "data",
                 json_pack("{s:o, s:I}", "file", sri_json_string(data->source), "n",
                           (json_int_t)d.n));
    sri_json_put(&record, "kernel", json_incref(model->kernel));
    sri_json_put(&record, "filter", json_incref(json_object_get(model->record, "filter")));
    sri_json_put(&record, "seconds",
                        json_pack("{s:f, s:f}", "read", data->read_seconds, "total",
                                  sri_clock() - start + data->read_seconds));
    sri_json_put(&record, "test", json_incref(test));
    st = sri_record_text(ctx, json_incref(record), json);
done:
    json_decref(test);
    json_decref(record);
    free(F);
    sri_sample_free(&d);
    sri_config_free(&config);
    return st;
}
