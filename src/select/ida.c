/* Lo Gerfo et al. (2007), section 7.1: parameters by 5-fold cross-validation on each of the first
 * five splits, the median of each; the test error is then over all splits (cv does that). */
#include <math.h>

#include "core/memory.h"
#include "core/text.h"
#include "select/medians.h"
#include "select/search.h"

enum { SPLITS = SRI_MOST_CHOICES, FOLDS = 5 };

typedef struct choices { /* of the splits */
    sri_chosen of;
    sri_search_row row[SPLITS];
} choices;

/* Cross-validation on the training rows of split number s. */
static specreg_status choose(specreg_context *ctx, const sri_problem *problem,
                             const sri_search_spec *spec, const sri_split *split, int64_t s,
                             choices *out)
{
    specreg_status st = SPECREG_OK;
    sri_subproblem part = {0};
    sri_search_result result = {0};
    sri_buffer checkpoint = {0};
    sri_rule kfold = {0};
    sri_search_spec inner = *spec;
    sri_rule_defaults(&kfold, &sri_rule_kfold);
    kfold.param[0] = FOLDS;
    inner.rule = &kfold;
    if (spec->checkpoint) {
        SRI_TRY(sri_buffer_print(ctx, &checkpoint, "%s.%lld", spec->checkpoint, (long long)s + 1));
        inner.checkpoint = checkpoint.data;
    }
    SRI_TRY(sri_subproblem_make(ctx, problem, split->train, split->n_train, &part));
    SRI_TRY(sri_search(ctx, &part.problem, &inner, &result));
    out->of.kernel[s] = result.kernel;
    out->of.filter[s] = result.filter;
    out->of.param[s] = result.param;
    out->row[s] = result.row[result.winner];
    out->row[s].candidate = out->row[s].evaluation = s;
    out->of.count = s + 1;
done:
    sri_buffer_free(&checkpoint);
    sri_search_result_free(&result);
    sri_subproblem_free(&part);
    return st;
}

/* The splits' choices take the place of the table of the last training. */
static specreg_status set_table(specreg_context *ctx, const choices *c, sri_search_result *out)
{
    double sum = 0, sum2 = 0;
    const double n = (double)c->of.count;
    sri_free(out->row);
    sri_free(out->candidate);
    out->row = NULL;
    out->candidate = NULL;
    out->rows = out->candidates = 0;
    SRI_NEW(ctx, out->row, c->of.count, 1);
    SRI_NEW(ctx, out->candidate, c->of.count, 1);
    for (int64_t s = 0; s < c->of.count; s++) {
        out->row[s] = c->row[s];
        out->candidate[s] = c->of.kernel[s];
        sum += c->row[s].score.value;
        sum2 += c->row[s].score.value * c->row[s].score.value;
    }
    out->rows = out->candidates = c->of.count;
    out->winner = 0;
    out->score.value = sum / n;
    out->score.stderr_ =
        c->of.count > 1 ? sqrt(fmax(0, sum2 / n - sum * sum / (n * n)) / (n - 1)) : NAN;
    sri_search_note(out, "the parameters are medians of the choices on the first %lld splits",
                    (long long)c->of.count);
    return SPECREG_OK;
}

/* The medians of what 5-fold cross-validation chooses on the training rows of the first 5 splits,
 * trained on all rows.  The table has a row for each of these splits. */
static specreg_status search_of_searches(specreg_context *ctx, const sri_problem *problem,
                                         const sri_search_spec *spec, sri_search_result *out)
{
    specreg_status st = SPECREG_OK;
    sri_splits splits = {0};
    choices c = {0};
    sri_rule none = {.ops = &sri_rule_none};
    sri_kernel_grid grid = {0};
    *out = (sri_search_result){0};
    SRI_REQUIRE(ctx, !spec->watch, SPECREG_E_ARG, "select: ida is for fit and cv");
    SRI_TRY(sri_kernel_grid_check(ctx, spec->grid, problem->points));
    SRI_TRY(sri_splits_read(ctx, spec->rule->path, problem, &splits));
    const sri_strata strata = sri_problem_strata(problem);
    SRI_TRY(sri_splits_check(ctx, "select", &strata, problem->reader.target->label, &splits));
    for (int64_t s = 0; s < splits.count && s < SPLITS; s++)
        SRI_TRY(choose(ctx, problem, spec, &splits.split[s], s, &c));
    double param;
    sri_filter filter;
    SRI_TRY(sri_medians(ctx, &c.of, &grid.base, &filter, &param));
    const sri_values path = {.v = &param, .count = 1};
    sri_search_spec last = *spec;
    sri_problem plain = *problem; /* nothing is compared any more */
    plain.judging.criterion = NULL;
    last.filter = &filter;
    last.filters = NULL;
    last.grid = &grid;
    last.path = &path;
    last.rule = &none;
    last.one_se = false;
    last.checkpoint = NULL;
    SRI_TRY(sri_search(ctx, &plain, &last, out));
    SRI_TRY(set_table(ctx, &c, out));
done:
    sri_splits_free(&splits);
    if (st != SPECREG_OK)
        sri_search_result_free(out);
    return st;
}

const sri_rule_ops sri_rule_ida = {
    .name = "ida",
    .title = "the protocol of the IDA benchmark",
    .takes_path = true,
    .search = search_of_searches,
    .numbers_rows = true,
};
