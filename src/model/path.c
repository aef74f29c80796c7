#include "model/path_watch.h"

#include "backend/blas.h"
#include "core/memory.h"
#include "kernel/linear_map.h"

/* The test rows' outputs; their kernel values are computed once per kernel when memory allows. */
static specreg_status test_outputs(specreg_context *ctx, sri_path_watcher *w, int64_t candidate,
                                   const sri_kernel *kernel, const double *alpha,
                                   const double *beta)
{
    const sri_problem *problem = w->problem;
    const sri_points *centres = sri_points_centres(problem->points);
    const int64_t m = w->test->n, n = centres->n;
    const sri_coupling *coupling = sri_problem_coupling(problem, kernel);
    double scale;
    if (sri_kernel_is_linear(kernel, &scale) ||
        (double)m * (double)n * sizeof(double) > (double)problem->resources.memory / 4) {
        const sri_predictors f = {kernel, centres, alpha, problem->T};
        SRI_CALL(sri_predict_rows(ctx, &f, &w->test->rows, w->F));
        goto mix;
    }
    if (!w->K)
        SRI_NEW(ctx, w->K, m, n);
    if (w->candidate != candidate) {
        SRI_CALL(sri_kernel_block(ctx, kernel, &w->test->rows, centres, w->K, n));
        w->candidate = candidate;
    }
    sri_gemm(false, false, m, problem->T, n, 1, w->K, n, alpha, problem->T, 0, w->F, problem->T);
mix:
    SRI_CALL(sri_coupling_mix(ctx, coupling, m, w->F));
    sri_features_add(w->test->P, m, problem->unpenalised.l, beta, problem->T, w->F);
    return SPECREG_OK;
}

static sri_path_errors errors_of(const sri_problem *problem, const sri_losses *losses)
{
    return (sri_path_errors){.mse = sri_loss_mean(&losses->squared),
                             .error_rate = problem->classes ? sri_loss_mean(&losses->own) : 0};
}

specreg_status sri_path_watch(specreg_context *ctx, void *payload, int64_t candidate,
                              const sri_kernel *kernel, const sri_path_point *point)
{
    specreg_status st = SPECREG_OK;
    sri_path_watcher *w = payload;
    const sri_problem *problem = w->problem;
    sri_path_result *out = w->out;
    sri_problem plain = *problem; /* classes are judged by their error rate, whatever the choice */
    double *F = NULL;
    sri_losses train = {0}, test = {0};
    sri_path_row row = {.candidate = candidate, .param = point->param, .df = point->df};
    plain.judging.criterion = NULL;
    SRI_ALLOC(ctx, F, problem->n, problem->T);
    for (int64_t k = 0; k < problem->n * problem->T; k++)
        F[k] = problem->Y[k] - point->residual[k];
    const sri_truth truth = {problem->Y, problem->classes, NULL}; /* each row once, as in fit */
    SRI_TRY(sri_losses_add(ctx, &plain, sri_problem_compare(&plain, F, truth, problem->n), &train));
    row.train = errors_of(problem, &train);
    if (w->test) {
        SRI_TRY(test_outputs(ctx, w, candidate, kernel, point->alpha, point->beta));
        const sri_truth held_out = {.Y = w->test->Y, .classes = w->test->classes};
        SRI_TRY(sri_losses_add(ctx, &plain, sri_problem_compare(&plain, w->F, held_out, w->test->n),
                               &test));
        row.test = errors_of(problem, &test);
    }
    SRI_TRY(sri_grow(ctx, (void **)&out->row, &out->capacity, out->rows + 1, sizeof *out->row));
    out->row[out->rows++] = row;
done:
    sri_free(F);
    return st;
}

/* Points trained on all rows pass by the watcher.  A search by trials trains none but the winner:
 * then they get a run of their own. */
static specreg_status run_path(specreg_context *ctx, sri_prepared *p, sri_path_watcher *w)
{
    specreg_status st = SPECREG_OK;
    const sri_choices *search = &p->call->recipe->search;
    sri_search_result points = {0};
    const sri_rule none = {.ops = &sri_rule_none};
    SRI_REQUIRE(ctx, search->strategy != SRI_SEARCH_COARSE && search->strategy != SRI_SEARCH_RACE,
                SPECREG_E_ARG, "search: path shows every kernel: %s is for fit and cv",
                sri_strategies[search->strategy]);
    SRI_REQUIRE(ctx, !search->checkpoint, SPECREG_E_ARG,
                "checkpoint: path trains every point anew: it is for fit and cv");
    SRI_REQUIRE(ctx, search->approx.kind <= SRI_APPROX_RECTANGLE, SPECREG_E_ARG,
                "approx: path is for exact and rectangle, not for %s",
                sri_approx_names[search->approx.kind]);
    if (p->grid.automatic) /* one kernel's paths, not a comparison */
        sri_kernel_families_leave(&p->grid);
    if (search->approx.kind == SRI_APPROX_RECTANGLE) {
        SRI_TRY(sri_path_by_sums(ctx, p, w, &w->out->facts));
        goto done;
    }
    SRI_TRY(sri_prepare_search(ctx, p));
    sri_search_spec spec = p->spec;
    spec.strategy = search->strategy; /* not a race, which leaves kernels out */
    spec.watch = sri_path_watch;
    spec.payload = w;
    SRI_TRY(sri_search(ctx, &p->problem, &spec, &w->out->found));
    if (w->out->rows)
        goto done;
    spec.rule = &none;
    spec.smallest = w->out->found.smallest; /* the same points */
    SRI_TRY(sri_search(ctx, &p->problem, &spec, &points));
done:
    sri_search_result_free(&points);
    return st;
}

/* The test rows as points. */
static specreg_status read_test(specreg_context *ctx, const sri_prepared *p,
                                const specreg_table *test, sri_sample *out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *file = NULL;
    sri_reader reader = p->problem.reader;
    SRI_TRY(sri_features_read(ctx, &p->data.features, p->call->recipe->data.features_file, &file));
    reader.features_file = file;
    SRI_TRY(sri_sample_read(ctx, &reader, test, out));
    SRI_TRY(sri_sample_points(ctx, &p->problem.reader, out));
done:
    specreg_table_free(file);
    return st;
}

specreg_status sri_path_run(specreg_context *ctx, sri_prepared *p, const specreg_table *test,
                            sri_path_result *out)
{
    specreg_status st = SPECREG_OK;
    sri_sample held_out = {0};
    sri_path_watcher w = {.problem = &p->problem, .candidate = -1, .out = out};
    *out = (sri_path_result){.tested = test != NULL};
    if (test) {
        SRI_TRY(read_test(ctx, p, test, &held_out));
        SRI_ALLOC(ctx, w.F, held_out.n, p->problem.T);
        w.test = &held_out;
    }
    SRI_TRY(run_path(ctx, p, &w));
    SRI_TRY(sri_search_report_make(ctx, p, &out->found, &out->search));
    const sri_approx *approx = &p->call->recipe->search.approx;
    if (approx->kind == SRI_APPROX_RECTANGLE)
        out->search.approx = (sri_approx_report){approx->kind, approx->centres->name, out->facts};
done:
    sri_free(w.F);
    sri_free(w.K);
    sri_sample_free(&held_out);
    return st;
}

void sri_path_result_free(sri_path_result *result)
{
    sri_free(result->row);
    sri_search_report_free(&result->search);
    sri_search_result_free(&result->found);
    *result = (sri_path_result){0};
}
