/* Points of a path judged by trials: trained on some rows, compared with others. */
#include <math.h>
#include <string.h>

#include "select/run.h"

/* Keeps all coefficients: A is n_centres x (L T). */
typedef struct collect_sink {
    sri_sink base;
    double *A;
    int64_t n_centres, T, L;
    double *B; /* l x (L T), where there are unpenalised terms */
    int64_t l;
} collect_sink;

static specreg_status collect_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    collect_sink *c = (collect_sink *)self;
    const size_t bytes = (size_t)c->T * sizeof *c->A;
    for (int64_t i = 0; i < c->n_centres; i++)
        memcpy(c->A + (i * c->L + point->index) * c->T, point->alpha + i * c->T, bytes);
    for (int64_t j = 0; j < c->l; j++)
        memcpy(c->B + (j * c->L + point->index) * c->T, point->beta + j * c->T, bytes);
    return SPECREG_OK;
}

/* The losses of all members and trials, and the held-out residuals of all points. */
typedef struct judged {
    sri_losses *losses; /* members x trials x L                                    */
    double *held_out;   /* members x L x n x T, where folds hold out every row; else NULL */
} judged;

static double *held_out_of(const sri_run *r, const judged *j, int64_t m)
{
    const sri_problem *problem = &r->setting->problem;
    const int64_t size = r->candidate->path.count * problem->n * problem->T;
    return j->held_out ? j->held_out + m * size : NULL;
}

static sri_losses *losses_of(const sri_run *r, const judged *j, int64_t m)
{
    return j->losses + m * r->setting->trials.count * r->candidate->path.count;
}

/* Losses of member m in trial f at every point from predictions F (rows x (L T)); held-out
 * residuals grow by a share of theirs. */
static specreg_status judge(specreg_context *ctx, const sri_run *r, int64_t m, int64_t f,
                            const double *F, const judged *out)
{
    const sri_problem *problem = &r->setting->problem;
    const sri_trial *trial = &r->setting->trials.trial[f];
    const sri_sample *v = &trial->validate;
    const int64_t L = r->candidate->path.count, T = problem->T;
    const sri_truth truth = {.Y = v->Y, .classes = v->classes, .weight = v->weight};
    double *held_out = held_out_of(r, out, m);
    for (int64_t j = 0; j < L; j++) {
        sri_comparison p = sri_problem_compare(problem, F + j * T, truth, v->n);
        p.ldf = L * T;
        SRI_CALL(sri_losses_add(ctx, problem, p, &losses_of(r, out, m)[f * L + j]));
        for (int64_t i = 0; held_out && i < v->n; i++)
            for (int64_t t = 0; t < T; t++)
                held_out[(j * problem->n + trial->row[i]) * T + t] +=
                    (v->Y[i * T + t] - F[(i * L + j) * T + t]) / (double)problem->folds.repeats;
    }
    return SPECREG_OK;
}

/* The path as a trial can take it: no more components than training rows. */
static void clip_path(const sri_candidate *c, int64_t n, double *out)
{
    for (int64_t j = 0; j < c->path.count; j++)
        out[j] =
            c->filter.path == SRI_PATH_COMPONENTS ? fmin(c->path.v[j], (double)n) : c->path.v[j];
}

/* Trains all members along their path on a trial's rows: A is members times n_centres x (L T), B
 * l x (L T) of the only one. */
static specreg_status train(specreg_context *ctx, const sri_run *inner, const sri_batch *batch,
                            const sri_trial *trial, double *A, double *B)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const sri_candidate *c = inner->candidate;
    const int64_t L = c->path.count, T = trial->train.T, n_centres = inner->op->centres.n;
    sri_filter filter = c->filter;
    collect_sink *sink;
    sri_sink **to;
    double *param;
    SRI_SCRATCH(ctx, &scratch, sink, inner->members, 1);
    SRI_SCRATCH(ctx, &scratch, to, inner->members, 1);
    SRI_SCRATCH(ctx, &scratch, param, L, 1);
    for (int64_t m = 0; m < inner->members; m++) {
        sink[m] = (collect_sink){.base = {.put = collect_put},
                                 .A = A + m * n_centres * L * T,
                                 .n_centres = n_centres,
                                 .T = T,
                                 .L = L,
                                 .B = B,
                                 .l = trial->train.unpenalised.l};
        to[m] = &sink[m].base;
    }
    clip_path(c, trial->train.n, param);
    if (filter.step_rule == SRI_STEP_NORM)
        SRI_TRY(sri_filter_prepare(ctx, &filter, inner->op));
    sri_job job = sri_run_job(inner, 0);
    job.problem.Y = trial->train.Y;
    job.path.filter = &filter;
    job.path.param = param;
    SRI_TRY(sri_run_engine(ctx, inner, &trial->train, &job, batch, to));
done:
    sri_arena_free(&scratch);
    return st;
}

/* The operator on the rows of trial f: the batch's, or one that settings of the filter share. */
static specreg_status find_operator(specreg_context *ctx, const sri_run *r, int64_t f,
                                    sri_batch *batch, sri_op **out)
{
    const sri_problem *train = &r->setting->trials.trial[f].train;
    if (r->trial_op && !r->trial_op[f])
        SRI_CALL(sri_problem_op(ctx, train, &r->candidate->kernel, &r->trial_op[f]));
    else if (!r->trial_op)
        SRI_CALL(sri_batch_make(ctx, r->candidate, r->members, train, batch));
    *out = r->trial_op ? r->trial_op[f] : batch->op;
    return SPECREG_OK;
}

/* Trains along the path on a trial's rows and predicts those that validate. */
static specreg_status run_trial(specreg_context *ctx, const sri_run *r, int64_t f,
                                const judged *out)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const sri_trial *trial = &r->setting->trials.trial[f];
    const sri_sample *v = &trial->validate;
    const int64_t columns = r->candidate->path.count * trial->train.T;
    const int64_t l = trial->train.unpenalised.l;
    sri_run inner = *r;
    sri_batch batch = {0};
    sri_candidate own = *r->candidate; /* with the coupling that these rows have */
    double *A, *B, *F;
    own.learned = NULL;
    SRI_TRY(sri_learn(ctx, &trial->train, sri_setting_learner(r->setting, f), &own.kernel, NULL,
                      &own.learned));
    if (own.learned) {
        inner.candidate = &own;
        inner.trial_op = NULL;
    }
    SRI_TRY(find_operator(ctx, &inner, f, &batch, &inner.op));
    const sri_centres centres = inner.op->centres;
    SRI_SCRATCH(ctx, &scratch, A, r->members * centres.n, columns);
    SRI_SCRATCH(ctx, &scratch, B, l, columns);
    SRI_SCRATCH(ctx, &scratch, F, v->n, columns);
    SRI_TRY(train(ctx, &inner, &batch, trial, A, B));
    sri_batch_free(&batch);
    const double start = sri_clock();
    for (int64_t m = 0; m < r->members; m++) {
        const sri_kernel *kernel = &inner.candidate[m].kernel;
        const sri_predictors all = {kernel, centres.points, A + m * centres.n * columns, columns};
        SRI_TRY(sri_predict_rows(ctx, &all, &v->rows, F));
        SRI_TRY(sri_coupling_mix(ctx, sri_problem_coupling(&r->setting->problem, kernel),
                                 v->n * r->candidate->path.count, F));
        sri_features_add(v->P, v->n, l, B, columns, F);
        SRI_TRY(judge(ctx, r, m, f, F, out));
    }
    r->out->seconds.select += sri_clock() - start;
done:
    sri_coupling_free(own.learned);
    sri_batch_free(&batch);
    sri_arena_free(&scratch);
    return st;
}

/* Scores of member m, and the best of them, from the losses of all trials. */
static specreg_status finish(specreg_context *ctx, const sri_run *r, int64_t m, const judged *j)
{
    const sri_problem *problem = &r->setting->problem;
    const int64_t L = r->candidate->path.count, size = problem->n * problem->T;
    const double *held_out = held_out_of(r, j, m);
    sri_outcome *out = &r->out[m];
    for (int64_t i = 0; i < L; i++) {
        out->score[i] = sri_measure_pool(sri_criterion_of(problem), losses_of(r, j, m) + i, L,
                                         r->setting->trials.count);
        if (sri_score_better(&out->score[i], &out->score[out->best]))
            out->best = i;
    }
    out->rank = out->score[out->best];
    if (held_out) {
        SRI_NEW(ctx, out->fitted.held_out, size, 1);
        memcpy(out->fitted.held_out, held_out + (r->want < 0 ? out->best : r->want) * size,
               (size_t)size * sizeof *held_out);
        out->fitted.held_by = r->setting->spec->rule->ops->name;
    }
    return SPECREG_OK;
}

specreg_status sri_evaluate_trials(specreg_context *ctx, const sri_run *r)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const sri_problem *problem = &r->setting->problem;
    const int64_t L = r->candidate->path.count, trials = r->setting->trials.count;
    judged out = {0};
    SRI_SCRATCH_ZERO(ctx, &scratch, out.losses, r->members * trials, L);
    if (sri_problem_partition(problem))
        SRI_SCRATCH_ZERO(ctx, &scratch, out.held_out, r->members * L, problem->n * problem->T);
    for (int64_t f = 0; f < trials; f++) {
        SRI_TRY(run_trial(ctx, r, f, &out));
        SRI_TRY(sri_poll(ctx));
    }
    for (int64_t m = 0; m < r->members; m++)
        SRI_TRY(finish(ctx, r, m, &out));
done:
    sri_arena_free(&scratch);
    return st;
}
