#include "data/roles.h"

#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/inputs.h"
#include "data/target.h"

/* The column that an option names, set aside; -1 when it names none. */
static specreg_status set_aside(specreg_context *ctx, const specreg_table *t, const char *name,
                                sri_roles *roles, int64_t *column)
{
    *column = -1;
    if (!name || !*name)
        return SPECREG_OK;
    *column = sri_table_find(ctx, t, name);
    if (*column < 0)
        return SPECREG_E_ARG;
    SRI_CHECK(ctx, !sri_aside_has(&roles->aside, *column), SPECREG_E_ARG,
              "%s: column '%s' cannot have two of the roles group, weights, task and id", t->source,
              t->column[*column].name);
    roles->aside.column[roles->aside.count++] = *column;
    return SPECREG_OK;
}

const sri_roles sri_roles_none = {.group = -1, .weights = -1, .task = -1, .id = -1};

static specreg_status find_targets(specreg_context *ctx, const specreg_table *t,
                                   const sri_role_names *names, sri_roles *out)
{
    const bool unnamed = !names->target_at && !*names->target && out->left_out;
    const int64_t other = unnamed ? sri_target_default(t, &out->aside, out->left_out) : 0;
    const int64_t *at = unnamed ? &other : names->target_at;
    const int64_t count = unnamed ? 1 : names->n_targets;
    if (!at)
        return sri_target_columns(ctx, t, names->target, &out->aside, &out->target,
                                  &out->n_targets);
    SRI_CALL(sri_target_check(ctx, t, at, count, &out->aside));
    SRI_NEW(ctx, out->target, count, 1);
    memcpy(out->target, at, (size_t)count * sizeof *out->target);
    out->n_targets = count;
    return SPECREG_OK;
}

specreg_status sri_roles_find(specreg_context *ctx, const specreg_table *t,
                              const sri_role_names *names, sri_roles *out)
{
    specreg_status st = SPECREG_OK;
    *out = sri_roles_none;
    SRI_TRY(set_aside(ctx, t, names->group, out, &out->group));
    SRI_TRY(set_aside(ctx, t, names->weights, out, &out->weights));
    SRI_TRY(set_aside(ctx, t, names->task, out, &out->task));
    SRI_TRY(set_aside(ctx, t, names->id, out, &out->id));
    SRI_TRY(sri_inputs_drop(ctx, t, names, out));
    SRI_TRY(find_targets(ctx, t, names, out));
    SRI_TRY(sri_inputs_choose(ctx, t, names, out));
done:
    if (st != SPECREG_OK)
        sri_roles_free(out);
    return st;
}

void sri_roles_free(sri_roles *roles)
{
    sri_free(roles->target);
    sri_free(roles->left_out);
    *roles = sri_roles_none;
}

specreg_status sri_groups_read(specreg_context *ctx, const sri_rows *rows, int64_t column,
                               int32_t **group, int64_t *n_groups)
{
    specreg_status st = SPECREG_OK;
    const specreg_table *t = rows->table;
    const sri_column *c = &t->column[column];
    sri_texts names = {0};
    int32_t *list = NULL;
    char number[32];
    *group = NULL;
    *n_groups = 0;
    SRI_ALLOC(ctx, list, rows->count, 1);
    for (int64_t i = 0; i < rows->count; i++) {
        const int64_t row = rows->row[i];
        if (sri_table_gap(t, row, column))
            SRI_TRY(
                sri_fail_at_cell(ctx, SPECREG_E_NUMERIC, t, row, c->name, "the group is missing"));
        const char *name = c->is_text ? c->texts.text[c->code[row]]
                                      : sri_format_double(sri_cell_number(t, row, c) + 0.0, number);
        SRI_TRY(sri_texts_code(ctx, &names, name, strlen(name), &list[i]));
    }
    *n_groups = names.count;
    SRI_MOVE(*group, list);
done:
    sri_free(list);
    sri_texts_free(&names);
    return st;
}
