#include "sums/search.h"

#include <math.h>

#include "core/memory.h"
#include "op/lanczos.h"
#include "select/extend.h"
#include "sums/candidate.h"

typedef struct search {
    sri_sums_judging judging;
    sri_search_result *out;
    sri_sums_candidate best;
} search;

/* The points of a kernel with one setting of the filter, into the table. */
static specreg_status list_points(specreg_context *ctx, void *payload, sri_sums_candidate *c)
{
    search *s = payload;
    const sri_sums_spec *spec = s->judging.spec;
    sri_search_result *out = s->out;
    if (spec->watch)
        SRI_CALL(spec->watch(ctx, spec->payload, c));
    c->first_row = out->rows;
    SRI_CALL(sri_regrow(ctx, (void **)&out->row, out->rows, out->rows + c->path.count, 1,
                        sizeof *out->row));
    for (int64_t j = 0; j < c->path.count; j++, out->rows++)
        out->row[out->rows] = (sri_search_row){.candidate = c->number,
                                               .evaluation = c->first_row,
                                               .setting = c->setting,
                                               .step = c->path.filter.step,
                                               .param = c->question.path.v[j],
                                               .score = c->score[j],
                                               .order = out->rows};
    return SPECREG_OK;
}

/* The best setting of a kernel leads, if it is better than the leader. */
static void book(search *s, sri_sums_candidate *c)
{
    sri_search_result *out = s->out;
    const int64_t k = sri_sums_best(c);
    if (out->winner >= 0 && !sri_score_better(&c->score[k], &out->row[out->winner].score)) {
        sri_sums_candidate_free(&s->judging, c);
        return;
    }
    sri_sums_candidate_free(&s->judging, &s->best);
    s->best = *c;
    s->best.whitening.kernel = &s->best.kernel;
    s->best.source.whitening = &s->best.whitening;
    *c = (sri_sums_candidate){0};
    out->winner = s->best.first_row + k;
}

/* Kernels that do not come into question: the table says that they were left. */
static specreg_status book_left(specreg_context *ctx, search *s, int64_t number)
{
    sri_search_result *out = s->out;
    SRI_CALL(sri_regrow(ctx, (void **)&out->row, out->rows, out->rows + 1, 1, sizeof *out->row));
    out->row[out->rows] = (sri_search_row){.candidate = number,
                                           .evaluation = number,
                                           .param = NAN,
                                           .score = {NAN, NAN, NAN, NAN},
                                           .left = true,
                                           .order = out->rows};
    out->rows++;
    return SPECREG_OK;
}

/* The candidates of the grid, and which of them all rows are asked about. */
static specreg_status list_candidates(specreg_context *ctx, search *s, bool **stays)
{
    const sri_kernel_grid *grid = s->judging.spec->search->grid;
    const int64_t count = sri_kernel_grid_count(grid);
    SRI_NEW(ctx, s->out->candidate, count, 1);
    SRI_NEW(ctx, *stays, count, 1);
    for (int64_t k = 0; k < count; k++)
        s->out->candidate[s->out->candidates++] = sri_kernel_grid_at(grid, k);
    return sri_sums_race(ctx, &s->judging, *stays);
}

/* A kernel on all rows, into the table. */
static specreg_status consider(specreg_context *ctx, search *s, int64_t number,
                               sri_sums_candidate *c)
{
    c->number = number;
    c->kernel = s->out->candidate[number];
    SRI_CALL(sri_sums_evaluate(ctx, &s->judging, c, list_points, s));
    s->judging.turn++;
    book(s, c);
    return SPECREG_OK;
}

/* Goes on beyond the grid while the best kernel lies at its edge. */
static specreg_status extend(specreg_context *ctx, search *s, sri_sums_candidate *c)
{
    enum { MOST_EXTENSIONS = 8 };
    const sri_sums_spec *spec = s->judging.spec;
    sri_search_result *out = s->out;
    int kernels = 0;
    if (spec->search->extend == SRI_EXTEND_NO || spec->watch || spec->given ||
        isnan(out->row[out->winner].score.value))
        return SPECREG_OK;
    for (sri_kernel next; kernels < MOST_EXTENSIONS; kernels++) {
        const int64_t number = out->candidates;
        out->kernel = s->best.kernel;
        if (!sri_extend_kernel(ctx, spec->search, spec->problem->points, out, &next))
            break;
        SRI_CALL(sri_regrow(ctx, (void **)&out->candidate, number, number + 1, 1, sizeof next));
        out->candidate[out->candidates++] = next;
        s->judging.turns++;
        SRI_CALL(consider(ctx, s, number, c));
    }
    if (kernels)
        sri_search_note(out,
                        "the best kernel lay at the edge of the grid, which was extended by %d",
                        kernels);
    return SPECREG_OK;
}

specreg_status sri_sums_search(specreg_context *ctx, const sri_sums_spec *spec,
                               sri_search_result *out, sri_points **centres, sri_sums_facts *facts)
{
    specreg_status st = SPECREG_OK;
    sri_sums_spec own = *spec;
    search s = {.judging = {.spec = &own, .facts = facts}, .out = out};
    sri_sums_candidate c = {.first_row = 0};
    bool *stays = NULL;
    *out = (sri_search_result){.winner = -1, .fitted = {.df = NAN}};
    *facts = (sri_sums_facts){0};
    SRI_CALL(sri_sums_check(ctx, spec));
    SRI_TRY(sri_sums_choose_parts(ctx, &s.judging));
    own.reader.parting = s.judging.parting;
    SRI_TRY(list_candidates(ctx, &s, &stays));
    for (int64_t number = 0; number < out->candidates; number++)
        s.judging.turns += stays[number];
    for (int64_t number = 0; number < out->candidates; number++) {
        if (stays[number])
            SRI_TRY(consider(ctx, &s, number, &c));
        else
            SRI_TRY(book_left(ctx, &s, number));
    }
    SRI_TRY(extend(ctx, &s, &c));
    SRI_TRY(sri_sums_take_winner(ctx, &s.judging, &s.best, out, centres));
done:
    sri_free(stays);
    sri_sums_candidate_free(&s.judging, &c);
    sri_sums_candidate_free(&s.judging, &s.best);
    sri_parts_free(&s.judging.parts);
    if (st != SPECREG_OK)
        sri_search_result_free(out);
    return st;
}

specreg_status sri_sums_of_kernels(specreg_context *ctx, const sri_sums_spec *spec, sri_sums **sums,
                                   int64_t *kernels, sri_block_list *blocks)
{
    specreg_status st = SPECREG_OK;
    sri_sums_spec own = *spec;
    sri_sums_facts facts = {0};
    sri_sums_judging s = {.spec = &own, .facts = &facts};
    sri_sums_candidate c = {.first_row = 0};
    SRI_CALL(sri_sums_check(ctx, spec));
    SRI_TRY(sri_sums_choose_parts(ctx, &s));
    own.reader.parting = s.parting;
    const int64_t count = sri_kernel_grid_count(spec->search->grid);
    SRI_NEW_ZERO(ctx, *sums, count, 1);
    for (*kernels = 0; *kernels < count; (*kernels)++) {
        c.kernel = sri_kernel_grid_at(spec->search->grid, *kernels);
        SRI_TRY(sri_sums_candidate_prepare(ctx, &s, &c));
        SRI_TRY(sri_accumulate(ctx, &c.source, &c.sums, *kernels ? NULL : blocks, NULL));
        (*sums)[*kernels] = c.sums;
        c.sums = (sri_sums){0};
        sri_sums_candidate_free(&s, &c);
    }
done:
    sri_sums_candidate_free(&s, &c);
    sri_parts_free(&s.parts);
    return st;
}
