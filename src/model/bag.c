#include "model/bag.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "core/memory.h"
#include "data/target.h"

void sri_bag_free(sri_bag *bag)
{
    sri_free_list(bag->column, bag->column ? bag->counts->p : 0);
    specreg_vocabulary_free(bag->vocabulary);
    specreg_table_free(bag->labels);
    sri_matrix_delete(bag->own);
    *bag = (sri_bag){0};
}

static bool holds_documents(const specreg_table *t, const specreg_options *options)
{
    const int64_t text = sri_table_find_name(t, "text");
    return *sri_option_value(options, SRI_OPT_TEXT) ||
           *sri_option_value(options, SRI_OPT_TEXT_COLUMN) || strcmp(t->format, "text") == 0 ||
           (text >= 0 && t->column[text].is_text && !t->sparse);
}

static specreg_status count_words(specreg_context *ctx, const specreg_vocabulary *words,
                                  const specreg_table *t, const specreg_options *options,
                                  sri_bag *out)
{
    sri_text_counts counts;
    SRI_CALL(sri_vocabulary_table(ctx, words, t, options, &out->labels, &counts));
    out->counts = out->labels->sparse;
    /* documents alone get a column of labels, all missing, which is of no use here */
    const bool alone = t->n_columns == 1 && !*sri_option_value(options, SRI_OPT_TARGET);
    out->n_labels = alone ? 0 : out->labels->n_columns;
    return SPECREG_OK;
}

/* Whether "y" is a name that somebody gave, not that of the last column of a file without any. */
static bool has_names(const specreg_table *t)
{
    return t->has_header || (strcmp(t->format, "csv") != 0 && strcmp(t->format, "npy") != 0);
}

/* Columns that --target names; without it those that are named as targets are, and the label of
 * sparse rows. */
static specreg_status find_labels(specreg_context *ctx, const specreg_table *t,
                                  const specreg_options *options, bool *is_label)
{
    static const char *const usual[] = {"y", "target", "label"};
    specreg_status st = SPECREG_OK;
    const char *target = sri_option_value(options, SRI_OPT_TARGET);
    const sri_aside none = {.count = 0};
    int64_t *column = NULL, count = 0;
    if (*target || (t->sparse && t->n_columns > 0))
        SRI_TRY(sri_target_columns(ctx, t, target, &none, &column, &count));
    for (int64_t i = 0; i < count; i++)
        is_label[column[i]] = true;
    for (int64_t c = 0; c < t->n_columns && !*target && !t->sparse && has_names(t); c++)
        for (int i = 0; i < 3; i++)
            is_label[c] = is_label[c] || strcasecmp(t->column[c].name, usual[i]) == 0;
done:
    sri_free(column);
    return st;
}

/* The columns of counts in their order; by name where topics know names and the table has them. */
static specreg_status find_counts(specreg_context *ctx, const specreg_table *t,
                                  const specreg_topics *topics, const bool *is_label,
                                  int64_t *column, int64_t *count)
{
    const int64_t words = topics ? topics->plsa->words : 0;
    *count = 0;
    if (topics && topics->column && t->has_header) {
        for (*count = 0; *count < words; ++*count) {
            column[*count] = sri_table_find_name(t, topics->column[*count]);
            if (column[*count] < 0)
                return sri_fail(ctx, SPECREG_E_SHAPE,
                                "%s: column '%s', which was there in training, is missing",
                                t->source, topics->column[*count]);
        }
        return SPECREG_OK;
    }
    for (int64_t c = 0; c < t->n_columns; c++)
        if (!is_label[c])
            column[(*count)++] = c;
    if (*count <= 0)
        return sri_fail(ctx, SPECREG_E_SHAPE, "%s: has no columns of counts", t->source);
    if (topics && *count != words)
        return sri_fail(ctx, SPECREG_E_SHAPE,
                        "%s: has %lld columns of counts, %lld were there in training", t->source,
                        (long long)*count, (long long)words);
    return SPECREG_OK;
}

/* Numbers to sparse rows. */
static specreg_status pack(specreg_context *ctx, const specreg_table *t, const int64_t *column,
                           int64_t count, sri_bag *out)
{
    int64_t entries = 0;
    char place[1024];
    sri_matrix *s;
    for (int64_t j = 0; j < count; j++)
        if (t->column[column[j]].is_text)
            return sri_fail(ctx, SPECREG_E_SHAPE,
                            "%s: column '%s' holds texts, not counts (documents need --text)",
                            t->source, t->column[column[j]].name);
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t j = 0; j < count; j++) {
            const double v = sri_cell_number(t, i, &t->column[column[j]]);
            if (!(v >= 0))
                return sri_fail(ctx, SPECREG_E_NUMERIC, "%s: column '%s': %s",
                                sri_table_place(t, i, place, sizeof place),
                                t->column[column[j]].name,
                                isnan(v) ? "a count is missing" : "a count is negative");
            entries += v != 0;
        }
    SRI_NEW_ZERO(ctx, out->own, 1, 1);
    out->counts = s = out->own;
    SRI_CALL(sri_matrix_new_sparse(ctx, t->rows, count, entries, s));
    for (int64_t i = 0; i < t->rows; i++) {
        int64_t at = s->start[i];
        for (int64_t j = 0; j < count; j++) {
            const double v = sri_cell_number(t, i, &t->column[column[j]]);
            if (v == 0)
                continue;
            s->index[at] = (int32_t)j;
            s->value[at++] = v;
        }
        s->start[i + 1] = at;
    }
    return SPECREG_OK;
}

static specreg_status open_counts(specreg_context *ctx, const specreg_topics *topics,
                                  const specreg_table *t, const specreg_options *options,
                                  sri_bag *out)
{
    specreg_status st = SPECREG_OK;
    bool *is_label = NULL;
    int64_t *column = NULL, count;
    const int64_t most =
        topics && topics->plsa->words > t->n_columns ? topics->plsa->words : t->n_columns;
    SRI_CALLOC(ctx, is_label, t->n_columns, 1);
    SRI_ALLOC(ctx, column, most, 1);
    SRI_TRY(find_labels(ctx, t, options, is_label));
    if (t->sparse) {
        out->counts = t->sparse;
    } else {
        SRI_TRY(find_counts(ctx, t, topics, is_label, column, &count));
        SRI_TRY(pack(ctx, t, column, count, out));
        if (!topics && t->has_header)
            SRI_CALLOC(ctx, out->column, count, 1);
        for (int64_t j = 0; out->column && j < count; j++)
            SRI_STRDUP(ctx, out->column[j], t->column[column[j]].name);
    }
    for (int64_t c = 0; c < t->n_columns; c++)
        if (is_label[c])
            column[out->n_labels++] = c;
    SRI_TRY(sri_table_columns(ctx, t, column, out->n_labels, &out->labels));
done:
    sri_free(column);
    sri_free(is_label);
    return st;
}

specreg_status sri_bag_learn(specreg_context *ctx, const specreg_table *t,
                             const specreg_options *options, sri_bag *out)
{
    *out = (sri_bag){.n = t->rows};
    if (!holds_documents(t, options))
        return open_counts(ctx, NULL, t, options, out);
    SRI_CALL(specreg_vocabulary_learn(ctx, t, options, &out->vocabulary));
    sri_topics_raw(out->vocabulary);
    return count_words(ctx, out->vocabulary, t, options, out);
}

specreg_status sri_bag_apply(specreg_context *ctx, const specreg_topics *topics,
                             const specreg_table *t, const specreg_options *options, sri_bag *out)
{
    *out = (sri_bag){.n = t->rows};
    return topics->words && !t->sparse ? count_words(ctx, topics->words, t, options, out)
                                       : open_counts(ctx, topics, t, options, out);
}
