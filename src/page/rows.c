/* Rows with what a model says of them: those that a model file keeps, or those of a table. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "model/call.h"
#include "model/evaluate.h"
#include "model/predict.h"
#include "page/page.h"

enum { MOST_ROWS = 2000, FEWEST_ROWS = 50, MOST_NUMBERS = 60000, MOST_SCORES = 60 };

void sri_page_rows_free(sri_page_rows *rows)
{
    sri_free(rows->number);
    sri_free(rows->F);
    sri_free(rows->Y);
    sri_free(rows->classes);
    sri_free(rows->lower);
    sri_free(rows->upper);
    *rows = (sri_page_rows){0};
}

static specreg_status new_rows(specreg_context *ctx, const specreg_model *model, int64_t n,
                               sri_page_rows *out)
{
    out->n = n;
    out->T = model->T;
    SRI_NEW(ctx, out->number, n, 1);
    SRI_NEW(ctx, out->F, n, out->T);
    SRI_NEW(ctx, out->Y, n, out->T);
    if (model->encoding.coding)
        SRI_NEW(ctx, out->classes, n, 1);
    return SPECREG_OK;
}

/* `list` has T lists of n finite numbers; v (n x T). */
static bool take_columns(const json_t *list, int64_t n, int64_t T, double *v)
{
    if (!json_is_array(list) || (int64_t)json_array_size(list) != T)
        return false;
    for (int64_t t = 0; t < T; t++) {
        const json_t *column = json_array_get(list, (size_t)t);
        if (!json_is_array(column) || (int64_t)json_array_size(column) != n)
            return false;
        for (int64_t i = 0; i < n; i++) {
            const json_t *x = json_array_get(column, (size_t)i);
            v[i * T + t] = json_number_value(x);
            if (!json_is_number(x) || !isfinite(v[i * T + t]))
                return false;
        }
    }
    return true;
}

static bool take_codes(const json_t *list, int64_t n, int64_t classes, int32_t *v)
{
    if (!json_is_array(list) || (int64_t)json_array_size(list) != n)
        return false;
    for (int64_t i = 0; i < n; i++) {
        const json_t *x = json_array_get(list, (size_t)i);
        if (!json_is_integer(x) || json_integer_value(x) < 0 || json_integer_value(x) >= classes)
            return false;
        v[i] = (int32_t)json_integer_value(x);
    }
    return true;
}

static const char *known_way(const json_t *by)
{
    static const char *const ways[] = {"loo", "kfold", "train"};
    const char *text = json_string_value(by);
    for (int i = 0; text && i < 3; i++)
        if (strcmp(text, ways[i]) == 0)
            return ways[i];
    return NULL;
}

specreg_status sri_page_rows_read(specreg_context *ctx, const specreg_model *model,
                                  const json_t *held, sri_page_rows *out, bool *fits)
{
    const json_t *rows = json_object_get(held, "rows"), *all = json_object_get(held, "n");
    const int64_t n = (int64_t)json_array_size(rows);
    *out = (sri_page_rows){.by = known_way(json_object_get(held, "by"))};
    *fits = false;
    if (!out->by || !json_is_array(rows) || n < 1 || n > MOST_NUMBERS || !json_is_integer(all) ||
        json_integer_value(all) < n)
        return SPECREG_OK;
    out->all = json_integer_value(all);
    SRI_CALL(new_rows(ctx, model, n, out));
    for (int64_t i = 0; i < n; i++) {
        const json_t *number = json_array_get(rows, (size_t)i);
        out->number[i] = json_integer_value(number);
        if (!json_is_integer(number) || out->number[i] < 1)
            return SPECREG_OK;
    }
    if (!take_columns(json_object_get(held, "outputs"), n, model->T, out->F))
        return SPECREG_OK;
    if (model->encoding.coding) {
        *fits = take_codes(json_object_get(held, "classes"), n, model->encoding.target->n_classes,
                           out->classes);
        if (*fits)
            sri_encode(model->encoding.coding, out->classes, n, out->Y);
        return SPECREG_OK;
    }
    *fits = take_columns(json_object_get(held, "targets"), n, model->T, out->Y);
    return SPECREG_OK;
}

/* Intervals, where the model has what they take. */
static specreg_status find_intervals(specreg_context *ctx, const specreg_model *model,
                                     const sri_call *call, const sri_sample *d, const double *F,
                                     sri_page_rows *out)
{
    static const double USUAL = 0.9;
    specreg_status st = SPECREG_OK;
    const sri_recipe *recipe = call->recipe;
    const int64_t T = model->T;
    double *lower = NULL, *upper = NULL;
    if (model->encoding.coding || (!model->uncertainty.held_out && !model->uncertainty.sample))
        return st;
    out->level = recipe->add.interval > 0 ? recipe->add.interval : USUAL;
    SRI_ALLOC(ctx, lower, d->n, T);
    SRI_ALLOC(ctx, upper, d->n, T);
    const sri_intervals wanted = {out->level, recipe->resources.memory,  &d->rows.x, F, lower,
                                  upper,      recipe->add.local_interval};
    SRI_TRY(sri_interval(ctx, model, &wanted));
    SRI_ALLOC(ctx, out->lower, out->n, T);
    SRI_ALLOC(ctx, out->upper, out->n, T);
    for (int64_t k = 0; k < out->n * T; k++) {
        const int64_t i = k / T * d->n / out->n * T + k % T;
        out->lower[k] = lower[i];
        out->upper[k] = upper[i];
    }
done:
    sri_free(upper);
    sri_free(lower);
    return st;
}

specreg_status sri_page_rows_score(specreg_context *ctx, const specreg_model *model,
                                   const specreg_table *data, const specreg_options *options,
                                   sri_page_rows *out)
{
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_sample d = {0};
    double *F = NULL;
    const int64_t T = model->T;
    *out = (sri_page_rows){.by = "file"};
    SRI_TRY(sri_call_enter_predict(ctx, options, &call));
    SRI_TRY(sri_model_read(ctx, model, data, call.recipe, (sri_rows_how){.labelled = true}, &d));
    SRI_ALLOC(ctx, F, d.n, T);
    SRI_TRY(sri_model_outputs(ctx, model, &d, F));
    int64_t most = MOST_NUMBERS / T;
    most = most < FEWEST_ROWS ? FEWEST_ROWS : most > MOST_ROWS ? MOST_ROWS : most;
    out->all = d.n;
    SRI_TRY(new_rows(ctx, model, d.n < most ? d.n : most, out));
    for (int64_t k = 0; k < out->n; k++) {
        const int64_t i = k * d.n / out->n;
        out->number[k] = (d.row ? d.row[i] : i) + 1;
        memcpy(out->F + k * T, F + i * T, (size_t)T * sizeof *F);
        memcpy(out->Y + k * T, d.Y + i * T, (size_t)T * sizeof *F);
        if (out->classes)
            out->classes[k] = d.classes[i];
    }
    st = find_intervals(ctx, model, &call, &d, F, out);
    if (st == SPECREG_E_UNAVAILABLE || st == SPECREG_E_NUMERIC) /* the page goes without them */
        st = SPECREG_OK;
done:
    sri_free(F);
    sri_sample_free(&d);
    sri_call_leave(&call);
    return st;
}

/* A list for each of T columns. */
static json_t *columns_json(const double *v, int64_t n, int64_t T)
{
    json_t *all = json_array();
    for (int64_t t = 0; t < T; t++) {
        json_t *one = json_array();
        for (int64_t i = 0; i < n; i++)
            sri_json_add(&one, sri_json_number(v[i * T + t]));
        sri_json_add(&all, one);
    }
    return all;
}

/* A list for each row. */
static json_t *rows_json(const double *v, int64_t n, int64_t k)
{
    json_t *all = json_array();
    for (int64_t i = 0; i < n; i++)
        sri_json_add(&all, sri_numbers_json(v + i * k, k));
    return all;
}

static json_t *codes_json(const int32_t *v, int64_t n)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < n; i++)
        sri_json_add(&list, json_integer(v[i]));
    return list;
}

static sri_comparison compare(const specreg_model *model, const sri_page_rows *rows)
{
    return sri_compare(rows->F, (sri_truth){rows->Y, rows->classes, NULL}, rows->n, rows->T,
                       model->encoding.coding);
}

static void put_classes(const specreg_model *model, const sri_comparison *p, json_t **json)
{
    const sri_target *target = model->encoding.target;
    sri_json_put(json, "labels", sri_texts_json(target->label, target->n_classes));
    sri_json_put(json, "true", codes_json(p->truth.classes, p->n));
    sri_json_put(json, "label", codes_json(p->label, p->n));
    if (p->n_classes <= MOST_SCORES)
        sri_json_put(json, "scores", rows_json(p->scores, p->n, p->n_classes));
    sri_json_put(json, "probability",
                 p->probability && p->n_classes <= MOST_SCORES
                     ? rows_json(p->probability, p->n, p->n_classes)
                     : json_null());
}

specreg_status sri_page_rows_json(specreg_context *ctx, const specreg_model *model,
                                  const sri_page_rows *rows, json_t **out)
{
    specreg_status st = SPECREG_OK;
    const sri_target *target = model->encoding.target;
    sri_comparison p = compare(model, rows);
    json_t *json = json_object();
    SRI_TRY(sri_decode_classes(ctx, model, &p));
    sri_json_put(&json, "by", json_string(rows->by));
    sri_json_put(&json, "n", json_integer((json_int_t)rows->all));
    sri_json_put(&json, "rows", sri_integers_json(rows->number, rows->n));
    if (rows->classes) {
        put_classes(model, &p, &json);
    } else {
        sri_json_put(&json, "targets", sri_texts_json(target->name, target->n_columns));
        sri_json_put(&json, "measured", columns_json(rows->Y, rows->n, rows->T));
        sri_json_put(&json, "predicted", columns_json(rows->F, rows->n, rows->T));
    }
    if (rows->lower) {
        sri_json_put(&json, "level", json_real(rows->level));
        sri_json_put(&json, "lower", columns_json(rows->lower, rows->n, rows->T));
        sri_json_put(&json, "upper", columns_json(rows->upper, rows->n, rows->T));
    }
    SRI_MOVE(*out, json);
    st = *out ? SPECREG_OK : sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
done:
    json_decref(json);
    sri_comparison_free(&p);
    return st;
}

specreg_status sri_page_rows_errors(specreg_context *ctx, const specreg_model *model,
                                    const sri_page_rows *rows, json_t **out)
{
    specreg_status st = SPECREG_OK;
    sri_comparison p = compare(model, rows);
    sri_errors errors = {0};
    const sri_errors_request request = {.report = SRI_IN_TEST,
                                        .field = model->problem == SRI_FIELD,
                                        .target = model->encoding.target};
    SRI_TRY(sri_decode_classes(ctx, model, &p));
    SRI_TRY(sri_errors_make(ctx, &p, &request, &errors));
    json_t *json = sri_record_new("eval");
    sri_json_put(&json, "data",
                 json_pack("{s:n, s:I, s:s}", "file", "n", (json_int_t)rows->n, "by", rows->by));
    sri_json_put(&json, "test", sri_errors_json(&errors));
    *out = json;
    st = json ? SPECREG_OK : sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
done:
    sri_errors_free(&errors);
    sri_comparison_free(&p);
    return st;
}
