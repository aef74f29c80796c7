#include "sums/train.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "sums/crew.h"

/* A job trains one group of outputs on all rows, set 0, or without fold f, set f + 1. */
typedef struct training {
    const sri_sums_judging *s;
    sri_sums_candidate *c;
    sri_sums_path *path; /* of each job: sets x groups                                     */
    double *error;       /* judged x groups x count, see add_errors; NULL: not asked for   */
} training;

/* Sums over the rows of a fold of (1/q) sum of (y_t - f_t)^2, over those outputs of a group that a
 * row trains; q is how many outputs it trains in all. */
static specreg_status add_errors(specreg_context *ctx, const training *t, int64_t fold,
                                 int64_t group, double *M)
{
    specreg_status st = SPECREG_OK;
    const sri_sums_parts *parts = &t->s->parts;
    const sri_sums_path *path = &t->path[(fold + 1) * parts->groups + group];
    double *to = t->error + (fold * parts->groups + group) * path->count, *error = NULL;
    SRI_ALLOC(ctx, error, path->count, path->T);
    memset(to, 0, (size_t)path->count * sizeof *to);
    for (int64_t class = 0; class < parts->classes; class ++) {
        if (!sri_parts_trains(parts, group, class))
            continue;
        sri_sums_part(&t->c->sums, fold * parts->classes + class, M);
        const sri_sums_layout at = sri_parts_pick(parts, group, &t->c->source.at, M);
        SRI_TRY(sri_sums_errors(ctx, path, &at, M, error));
        for (int64_t k = 0; k < path->count * path->T; k++)
            to[k / path->T] += error[k] / (double)parts->outputs_of[class];
    }
done:
    sri_free(error);
    return st;
}

/* The sums of the rows that train a job's outputs. */
static specreg_status join_parts(specreg_context *ctx, const training *t, int64_t group,
                                 int64_t without, double *M)
{
    specreg_status st = SPECREG_OK;
    const sri_sums *sums = &t->c->sums;
    const int64_t order = sums->order;
    bool *in = NULL;
    SRI_ALLOC(ctx, in, sums->parts, 1);
    sri_parts_training(&t->s->parts, group, without, in);
    SRI_TRY(sri_sums_join(ctx, sums, in, M));
    SRI_REQUIRE(ctx, M[order * order - 1] > 0, SPECREG_E_NUMERIC,
                without < 0 ? "no row has a weight"
                            : "without fold %lld there are no rows of the classes that output %lld "
                              "trains on: take fewer folds, another --seed, or loo",
                (long long)without + 1, (long long)t->s->parts.group[group].output[0] + 1);
done:
    sri_free(in);
    return st;
}

static specreg_status train_one(specreg_context *ctx, void *payload, int64_t job)
{
    specreg_status st = SPECREG_OK;
    const training *t = payload;
    sri_sums_candidate *c = t->c;
    const sri_sums_parts *parts = &t->s->parts;
    const int64_t group = job % parts->groups, fold = job / parts->groups - 1;
    double *M = NULL;
    SRI_ALLOC(ctx, M, c->sums.order, c->sums.order);
    SRI_TRY(join_parts(ctx, t, group, fold, M));
    const sri_sums_layout at = sri_parts_pick(parts, group, &c->source.at, M);
    SRI_TRY(sri_sums_solve(ctx, &c->question, &at, M, &t->path[job],
                           fold < 0 && c->leverages ? &c->leverages[group] : NULL));
    if (fold >= 0 && t->error)
        SRI_TRY(add_errors(ctx, t, fold, group, M));
done:
    sri_free(M);
    return st;
}

/* What a job takes: the sums with targets apart, a decomposition or few rows; and the basis of a
 * Krylov space, which grows by half. */
static double bytes_of_job(const sri_sums_question *q, double order, double T)
{
    const double vector = order * (q->coupling ? T : 1);
    const double steps =
        sri_filter_nonlinear(&q->filter) ? fmin(vector, q->path.v[q->path.count - 1]) : 0;
    return 8 * ((q->coupling ? 6 : 5) * order * order + 2.5 * steps * vector);
}

/* How many jobs fit the memory at the same time. */
static int workers(const sri_sums_judging *s, const sri_sums_candidate *c)
{
    const double each = bytes_of_job(&c->question, (double)c->sums.order, (double)c->source.at.T);
    const double fit = (double)s->spec->problem->resources.memory / each;
    const int size = sri_crew_size();
    return fit < 1 ? 1 : fit < size ? (int)fit : size;
}

/* The paths of all groups of outputs become one; its degrees of freedom are the mean over
 * outputs. */
static specreg_status join_groups(specreg_context *ctx, const sri_sums_parts *parts, int64_t T,
                                  sri_sums_path *of, sri_sums_path *out)
{
    if (parts->groups == 1) {
        *out = of[0];
        of[0] = (sri_sums_path){0};
        return SPECREG_OK;
    }
    const int64_t count = of->count, width = of->width;
    *out = (sri_sums_path){.count = count,
                           .width = width,
                           .T = T,
                           .filter = of->filter,
                           .engine = of->engine};
    SRI_NEW(ctx, out->W, width, count * T);
    SRI_NEW_ZERO(ctx, out->df, count, 1);
    for (int64_t g = 0; g < parts->groups; g++) {
        const sri_output_group *group = &parts->group[g];
        out->rank = of[g].rank > out->rank ? of[g].rank : out->rank;
        for (int64_t k = 0; k < count; k++)
            out->df[k] += of[g].df[k] * (double)group->count / (double)T;
        for (int64_t row = 0; row < width * count; row++)
            for (int64_t j = 0; j < group->count; j++)
                out->W[row * T + group->output[j]] = of[g].W[row * group->count + j];
    }
    return SPECREG_OK;
}

static double weight_of(const sri_sums_parts *parts, const sri_sums *sums, int64_t fold)
{
    double weight = 0;
    for (int64_t class = 0; class < parts->classes; class ++)
        weight += sri_sums_mass(sums, fold * parts->classes + class);
    return weight;
}

/* The losses of a fold's rows by squared error. */
static void squared_losses(const training *t, int64_t fold, sri_losses *losses)
{
    const sri_sums_parts *parts = &t->s->parts;
    const int64_t count = t->c->question.path.count;
    const double weight = weight_of(parts, &t->c->sums, fold);
    for (int64_t k = 0; k < count; k++) {
        struct sri_loss loss = {.v = weight, .vv = weight * weight};
        for (int64_t g = 0; g < parts->groups; g++)
            loss.vx += t->error[(fold * parts->groups + g) * count + k];
        losses[k] = (sri_losses){.squared = loss, .own = loss};
    }
}

specreg_status sri_sums_train(specreg_context *ctx, const sri_sums_judging *s,
                              sri_sums_candidate *c, sri_losses *losses)
{
    specreg_status st = SPECREG_OK;
    const int64_t groups = s->parts.groups, jobs = (s->judged + 1) * groups;
    const int64_t count = c->question.path.count, T = c->source.at.T;
    training t = {.s = s, .c = c};
    SRI_CALLOC(ctx, t.path, jobs, 1);
    if (losses)
        SRI_ALLOC(ctx, t.error, s->judged * groups, count);
    SRI_TRY(sri_crew_run(ctx, jobs, workers(s, c), train_one, &t));
    for (int64_t set = 0; set <= s->judged; set++)
        SRI_TRY(join_groups(ctx, &s->parts, T, t.path + set * groups,
                            set ? &c->without[set - 1] : &c->path));
    for (int64_t f = 0; losses && f < s->judged; f++)
        squared_losses(&t, f, losses + f * count);
    SRI_TRY(sri_poll(ctx));
done:
    for (int64_t job = 0; t.path && job < jobs; job++)
        sri_sums_path_free(&t.path[job]);
    sri_free(t.error);
    sri_free(t.path);
    return st;
}
