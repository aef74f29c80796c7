#include "sums/collect.h"

#include <string.h>

#include "sums/crew.h"

bool sri_collect_wanted(const sri_measure *measure)
{
    return !measure->losses || measure->uses & SRI_USES_PROBABILITIES;
}

static int64_t width_of(const sri_collect *g)
{
    return g->points * g->problem->T;
}

static specreg_status make_part(specreg_context *ctx, sri_collect *g, int64_t rows,
                                sri_collected *part)
{
    part->room = rows;
    SRI_ARENA_NEW(ctx, &g->memory, part->F, rows, width_of(g));
    SRI_ARENA_NEW(ctx, &g->memory, part->Y, rows, g->problem->T);
    SRI_ARENA_NEW(ctx, &g->memory, part->classes, rows, 1);
    SRI_ARENA_NEW(ctx, &g->memory, part->weight, rows, 1);
    return SPECREG_OK;
}

/* What was not told beforehand is told before the pass, not after it. */
static specreg_status check_memory(specreg_context *ctx, const sri_collect *g, const int64_t *rows)
{
    double all = 0;
    for (int64_t f = 0; f < g->parts; f++)
        all += (double)rows[f];
    const double blocks = (double)(sri_crew_size() * g->parts) * SRI_BLOCK_ROWS;
    const double bytes = (all + blocks) * (8 * (double)(width_of(g) + g->problem->T + 1) + 4);
    const double left = (double)sri_memory_left(ctx);
    return bytes <= left
               ? SPECREG_OK
               : sri_fail(ctx, SPECREG_E_NOMEM,
                          "criterion: %s needs the predictions of all %.0f rows at once: %.0f MiB, "
                          "there are %.0f; take fewer values of the parameter, or a measure that "
                          "is a mean over rows, such as error_rate or mse",
                          sri_criterion_of(g->problem)->info.name, all, bytes / 0x1p20,
                          left / 0x1p20);
}

specreg_status sri_collect_new(specreg_context *ctx, const sri_problem *problem, int64_t points,
                               int64_t parts, const int64_t *rows, sri_collect *out)
{
    specreg_status st = SPECREG_OK;
    const int places = sri_crew_size();
    *out = (sri_collect){.problem = problem, .points = points, .parts = parts};
    SRI_TRY(check_memory(ctx, out, rows));
    SRI_SCRATCH_ZERO(ctx, &out->memory, out->part, parts, 1);
    for (int64_t f = 0; f < parts; f++)
        SRI_TRY(make_part(ctx, out, rows[f], &out->part[f]));
    SRI_SCRATCH_ZERO(ctx, &out->memory, out->place, places, parts);
    for (int64_t k = 0; k < places * parts; k++)
        SRI_TRY(make_part(ctx, out, SRI_BLOCK_ROWS, &out->place[k]));
done:
    if (st != SPECREG_OK)
        sri_collect_free(out);
    return st;
}

void sri_collect_free(sri_collect *g)
{
    sri_arena_free(&g->memory);
    *g = (sri_collect){0};
}

/* Adds n rows. */
static void append(const sri_collect *g, int64_t n, const double *F, const sri_truth *truth,
                   sri_collected *to)
{
    const int64_t width = width_of(g), T = g->problem->T;
    memcpy(to->F + to->n * width, F, (size_t)(n * width) * sizeof *to->F);
    memcpy(to->Y + to->n * T, truth->Y, (size_t)(n * T) * sizeof *to->Y);
    for (int64_t i = 0; i < n; i++) {
        to->classes[to->n + i] = truth->classes ? truth->classes[i] : -1;
        to->weight[to->n + i] = truth->weight ? truth->weight[i] : 1;
    }
    to->n += n;
}

void sri_collect_put(const sri_collect *g, int place, int64_t part, int64_t n, const double *F,
                     const sri_truth *truth)
{
    append(g, n, F, truth, &g->place[place * g->parts + part]);
}

specreg_status sri_collect_settle(specreg_context *ctx, sri_collect *g, int count)
{
    for (int64_t k = 0; k < count * g->parts; k++) {
        sri_collected *from = &g->place[k], *to = &g->part[k % g->parts];
        SRI_CHECK(ctx, to->n + from->n <= to->room, SPECREG_E_FORMAT,
                  "the rows changed between two passes: there are more than before");
        const sri_truth truth = {from->Y, from->classes, from->weight};
        append(g, from->n, from->F, &truth, to);
        from->n = 0;
    }
    return SPECREG_OK;
}

specreg_status sri_collect_judge(specreg_context *ctx, const sri_collect *g, sri_losses *losses)
{
    const int64_t T = g->problem->T;
    for (int64_t f = 0; f < g->parts; f++) {
        const sri_collected *rows = &g->part[f];
        const sri_truth truth = {rows->Y, g->problem->classes ? rows->classes : NULL, rows->weight};
        for (int64_t k = 0; k < g->points; k++) {
            sri_comparison c = sri_problem_compare(g->problem, rows->F + k * T, truth, rows->n);
            c.ldf = width_of(g);
            SRI_CALL(sri_losses_add(ctx, g->problem, c, &losses[f * g->points + k]));
        }
    }
    return SPECREG_OK;
}
