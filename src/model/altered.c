#include "model/altered.h"

#include <string.h>

#include "core/arena.h"
#include "data/inputs.h"
#include "data/rows.h"

enum { MOST_ROWS = 8192, FEWEST_ROWS = 256 }; /* at a time */

/* Why a model has no columns that can be changed, or NULL. */
static const char *refuses(const specreg_model *model)
{
    const sri_points *points = model->expansion.points;
    const sri_predefined *terms = &model->unpenalised.terms;
    if (model->kind != SRI_MODEL_PREDICTOR)
        return "the model gives coordinates, not predictions";
    if (model->encoding.vocabulary)
        return "the model reads documents, whose words are not columns of a table";
    if (points && points->stored == SRI_STORED_INDEX)
        return "the model's kernel matrix is given, its columns are no inputs";
    if (model->encoding.encoder->sparse)
        return "the model's inputs are sparse";
    for (int t = 0; t < terms->n_terms; t++)
        if (terms->term[t].ops->needs_file)
            return "the model has features from a file, which do not change with the columns";
    return NULL;
}

/* The sparse columns of a table as ordinary ones, named as the encoder has them, so many as it
 * has. */
static specreg_status write_out(specreg_context *ctx, const specreg_table *t, const sri_encoder *e,
                                int64_t memory, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    const int64_t p = e->n_features, there = t->sparse->p < p ? t->sparse->p : p;
    sri_arena scratch = {0};
    const char **name;
    double *X, *some;
    char number[32];
    SRI_REQUIRE(ctx, 16.0 * (double)t->rows * (double)p < (double)memory, SPECREG_E_NOMEM,
                "%s: its sparse columns, written out, do not fit the memory", t->source);
    SRI_SCRATCH_ZERO(ctx, &scratch, X, t->rows, p);
    SRI_SCRATCH(ctx, &scratch, some, t->rows, there);
    SRI_SCRATCH(ctx, &scratch, name, p, 1);
    for (int64_t j = 0; j < p; j++)
        SRI_TRY(sri_arena_text(ctx, &scratch, sri_encoder_name(e, j, number), &name[j]));
    SRI_TRY(specreg_table_numbers(ctx, t, t->n_columns, there, some, t->rows * there));
    for (int64_t i = 0; i < t->rows; i++)
        memcpy(X + i * p, some + i * there, (size_t)there * sizeof *X);
    const specreg_view view = {X, t->rows, p, p};
    SRI_TRY(specreg_table_from_arrays(ctx, &view, name, NULL, NULL, out));
done:
    sri_arena_free(&scratch);
    return st;
}

/* Sparse columns of few enough numbers as ordinary ones, after those that there are. */
static specreg_status make_dense(specreg_context *ctx, const specreg_table *t, const sri_encoder *e,
                                 int64_t memory, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    int64_t *column = NULL;
    specreg_table *made = NULL, *first = NULL;
    SRI_ALLOC(ctx, column, t->n_columns, 1);
    for (int64_t j = 0; j < t->n_columns; j++)
        column[j] = j;
    SRI_TRY(write_out(ctx, t, e, memory, &made));
    SRI_TRY(sri_table_columns(ctx, t, column, t->n_columns, &first));
    SRI_TRY(sri_table_put_first(ctx, made, first));
    made->has_header = true; /* the target is found by its name */
    sri_free(made->source);
    made->source = NULL;
    SRI_STRDUP(ctx, made->source, t->source);
    SRI_MOVE(*out, made);
done:
    specreg_table_free(first);
    specreg_table_free(made);
    sri_free(column);
    return st;
}

/* Leaves out rows with gaps, where that is what is done with them. */
static specreg_status take_rows(specreg_context *ctx, const specreg_model *model,
                                const sri_call *call, bool labelled, sri_altered *a)
{
    specreg_status st = SPECREG_OK;
    const sri_target *target = model->encoding.target;
    const specreg_table *t = a->rows;
    int64_t *column = NULL;
    sri_rows used = {0};
    specreg_table *fewer = NULL;
    bool found = true;
    if (labelled)
        SRI_TRY(sri_target_locate(ctx, target, t, &column, &found));
    SRI_REQUIRE(ctx, found, SPECREG_E_SHAPE, "%s: the target column '%s' is missing", t->source,
                target->name[0]);
    const sri_target_list targets = {column, labelled ? target->n_columns : 0,
                                     labelled && target->gaps};
    SRI_TRY(sri_rows_usable(ctx, t, model->encoding.encoder, labelled ? &targets : NULL,
                            sri_model_missing(model, call->recipe), &used));
    SRI_REQUIRE(ctx, used.count > 0, SPECREG_E_SHAPE, "%s has no rows that can be used", t->source);
    if (used.count == t->rows)
        goto done;
    sri_log(ctx, "note: %lld rows with missing values were dropped",
            (long long)(t->rows - used.count));
    SRI_TRY(specreg_table_select(ctx, t, used.row, used.count, &fewer));
    specreg_table_free(a->own);
    a->rows = a->own = fewer;
done:
    sri_free(used.row);
    sri_free(column);
    return st;
}

specreg_status sri_altered_choose(specreg_context *ctx, sri_altered *a, const specreg_model *model,
                                  const char *list)
{
    specreg_status st = SPECREG_OK;
    const int64_t features = model->encoding.encoder->n_features;
    const int64_t columns = a->rows->n_columns;
    bool *named = NULL;
    SRI_CALLOC(ctx, named, columns, 1);
    if (*list)
        SRI_TRY(sri_columns_mark(ctx, a->rows, list, named));
    for (int64_t j = 0; j < features && !*list; j++)
        named[a->column[j]] = true;
    a->chosen_count = 0;
    for (int64_t c = 0; c < columns; c++) {
        a->chosen[c] = named[c] && sri_lists(a->column, features, c);
        SRI_REQUIRE(ctx, a->chosen[c] || !named[c] || strpbrk(list, "*?[:-"), SPECREG_E_ARG,
                    "%s: column '%s' is no input of the model", a->rows->source,
                    a->rows->column[c].name);
        a->chosen_count += a->chosen[c];
    }
    SRI_REQUIRE(ctx, a->chosen_count > 0, SPECREG_E_ARG,
                "%s: none of the columns '%s' is an input of the model", a->rows->source, list);
done:
    sri_free(named);
    return st;
}

/* So many rows that their numbers, encoded, and outputs take a small part of the memory. */
static int64_t block_rows(const specreg_model *model, const specreg_table *t, int64_t memory)
{
    const double row = 8.0 * (double)(t->n_columns + 2 * model->encoding.encoder->p + 2 * model->T +
                                      2 * specreg_model_outputs(model) + 1);
    const double fit = (double)memory / 8 / row;
    const int64_t most = t->rows < MOST_ROWS ? t->rows : MOST_ROWS;
    const int64_t least = most < FEWEST_ROWS ? most : FEWEST_ROWS;
    return fit > (double)most ? most : fit < (double)least ? least : (int64_t)fit;
}

/* A table that can be pointed at parts of another one. */
static specreg_status make_part(specreg_context *ctx, sri_altered *a)
{
    const specreg_table *t = a->rows;
    a->part = *t;
    a->part.column = NULL;
    a->part.grid = NULL;
    a->part.lent.data = NULL;
    SRI_NEW(ctx, a->part.column, t->n_columns, 1);
    memcpy(a->part.column, t->column, (size_t)t->n_columns * sizeof *t->column);
    sri_table_place_numbers(&a->part, t);
    SRI_NEW(ctx, a->numbers, a->block, a->part.n_numbers);
    a->part.numbers = a->numbers;
    for (int k = 0; k < SRI_ALTERED_COLUMNS; k++)
        SRI_NEW(ctx, a->code[k], a->block, 1);
    return SPECREG_OK;
}

specreg_status sri_altered_make(specreg_context *ctx, const sri_call *call,
                                const specreg_model *model, const specreg_table *data,
                                sri_altered_how how, sri_altered *out)
{
    const int64_t memory = call->recipe->resources.memory;
    const char *why = refuses(model);
    *out = (sri_altered){.rows = data};
    SRI_CHECK(ctx, !why, SPECREG_E_UNAVAILABLE, "there are no columns to change: %s", why);
    if (data->sparse) {
        SRI_CALL(make_dense(ctx, data, model->encoding.encoder, memory, &out->own));
        out->rows = out->own;
    }
    SRI_CALL(sri_encoder_match(ctx, model->encoding.encoder, out->rows, &out->column));
    for (int64_t j = 0; data->sparse && j < model->encoding.encoder->n_features; j++)
        SRI_CHECK(ctx, out->column[j] == data->n_columns + j, SPECREG_E_UNAVAILABLE,
                  "%s: sparse columns of a model that was fitted to a table cannot be changed",
                  data->source);
    SRI_CALL(take_rows(ctx, model, call, how.labelled, out));
    SRI_NEW_ZERO(ctx, out->chosen, out->rows->n_columns, 1);
    SRI_CALL(sri_altered_choose(ctx, out, model, how.columns));
    out->block = block_rows(model, out->rows, memory);
    return make_part(ctx, out);
}

void sri_altered_free(sri_altered *a)
{
    for (int k = 0; k < SRI_ALTERED_COLUMNS; k++)
        sri_free(a->code[k]);
    sri_free(a->numbers);
    sri_free(a->part.column);
    sri_free(a->chosen);
    sri_free(a->column);
    specreg_table_free(a->own);
}

specreg_status sri_altered_stage(specreg_context *ctx, sri_altered *a, int64_t passes)
{
    int64_t steps;
    if (__builtin_mul_overflow(passes, a->rows->rows, &steps))
        steps = INT64_MAX;
    a->done = 0;
    return sri_stage(ctx, "predict", steps);
}

specreg_status sri_altered_progress(specreg_context *ctx, sri_altered *a)
{
    a->done += a->part.rows;
    return sri_progress(ctx, a->done);
}

const sri_feature *sri_altered_feature(const sri_altered *a, const specreg_model *model,
                                       int64_t column)
{
    const sri_encoder *e = model->encoding.encoder;
    for (int64_t j = 0; j < e->n_features; j++)
        if (a->column[j] == column)
            return &e->feature[j];
    return NULL;
}

/* Points the part at rows first, first + 1, ... of the table. */
static void point_at(sri_altered *a, int64_t first, int64_t count)
{
    const specreg_table *t = a->rows;
    specreg_table *p = &a->part;
    p->rows = count;
    for (int64_t c = 0; c < t->n_columns; c++)
        if (t->column[c].is_text)
            p->column[c].code = t->column[c].code + first;
    for (int64_t i = 0; i < count; i++)
        sri_table_copy_numbers(p, t, first + i, a->numbers + i * p->n_numbers);
    p->line = t->line ? t->line + first : NULL;
    p->first_line = t->first_line + (t->first_line ? first : 0);
    p->first_row = t->first_row + first;
    p->origin = t->origin ? t->origin + first : NULL;
    if (t->places) {
        a->places = *t->places;
        a->places.file += first;
        a->places.number += first;
        p->places = &a->places;
    }
}

const specreg_table *sri_altered_part(sri_altered *a, const sri_alterations *changes, int64_t first)
{
    const specreg_table *t = a->rows;
    const int64_t count = t->rows - first < a->block ? t->rows - first : a->block;
    if (count <= 0)
        return NULL;
    point_at(a, first, count);
    for (int k = 0; k < changes->count; k++) {
        const sri_alteration *change = &changes->of[k];
        const sri_column *c = &t->column[change->column];
        for (int64_t i = 0; i < count; i++) {
            const int64_t from = change->from ? change->from[first + i] : change->row;
            if (c->is_text)
                a->code[k][i] = c->code[from];
            else
                a->numbers[i * a->part.n_numbers + a->part.column[change->column].number] =
                    sri_cell_number(t, from, c);
        }
        if (c->is_text)
            a->part.column[change->column].code = a->code[k];
    }
    return &a->part;
}
