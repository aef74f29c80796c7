#include "model/evaluate.h"

#include <stdlib.h>

#include "core/memory.h"
#include "model/class_report.h"
#include "model/errors.h"
#include "model/features.h"
#include "model/task_errors.h"
#include "select/measure.h"

static specreg_status errors_of(specreg_context *ctx, const specreg_model *model,
                                const sri_reader *reader, const sri_sample *d, int64_t top,
                                json_t **out)
{
    specreg_status st = SPECREG_OK;
    double *F = NULL;
    SRI_ALLOC(ctx, F, d->n, model->T);
    SRI_TRY(sri_stage(ctx, "predict", 1));
    SRI_TRY(sri_model_outputs(ctx, model, &(sri_model_rows){d->X, d->task, d->P}, F));
    const sri_task task = {.T = model->T,
                           .n_classes = reader->target->n_classes,
                           .coding = reader->coding,
                           .reader = *reader};
    SRI_TRY(sri_record_errors(ctx, &task, F, d->Y, d->classes, d->n, out));
    if (d->task)
        SRI_TRY(sri_task_errors(ctx, &task, F, d->Y, d->classes, d->task, d->n, out));
    if (model->problem == SRI_FIELD)
        sri_json_put(out, "angular_error",
                     sri_json_number(sri_measure_angle(F, d->Y, d->n, model->T)));
    if (d->classes)
        SRI_TRY(sri_class_report(ctx, model, F, d->classes, d->n, top, out));
    SRI_REQUIRE(ctx, *out, SPECREG_E_NOMEM, "out of memory");
done:
    free(F);
    return st;
}

specreg_status sri_evaluate_model(specreg_context *ctx, const sri_call *call,
                                  const specreg_model *model, const specreg_table *data,
                                  sri_evaluation *out)
{
    specreg_status st = SPECREG_OK;
    const sri_recipe *recipe = call->recipe;
    const sri_encoding *e = &model->encoding;
    const sri_predefined *terms = &model->unpenalised.terms;
    sri_sample d = {0};
    specreg_table *file = NULL;
    *out = (sri_evaluation){0};
    SRI_TRY(sri_features_read(ctx, terms, recipe->data.features_file, &file));
    const sri_reader reader = {.encoder = e->encoder,
                               .target = e->target,
                               .coding = e->coding,
                               .words = e->vocabulary,
                               .features = terms->n_terms ? terms : NULL,
                               .features_file = file,
                               .missing = recipe->data.missing,
                               .memory = recipe->resources.memory,
                               .tasks = e->tasks,
                               .known_only = sri_model_known_only(model)};
    SRI_TRY(sri_sample_read(ctx, &reader, data, &d));
    out->n = d.n;
    out->unknown = d.unknown;
    SRI_TRY(errors_of(ctx, model, &reader, &d, recipe->add.top, &out->errors));
done:
    specreg_table_free(file);
    sri_sample_free(&d);
    if (st != SPECREG_OK)
        sri_evaluation_free(out);
    return st;
}

void sri_evaluation_free(sri_evaluation *evaluation)
{
    json_decref(evaluation->errors);
    *evaluation = (sri_evaluation){0};
}
