/* K~ is the matrix of inner products of b(x_i): the ordinary search with a linear kernel on these
 * points, for each kernel. */
#include "sums/nystrom.h"

#include <math.h>

#include "core/memory.h"
#include "op/lanczos.h"
#include "select/problem_data.h"

typedef struct nystrom {
    const sri_sums_spec *spec;
    sri_search_result *out;
    sri_search_result best; /* of the kernel that leads */
    sri_sums_facts *facts;
} nystrom;

static specreg_status check(specreg_context *ctx, const sri_sums_spec *spec)
{
    const sri_rule_ops *rule = spec->search->rule->ops;
    SRI_CHECK(ctx, !rule->takes_path && !rule->search, SPECREG_E_ARG,
              "select: %s does not go with --approx nystrom", rule->name);
    SRI_CHECK(ctx, !spec->search->checkpoint, SPECREG_E_ARG,
              "checkpoint: does not go with --approx nystrom");
    SRI_CALL(sri_search_check_rule(ctx, spec->problem, spec->search->rule));
    return sri_approx_check(ctx, spec);
}

/* b(x) of all points, newly allocated, and what is known of it. */
static specreg_status coordinates(specreg_context *ctx, const nystrom *s, const sri_kernel *kernel,
                                  double **B, sri_sums_facts *facts)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = s->spec->problem;
    const sri_centre_pool pool = {kernel, problem->points, s->spec->number, problem->resources.seed,
                                  s->spec->approx->file};
    sri_whitening w = {0};
    int64_t *row = NULL, count;
    SRI_TRY(sri_centres_choose(ctx, s->spec->approx, &pool, &row, &count));
    SRI_TRY(sri_whitening_make(ctx, kernel, problem->points, row, count, &w));
    *facts = (sri_sums_facts){.rows = problem->n, .looked = problem->n, .m = count};
    const int64_t r = facts->rank = sri_whitening_rank(&w);
    SRI_ALLOC(ctx, *B, problem->n, r);
    for (int64_t i = 0; i < problem->n; i += SRI_BLOCK_ROWS) {
        const int64_t left = problem->n - i;
        const sri_rows_view rows =
            sri_points_rows(problem->points, i, left < SRI_BLOCK_ROWS ? left : SRI_BLOCK_ROWS);
        SRI_TRY(sri_whiten(ctx, &w, &rows, *B + i * r, r));
    }
    SRI_TRY(sri_whitening_captured(ctx, &w, problem->points, &facts->captured));
done:
    sri_free(row);
    sri_whitening_free(&w);
    return st;
}

/* The problem whose points are rows X of coordinates; where a filter looks at all coupled outputs
 * at once, each output of a row is a point. */
static specreg_status points_of(specreg_context *ctx, const nystrom *s,
                                const sri_coupling *coupling, const sri_matrix *X,
                                sri_point_data *data, sri_problem *out)
{
    const sri_problem *of = s->spec->problem;
    const bool apart = coupling && of->reader.layout.joint;
    /* only read */
    const sri_row_data rows = {.n = of->n,
                               .T = of->T,
                               .X = *X,
                               .Y = (double *)of->Y,
                               .classes = (int32_t *)of->classes,
                               .weight = (double *)of->rows.weight,
                               .group = (int32_t *)of->rows.group,
                               .n_groups = of->rows.n_groups,
                               .keep = (int64_t *)of->rows.keep,
                               .P = (double *)of->unpenalised.P,
                               .l = of->unpenalised.l,
                               .name = (char **)of->unpenalised.name};
    const sri_layout layout = {.kind = apart ? SRI_LAYOUT_OUTPUTS : SRI_LAYOUT_ROWS, .T = of->T};
    SRI_CALL(sri_point_data_make(ctx, &rows, layout, false, data));
    const sri_problem *own = &data->own.problem;
    *out = *of;
    out->points = own->points;
    if (!apart)
        return SPECREG_OK;
    out->n = own->n;
    out->T = own->T;
    out->Y = own->Y;
    out->classes = own->classes;
    out->rows = own->rows;
    out->rows.table_rows = of->rows.table_rows;
    out->unpenalised = own->unpenalised;
    out->folds = own->folds;
    return SPECREG_OK;
}

/* What was found for points that are outputs, as that of rows with T outputs each: the same
 * numbers, but for degrees of freedom, which are the mean over outputs. */
static void take_rows(const sri_problem *rows, sri_search_result *out)
{
    out->fitted.n_centres = rows->n;
    out->fitted.df /= (double)rows->T;
    for (int64_t k = 0; k < out->rows; k++)
        out->row[k].score.df /= (double)rows->T;
}

/* The search over the path of one kernel, with points b(x). */
static specreg_status evaluate(specreg_context *ctx, const nystrom *s, const sri_kernel *kernel,
                               sri_search_result *out, sri_sums_facts *facts)
{
    specreg_status st = SPECREG_OK;
    double *B = NULL;
    sri_point_data points = {.rows = 0};
    sri_problem problem;
    sri_search_spec spec = *s->spec->search;
    sri_rule rule;
    sri_kernel_grid grid = {.base = {.n_terms = 1}};
    const sri_coupling *coupling = sri_problem_coupling(s->spec->problem, kernel);
    grid.base.term[0] =
        (sri_kernel_term){.ops = &sri_kernel_linear, .weight = 1, .coupling = coupling};
    SRI_TRY(coordinates(ctx, s, kernel, &B, facts));
    const sri_matrix X = {.n = s->spec->problem->n, .p = facts->rank, .x = B};
    SRI_TRY(points_of(ctx, s, coupling, &X, &points, &problem));
    spec.grid = &grid;
    spec.strategy = SRI_SEARCH_EXHAUSTIVE;
    rule = sri_search_rule(spec.rule, &problem, &spec);
    spec.rule = &rule;
    SRI_TRY(sri_search(ctx, &problem, &spec, out));
    if (points.flat.n)
        take_rows(s->spec->problem, out);
done:
    sri_point_data_free(&points);
    sri_free(B);
    return st;
}

/* Adds the table of one kernel to that of all; the better result leads. */
static specreg_status book(specreg_context *ctx, nystrom *s, sri_search_result *one,
                           const sri_sums_facts *facts)
{
    sri_search_result *out = s->out;
    const int64_t first = out->rows, number = out->candidates - 1;
    SRI_CALL(sri_regrow(ctx, (void **)&out->row, first, first + one->rows, 1, sizeof *out->row));
    for (int64_t k = 0; k < one->rows; k++) {
        sri_search_row *row = &out->row[out->rows++];
        *row = one->row[k];
        row->candidate = row->evaluation = number;
        row->order += first;
    }
    sri_seconds_add(&out->seconds, &one->seconds);
    if (number && !sri_score_better(&one->score, &s->best.score))
        return SPECREG_OK;
    sri_search_result_free(&s->best);
    s->best = *one;
    *one = (sri_search_result){0};
    out->winner = first + s->best.winner;
    out->kernel = out->candidate[number];
    *s->facts = *facts;
    return SPECREG_OK;
}

/* What the best search found, with the kernel itself. */
static specreg_status finish(specreg_context *ctx, nystrom *s)
{
    sri_search_result *out = s->out, *best = &s->best;
    const sri_problem *problem = s->spec->problem;
    out->filter = best->filter;
    out->param = best->param;
    out->score = best->score;
    out->engine = best->engine;
    out->search_engine = best->search_engine;
    out->smallest = best->smallest;
    out->report = best->report;
    out->notes = best->notes;
    out->fitted = best->fitted;
    best->fitted = (sri_fitted){0};
    sri_free(out->fitted.slope);
    out->fitted.slope = NULL;
    out->fitted.n_slopes = 0;
    return sri_residuals_of_model(ctx, problem, &out->kernel, problem->points, &out->fitted);
}

specreg_status sri_nystrom_search(specreg_context *ctx, const sri_sums_spec *spec,
                                  sri_search_result *out, sri_sums_facts *facts)
{
    specreg_status st = SPECREG_OK;
    nystrom s = {.spec = spec, .out = out, .facts = facts};
    sri_search_result one = {0};
    sri_sums_facts own;
    const int64_t candidates = sri_kernel_grid_count(spec->search->grid);
    *out = (sri_search_result){.fitted = {.df = NAN}};
    SRI_TRY(check(ctx, spec));
    SRI_ALLOC(ctx, out->candidate, candidates, 1);
    for (int64_t number = 0; number < candidates; number++) {
        const sri_kernel kernel = out->candidate[out->candidates++] =
            sri_kernel_grid_at(spec->search->grid, number);
        SRI_TRY(evaluate(ctx, &s, &kernel, &one, &own));
        SRI_TRY(book(ctx, &s, &one, &own));
        sri_search_result_free(&one);
    }
    SRI_TRY(finish(ctx, &s));
done:
    sri_search_result_free(&one);
    sri_search_result_free(&s.best);
    if (st != SPECREG_OK)
        sri_search_result_free(out);
    return st;
}
