#include "data/weights.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/spec.h"
#include "core/text.h"
#include "data/labels.h"

/* A weight, or an error that says what it is instead. */
static specreg_status weight_at(specreg_context *ctx, const specreg_table *t, int64_t row,
                                const sri_column *c, double *out)
{
    char number[32];
    if (sri_table_gap(t, row, c - t->column))
        return sri_fail_at_cell(ctx, SPECREG_E_NUMERIC, t, row, c->name, "the weight is missing");
    const char *text = sri_cell_text(t, row, c, number);
    if (!c->is_text)
        *out = sri_cell_number(t, row, c);
    else if (!sri_parse_double(text, strlen(text), out)) /* --categorical makes texts of numbers */
        *out = NAN;
    if (isfinite(*out) && *out >= 0)
        return SPECREG_OK;
    return sri_fail_at_cell(ctx, SPECREG_E_NUMERIC, t, row, c->name,
                            "'%s' is not a weight, 0 or greater", text);
}

specreg_status sri_weights_read(specreg_context *ctx, const specreg_table *t, int64_t column,
                                double **weight)
{
    specreg_status st = SPECREG_OK;
    const sri_column *c = &t->column[column];
    double *w = NULL;
    int64_t positive = 0;
    *weight = NULL;
    SRI_ALLOC(ctx, w, t->rows, 1);
    for (int64_t i = 0; i < t->rows; i++) {
        SRI_TRY(weight_at(ctx, t, i, c, &w[i]));
        positive += w[i] > 0;
    }
    SRI_REQUIRE(ctx, positive >= 2, SPECREG_E_NUMERIC,
                "%s: column '%s': %lld row%s a positive weight: at least two are needed", t->source,
                c->name, (long long)positive, positive == 1 ? " has" : "s have");
    SRI_MOVE(*weight, w);
done:
    sri_free(w);
    return st;
}

/* n / (classes n_c): each class has the same weight in sum, all rows n. */
static void balance(const sri_target *target, double *weight)
{
    double n = 0;
    for (int64_t c = 0; c < target->n_classes; c++)
        n += (double)target->count[c];
    for (int64_t c = 0; c < target->n_classes; c++)
        weight[c] = n / ((double)target->n_classes * (double)target->count[c]);
}

/* One LABEL=W; the label may have an equal sign of its own.  `weight` is NaN where none is set. */
static specreg_status set_weight(specreg_context *ctx, const sri_target *target,
                                 const sri_labels *labels, char *pair, double *weight)
{
    enum { MOST = 20 }; /* classes to be listed */
    char *equals = strrchr(pair, '='), what[160];
    double w;
    SRI_CHECK(ctx, equals, SPECREG_E_ARG, "class-weight: '%s' is neither balanced nor LABEL=WEIGHT",
              pair);
    *equals = '\0';
    const int32_t c = sri_labels_find_text(labels, pair);
    if (c < 0)
        return sri_fail_unknown(ctx, "class of --class-weight", pair,
                                (const char *const *)target->label,
                                target->n_classes < MOST ? (int)target->n_classes : MOST);
    SRI_CHECK(ctx, isnan(weight[c]), SPECREG_E_ARG, "class-weight: class '%s' is given twice",
              target->label[c]);
    snprintf(what, sizeof what, "class-weight: %s", pair);
    SRI_CALL(sri_number_parse(ctx, what, equals + 1, &w));
    SRI_CHECK(ctx, w > 0, SPECREG_E_ARG, "%s must be greater than 0, not %g", what, w);
    weight[c] = w;
    return SPECREG_OK;
}

static specreg_status listed(specreg_context *ctx, const char *text, const sri_target *target,
                             double *weight)
{
    specreg_status st = SPECREG_OK;
    sri_texts texts = {0};
    sri_arena scratch = {0};
    sri_labels labels;
    char *list = NULL, *pair;
    for (int64_t c = 0; c < target->n_classes; c++)
        weight[c] = NAN;
    SRI_TRY(sri_texts_enter(ctx, &texts, target->label, target->n_classes));
    SRI_TRY(sri_labels_make(ctx, &scratch, &texts, &labels));
    SRI_STRDUP(ctx, list, text);
    for (char *rest = list; (pair = strsep(&rest, ","));)
        SRI_TRY(set_weight(ctx, target, &labels, pair, weight));
    for (int64_t c = 0; c < target->n_classes; c++)
        weight[c] = isnan(weight[c]) ? 1 : weight[c];
done:
    sri_free(list);
    sri_arena_free(&scratch);
    sri_texts_free(&texts);
    return st;
}

specreg_status sri_class_weights(specreg_context *ctx, const char *text, const sri_target *target,
                                 double **weight)
{
    specreg_status st = SPECREG_OK;
    double *w = NULL;
    *weight = NULL;
    SRI_REQUIRE(ctx, target->problem == SRI_CLASSIFICATION, SPECREG_E_ARG,
                "class-weight: target '%s' is a number to predict, it has no classes",
                target->name[0]);
    SRI_ALLOC(ctx, w, target->n_classes, 1);
    if (strcmp(text, "balanced") == 0)
        balance(target, w);
    else
        SRI_TRY(listed(ctx, text, target, w));
    SRI_MOVE(*weight, w);
done:
    sri_free(w);
    return st;
}
