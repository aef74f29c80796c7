/* A validation file of the user's: all rows train, the file's rows validate. */
#include "core/memory.h"
#include "core/options.h"
#include "select/rule.h"

static specreg_status trials(specreg_context *ctx, const sri_rule *self, const sri_problem *problem,
                             sri_trials *out)
{
    specreg_status st = SPECREG_OK;
    specreg_options *own = NULL;
    specreg_table *table = NULL;
    *out = (sri_trials){0};
    SRI_TRY(sri_options_copy(ctx, problem->options, &own));
    SRI_TRY(specreg_options_set(ctx, own, "labels", "names")); /* a file of them is the other's */
    SRI_TRY(specreg_table_read(ctx, self->path, own, &table));
    SRI_CALLOC(ctx, out->trial, 1, 1);
    out->count = 1;
    out->trial[0].train = *problem;
    SRI_TRY(sri_sample_read(ctx, &problem->reader, table, &out->trial[0].validate));
    SRI_TRY(sri_sample_points(ctx, &problem->reader, &out->trial[0].validate));
done:
    specreg_options_free(own);
    specreg_table_free(table);
    if (st != SPECREG_OK)
        sri_trials_free(out);
    return st;
}

const sri_rule_ops sri_rule_file = {
    .name = "file",
    .title = "the validation file",
    .takes_path = true,
    .trials = trials,
};
