#include "model/path_watch.h"

#include <math.h>

#include "backend/blas.h"
#include "core/arena.h"
#include "kernel/linear_map.h"
#include "model/grid_table.h"
#include "model/semi.h"
#include "select/degrees.h"

/* Degrees of freedom come from a decomposition up to so many rows. */
enum { EXACT_ROWS = 2000 };

/* The outputs of rows; their kernel values are computed once per kernel when memory allows. */
static specreg_status find_outputs(specreg_context *ctx, const sri_problem *problem,
                                   sri_path_rows *rows, const sri_seen *of,
                                   const sri_path_point *point)
{
    const sri_kernel *kernel = of->kernel;
    const sri_points *centres =
        problem->extension ? problem->extension->all : sri_points_centres(problem->points);
    const sri_sample *sample = &rows->sample;
    const int64_t m = sample->n, n = centres->n;
    const sri_coupling *coupling = sri_problem_coupling(problem, kernel);
    double scale;
    if (sri_kernel_is_linear(kernel, &scale) ||
        (double)m * (double)n * sizeof(double) > (double)problem->resources.memory / 4) {
        const sri_predictors f = {kernel, centres, point->alpha, problem->T};
        SRI_CALL(sri_predict_rows(ctx, &f, &sample->rows, rows->F));
        goto mix;
    }
    if (!rows->K)
        SRI_NEW(ctx, rows->K, m, n);
    if (rows->candidate != of->number) {
        SRI_CALL(sri_kernel_block(ctx, kernel, &sample->rows, centres, rows->K, n));
        rows->candidate = of->number;
    }
    sri_gemm(false, false, m, problem->T, n, 1, rows->K, n, point->alpha, problem->T, 0, rows->F,
             problem->T);
mix:
    SRI_CALL(sri_coupling_mix(ctx, coupling, m, rows->F));
    sri_features_add(sample->P, m, problem->unpenalised.l, point->beta, problem->T, rows->F);
    return SPECREG_OK;
}

static sri_path_errors errors_of(const sri_problem *problem, const sri_losses *losses)
{
    return (sri_path_errors){.mse = sri_loss_mean(&losses->squared),
                             .error_rate = problem->classes ? sri_loss_mean(&losses->own) : 0};
}

specreg_status sri_path_watch(specreg_context *ctx, void *payload, const sri_seen *of,
                              const sri_path_point *point)
{
    specreg_status st = SPECREG_OK;
    sri_path_watcher *w = payload;
    const sri_problem *problem = w->problem;
    sri_path_result *out = w->out;
    sri_problem plain = *problem; /* classes are judged by their error rate, whatever the choice */
    double *F = NULL;
    sri_losses train = {0}, test = {0};
    sri_path_row row = {.candidate = of->number,
                        .setting = of->setting,
                        .param = point->param,
                        .df = point->df};
    plain.judging.criterion = NULL;
    SRI_ALLOC(ctx, F, problem->n, problem->T);
    for (int64_t k = 0; k < problem->n * problem->T; k++)
        F[k] = problem->Y[k] - point->residual[k];
    const sri_truth truth = {problem->Y, problem->classes, NULL}; /* each row once, as in fit */
    SRI_TRY(sri_losses_add(ctx, &plain, sri_problem_compare(&plain, F, truth, problem->n), &train));
    row.train = errors_of(problem, &train);
    if (w->test.wanted) {
        const sri_sample *sample = &w->test.sample;
        SRI_TRY(find_outputs(ctx, problem, &w->test, of, point));
        const sri_truth held_out = {.Y = sample->Y, .classes = sample->classes};
        SRI_TRY(sri_losses_add(ctx, &plain,
                               sri_problem_compare(&plain, w->test.F, held_out, sample->n), &test));
        row.test = errors_of(problem, &test);
    }
    if (w->predicted.wanted)
        SRI_TRY(find_outputs(ctx, problem, &w->predicted, of, point));
    SRI_TRY(sri_path_show(ctx, w, of, point));
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
    SRI_REQUIRE(ctx, search->semi.strength.count < 2, SPECREG_E_ARG,
                "laplacian: a path has one strength of the graph: give --laplacian strength=VALUE");
    SRI_REQUIRE(ctx, search->approx.kind <= SRI_APPROX_RECTANGLE, SPECREG_E_ARG,
                "approx: path is for exact and rectangle, not for %s",
                sri_approx_names[search->approx.kind]);
    SRI_TRY(sri_semi_attach(ctx, p));
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

/* Rows of a table as points, with their targets where these are wanted. */
static specreg_status read_rows(specreg_context *ctx, const sri_prepared *p,
                                const specreg_table *table, bool targets, sri_path_rows *out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *file = NULL;
    sri_reader reader = p->problem.reader;
    SRI_REQUIRE(ctx, targets || reader.layout.kind != SRI_LAYOUT_OUTPUTS, SPECREG_E_UNAVAILABLE,
                "path: predictions are for rows with all their outputs: fit and predict");
    SRI_TRY(sri_features_read(ctx, &p->data.features, p->call->recipe->data.features_file, &file));
    reader.features_file = file;
    if (!targets)
        reader.target = NULL;
    SRI_TRY(sri_sample_read(ctx, &reader, table, &out->sample));
    if (targets)
        SRI_TRY(sri_sample_points(ctx, &p->problem.reader, &out->sample));
    SRI_ALLOC(ctx, out->F, out->sample.n, p->problem.T);
    out->candidate = -1;
    out->wanted = true;
done:
    specreg_table_free(file);
    return st;
}

static void rows_free(sri_path_rows *rows)
{
    sri_free(rows->F);
    sri_free(rows->K);
    sri_sample_free(&rows->sample);
}

/* Degrees of freedom of the rows from `first` on that have none, all of one kernel and setting of
 * the filter. */
static specreg_status add_degrees(specreg_context *ctx, sri_prepared *p, sri_path_result *out,
                                  int64_t first, int64_t count)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    sri_op *op = NULL;
    double *param;
    sri_degrees found;
    sri_filter filter = *sri_search_setting(&p->spec, out->row[first].setting);
    const sri_kernel *kernel = &out->found.candidate[out->row[first].candidate];
    SRI_SCRATCH(ctx, &scratch, param, count, 1);
    SRI_SCRATCH_EACH(ctx, &scratch, count, 1, &found.df, &found.stderr_);
    for (int64_t i = 0; i < count; i++)
        param[i] = out->row[first + i].param;
    SRI_TRY(sri_problem_op(ctx, &p->problem, kernel, &op));
    SRI_TRY(sri_filter_prepare(ctx, &filter, op));
    const sri_path path = {&filter, param, count};
    SRI_TRY(sri_degrees_find(ctx, &p->problem, kernel, &path, EXACT_ROWS, &found));
    for (int64_t i = 0; i < count; i++) {
        out->row[first + i].df = found.df[i];
        out->row[first + i].df_stderr = found.stderr_[i];
    }
done:
    sri_op_free(op);
    sri_arena_free(&scratch);
    return st;
}

static specreg_status find_degrees(specreg_context *ctx, sri_prepared *p, sri_path_result *out)
{
    if (sri_filter_nonlinear(p->spec.filter) || p->problem.extension)
        return SPECREG_OK;
    for (int64_t i = 0, count; i < out->rows; i += count) {
        bool known = true;
        for (count = 0;
             i + count < out->rows && out->row[i + count].candidate == out->row[i].candidate &&
             out->row[i + count].setting == out->row[i].setting;
             count++)
            known = known && !isnan(out->row[i + count].df);
        if (!known)
            SRI_CALL(add_degrees(ctx, p, out, i, count));
    }
    return SPECREG_OK;
}

specreg_status sri_path_run(specreg_context *ctx, sri_prepared *p, const sri_path_request *request,
                            sri_path_result *out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *grid = NULL;
    sri_path_watcher w = {.problem = &p->problem,
                          .data = &p->data,
                          .settings = p->call->recipe->search.filters.count,
                          .request = request,
                          .table = request->rows,
                          .out = out};
    *out = (sri_path_result){.tested = request->test != NULL};
    SRI_REQUIRE(ctx, !request->rows || !request->grid, SPECREG_E_ARG,
                "path: rows to predict, or a grid, not both");
    if (request->grid) {
        SRI_TRY(sri_grid_table(ctx, p->data.encoder, p->data.tasks != NULL, request->grid, &grid));
        w.table = grid;
    }
    if (request->test)
        SRI_TRY(read_rows(ctx, p, request->test, true, &w.test));
    if (w.table)
        SRI_TRY(read_rows(ctx, p, w.table, false, &w.predicted));
    if (w.table && p->problem.classes)
        SRI_ALLOC(ctx, w.scores, w.predicted.sample.n, p->problem.n_classes);
    SRI_TRY(run_path(ctx, p, &w));
    const sri_approx *approx = &p->call->recipe->search.approx;
    if (approx->kind != SRI_APPROX_RECTANGLE)
        SRI_TRY(find_degrees(ctx, p, out));
    SRI_TRY(sri_search_report_make(ctx, p, &out->found, &out->search));
    if (approx->kind == SRI_APPROX_RECTANGLE)
        out->search.approx = (sri_approx_report){approx->kind, approx->centres->name, out->facts};
done:
    sri_free(w.scores);
    rows_free(&w.predicted);
    rows_free(&w.test);
    specreg_table_free(grid);
    return st;
}

void sri_path_result_free(sri_path_result *result)
{
    sri_free(result->row);
    sri_search_report_free(&result->search);
    sri_search_result_free(&result->found);
    *result = (sri_path_result){0};
}
