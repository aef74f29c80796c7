#include "portrait/parts.h"

#include <math.h>

#include "core/rng.h"

void sri_portrait_lacks(sri_portrait *portrait, const char *sentence)
{
    for (int i = 0; i < portrait->n_missing; i++)
        if (portrait->missing[i] == sentence)
            return;
    if (portrait->n_missing < SRI_PORTRAIT_MISSING)
        portrait->missing[portrait->n_missing++] = sentence;
}

void sri_portrait_free(sri_portrait *portrait)
{
    if (portrait)
        sri_arena_free(&portrait->memory);
    sri_free(portrait);
}

void sri_portrait_choose(uint64_t seed, int64_t n, int64_t count, int64_t *row)
{
    sri_rng rng = sri_rng_make(seed, SRI_STREAM_PORTRAIT);
    int64_t taken = 0;
    for (int64_t i = 0; i < n && taken < count; i++)
        if (sri_rng_below(&rng, n - i) < count - taken)
            row[taken++] = i;
}

/* All rows of a small problem.  Beyond, and where outputs are many, fewer: the decomposition takes
 * about 5 n^3 steps, the path 4 n^2 for each point and output. */
sri_portrait_size sri_portrait_size_for(int64_t rows, const sri_problem *problem)
{
    enum { ALL = 600, SOME = 400, FEWEST = 40, NUMBERS = 9000, MANY_NUMBERS = 16000 };
    static const double STEPS = 4e8;
    const bool usual = rows < 0;
    const double path = 4.0 * SRI_PORTRAIT_POINTS * (double)problem->T;
    if (rows > 0 || (usual && problem->n <= ALL))
        rows = rows > 0 && rows < problem->n ? rows : problem->n;
    else if (usual)
        rows = SOME;
    if (usual && path * (double)rows * (double)rows > STEPS)
        rows = (int64_t)fmax(FEWEST, sqrt(STEPS / path));
    return (sri_portrait_size){.rows = rows < problem->n ? rows : problem->n,
                               .numbers = usual ? NUMBERS : MANY_NUMBERS};
}

/* Why a problem has no spectrum to show; NULL: it has. */
static const char *refuses(specreg_context *ctx, const sri_problem *problem, int64_t rows)
{
    const double bytes = 8.0 * 6 * (double)rows * (double)rows;
    if (problem->extension)
        return "The spectrum is not shown where rows without targets help.";
    if (bytes > (double)problem->resources.memory / 2 || bytes > (double)sri_memory_left(ctx) / 2)
        return "The memory was too small for the spectrum.";
    return NULL;
}

static void sample_free(sri_portrait_sample *s)
{
    sri_op_free(s->op);
    sri_subproblem_free(&s->sub);
}

/* A sample cannot have more components than it has eigenvalues. */
static specreg_status take_params(specreg_context *ctx, sri_portrait_sample *s)
{
    specreg_status st = SPECREG_OK;
    const sri_portrait_path *path = &s->out->path;
    SRI_SCRATCH(ctx, &s->out->memory, s->param, path->count, 1);
    for (int64_t i = 0; i < path->count; i++)
        s->param[i] =
            path->kind == SRI_PATH_COMPONENTS ? fmin(path->at[i], (double)s->m) : path->at[i];
done:
    return st;
}

/* What asks for a matrix: of a sample of rows. */
static specreg_status compute(specreg_context *ctx, const sri_problem *problem,
                              sri_portrait_sample *s)
{
    specreg_status st = SPECREG_OK;
    int64_t *row = NULL;
    const int64_t count = problem->n < s->size.rows ? problem->n : s->size.rows;
    SRI_ALLOC(ctx, row, count, 1);
    sri_portrait_choose(problem->resources.seed, problem->n, count, row);
    SRI_TRY(sri_subproblem_make(ctx, problem, row, count, &s->sub));
    s->sub.points->centres = NULL;
    s->out->rows_used = count;
    SRI_TRY(sri_portrait_decompose(ctx, s));
    SRI_TRY(take_params(ctx, s));
    SRI_TRY(sri_portrait_filter_on(ctx, s));
    SRI_TRY(sri_portrait_train(ctx, s));
done:
    sri_free(row);
    return st;
}

/* Numerical trouble of the sample is none of the fit: the pictures lack it. */
static bool is_none_of_the_fit(specreg_status st)
{
    return st == SPECREG_E_NUMERIC || st == SPECREG_E_UNAVAILABLE || st == SPECREG_E_ARG ||
           st == SPECREG_E_SHAPE;
}

static specreg_status draw(specreg_context *ctx, const sri_problem *problem, sri_portrait_sample *s)
{
    sri_threads threads;
    const char *why = refuses(ctx, problem, s->size.rows);
    if (why) {
        sri_portrait_lacks(s->out, why);
        return SPECREG_OK;
    }
    sri_threads_enter(1, &threads); /* the model file is the same for any number */
    specreg_status st = compute(ctx, problem, s);
    sri_threads_leave(&threads);
    if (is_none_of_the_fit(st)) {
        sri_portrait_lacks(s->out, "The kernel matrix of a sample of rows could not be decomposed "
                                   "or solved: spectrum, training error or curves are missing.");
        st = SPECREG_OK;
    }
    return st;
}

specreg_status sri_portrait_make(specreg_context *ctx, const sri_portrait_of *of,
                                 sri_portrait_size size, sri_portrait **out)
{
    specreg_status st = SPECREG_OK;
    sri_portrait *portrait = NULL;
    sri_portrait_sample s = {.of = of, .size = size, .filter = of->found->filter};
    *out = NULL;
    if (!size.rows)
        return st;
    SRI_CALLOC(ctx, portrait, 1, 1);
    portrait->n = of->problem->n;
    s.out = portrait;
    SRI_TRY(sri_portrait_points(ctx, of, portrait));
    SRI_TRY(sri_portrait_held_out(ctx, of, size.numbers, portrait));
    SRI_TRY(draw(ctx, of->problem, &s));
    SRI_MOVE(*out, portrait);
done:
    sample_free(&s);
    sri_portrait_free(portrait);
    return st;
}
