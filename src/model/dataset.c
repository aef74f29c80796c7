#include "model/dataset.h"

#include <math.h>
#include <stdlib.h>

#include "core/json.h"
#include "core/memory.h"

/* Squared errors, by which parameters are chosen, must be numbers that can be compared. */
static specreg_status check_size(specreg_context *ctx, const sri_dataset *d)
{
    int64_t largest = 0;
    for (int64_t k = 1; k < d->n * d->T; k++)
        if (fabs(d->Y[k]) > fabs(d->Y[largest]))
            largest = k;
    const double size = fabs(d->Y[largest]);
    if (size >= 1e-140 && size <= 1e140)
        return SPECREG_OK;
    return sri_fail(ctx, SPECREG_E_NUMERIC,
                    "%s: target '%s' goes up to %g: squares of such numbers leave the range of a "
                    "double, multiply it by a constant",
                    d->table->source, d->target->name[largest % d->T], size);
}

static specreg_status make_target(specreg_context *ctx, sri_dataset *d, int64_t columns,
                                  const sri_config *config)
{
    specreg_status st = SPECREG_OK;
    const char *problem = sri_option_value(config->options, SRI_OPT_PROBLEM);
    SRI_TRY(sri_target_describe(ctx, d->table, d->column, columns, d->keep, d->n, problem,
                                &d->target));
    if (d->target->problem == SRI_REGRESSION) {
        d->T = d->target->n_columns;
        SRI_TRY(sri_target_numbers(ctx, d->target, d->table, d->column, d->keep, d->n, &d->Y));
        SRI_TRY(check_size(ctx, d));
        goto done;
    }
    d->coding = &sri_coding_ova;
    d->T = d->coding->width(d->target->n_classes);
    SRI_TRY(sri_target_classes(ctx, d->target, d->table, d->column, d->keep, d->n, false,
                               &d->classes));
    SRI_ALLOC(ctx, d->Y, d->n, d->T);
    d->coding->encode(d->classes, d->n, d->target->n_classes, d->Y);
done:
    return st;
}

specreg_status sri_dataset_make(specreg_context *ctx, const specreg_table *table,
                                const sri_config *config, sri_dataset *out)
{
    specreg_status st = SPECREG_OK;
    int64_t columns;
    *out = (sri_dataset){.table = table};
    SRI_TRY(sri_target_columns(ctx, table, sri_option_value(config->options, SRI_OPT_TARGET),
                               &out->column, &columns));
    SRI_TRY(sri_rows_usable(ctx, table, NULL, out->column, columns, config->missing, &out->keep,
                            &out->n));
    SRI_TRY(make_target(ctx, out, columns, config));
    SRI_TRY(sri_encoder_fit(ctx, table, out->keep, out->n, out->column, columns, config->scale,
                            &out->encoder));
    out->p = out->encoder->p;
    SRI_TRY(sri_encoder_apply(ctx, out->encoder, table, out->keep, out->n, config->memory,
                              &out->X));
    SRI_TRY(sri_points_new(ctx, out->X, out->n, out->p, sri_kernel_grid_indexed(&config->kernel),
                           &out->points));
done:
    if (st != SPECREG_OK)
        sri_dataset_free(out);
    return st;
}

void sri_dataset_free(sri_dataset *d)
{
    sri_points_free(d->points);
    free(d->X);
    free(d->Y);
    free(d->classes);
    sri_encoder_free(d->encoder);
    sri_target_free(d->target);
    free(d->keep);
    free(d->column);
    *d = (sri_dataset){0};
}

sri_task sri_dataset_task(const sri_dataset *d, const sri_config *config)
{
    return (sri_task){.points = d->points,
                      .Y = d->Y,
                      .n = d->n,
                      .T = d->T,
                      .classes = d->classes,
                      .n_classes = d->target->n_classes,
                      .coding = d->coding,
                      .criterion = config->criterion,
                      .reader = {.encoder = d->encoder,
                                 .target = d->target,
                                 .coding = d->coding,
                                 .missing = config->missing,
                                 .memory = config->memory},
                      .options = config->options,
                      .table_rows = d->table->rows,
                      .seed = config->seed,
                      .memory = config->memory};
}

json_t *sri_dataset_json(const sri_dataset *d)
{
    const sri_target *target = d->target;
    json_t *targets = json_array(), *columns = json_array();
    for (int64_t t = 0; t < target->n_columns; t++)
        sri_json_add(&targets, json_string(target->name[t]));
    const int64_t shown = d->encoder->n_features < 1000 ? d->encoder->n_features : 1000;
    for (int64_t i = 0; i < shown; i++)
        sri_json_add(&columns, json_string(d->encoder->feature[i].name));
    json_t *data = json_pack(
        "{s:o, s:s, s:b, s:I, s:I, s:I, s:s, s:s, s:o, s:o, s:s, s:I}", "file",
        sri_json_string(d->table->source),
        "format", d->table->format ? d->table->format : "arrays", "header",
        d->table->has_header, "n", (json_int_t)d->n, "p", (json_int_t)d->p, "outputs",
        (json_int_t)d->T, "problem",
        target->problem == SRI_REGRESSION ? "regression" : "classification", "problem_why",
        target->why, "targets", targets, "columns", columns, "scale",
        sri_scale_name(d->encoder->scale), "dropped_rows", (json_int_t)(d->table->rows - d->n));
    if (d->table->delimiter) {
        const char delimiter[2] = {d->table->delimiter, '\0'};
        sri_json_put(&data, "delimiter", json_string(delimiter));
    }
    if (target->problem == SRI_CLASSIFICATION) {
        json_t *classes = json_array(), *counts = json_array();
        for (int64_t c = 0; c < target->n_classes; c++) {
            sri_json_add(&classes, json_string(target->label[c]));
            sri_json_add(&counts, json_integer(target->count[c]));
        }
        sri_json_put(&data, "classes", classes);
        sri_json_put(&data, "class_counts", counts);
    }
    return data;
}
