/* Several candidates in one run: see family.h. */
#include <math.h>

#include "core/memory.h"
#include "select/family.h"
#include "select/run.h"

typedef struct together {
    sri_run *run; /* one for each member */
    const sri_candidate *candidate;
    int64_t members;
    sri_sink **to;
} together;

/* The first member's run has the times; how it went is the same for all. */
static void share_report(const together *g)
{
    for (int64_t m = 1; m < g->members; m++) {
        g->run[m].out->engine = g->run[0].out->engine;
        g->run[m].out->report = g->run[0].out->report;
    }
}

static specreg_status score_all(specreg_context *ctx, const together *g)
{
    specreg_status st = SPECREG_OK;
    sri_family family = {0};
    sri_fan fan = {0};
    sri_score_sink *sink = NULL;
    SRI_CALLOC(ctx, sink, g->members, 1);
    for (int64_t m = 0; m < g->members; m++) {
        sri_score_sink_make(&g->run[m], -1, &sink[m]);
        g->to[m] = &sink[m].base;
    }
    SRI_TRY(sri_family_make(ctx, g->candidate, g->members, &g->run[0].setting->problem, &family));
    sri_run r = g->run[0];
    r.op = family.op;
    sri_job job = sri_run_job(&r, sri_run_need(&r));
    sri_family_job(&family, &job);
    SRI_TRY(sri_fan_make(ctx, &job, g->members, g->to, &fan));
    SRI_TRY(sri_run_engine(ctx, &g->run[0], &job, &fan.base, &sink[0].seconds));
    for (int64_t m = 0; m < g->members; m++)
        g->run[m].out->rank = g->run[m].out->score[g->run[m].out->best];
done:
    sri_fan_free(&fan);
    sri_family_free(&family);
    sri_free(sink);
    return st;
}

/* Trains all members along their path on a trial's rows: A is members times n_centres x (L T). */
static specreg_status train_all(specreg_context *ctx, const together *g, const sri_trial *trial,
                                const sri_family *family, double *A)
{
    specreg_status st = SPECREG_OK;
    sri_run r = g->run[0];
    const int64_t L = r.candidate->path.count, T = trial->train.T, size = family->op->centres.n;
    const double none = 0;
    double *param = NULL;
    sri_collect_sink *sink = NULL;
    sri_fan fan = {0};
    SRI_ALLOC(ctx, sink, g->members, 1);
    for (int64_t m = 0; m < g->members; m++) {
        sink[m] = sri_collect_sink_make(A + m * size * L * T, size, T, L);
        g->to[m] = &sink[m].base;
    }
    SRI_TRY(sri_trial_path(ctx, r.candidate, trial->train.n, &param));
    r.op = family->op;
    sri_job job = sri_run_job(&r, 0);
    job.path.param = param;
    sri_family_job(family, &job);
    SRI_TRY(sri_fan_make(ctx, &job, g->members, g->to, &fan));
    SRI_TRY(sri_run_engine(ctx, &r, &job, &fan.base, &none));
done:
    sri_fan_free(&fan);
    sri_free(sink);
    sri_free(param);
    return st;
}

/* One trial: the members' losses, members times trials x L, and shares of held-out residuals. */
static specreg_status try_all(specreg_context *ctx, const together *g, int64_t f,
                              sri_losses *losses, double *held_out)
{
    specreg_status st = SPECREG_OK;
    const sri_run *r = &g->run[0];
    const sri_trials *trials = &r->setting->trials;
    const sri_trial *trial = &trials->trial[f];
    const int64_t m = trial->validate.n, T = trial->train.T;
    const int64_t L = r->candidate->path.count, size = L * r->setting->problem.n * T;
    double *A = NULL, *F = NULL;
    sri_family family = {0};
    SRI_TRY(sri_family_make(ctx, g->candidate, g->members, &trial->train, &family));
    const sri_centres centres = family.op->centres;
    const int64_t coefficients = centres.n * L * T;
    SRI_ALLOC(ctx, A, g->members, coefficients);
    SRI_ALLOC(ctx, F, m, L * T);
    SRI_TRY(train_all(ctx, g, trial, &family, A));
    sri_family_free(&family);
    const double start = sri_clock();
    for (int64_t k = 0; k < g->members; k++) {
        SRI_TRY(sri_predict_rows(ctx, &g->candidate[k].kernel, &trial->validate.rows,
                                 centres.points, A + k * coefficients, L * T, F));
        SRI_TRY(sri_trial_judge(ctx, &g->run[k], trial, F, losses + (k * trials->count + f) * L,
                                held_out ? held_out + k * size : NULL));
    }
    r->out->seconds_select += sri_clock() - start;
done:
    sri_family_free(&family);
    sri_free(F);
    sri_free(A);
    return st;
}

static specreg_status try_trials(specreg_context *ctx, const together *g)
{
    specreg_status st = SPECREG_OK;
    const sri_setting *setting = g->run[0].setting;
    const sri_problem *problem = &setting->problem;
    const int64_t L = g->run[0].candidate->path.count, count = setting->trials.count;
    const int64_t size = L * problem->n * problem->T;
    sri_losses *losses = NULL;
    double *held_out = NULL;
    SRI_CALLOC(ctx, losses, g->members * count, L);
    if (sri_problem_partition(problem))
        SRI_CALLOC(ctx, held_out, g->members, size);
    for (int64_t f = 0; f < count; f++) {
        SRI_TRY(try_all(ctx, g, f, losses, held_out));
        SRI_TRY(sri_poll(ctx));
    }
    for (int64_t m = 0; m < g->members; m++)
        SRI_TRY(sri_trials_finish(ctx, &g->run[m], losses + m * count * L,
                                  held_out ? held_out + m * size : NULL, -1));
done:
    sri_free(held_out);
    sri_free(losses);
    return st;
}

specreg_status sri_evaluate_family(specreg_context *ctx, const sri_setting *setting,
                                   const sri_candidate *candidate, int64_t members,
                                   const sri_threshold *threshold, sri_outcome *out)
{
    specreg_status st = SPECREG_OK;
    together g = {.candidate = candidate, .members = members};
    for (int64_t m = 0; m < members; m++)
        out[m] = (sri_outcome){.count = candidate[m].path.count, .fitted = {.df = NAN}};
    SRI_CALLOC(ctx, g.run, members, 1);
    SRI_CALLOC(ctx, g.to, members, 1);
    for (int64_t m = 0; m < members; m++) {
        SRI_CALLOC(ctx, out[m].score, out[m].count, 1);
        g.run[m] = (sri_run){.setting = setting,
                             .candidate = &candidate[m],
                             .threshold = threshold,
                             .out = &out[m]};
    }
    SRI_TRY(setting->trials.count ? try_trials(ctx, &g) : score_all(ctx, &g));
    share_report(&g);
done:
    sri_free(g.to);
    sri_free(g.run);
    return st;
}
