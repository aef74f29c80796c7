#include "data/roles.h"

#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/target.h"

/* The column that an option names, set aside; -1 when it names none. */
static specreg_status set_aside(specreg_context *ctx, const specreg_table *t, const char *name,
                                sri_roles *roles, int64_t *column)
{
    *column = -1;
    if (!*name)
        return SPECREG_OK;
    *column = sri_table_find(ctx, t, name);
    if (*column < 0)
        return SPECREG_E_ARG;
    SRI_CHECK(ctx, !sri_aside_has(&roles->aside, *column), SPECREG_E_ARG,
              "%s: column '%s' cannot have two of the roles group, weights and task", t->source,
              t->column[*column].name);
    roles->aside.column[roles->aside.count++] = *column;
    return SPECREG_OK;
}

static const sri_roles none = {.group = -1, .weights = -1, .task = -1};

specreg_status sri_roles_find(specreg_context *ctx, const specreg_table *t,
                              const sri_role_names *names, sri_roles *out)
{
    *out = none;
    SRI_CALL(set_aside(ctx, t, names->group, out, &out->group));
    SRI_CALL(set_aside(ctx, t, names->weights, out, &out->weights));
    SRI_CALL(set_aside(ctx, t, names->task, out, &out->task));
    if (!names->target_at)
        return sri_target_columns(ctx, t, names->target, &out->aside, &out->target,
                                  &out->n_targets);
    SRI_CALL(sri_target_check(ctx, t, names->target_at, names->n_targets, &out->aside));
    SRI_NEW(ctx, out->target, names->n_targets, 1);
    memcpy(out->target, names->target_at, (size_t)names->n_targets * sizeof *out->target);
    out->n_targets = names->n_targets;
    return SPECREG_OK;
}

void sri_roles_free(sri_roles *roles)
{
    sri_free(roles->target);
    *roles = none;
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
