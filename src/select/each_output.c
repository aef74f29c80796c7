#include "select/each_output.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "select/run.h"

specreg_status sri_each_check(specreg_context *ctx, const sri_problem *problem,
                              const sri_search_spec *spec)
{
    const sri_rule_ops *rule = spec->rule->ops;
    const sri_kernel kernel = sri_kernel_grid_at(spec->grid, 0);
    if (!spec->per_output)
        return SPECREG_OK;
    SRI_CHECK(ctx, !spec->watch, SPECREG_E_ARG, "param: per-output is for fit and cv");
    SRI_CHECK(ctx,
              rule->score && rule->need & (SRI_NEED_LEVERAGE | SRI_NEED_FOLDS) &&
                  sri_rule_by_criterion(spec->rule),
              SPECREG_E_ARG,
              "param: per-output goes by rows that are held out: --select loo or kfold, not %s",
              rule->name);
    SRI_CHECK(ctx, problem->T > 1, SPECREG_E_ARG,
              "param: per-output is for several outputs, and there is one");
    SRI_CHECK(ctx,
              !sri_problem_coupling(problem, &kernel) && !sri_points_labelled(problem->points) &&
                  !sri_has_own_rows(problem) && !problem->extension && !problem->points->centres,
              SPECREG_E_ARG,
              "param: per-output is for outputs that are independent and that every row has");
    SRI_CHECK(ctx, !spec->one_se, SPECREG_E_ARG,
              "rule: 1se is for one parameter, not for one of each output");
    return SPECREG_OK;
}

specreg_status sri_each_new(specreg_context *ctx, const sri_setting *setting, sri_arena *memory,
                            sri_each *out)
{
    const sri_problem *problem = &setting->problem;
    const int64_t T = problem->T;
    *out = (sri_each){.folds = setting->together};
    const int64_t repeats = out->folds ? problem->folds.repeats : 1;
    SRI_ARENA_NEW(ctx, memory, out->least, T, 1);
    SRI_ARENA_NEW(ctx, memory, out->param, T, 1);
    SRI_ARENA_NEW(ctx, memory, out->held, repeats * problem->n, T);
    for (int64_t t = 0; t < T; t++) {
        out->least[t] = INFINITY;
        out->param[t] = NAN;
    }
    memset(out->held, 0, (size_t)(repeats * problem->n * T) * sizeof *out->held);
    return SPECREG_OK;
}

static double held_out(const sri_each *each, const sri_path_point *point, int64_t T, int64_t k)
{
    return each->folds ? point->fold_residual[k] : sri_point_loo_residual(point, T, k);
}

/* Ties go to the smoother point, which comes first. */
void sri_each_see(const sri_problem *problem, const sri_path_point *point, sri_each *each)
{
    const int64_t T = problem->T, n = problem->n;
    const int64_t rows = n * (each->folds ? problem->folds.repeats : 1);
    for (int64_t t = 0; t < T; t++) {
        double sum = 0;
        for (int64_t i = 0; i < rows; i++) {
            const double r = held_out(each, point, T, i * T + t);
            sum += sri_problem_weight(problem, i % n) * r * r;
        }
        if (!(sum < each->least[t]))
            continue;
        each->least[t] = sum;
        each->param[t] = point->param;
        for (int64_t i = 0; i < rows; i++)
            each->held[i * T + t] = held_out(each, point, T, i * T + t);
    }
}

specreg_status sri_each_finish(specreg_context *ctx, const sri_setting *setting,
                               const sri_each *each, sri_outcome *out)
{
    const sri_problem *problem = &setting->problem;
    const int64_t T = problem->T, size = problem->n * T;
    const int64_t repeats = each->folds ? problem->folds.repeats : 1;
    const sri_path_point all = {.param = NAN,
                                .df = NAN,
                                .fold_residual = each->folds ? each->held : NULL,
                                .loo_residual = each->folds ? NULL : each->held};
    const sri_rule *rule = setting->spec->rule;
    out->rank = (sri_score){.value = NAN, .tie = NAN, .stderr_ = NAN, .df = NAN};
    for (int64_t t = 0; t < T; t++)
        if (isnan(each->param[t])) /* no point of its path is finite */
            return SPECREG_OK;
    SRI_CALL(rule->ops->score(ctx, rule, problem, &all, &out->rank));
    SRI_NEW(ctx, out->fitted.each, T, 1);
    memcpy(out->fitted.each, each->param, (size_t)T * sizeof *each->param);
    if (each->folds && !sri_problem_partition(problem))
        return SPECREG_OK;
    SRI_NEW_ZERO(ctx, out->fitted.held_out, size, 1);
    for (int64_t r = 0; r < repeats; r++)
        for (int64_t k = 0; k < size; k++)
            out->fitted.held_out[k] += each->held[r * size + k] / (double)repeats;
    out->fitted.held_by = rule->ops->name;
    return SPECREG_OK;
}

typedef struct columns_sink { /* keeps of every point the outputs that have its parameter */
    sri_sink base;
    const sri_run *r;
    const double *param; /* T */
} columns_sink;

/* Columns of `rows` rows of T from one array to another, where they belong. */
static void take_columns(const columns_sink *s, double param, int64_t rows, const double *from,
                         double *to)
{
    const int64_t T = s->r->setting->problem.T;
    for (int64_t t = 0; t < T; t++)
        for (int64_t i = 0; s->param[t] == param && i < rows; i++)
            to[i * T + t] = from[i * T + t];
}

static specreg_status columns_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    const columns_sink *s = (columns_sink *)self;
    const sri_problem *problem = &s->r->setting->problem;
    const int64_t T = problem->T, n = problem->n, l = problem->unpenalised.l;
    sri_fitted *f = &s->r->out->fitted;
    if (!f->alpha) {
        SRI_NEW(ctx, f->alpha, point->n_centres, T);
        SRI_NEW(ctx, f->residual, n, T);
        SRI_NEW(ctx, f->beta, l, T);
        f->n_centres = point->n_centres;
    }
    if (point->slope && !f->slope) {
        SRI_NEW(ctx, f->slope, point->n_slopes, T);
        f->n_slopes = point->n_slopes;
    }
    take_columns(s, point->param, point->n_centres, point->alpha, f->alpha);
    take_columns(s, point->param, n, point->residual, f->residual);
    if (point->beta)
        take_columns(s, point->param, l, point->beta, f->beta);
    if (point->slope)
        take_columns(s, point->param, point->n_slopes, point->slope, f->slope);
    return SPECREG_OK;
}

specreg_status sri_each_train(specreg_context *ctx, const sri_run *r, const double *param)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = r->setting->problem.T;
    sri_values path = {0};
    columns_sink sink = {.base = {.put = columns_put}, .r = r, .param = param};
    *r->out = (sri_outcome){.count = 0, .fitted = {.df = NAN}};
    SRI_ALLOC(ctx, path.v, T, 1);
    memcpy(path.v, param, (size_t)T * sizeof *param);
    path.count = T;
    sri_path_sort(r->candidate->filter.path, &path);
    sri_job job = sri_run_job(r, 0);
    job.path.param = path.v;
    job.path.count = path.count;
    SRI_TRY(
        sri_run_engine(ctx, r, &r->setting->problem, &job, NULL, (sri_sink *const[]){&sink.base}));
done:
    sri_values_free(&path);
    if (st != SPECREG_OK)
        sri_outcome_free(r->out);
    return st;
}
