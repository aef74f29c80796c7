/* Points of a path judged by the rule's score of the fit itself. */
#include <math.h>

#include "select/each_output.h"
#include "select/run.h"

/* How far past the minimum of the criterion a search goes along a path, as a share of it; and where
 * fewer rows have shown that the error rises beyond. */
static const double PAST_MINIMUM = 0.1, PAST_SEEN = 0.02;
/* A fall by less than this share is none: a search has errors that are right to about as much. */
static const double AT_REST = 1e-3;
/* Errors often stay where they are at first: how much of a path is seen in any case. */
static const double MOST_OF_IT = 0.4;

/* Scores every point of a member by the rule, and keeps the best. */
typedef struct score_sink {
    sri_sink base;
    const sri_run *r;
    int64_t member;
    double *diagonal; /* k(x_i, x_i), where the rule asks for it */
    int64_t last;     /* the point seen last                     */
    sri_each each;    /* where every output has its own parameter */
} score_sink;

/* The best of points 0 .. last. */
static void best_until(const sri_outcome *out, int64_t last, double *value, double *tie)
{
    *value = *tie = INFINITY;
    for (int64_t j = 0; j <= last; j++) {
        *value = fmin(*value, out->score[j].value);
        *tie = fmin(*tie, out->score[j].tie);
    }
}

/* Whether the point seen last is as rough as the best one on fewer rows, or rougher. */
static bool is_past_seen(const score_sink *sink)
{
    const double *path = sink->r->candidate[sink->member].path.v, seen = sink->r->seen;
    return seen > 0 && fabs(log(path[sink->last] / path[0])) >= fabs(log(seen / path[0]));
}

/* Beyond the best point on fewer rows errors fall more and more slowly: by d1, then d2, as along a
 * parabola, which has d2^2 / 2 (d1 - d2) to fall from there.  Twice as much is not enough to reach
 * the best kernel?  For squared errors, which are smooth along a path. */
static bool ends_behind(const score_sink *sink)
{
    const sri_run *r = sink->r;
    const sri_score *score = r->out[sink->member].score + sink->last;
    if (!r->threshold || !r->threshold->only_best || sink->last < 2 || !is_past_seen(sink) ||
        score->value != score->tie)
        return false;
    const double d1 = score[-2].value - score[-1].value, d2 = score[-1].value - score[0].value;
    if (d2 >= d1)
        return false;
    const double rest = d2 > 0 ? d2 * d2 / (2 * (d1 - d2)) : fabs(d1) / 8;
    const double least = fmin(score[0].value, score[-1].value);
    return least - r->threshold->optimism * rest > r->threshold->rank.value;
}

/* The last decade of the parameter that was seen: the best before it and the best with it. */
typedef struct decade {
    double length; /* in powers of ten, 1 or a little more */
    double old_value, old_tie, value, tie;
} decade;

/* False where so much was not seen yet, or too little of the path, where a larger criterion is
 * better, or where there is none. */
static bool last_decade(const score_sink *sink, decade *out)
{
    const sri_run *r = sink->r;
    const sri_values *path = &r->candidate[sink->member].path;
    const double now = path->v[sink->last];
    int64_t before = sink->last;
    if (sri_criterion_of(&r->setting->problem)->info.larger_is_better ||
        (double)sink->last < MOST_OF_IT * (double)path->count)
        return false;
    while (before > 0 && fabs(log10(path->v[before] / now)) < 1)
        before--;
    out->length = fabs(log10(path->v[before] / now));
    best_until(&r->out[sink->member], sink->last, &out->value, &out->tie);
    best_until(&r->out[sink->member], before, &out->old_value, &out->old_tie);
    return out->length >= 1 && isfinite(out->value) && isfinite(out->tie);
}

/* Whether neither the criterion nor the squared error has fallen by as much over the last decade.
 * A path may be flat at its rough end, where a point takes many steps. */
static bool has_come_to_rest(const score_sink *sink)
{
    decade d;
    return last_decade(sink, &d) && d.value >= (1 - AT_REST) * d.old_value &&
           d.tie >= (1 - AT_REST) * d.old_tie;
}

/* A kernel is abandoned when extrapolating its error to the end of the path (the slope of the last
 * decade of the parameter, times the optimism) stays above the best: both by the criterion and by
 * the squared error. */
static bool too_far_behind(const score_sink *sink)
{
    const sri_run *r = sink->r;
    const sri_values *path = &r->candidate[sink->member].path;
    decade d;
    if (!r->threshold || !last_decade(sink, &d))
        return false;
    const double rest = fabs(log10(path->v[path->count - 1] / path->v[sink->last]));
    const double decades = r->threshold->optimism * rest / d.length;
    return sri_threshold_missed(r->threshold, d.value * pow(d.value / d.old_value, decades),
                                d.tie * pow(d.tie / d.old_tie, decades));
}

/* Whether the value, and the squared error with it, are past their minimum by a clear margin.
 * Squared errors beyond the best point on fewer rows need no standard error for that. */
static bool is_past_minimum(const score_sink *sink)
{
    const sri_outcome *out = &sink->r->out[sink->member];
    const sri_score *best = &out->score[out->best], *last = &out->score[sink->last];
    const bool seen = is_past_seen(sink), squared = best->value == best->tie;
    const double share = seen ? PAST_SEEN : PAST_MINIMUM;
    double value, least;
    best_until(out, sink->last, &value, &least);
    const double noise = seen ? (squared ? 0 : 1) : 2;
    const double margin = fmax(share * fabs(best->value), noise * best->stderr_);
    return last->value > best->value + margin && last->tie > (1 + share) * least;
}

/* A search goes no rougher once a path is past its minimum, has come to rest, or cannot reach the
 * best kernel. */
static bool score_enough(const sri_sink *self)
{
    const score_sink *sink = (const score_sink *)self;
    sri_outcome *out = &sink->r->out[sink->member];
    const bool enough =
        sink->last > sink->r->want && (is_past_minimum(sink) || has_come_to_rest(sink) ||
                                       too_far_behind(sink) || ends_behind(sink));
    out->abandoned = enough && sink->last + 1 < out->count;
    return enough;
}

static specreg_status score_put(specreg_context *ctx, sri_sink *self, const sri_path_point *given)
{
    score_sink *sink = (score_sink *)self;
    const sri_run *r = sink->r;
    const sri_search_spec *spec = r->setting->spec;
    const sri_candidate *c = &r->candidate[sink->member];
    const sri_seen seen = sri_candidate_seen(c);
    sri_outcome *out = &r->out[sink->member];
    sri_path_point point = *given;
    const double start = sri_clock();
    sri_score *score = &out->score[point.index];
    point.diagonal = sink->diagonal;
    *score = (sri_score){.value = NAN, .tie = NAN, .stderr_ = NAN, .df = point.df};
    if (spec->rule->ops->score)
        SRI_CALL(spec->rule->ops->score(ctx, spec->rule, &r->setting->problem, &point, score));
    if (spec->watch)
        SRI_CALL(spec->watch(ctx, spec->payload, &seen, &point));
    sink->last = point.index;
    const bool better = point.index == 0 || sri_score_better(score, &out->score[out->best]);
    if (better)
        out->best = point.index;
    if (spec->per_output)
        sri_each_see(&r->setting->problem, &point, &sink->each);
    else if (r->want < 0 ? better : point.index == r->want)
        SRI_CALL(sri_run_keep(ctx, r, sink->member, &point));
    out->seconds.select += sri_clock() - start;
    return SPECREG_OK;
}

static specreg_status make_sink(specreg_context *ctx, const sri_run *r, int64_t m,
                                sri_arena *scratch, score_sink *out)
{
    const sri_problem *problem = &r->setting->problem;
    const bool per_output = r->setting->spec->per_output;
    *out = (score_sink){.base = {score_put, per_output ? NULL : score_enough}, .r = r, .member = m};
    if (per_output)
        SRI_CALL(sri_each_new(ctx, r->setting, scratch, &out->each));
    for (int64_t j = 0; j < r->out[m].count; j++)
        r->out[m].score[j] = (sri_score){.value = NAN, .tie = NAN, .stderr_ = NAN, .df = NAN};
    if (sri_run_need(r) & SRI_NEED_DIAGONAL) {
        SRI_ARENA_NEW(ctx, scratch, out->diagonal, problem->n, 1);
        SRI_CALL(sri_kernel_diagonal(ctx, &r->candidate[m].kernel, problem->points, out->diagonal));
    }
    return SPECREG_OK;
}

specreg_status sri_evaluate_scores(specreg_context *ctx, const sri_run *r)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    sri_batch batch = {0};
    sri_run own = *r;
    score_sink *sink;
    sri_sink **to;
    SRI_SCRATCH(ctx, &scratch, sink, r->members, 1);
    SRI_SCRATCH(ctx, &scratch, to, r->members, 1);
    for (int64_t m = 0; m < r->members; m++) {
        SRI_TRY(make_sink(ctx, r, m, &scratch, &sink[m]));
        to[m] = &sink[m].base;
    }
    if (r->members > 1) {
        SRI_TRY(sri_batch_make(ctx, r->candidate, r->members, &r->setting->problem, &batch));
        own.op = batch.op;
    }
    sri_job job = sri_run_job(&own, sri_run_need(r));
    SRI_TRY(sri_run_engine(ctx, r, &r->setting->problem, &job, &batch, to));
    for (int64_t m = 0; m < r->members; m++)
        if (r->setting->spec->per_output)
            SRI_TRY(sri_each_finish(ctx, r->setting, &sink[m].each, &r->out[m]));
        else
            r->out[m].rank = r->out[m].score[r->out[m].best];
done:
    sri_batch_free(&batch);
    sri_arena_free(&scratch);
    return st;
}
