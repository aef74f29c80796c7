#include "sums/parts.h"

/* One group of all outputs, which rows of every class train. */
static specreg_status make_whole(specreg_context *ctx, int64_t T, sri_sums_parts *out)
{
    out->classes = out->groups = 1;
    SRI_ARENA_NEW_ZERO(ctx, &out->memory, out->group, 1, 1);
    SRI_ARENA_NEW(ctx, &out->memory, out->group->output, T, 1);
    SRI_ARENA_NEW(ctx, &out->memory, out->group->trains, 1, 1);
    for (int64_t t = 0; t < T; t++)
        out->group->output[t] = t;
    out->group->count = T;
    out->group->trains[0] = true;
    return SPECREG_OK;
}

specreg_status sri_parts_make(specreg_context *ctx, const sri_problem *problem, int64_t folds,
                              sri_sums_parts *out)
{
    specreg_status st = SPECREG_OK;
    *out = (sri_sums_parts){.folds = folds, .classes = problem->n_classes};
    if (sri_has_own_rows(problem))
        SRI_TRY(sri_coding_groups(ctx, &out->memory, problem->coding, &out->group, &out->groups));
    else
        SRI_TRY(make_whole(ctx, problem->T, out));
    SRI_SCRATCH_ZERO(ctx, &out->memory, out->outputs_of, out->classes, 1);
    for (int64_t g = 0; g < out->groups; g++)
        for (int64_t class = 0; class < out->classes; class ++)
            out->outputs_of[class] += out->group[g].trains[class] ? out->group[g].count : 0;
done:
    if (st != SPECREG_OK)
        sri_parts_free(out);
    return st;
}

void sri_parts_free(sri_sums_parts *parts)
{
    sri_arena_free(&parts->memory);
    *parts = (sri_sums_parts){.folds = 0};
}

int64_t sri_parts_rows(const sri_sums_parts *parts, const sri_sums *sums, int64_t fold)
{
    int64_t rows = 0;
    for (int64_t class = 0; class < parts->classes; class ++)
        rows += sums->rows[fold * parts->classes + class];
    return rows;
}

void sri_parts_training(const sri_sums_parts *parts, int64_t group, int64_t without, bool *in)
{
    for (int64_t p = 0; p < sri_parts_count(parts); p++)
        in[p] = p / parts->classes != without && sri_parts_trains(parts, group, p % parts->classes);
}

/* The place in z of the i-th number that is kept. */
static int64_t picked(const sri_output_group *g, const sri_sums_layout *at, int64_t i)
{
    const int64_t first = at->r + at->l;
    return i < first ? i : i < first + g->count ? first + g->output[i - first] : first + at->T;
}

sri_sums_layout sri_parts_pick(const sri_sums_parts *parts, int64_t group,
                               const sri_sums_layout *at, double *M)
{
    const sri_output_group *g = &parts->group[group];
    const sri_sums_layout few = {at->r, at->l, g->count};
    const int64_t order = sri_sums_order(at), q = sri_sums_order(&few);
    for (int64_t i = 0; q < order && i < q; i++)
        for (int64_t j = 0; j < q; j++)
            M[i * q + j] = M[picked(g, at, i) * order + picked(g, at, j)];
    return few;
}
