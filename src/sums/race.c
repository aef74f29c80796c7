/* Where there are many kernels and many more rows than were looked at first, these rows judge all
 * kernels, and the best two of them remain. */
#include "core/memory.h"
#include "sums/candidate.h"

/* The score of a kernel's best point on the rows that were looked at first. */
static specreg_status try_first(specreg_context *ctx, const sri_sums_judging *s, int64_t number,
                                sri_score *score)
{
    sri_sums_spec own = *s->spec;
    sri_search_spec search = *own.search;
    search.checkpoint = NULL; /* of passes over all rows */
    own.search = &search;
    sri_sums_judging first = *s;
    sri_sums_candidate c = {.number = number,
                            .kernel = sri_kernel_grid_at(s->spec->search->grid, number)};
    own.blocks = own.first;
    first.spec = &own;
    first.turn = number;
    first.turns = sri_kernel_grid_count(s->spec->search->grid);
    const specreg_status st = sri_sums_evaluate(ctx, &first, &c, NULL, NULL);
    if (st == SPECREG_OK)
        *score = c.score[sri_sums_best(&c)];
    sri_sums_candidate_free(&first, &c);
    return st;
}

specreg_status sri_sums_race(specreg_context *ctx, const sri_sums_judging *s, bool *stays)
{
    enum { REMAIN = 2 };
    specreg_status st = SPECREG_OK;
    sri_score *score = NULL;
    const int64_t candidates = sri_kernel_grid_count(s->spec->search->grid);
    const int64_t rows = s->spec->blocks ? sri_blocks_rows(s->spec->blocks) : 0;
    const bool races = s->spec->first && !s->spec->given && !s->spec->only && candidates > REMAIN &&
                       (rows < 0 || rows > 2 * s->spec->problem->n);
    for (int64_t k = 0; k < candidates; k++)
        stays[k] = !races && (!s->spec->only || s->spec->only[k]);
    if (!races)
        return st;
    SRI_ALLOC(ctx, score, candidates, 1);
    for (int64_t k = 0; k < candidates; k++)
        SRI_TRY(try_first(ctx, s, k, &score[k]));
    for (int remain = 0; remain < REMAIN; remain++) {
        int64_t best = -1;
        for (int64_t k = 0; k < candidates; k++)
            if (!stays[k] && (best < 0 || sri_score_better(&score[k], &score[best])))
                best = k;
        stays[best] = true;
    }
done:
    sri_free(score);
    return st;
}
