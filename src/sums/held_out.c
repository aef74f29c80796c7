/* What the winner's predictors say of rows they have not seen: residuals for intervals and
 * probabilities.  They are those of up to SRI_HELD_ROWS of the rows looked at first, which are the
 * rows with the least hashes of their numbers: memory does not grow with the rows. */
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "core/arena.h"
#include "sums/candidate.h"

/* One point of a path, and where residuals go. */
typedef struct one_point {
    sri_arena memory;
    sri_sums_path *path;      /* of each judged fold, or of all rows              */
    sri_leverages *leverages; /* of each group of outputs; NULL: rows were in folds */
    const int64_t *place;     /* of each row of the sample in the problem */
    int64_t T;
    double *held_out;
} one_point;

/* Columns first .. first + count - 1 of rows that are `ld` numbers wide. */
static specreg_status copy_columns(specreg_context *ctx, sri_arena *memory, sri_dense from,
                                   int64_t first, int64_t count, double **out)
{
    SRI_ARENA_NEW(ctx, memory, *out, from.rows, count);
    for (int64_t i = 0; i < from.rows; i++)
        memcpy(*out + i * count, from.x + i * from.ld + first, (size_t)count * sizeof **out);
    return SPECREG_OK;
}

/* Point k of the leverages of each group of outputs. */
static specreg_status take_leverages(specreg_context *ctx, const sri_sums_judging *s,
                                     const sri_sums_candidate *c, int64_t k, one_point *p)
{
    SRI_ARENA_NEW(ctx, &p->memory, p->leverages, s->parts.groups, 1);
    for (int64_t i = 0; i < s->parts.groups; i++) {
        sri_leverages *to = &p->leverages[i];
        *to = c->leverages[i];
        const int64_t count = to->count, scales = to->scales.count;
        const double *g = to->g;
        SRI_ARENA_NEW(ctx, &p->memory, to->g, to->r, scales);
        for (int64_t j = 0; j < to->r * scales; j++)
            to->g[j] = g[j * count + k];
        to->count = 1;
    }
    return SPECREG_OK;
}

static specreg_status take_point(specreg_context *ctx, const sri_sums_judging *s,
                                 const sri_sums_candidate *c, int64_t k, int64_t parts,
                                 one_point *p)
{
    const sri_sums_path *from = c->leverages ? &c->path : c->without;
    const int64_t count = from->count, T = from->T;
    SRI_ARENA_NEW(ctx, &p->memory, p->path, parts, 1);
    for (int64_t f = 0; f < parts; f++) {
        p->path[f] = from[f];
        p->path[f].count = 1;
        const sri_dense W = {from[f].width, count * T, from[f].W, count * T};
        SRI_CALL(copy_columns(ctx, &p->memory, W, k * T, T, &p->path[f].W));
    }
    return c->leverages ? take_leverages(ctx, s, c, k, p) : SPECREG_OK;
}

/* Puts residuals of rows of a block where their rows are in the problem. */
static void take_residuals(void *payload, const sri_row_block *block, int64_t first, int64_t n,
                           const double *F)
{
    const one_point *p = payload;
    const sri_sample *rows = &block->rows;
    for (int64_t i = 0; i < n; i++) {
        const int64_t place = p->place[block->first + rows->row[first + i]];
        for (int64_t t = 0; t < p->T; t++)
            p->held_out[place * p->T + t] = rows->Y[(first + i) * p->T + t] - F[i * p->T + t];
    }
}

/* The rows of the first look that are asked, and their places in the problem. */
static specreg_status choose_rows(specreg_context *ctx, const sri_problem *problem,
                                  sri_arena *memory, int64_t count, int64_t **row, int64_t **place)
{
    SRI_ARENA_NEW(ctx, memory, *row, count, 1);
    SRI_ARENA_NEW(ctx, memory, *place, count, 1);
    for (int64_t j = 0; j < count; j++) {
        const int64_t i = j * problem->n / count;
        (*place)[j] = i;
        (*row)[j] = problem->rows.keep[i];
    }
    return SPECREG_OK;
}

static specreg_status look(specreg_context *ctx, const sri_sums_judging *s,
                           const sri_sums_candidate *c, one_point *p)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = s->spec->problem;
    const int64_t count = problem->n < SRI_HELD_ROWS ? problem->n : SRI_HELD_ROWS;
    const bool left_out = c->leverages;
    int64_t *row, *place;
    specreg_table *table = NULL;
    sri_sums_source source = c->source;
    source.blocks = NULL;
    SRI_TRY(choose_rows(ctx, problem, &p->memory, count, &row, &place));
    p->place = place;
    SRI_TRY(specreg_table_select(ctx, sri_blocks_table(s->spec->first), row, count, &table));
    SRI_TRY(sri_blocks_of_table(ctx, table, &source.blocks));
    const sri_second_look again = {.problem = problem,
                                   .parts = &s->parts,
                                   .path = p->path,
                                   .judged = left_out ? 1 : s->judged,
                                   .leverages = p->leverages,
                                   .seen = take_residuals,
                                   .payload = p};
    SRI_TRY(sri_look_again(ctx, &source, &again, NULL));
done:
    sri_blocks_free(source.blocks);
    specreg_table_free(table);
    return st;
}

/* Folds that hold out every row, and leave-one-out. */
static bool tells(const sri_sums_judging *s, const sri_sums_candidate *c)
{
    const bool parts = s->judged == s->parting.folds && s->judged > 1;
    return s->spec->first && (parts || c->leverages);
}

specreg_status sri_sums_hold_out(specreg_context *ctx, const sri_sums_judging *s,
                                 const sri_sums_candidate *c, int64_t k, sri_fitted *out)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = s->spec->problem;
    one_point p = {.T = problem->T};
    if (!tells(s, c))
        return st;
    const double start = sri_clock();
    SRI_ALLOC(ctx, out->held_out, problem->n, problem->T);
    for (int64_t i = 0; i < problem->n * problem->T; i++)
        out->held_out[i] = NAN;
    p.held_out = out->held_out;
    SRI_TRY(take_point(ctx, s, c, k, c->leverages ? 1 : s->judged, &p));
    SRI_TRY(look(ctx, s, c, &p));
    out->held_by = s->spec->search->rule->ops->name;
    s->facts->seconds_second_pass += sri_clock() - start;
done:
    sri_arena_free(&p.memory);
    return st;
}
