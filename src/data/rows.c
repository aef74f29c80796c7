#include "data/rows.h"

#include <math.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/inputs.h"

/* Where a gap matters. */
typedef struct check {
    int64_t *column;
    int64_t count;
    bool sparse;            /* among the sparse columns too                                   */
    sri_target_list some;   /* columns of which one is enough: a row without any has a gap    */
    const sri_roles *roles; /* of a training table; NULL: of another                          */
    sri_missing missing;
} check;

static bool is_target(const sri_roles *roles, int64_t column)
{
    return sri_lists(roles->target, roles->n_targets, column);
}

/* The first ordinary column with a gap in a row; -1: there is none. */
static int64_t first_gap(const specreg_table *t, int64_t row, const check *look)
{
    for (int64_t i = 0; i < look->count; i++)
        if (sri_table_gap(t, row, look->column[i]))
            return look->column[i];
    for (int64_t i = 0; i < look->some.count; i++)
        if (!sri_table_gap(t, row, look->some.column[i]))
            return -1;
    return look->some.count ? look->some.column[0] : -1;
}

/* The place of the first gap among the sparse entries of a row; -1: there is none. */
static int64_t sparse_gap(const sri_matrix *s, int64_t row)
{
    for (int64_t k = s->start[row]; k < s->start[row + 1]; k++)
        if (isnan(s->value[k]))
            return k;
    return -1;
}

static const char *say_gap(const specreg_table *t, int64_t row, const check *look, int64_t gap)
{
    const sri_roles *roles = look->roles;
    const bool fills = sri_missing_fills(look->missing);
    if (look->some.count && sri_table_gap(t, row, look->some.column[0]))
        return "all targets of the row are missing (--missing drop leaves it out)";
    if (roles && roles->n_targets > 1 && roles->task < 0 && is_target(roles, gap))
        return fills ? "value is missing (targets are not filled in, see --missing-targets)"
                     : "value is missing (see --missing-targets and --missing)";
    if (fills)
        return "value is missing (targets are not filled in)";
    return roles ? "value is missing (see --missing: indicator or mean fill it in, drop leaves out "
                   "the row)"
                 : "value is missing (see --missing)";
}

static specreg_status scan(specreg_context *ctx, const specreg_table *t, const check *look,
                           const double *weight, sri_rows *out)
{
    specreg_status st = SPECREG_OK;
    char number[32];
    SRI_ALLOC(ctx, out->row, t->rows, 1);
    for (int64_t i = 0; i < t->rows; i++) {
        if (weight && weight[i] == 0)
            continue;
        const int64_t gap = first_gap(t, i, look);
        const int64_t k = gap < 0 && look->sparse ? sparse_gap(t->sparse, i) : -1;
        if (gap < 0 && k < 0)
            out->row[out->count++] = i;
        else if (look->missing != SRI_MISSING_DROP)
            SRI_TRY(sri_fail_at_cell(ctx, SPECREG_E_NUMERIC, t, i,
                                     gap < 0 ? sri_format_double(t->sparse->index[k] + 1, number)
                                             : t->column[gap].name,
                                     "%s", say_gap(t, i, look, gap)));
    }
done:
    return st;
}

specreg_status sri_rows_any(specreg_context *ctx, const sri_rows *rows)
{
    SRI_CHECK(ctx, rows->count > 0 || rows->table->rows == 0, SPECREG_E_NUMERIC,
              "%s: every row has a missing value, nothing is left", rows->table->source);
    return SPECREG_OK;
}

specreg_status sri_rows_train(specreg_context *ctx, const specreg_table *t, const sri_roles *roles,
                              const double *weight, sri_missing missing, sri_rows *out)
{
    specreg_status st = SPECREG_OK;
    const bool fill = sri_missing_fills(missing), lenient = roles->gaps || roles->carried;
    check look = {.sparse = t->sparse && !fill, .roles = roles, .missing = missing};
    *out = (sri_rows){.table = t};
    SRI_ALLOC(ctx, look.column, t->n_columns + roles->n_targets, 1);
    for (int64_t c = 0; c < t->n_columns && !fill; c++)
        if (sri_is_input(roles, c) || (!lenient && is_target(roles, c)))
            look.column[look.count++] = c;
    for (int64_t k = 0; k < roles->n_targets && fill && !lenient; k++)
        look.column[look.count++] = roles->target[k];
    if (roles->gaps)
        look.some = (sri_target_list){roles->target, roles->n_targets, true};
    SRI_TRY(scan(ctx, t, &look, weight, out));
    SRI_TRY(sri_rows_any(ctx, out));
done:
    sri_free(look.column);
    if (st != SPECREG_OK) {
        sri_free(out->row);
        *out = (sri_rows){0};
    }
    return st;
}

specreg_status sri_rows_usable(specreg_context *ctx, const specreg_table *t, const sri_encoder *enc,
                               const sri_target_list *targets, sri_missing missing, sri_rows *out)
{
    specreg_status st = SPECREG_OK;
    const bool fill = sri_missing_fills(missing);
    check look = {.sparse = t->sparse && !fill, .missing = missing};
    int64_t *matched = NULL;
    *out = (sri_rows){.table = t};
    SRI_TRY(sri_encoder_match(ctx, enc, t, &matched));
    SRI_ALLOC(ctx, look.column, enc->n_features + (targets ? targets->count : 0), 1);
    for (int64_t j = 0; j < enc->n_features && matched && !fill; j++)
        look.column[look.count++] = matched[j];
    if (targets && targets->gaps)
        look.some = *targets;
    for (int64_t k = 0; targets && !targets->gaps && k < targets->count; k++)
        look.column[look.count++] = targets->column[k];
    SRI_TRY(scan(ctx, t, &look, NULL, out));
done:
    sri_free(look.column);
    sri_free(matched);
    if (st != SPECREG_OK) {
        sri_free(out->row);
        *out = (sri_rows){0};
    }
    return st;
}
