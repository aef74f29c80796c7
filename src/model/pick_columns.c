/* Which columns of X the factors of a kernel look at: rbf:columns=age,income. */
#include "core/memory.h"
#include "data/inputs.h"
#include "model/dataset.h"

/* Columns of the table become those of X that were made of them: of a text all of its categories,
 * of a date all of its numbers. */
static specreg_status mark_features(specreg_context *ctx, const sri_dataset *d,
                                    const sri_picked *picked, bool *marked)
{
    specreg_status st = SPECREG_OK;
    const specreg_table *t = d->table;
    const sri_encoder *e = d->encoder;
    bool *named = NULL;
    SRI_CALLOC(ctx, named, t->n_columns, 1);
    SRI_TRY(sri_columns_mark(ctx, t, picked->text, named));
    for (int64_t c = 0; c < t->n_columns; c++)
        SRI_REQUIRE(ctx, !named[c] || sri_is_input(&d->roles, c), SPECREG_E_ARG,
                    "kernel: columns=%s: column '%s' of %s is not an input", picked->text,
                    t->column[c].name, t->source);
    for (int64_t f = 0; f < e->n_features; f++) {
        const int64_t end = f + 1 < e->n_features ? e->feature[f + 1].at : e->p;
        for (int64_t k = e->feature[f].at; named[e->feature[f].position] && k < end; k++)
            marked[k] = true;
    }
done:
    sri_free(named);
    return st;
}

static specreg_status pick(specreg_context *ctx, const sri_dataset *d, sri_picked *picked)
{
    specreg_status st = SPECREG_OK;
    bool *marked = NULL;
    SRI_CALLOC(ctx, marked, d->encoder->p, 1);
    SRI_TRY(d->table->sparse ? sri_picked_numbers(ctx, picked, marked, d->encoder->p)
                             : mark_features(ctx, d, picked, marked));
    SRI_TRY(sri_picked_mark(ctx, picked, marked, d->encoder->p));
    SRI_REQUIRE(ctx, picked->count > 0, SPECREG_E_ARG, "kernel: columns=%s picks no column of %s",
                picked->text, d->table->source);
done:
    sri_free(marked);
    return st;
}

specreg_status sri_dataset_pick(specreg_context *ctx, const sri_dataset *d, sri_kernel_grid *grid)
{
    for (; grid; grid = grid->next)
        for (int t = 0; t < grid->base.n_terms; t++)
            if (grid->columns[t])
                SRI_CALL(pick(ctx, d, grid->columns[t]));
    return SPECREG_OK;
}
