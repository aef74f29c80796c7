/* Rows with the labels of another file beside them. */
#include <string.h>

#include "core/memory.h"
#include "data/io/format.h"
#include "data/io/labelled.h"

const char *sri_labels_file(const specreg_options *options)
{
    const char *value = sri_option_value(options, SRI_OPT_LABELS);
    const bool says_how = strcmp(value, "names") == 0 || strcmp(value, "numbers") == 0;
    return says_how || *sri_option_value(options, SRI_OPT_TEXT) ? "" : value;
}

specreg_status sri_options_for_labels(specreg_context *ctx, const specreg_options *options,
                                      specreg_options **out)
{
    specreg_status st = SPECREG_OK;
    specreg_options *o = NULL;
    *out = NULL;
    SRI_TRY(sri_options_copy(ctx, options, &o));
    SRI_TRY(specreg_options_set(ctx, o, "labels", "names"));
    SRI_TRY(specreg_options_set(ctx, o, "format", "auto"));
    SRI_TRY(specreg_options_set(ctx, o, "categorical", ""));
    SRI_MOVE(*out, o);
done:
    specreg_options_free(o);
    return st;
}

static specreg_status fail_count(specreg_context *ctx, const specreg_table *t,
                                 const specreg_table *labels)
{
    return sri_fail(ctx, SPECREG_E_SHAPE, "%s has %lld rows, its labels in %s are %lld", t->source,
                    (long long)t->rows, labels->source, (long long)labels->rows);
}

specreg_status sri_table_label(specreg_context *ctx, specreg_table *t, const specreg_table *labels)
{
    static const char *const usual[] = {"y", "target", "label"};
    SRI_CHECK(ctx, specreg_table_cols(labels) == 1 && labels->n_columns == 1, SPECREG_E_SHAPE,
              "%s: has %lld columns, labels are one", labels->source,
              (long long)specreg_table_cols(labels));
    for (int i = 0; i < 3; i++)
        SRI_CHECK(ctx, sri_table_find_name(t, usual[i]) < 0, SPECREG_E_ARG,
                  "%s: has a target already, the column '%s': --labels cannot give it another",
                  t->source, usual[i]);
    if (t->rows != labels->rows)
        return fail_count(ctx, t, labels);
    return sri_table_put_last(ctx, t, &labels->column[0], labels, "label");
}

typedef struct labelled {
    sri_blocks *rows, *labels;
} labelled;

/* One more block of each, which must end together. */
static specreg_status next_rows(specreg_context *ctx, void *state, int64_t rows,
                                specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    labelled *l = state;
    specreg_table *t = NULL, *labels = NULL;
    int64_t first;
    *out = NULL;
    SRI_TRY(sri_blocks_next(ctx, l->rows, rows, &first, &t));
    SRI_TRY(sri_blocks_next(ctx, l->labels, t ? t->rows : 1, &first, &labels));
    SRI_REQUIRE(ctx, t || !labels, SPECREG_E_SHAPE, "%s: has more labels than there are rows, %lld",
                labels->source, (long long)first);
    const int64_t known = first + (labels ? labels->rows : 0);
    SRI_REQUIRE(ctx, !t || (labels && labels->rows == t->rows), SPECREG_E_SHAPE,
                "%s has more rows than labels, %lld", t->source, (long long)known);
    if (t)
        SRI_TRY(sri_table_label(ctx, t, labels));
    SRI_MOVE(*out, t);
done:
    specreg_table_free(t);
    specreg_table_free(labels);
    return st;
}

static specreg_status back_to_first(specreg_context *ctx, void *state)
{
    const labelled *l = state;
    SRI_CALL(sri_blocks_rewind(ctx, l->rows));
    return sri_blocks_rewind(ctx, l->labels);
}

static int64_t count_rows(const void *state)
{
    return sri_blocks_rows(((const labelled *)state)->rows);
}

static specreg_status pick(specreg_context *ctx, void *state, const int64_t *row, int64_t count,
                           specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    const labelled *l = state;
    specreg_table *t = NULL, *labels = NULL;
    *out = NULL;
    if (sri_blocks_rows(l->labels) != sri_blocks_rows(l->rows))
        return SPECREG_OK; /* reading all of them tells what is wrong */
    SRI_TRY(sri_blocks_pick(ctx, l->rows, row, count, &t));
    if (t)
        SRI_TRY(sri_blocks_pick(ctx, l->labels, row, count, &labels));
    if (!t || !labels)
        goto done;
    SRI_TRY(sri_table_label(ctx, t, labels));
    SRI_MOVE(*out, t);
done:
    specreg_table_free(t);
    specreg_table_free(labels);
    return st;
}

static void read_once(void *state)
{
    const labelled *l = state;
    sri_blocks_read_once(l->rows);
    sri_blocks_read_once(l->labels);
}

static void free_labelled(void *state)
{
    labelled *l = state;
    if (!l)
        return;
    sri_blocks_free(l->rows);
    sri_blocks_free(l->labels);
    sri_free(l);
}

static const sri_blocks_kind with_labels = {
    next_rows, back_to_first, count_rows, pick, read_once, free_labelled, NULL,
};

specreg_status sri_blocks_with_labels(specreg_context *ctx, sri_blocks **rows,
                                      const specreg_options *options)
{
    specreg_status st = SPECREG_OK;
    const char *path = sri_labels_file(options);
    specreg_options *plain = NULL;
    labelled *l = NULL;
    SRI_CALLOC(ctx, l, 1, 1);
    SRI_TRY(sri_options_for_labels(ctx, options, &plain));
    SRI_TRY(sri_blocks_open(ctx, &path, 1, plain, &l->labels));
    SRI_MOVE(l->rows, *rows);
    const sri_row_source source = {&with_labels, l};
    l = NULL;
    st = sri_blocks_new(ctx, source, NULL, rows);
done:
    free_labelled(l);
    specreg_options_free(plain);
    return st;
}
