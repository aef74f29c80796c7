#include "data/rows.h"

#include <math.h>

#include "core/memory.h"
#include "core/text.h"

/* Where a gap matters. */
typedef struct check {
    int64_t *column;
    int64_t count;
    bool sparse;         /* among the sparse columns too */
    const int64_t *some; /* columns of which one is enough; none of them there is a gap */
    int64_t n_some;
    const sri_roles *roles; /* of a training table; NULL: of another */
} check;

static bool is_target(const sri_roles *roles, int64_t column)
{
    return sri_lists(roles->target, roles->n_targets, column);
}

/* One of several targets is missing, which could be allowed. */
static bool lacks_a_target(const specreg_table *t, int64_t row, const check *look)
{
    bool lacks = false;
    for (int64_t i = look->count - 1; i >= 0; i--) /* the first gap says it */
        if (sri_table_gap(t, row, look->column[i]))
            lacks = is_target(look->roles, look->column[i]);
    return lacks;
}

static const char *say_gap(const specreg_table *t, int64_t row, const check *look,
                           sri_missing missing)
{
    const sri_roles *roles = look->roles;
    if (look->n_some && sri_table_gap(t, row, look->some[0]))
        return "all targets of the row are missing (--missing drop leaves it out)";
    if (roles && roles->n_targets > 1 && roles->task < 0 && lacks_a_target(t, row, look))
        return missing == SRI_MISSING_MEAN
                   ? "value is missing (targets are not filled in, see --missing-targets)"
                   : "value is missing (see --missing-targets and --missing)";
    return missing == SRI_MISSING_MEAN ? "value is missing (targets are not filled in)"
                                       : "value is missing (see --missing)";
}

/* The name of the first column with a gap in a row, or NULL; sparse numbers go into `buffer`. */
static const char *gap_in_row(const specreg_table *t, int64_t row, const check *look,
                              char buffer[32])
{
    for (int64_t i = 0; i < look->count; i++)
        if (sri_table_gap(t, row, look->column[i]))
            return t->column[look->column[i]].name;
    bool lacks_all = look->n_some > 0;
    for (int64_t i = 0; i < look->n_some; i++)
        lacks_all = lacks_all && sri_table_gap(t, row, look->some[i]);
    if (lacks_all)
        return t->column[look->some[0]].name;
    if (look->sparse)
        for (int64_t k = t->sparse->start[row]; k < t->sparse->start[row + 1]; k++)
            if (isnan(t->sparse->value[k]))
                return sri_format_double(t->sparse->index[k] + 1, buffer);
    return NULL;
}

static specreg_status scan(specreg_context *ctx, const specreg_table *t, const check *look,
                           const double *weight, sri_missing missing, int64_t **keep,
                           int64_t *n_keep)
{
    specreg_status st = SPECREG_OK;
    int64_t *rows = NULL, kept = 0;
    char buffer[32];
    SRI_ALLOC(ctx, rows, t->rows, 1);
    for (int64_t i = 0; i < t->rows; i++) {
        if (weight && weight[i] == 0)
            continue;
        const char *gap = gap_in_row(t, i, look, buffer);
        if (gap && missing != SRI_MISSING_DROP) {
            st = sri_fail_at_cell(ctx, SPECREG_E_NUMERIC, t, i, gap, say_gap(t, i, look, missing));
            goto done;
        }
        if (!gap)
            rows[kept++] = i;
    }
    SRI_REQUIRE(ctx, kept > 0 || t->rows == 0, SPECREG_E_NUMERIC,
                "%s: every row has a missing value, nothing is left", t->source);
    *keep = rows;
    *n_keep = kept;
    rows = NULL;
done:
    sri_free(rows);
    return st;
}

specreg_status sri_rows_train(specreg_context *ctx, const specreg_table *t, const sri_roles *roles,
                              const double *weight, sri_missing missing, int64_t **keep,
                              int64_t *n_keep)
{
    specreg_status st = SPECREG_OK;
    const bool fill = missing == SRI_MISSING_MEAN;
    check look = {.sparse = t->sparse && !fill, .roles = roles};
    *keep = NULL;
    *n_keep = 0;
    SRI_ALLOC(ctx, look.column, t->n_columns + roles->n_targets, 1);
    for (int64_t c = 0; c < t->n_columns && !fill; c++)
        if (!sri_aside_has(&roles->aside, c) &&
            !((roles->gaps || roles->carried) && is_target(roles, c)))
            look.column[look.count++] = c;
    for (int64_t k = 0; k < roles->n_targets && fill && !roles->gaps && !roles->carried; k++)
        look.column[look.count++] = roles->target[k];
    if (roles->gaps) {
        look.some = roles->target;
        look.n_some = roles->n_targets;
    }
    SRI_TRY(scan(ctx, t, &look, weight, missing, keep, n_keep));
done:
    sri_free(look.column);
    return st;
}

specreg_status sri_rows_usable(specreg_context *ctx, const specreg_table *t, const sri_encoder *enc,
                               const int64_t *extra, int64_t n_extra, bool some,
                               sri_missing missing, int64_t **keep, int64_t *n_keep)
{
    specreg_status st = SPECREG_OK;
    const bool fill = missing == SRI_MISSING_MEAN;
    check look = {.sparse = t->sparse && !fill};
    int64_t *matched = NULL;
    *keep = NULL;
    *n_keep = 0;
    SRI_TRY(sri_encoder_match(ctx, enc, t, &matched));
    SRI_ALLOC(ctx, look.column, enc->n_features + n_extra, 1);
    for (int64_t j = 0; j < enc->n_features && matched && !fill; j++)
        look.column[look.count++] = matched[j];
    for (int64_t k = 0; k < n_extra && !some; k++)
        look.column[look.count++] = extra[k];
    if (some) {
        look.some = extra;
        look.n_some = n_extra;
    }
    SRI_TRY(scan(ctx, t, &look, NULL, missing, keep, n_keep));
done:
    sri_free(look.column);
    sri_free(matched);
    return st;
}
