/* Which columns matter, and how: importance by permutation, and partial dependence on those that
 * matter most. */
#include <string.h>

#include "core/memory.h"
#include "core/options.h"
#include "data/table.h"
#include "page/page.h"

enum { MOST_ROWS = 400, FEWEST_ROWS = 40, MOST_INPUTS = 60, REPEATS = 5, SHOWN = 4 };
/* Kernel values that it may take. */
static const double VALUES = 4e7;

/* What lies beside the options of the call. */
static specreg_status own_options(specreg_context *ctx, const specreg_options *options,
                                  specreg_options **out)
{
    static const char *const set[][2] = {{"columns", NULL}, {"surface", NULL}, {"criterion", NULL},
                                         {"points", NULL},  {"seed", NULL},    {"repeats", "5"}};
    SRI_CALL(sri_options_copy(ctx, options, out));
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        SRI_CALL(specreg_options_set(ctx, *out, set[i][0], set[i][1]));
    return SPECREG_OK;
}

/* Some of the rows, at equal distances. */
static specreg_status some_rows(specreg_context *ctx, const specreg_model *model,
                                const specreg_table *data, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    int64_t *row = NULL;
    const double centres = (double)(model->expansion.alpha ? model->expansion.n : 1);
    const double fit = VALUES / (centres * (double)(specreg_model_inputs(model) * REPEATS + 1));
    int64_t count = fit < FEWEST_ROWS ? FEWEST_ROWS : fit > MOST_ROWS ? MOST_ROWS : (int64_t)fit;
    count = data->rows < count ? data->rows : count;
    SRI_ALLOC(ctx, row, count, 1);
    for (int64_t k = 0; k < count; k++)
        row[k] = k * data->rows / count;
    st = specreg_table_select(ctx, data, row, count, out);
done:
    sri_free(row);
    return st;
}

/* The numbers, from 1, of the columns of a table that matter most. */
static specreg_status choose_columns(specreg_context *ctx, const specreg_importances *p,
                                     const specreg_table *data, specreg_options *options)
{
    specreg_status st = SPECREG_OK;
    sri_buffer list = {0};
    bool *taken = NULL;
    SRI_CALLOC(ctx, taken, p->columns, 1);
    for (int k = 0; k < SHOWN && k < p->columns; k++) {
        int64_t best = -1;
        for (int64_t c = 0; c < p->columns; c++)
            if (!taken[c] && (best < 0 || p->mean[c] > p->mean[best]))
                best = c;
        taken[best] = true;
        for (int64_t c = 0; c < data->n_columns; c++)
            if (strcmp(data->column[c].name, p->name[best]) == 0) {
                SRI_TRY(sri_buffer_print(ctx, &list, "%s%lld", list.length ? "," : "",
                                         (long long)c + 1));
                break;
            }
    }
    if (list.length)
        st = specreg_options_set(ctx, options, "columns", list.data);
done:
    sri_free(taken);
    sri_buffer_free(&list);
    return st;
}

static json_t *importance_json(const specreg_importances *p)
{
    json_t *json = json_object();
    sri_json_put(&json, "data", sri_json_string(p->data));
    sri_json_put(&json, "n", json_integer((json_int_t)p->rows));
    sri_json_put(&json, "repeats", json_integer((json_int_t)p->repeats));
    sri_json_put(&json, "criterion", json_string(p->criterion->name));
    sri_json_put(&json, "baseline", sri_json_number(p->baseline));
    sri_json_put(&json, "columns", sri_importance_columns(p));
    return json;
}

static specreg_status look(specreg_context *ctx, const specreg_model *model,
                           const specreg_table *rows, specreg_options *options, sri_page_said *out)
{
    specreg_status st = SPECREG_OK;
    specreg_importances *found = NULL;
    specreg_partials *curves = NULL;
    SRI_TRY(specreg_importance(ctx, model, rows, options, &found));
    out->importance = importance_json(found);
    SRI_TRY(choose_columns(ctx, found, rows, options));
    SRI_TRY(specreg_partial(ctx, model, rows, options, &curves));
    out->partial = sri_partial_curves(curves);
done:
    specreg_partials_free(curves);
    specreg_importances_free(found);
    return st;
}

specreg_status sri_page_columns(specreg_context *ctx, const specreg_model *model,
                                const specreg_table *data, const specreg_options *options,
                                sri_page_said *out, json_t **cannot)
{
    specreg_status st = SPECREG_OK;
    specreg_options *own = NULL;
    specreg_table *rows = NULL;
    if (specreg_model_inputs(model) > MOST_INPUTS) {
        sri_page_cannot(cannot,
                        "Which of %lld inputs matter is not shown; specreg importance tells.",
                        (long long)specreg_model_inputs(model));
        return st;
    }
    SRI_TRY(own_options(ctx, options, &own));
    SRI_TRY(some_rows(ctx, model, data, &rows));
    st = look(ctx, model, rows, own, out);
    if (st != SPECREG_OK && st != SPECREG_E_NOMEM && st != SPECREG_E_CANCELLED) {
        sri_page_cannot(cannot, "Which columns matter is not shown: %.400s.",
                        specreg_last_error(ctx));
        st = SPECREG_OK;
    }
done:
    specreg_table_free(rows);
    specreg_options_free(own);
    return st;
}
