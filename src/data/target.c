#include "data/target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/arena.h"
#include "core/text.h"
#include "data/labels.h"

enum { MOST_CLASSES = 20, ROWS_PER_CLASS = 5 }; /* of whole numbers taken for classes unasked */

/* The column named y, target or label in any case, in this order; -1: there is none. */
static int64_t usual_column(const specreg_table *t, const sri_left_out *left_out)
{
    static const char *const usual[] = {"y", "target", "label"};
    for (int i = 0; i < 3; i++)
        for (int64_t c = 0; c < t->n_columns; c++)
            if (strcasecmp(t->column[c].name, usual[i]) == 0 && !(left_out && left_out[c]))
                return c;
    return -1;
}

/* That one, else the last that is free. */
int64_t sri_target_default(const specreg_table *t, const sri_aside *aside,
                           const sri_left_out *left_out)
{
    const int64_t usual = usual_column(t, left_out);
    if (usual >= 0)
        return usual;
    int64_t last = t->n_columns - 1;
    while (last > 0 && (sri_aside_has(aside, last) || (left_out && left_out[last])))
        last--;
    return last;
}

static specreg_status add_column(specreg_context *ctx, const specreg_table *t, const char *name,
                                 int64_t *columns, int64_t *count)
{
    const int64_t c = sri_table_find(ctx, t, name);
    if (c < 0)
        return SPECREG_E_ARG;
    if (sri_lists(columns, *count, c))
        return sri_fail(ctx, SPECREG_E_ARG, "%s: target column '%s' is given twice", t->source,
                        t->column[c].name);
    columns[(*count)++] = c;
    return SPECREG_OK;
}

/* The columns that a text "a,b" names; a name that itself contains commas is tried first. */
static specreg_status listed_columns(specreg_context *ctx, const specreg_table *t,
                                     const char *option, int64_t *columns, int64_t *count)
{
    specreg_status st = SPECREG_OK;
    char *list = NULL, *name;
    if (sri_table_find_name(t, option) >= 0)
        return add_column(ctx, t, option, columns, count);
    SRI_STRDUP(ctx, list, option);
    for (char *rest = list; (name = strsep(&rest, ","));)
        SRI_TRY(add_column(ctx, t, name, columns, count));
done:
    sri_free(list);
    return st;
}

specreg_status sri_target_check(specreg_context *ctx, const specreg_table *t,
                                const int64_t *columns, int64_t count, const sri_aside *aside)
{
    for (int64_t i = 0; i < count; i++)
        SRI_CHECK(ctx, !sri_aside_has(aside, columns[i]), SPECREG_E_ARG,
                  "%s: column '%s' is the target, it cannot name groups or tasks or hold the "
                  "weights too (see --target)",
                  t->source, t->column[columns[i]].name);
    SRI_CHECK(ctx, t->sparse || count + aside->count < t->n_columns, SPECREG_E_SHAPE,
              "%s has no feature columns", t->source);
    return SPECREG_OK;
}

specreg_status sri_target_columns(specreg_context *ctx, const specreg_table *t, const char *option,
                                  const sri_aside *aside, int64_t **columns, int64_t *count)
{
    specreg_status st = SPECREG_OK;
    int64_t *list = NULL;
    *columns = NULL;
    *count = 0;
    SRI_REQUIRE(ctx, t->n_columns > 0, SPECREG_E_SHAPE, "%s has no columns", t->source);
    /* No column twice, so that there are never more than the table has. */
    SRI_ALLOC(ctx, list, t->n_columns, 1);
    if (option && *option)
        SRI_TRY(listed_columns(ctx, t, option, list, count));
    else
        list[(*count)++] = sri_target_default(t, aside, NULL);
    SRI_TRY(sri_target_check(ctx, t, list, *count, aside));
    SRI_MOVE(*columns, list);
done:
    if (st != SPECREG_OK)
        *count = 0;
    sri_free(list);
    return st;
}

specreg_status sri_target_named(specreg_context *ctx, const specreg_table *t, const char *option,
                                int64_t **columns, int64_t *count)
{
    const sri_aside none = {.count = 0};
    *columns = NULL;
    *count = 0;
    if (!*option && usual_column(t, NULL) < 0)
        return t->sparse || t->n_columns > 0
                   ? SPECREG_OK
                   : sri_fail(ctx, SPECREG_E_SHAPE, "%s has no columns", t->source);
    return sri_target_columns(ctx, t, option, &none, columns, count);
}

static const char *const problems[SRI_PROBLEMS] = {[SRI_REGRESSION] = "regression",
                                                   [SRI_CLASSIFICATION] = "classification",
                                                   [SRI_FIELD] = "field",
                                                   [SRI_PROBLEM_AUTO] = "auto"};

const char *sri_problem_name(sri_problem_kind kind)
{
    return problems[kind];
}

specreg_status sri_problem_parse(specreg_context *ctx, const char *text, sri_problem_kind *out)
{
    static const char *const known[] = {"auto", "regression", "classification", "field"};
    for (int i = 0; i < SRI_PROBLEMS; i++)
        if (strcmp(text, problems[i]) == 0) {
            *out = (sri_problem_kind)i;
            return SPECREG_OK;
        }
    return sri_fail_unknown(ctx, "problem", text, known, SRI_PROBLEMS);
}

bool sri_target_doubt(const sri_target *target, char *buffer, size_t size)
{
    enum { MOST = 30 }; /* more are counts or scores, hardly classes */
    const bool classes = target->problem == SRI_CLASSIFICATION;
    if (target->whole <= 2 || target->whole > MOST)
        return false;
    snprintf(buffer, size,
             "target '%.100s' has %lld different whole numbers, taken as %s: --problem %s if they "
             "are %s; --problem %s if this is right",
             target->name[0], (long long)target->whole, classes ? "classes" : "numbers",
             classes ? "regression" : "classification", classes ? "counts or ratings" : "classes",
             classes ? "classification" : "regression");
    return true;
}

void sri_target_free(sri_target *target)
{
    if (!target)
        return;
    sri_free_list(target->name, target->n_columns);
    sri_free_list(target->label, target->n_classes);
    sri_free(target->count);
    sri_free(target->position);
    sri_free(target);
}

specreg_status sri_target_copy(specreg_context *ctx, const sri_target *target, sri_target **out)
{
    specreg_status st = SPECREG_OK;
    sri_target *t = NULL;
    *out = NULL;
    SRI_CALLOC(ctx, t, 1, 1);
    *t = *target;
    t->name = t->label = NULL;
    t->count = t->position = NULL;
    SRI_CALLOC(ctx, t->name, t->n_columns, 1);
    SRI_CALLOC(ctx, t->label, t->n_classes, 1);
    SRI_CALLOC(ctx, t->count, t->n_classes, 1);
    SRI_ALLOC(ctx, t->position, t->n_columns, 1);
    memcpy(t->position, target->position, (size_t)t->n_columns * sizeof *t->position);
    for (int64_t i = 0; i < t->n_columns; i++)
        SRI_STRDUP(ctx, t->name[i], target->name[i]);
    for (int64_t i = 0; i < t->n_classes; i++)
        SRI_STRDUP(ctx, t->label[i], target->label[i]);
    SRI_MOVE(*out, t);
done:
    sri_target_free(t);
    return st;
}

/* A number of a target column, or an error that names its place. */
static specreg_status target_number(specreg_context *ctx, const specreg_table *t, int64_t row,
                                    const sri_column *c, double *out)
{
    *out = sri_cell_number(t, row, c) + 0.0; /* -0 becomes 0 */
    if (isfinite(*out))
        return SPECREG_OK;
    return sri_fail_at_cell(ctx, SPECREG_E_NUMERIC, t, row, c->name,
                            isnan(*out) ? "value is missing (see --missing)" : "value is infinite");
}

/* The same, or NaN where it may be missing. */
static specreg_status target_or_gap(specreg_context *ctx, const sri_target *target,
                                    const specreg_table *t, int64_t row, const sri_column *c,
                                    double *out)
{
    *out = sri_cell_number(t, row, c);
    return target->gaps && isnan(*out) ? SPECREG_OK : target_number(ctx, t, row, c, out);
}

static int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The distinct values of a target column, sorted, and how often each comes. */
typedef struct distinct {
    double *value;     /* numbers: sorted; NULL for texts */
    const char **text; /* texts: strcmp order; NULL for numbers */
    int64_t *count;
    int64_t n, rows;
    bool whole; /* numbers: all of them are */
    sri_arena scratch;
} distinct;

static specreg_status distinct_numbers(specreg_context *ctx, const sri_rows *rows,
                                       const sri_column *c, distinct *d)
{
    d->whole = true;
    SRI_ARENA_NEW(ctx, &d->scratch, d->value, rows->count, 1);
    SRI_ARENA_NEW(ctx, &d->scratch, d->count, rows->count, 1);
    for (int64_t i = 0; i < rows->count; i++) {
        SRI_CALL(target_number(ctx, rows->table, rows->row[i], c, &d->value[i]));
        d->whole = d->whole && d->value[i] == rint(d->value[i]);
    }
    qsort(d->value, (size_t)rows->count, sizeof *d->value, by_number);
    for (int64_t i = 0; i < rows->count; i++) {
        if (i == 0 || d->value[i] != d->value[d->n - 1]) {
            d->value[d->n] = d->value[i];
            d->count[d->n++] = 0;
        }
        d->count[d->n - 1]++;
    }
    return SPECREG_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static specreg_status distinct_texts(specreg_context *ctx, const sri_rows *rows,
                                     const sri_column *c, distinct *d)
{
    int64_t *times; /* of each code */
    SRI_ARENA_NEW_ZERO(ctx, &d->scratch, times, c->texts.count, 1);
    SRI_ARENA_NEW(ctx, &d->scratch, d->text, c->texts.count, 1);
    SRI_ARENA_NEW(ctx, &d->scratch, d->count, c->texts.count, 1);
    for (int64_t i = 0; i < rows->count; i++) {
        const int32_t code = c->code[rows->row[i]];
        if (code < 0)
            SRI_CALL(sri_fail_at_cell(ctx, SPECREG_E_NUMERIC, rows->table, rows->row[i], c->name,
                                      "value is missing (see --missing)"));
        times[code]++;
    }
    for (int64_t k = 0; k < c->texts.count; k++)
        if (times[k] > 0)
            d->text[d->n++] = c->texts.text[k];
    qsort(d->text, (size_t)d->n, sizeof *d->text, by_text);
    for (int64_t k = 0; k < d->n; k++)
        d->count[k] = times[sri_texts_find(&c->texts, d->text[k], strlen(d->text[k]))];
    return SPECREG_OK;
}

/* Classes, unless the values say regression; `why` is for people. */
static sri_problem_kind infer(const distinct *d, char *why, size_t size)
{
    const bool few = d->whole && d->n <= MOST_CLASSES && d->rows >= ROWS_PER_CLASS * d->n;
    if (d->text)
        snprintf(why, size, "text");
    else if (d->n == 2)
        snprintf(why, size, "2 different values");
    else
        snprintf(why, size, "%lld different %snumbers", (long long)d->n, few ? "whole " : "");
    return d->text || d->n == 2 || few ? SRI_CLASSIFICATION : SRI_REGRESSION;
}

/* The problem as it was asked for, or from the values where it is auto. */
static specreg_status choose_problem(specreg_context *ctx, const specreg_table *t,
                                     const sri_column *c, sri_problem_kind asked, const distinct *d,
                                     sri_target *target)
{
    target->problem = infer(d, target->why, sizeof target->why);
    if (asked == SRI_PROBLEM_AUTO) {
        target->whole = !d->text && d->whole && d->rows >= ROWS_PER_CLASS * d->n ? d->n : 0;
        return SPECREG_OK;
    }
    target->problem = asked == SRI_CLASSIFICATION ? SRI_CLASSIFICATION : SRI_REGRESSION;
    snprintf(target->why, sizeof target->why, "as asked");
    SRI_CHECK(ctx, target->problem == SRI_CLASSIFICATION || !d->text, SPECREG_E_ARG,
              "%s: target '%s' holds text, regression needs numbers", t->source, c->name);
    return SPECREG_OK;
}

static specreg_status keep_classes(specreg_context *ctx, const distinct *d, sri_target *target)
{
    char number[32];
    SRI_NEW_ZERO(ctx, target->label, d->n, 1);
    SRI_NEW(ctx, target->count, d->n, 1);
    target->n_classes = d->n;
    for (int64_t k = 0; k < d->n; k++) {
        SRI_NEW_TEXT(ctx, target->label[k],
                     d->text ? d->text[k] : sri_format_double(d->value[k], number));
        target->count[k] = d->count[k];
    }
    return SPECREG_OK;
}

static specreg_status describe_one(specreg_context *ctx, const sri_rows *rows, int64_t column,
                                   sri_problem_kind problem, sri_target *target)
{
    specreg_status st = SPECREG_OK;
    const specreg_table *t = rows->table;
    const sri_column *c = &t->column[column];
    distinct d = {.rows = rows->count};
    char number[32];
    SRI_TRY((c->is_text ? distinct_texts : distinct_numbers)(ctx, rows, c, &d));
    SRI_TRY(choose_problem(ctx, t, c, problem, &d, target));
    SRI_REQUIRE(ctx, d.n > 1, SPECREG_E_NUMERIC,
                "%s: target '%s' is constant (%s): there is nothing to learn", t->source, c->name,
                d.text ? d.text[0] : sri_format_double(d.value[0], number));
    if (target->problem == SRI_CLASSIFICATION)
        SRI_TRY(keep_classes(ctx, &d, target));
done:
    sri_arena_free(&d.scratch);
    return st;
}

/* Several targets: regression, and at least one of them varies. */
static specreg_status describe_several(specreg_context *ctx, const sri_rows *rows,
                                       sri_problem_kind problem, sri_target *target)
{
    const specreg_table *t = rows->table;
    bool varies = false;
    SRI_CHECK(ctx, problem != SRI_CLASSIFICATION, SPECREG_E_ARG,
              "%s: classification needs one target column, %lld are given", t->source,
              (long long)target->n_columns);
    for (int64_t k = 0; k < target->n_columns; k++) {
        const sri_column *c = &t->column[target->position[k]];
        double first = NAN, y;
        SRI_CHECK(ctx, !c->is_text, SPECREG_E_ARG,
                  "%s: target '%s' holds text, several targets must be numbers", t->source,
                  c->name);
        for (int64_t i = 0; i < rows->count; i++) {
            SRI_CALL(target_or_gap(ctx, target, t, rows->row[i], c, &y));
            first = isnan(first) ? y : first;
            varies = varies || (!isnan(y) && y != first);
        }
    }
    SRI_CHECK(ctx, varies, SPECREG_E_NUMERIC,
              "%s: all targets are constant: there is nothing to learn", t->source);
    target->problem = SRI_REGRESSION;
    snprintf(target->why, sizeof target->why, "%lld target columns", (long long)target->n_columns);
    return SPECREG_OK;
}

/* The names and places of some columns, as a target without values. */
static specreg_status name_columns(specreg_context *ctx, const specreg_table *t,
                                   const sri_target_list *columns, sri_target **out)
{
    specreg_status st = SPECREG_OK;
    sri_target *target = NULL;
    SRI_CALLOC(ctx, target, 1, 1);
    SRI_CALLOC(ctx, target->name, columns->count, 1);
    target->n_columns = columns->count;
    SRI_ALLOC(ctx, target->position, columns->count, 1);
    target->gaps = columns->gaps && columns->count > 1;
    target->table_columns = t->n_columns;
    target->has_names = t->has_header;
    for (int64_t k = 0; k < columns->count; k++) {
        target->position[k] = columns->column[k];
        SRI_STRDUP(ctx, target->name[k], t->column[columns->column[k]].name);
    }
    SRI_MOVE(*out, target);
done:
    sri_target_free(target);
    return st;
}

specreg_status sri_target_carried(specreg_context *ctx, const specreg_table *t, int64_t column,
                                  const sri_aside *aside, sri_target **out)
{
    *out = NULL;
    SRI_CALL(name_columns(ctx, t, &(sri_target_list){&column, 1, false}, out));
    (*out)->aside = *aside;
    return SPECREG_OK;
}

specreg_status sri_target_describe(specreg_context *ctx, const sri_rows *rows,
                                   const sri_target_list *columns, sri_problem_kind problem,
                                   sri_target **out)
{
    specreg_status st = SPECREG_OK;
    const specreg_table *t = rows->table;
    sri_target *target = NULL;
    *out = NULL;
    SRI_REQUIRE(ctx, rows->count >= 2, SPECREG_E_NUMERIC,
                "%s has %lld%s row%s: at least two are needed", t->source, (long long)rows->count,
                rows->count < t->rows ? " complete" : "", rows->count == 1 ? "" : "s");
    SRI_TRY(name_columns(ctx, t, columns, &target));
    if (columns->count == 1)
        SRI_TRY(describe_one(ctx, rows, columns->column[0], problem, target));
    else
        SRI_TRY(describe_several(ctx, rows, problem, target));
    SRI_MOVE(*out, target);
done:
    sri_target_free(target);
    return st;
}

specreg_status sri_target_locate(specreg_context *ctx, const sri_target *target,
                                 const specreg_table *t, int64_t **columns, bool *found)
{
    specreg_status st = SPECREG_OK;
    int64_t *list = NULL;
    const bool both_named = target->has_names && t->has_header;
    const bool whole = t->n_columns == target->table_columns;
    const bool by_position =
        !both_named && (whole || t->n_columns == target->table_columns - target->aside.count);
    *columns = NULL;
    /* Names that nobody wrote (x1, x2, ...) say nothing; but the label of sparse data is y. */
    *found = by_position || t->has_header || t->sparse;
    SRI_ALLOC(ctx, list, target->n_columns, 1);
    for (int64_t k = 0; k < target->n_columns && *found; k++) {
        list[k] = !by_position ? sri_table_find_name(t, target->name[k])
                  : whole      ? target->position[k]
                               : sri_aside_place(&target->aside, target->position[k]);
        *found = list[k] >= 0 && list[k] < t->n_columns;
    }
    if (*found) {
        *columns = list;
        list = NULL;
    }
done:
    sri_free(list);
    return st;
}

specreg_status sri_target_numbers(specreg_context *ctx, const sri_target *target,
                                  const sri_rows *rows, const int64_t *columns, double **Y)
{
    specreg_status st = SPECREG_OK;
    const specreg_table *t = rows->table;
    const int64_t T = target->n_columns;
    double *y = NULL;
    *Y = NULL;
    for (int64_t k = 0; k < T; k++)
        SRI_REQUIRE(ctx, !t->column[columns[k]].is_text, SPECREG_E_SHAPE,
                    "%s: target '%s' holds text, it held numbers in training", t->source,
                    target->name[k]);
    SRI_ALLOC(ctx, y, rows->count, T);
    for (int64_t i = 0; i < rows->count; i++)
        for (int64_t k = 0; k < T; k++)
            SRI_TRY(
                target_or_gap(ctx, target, t, rows->row[i], &t->column[columns[k]], &y[i * T + k]));
    SRI_MOVE(*Y, y);
done:
    sri_free(y);
    return st;
}

static specreg_status fail_class(specreg_context *ctx, const specreg_table *t, int64_t row,
                                 const sri_column *c)
{
    char number[32];
    if (sri_table_gap(t, row, c - t->column))
        return sri_fail_at_cell(ctx, SPECREG_E_NUMERIC, t, row, c->name,
                                "value is missing (see --missing)");
    return sri_fail_at_cell(ctx, SPECREG_E_SHAPE, t, row, c->name,
                            "class '%s' was not seen in training",
                            sri_cell_text(t, row, c, number));
}

specreg_status sri_target_classes(specreg_context *ctx, const sri_target *target,
                                  const sri_rows *rows, const int64_t *columns, bool unknown_ok,
                                  int32_t **classes)
{
    specreg_status st = SPECREG_OK;
    const specreg_table *t = rows->table;
    const sri_column *c = &t->column[columns[0]];
    sri_texts texts = {0};
    sri_arena scratch = {0};
    sri_labels labels;
    int32_t *code_class, *list = NULL;
    *classes = NULL;
    SRI_TRY(sri_texts_enter(ctx, &texts, target->label, target->n_classes));
    SRI_TRY(sri_labels_make(ctx, &scratch, &texts, &labels));
    SRI_SCRATCH(ctx, &scratch, code_class, c->texts.count, 1);
    for (int64_t k = 0; k < c->texts.count; k++)
        code_class[k] = sri_labels_find_text(&labels, c->texts.text[k]);
    SRI_ALLOC(ctx, list, rows->count, 1);
    for (int64_t i = 0; i < rows->count; i++) {
        const int64_t row = rows->row[i];
        list[i] = !c->is_text        ? sri_labels_find_number(&labels, sri_cell_number(t, row, c))
                  : c->code[row] < 0 ? -1
                                     : code_class[c->code[row]];
        if (list[i] < 0 && !unknown_ok)
            SRI_TRY(fail_class(ctx, t, row, c));
    }
    SRI_MOVE(*classes, list);
done:
    sri_free(list);
    sri_arena_free(&scratch);
    sri_texts_free(&texts);
    return st;
}
