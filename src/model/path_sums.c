/* The path with fewer centres than rows: every point of every kernel from the sums. */
#include "core/memory.h"
#include "model/fit_blocks.h"
#include "model/path_watch.h"
#include "sums/candidate.h"

/* One point, as the watcher of other paths sees it. */
static specreg_status watch_point(specreg_context *ctx, sri_path_watcher *w,
                                  const sri_sums_candidate *c, int64_t k)
{
    specreg_status st = SPECREG_OK;
    sri_fitted fitted = {0};
    SRI_TRY(sri_sums_coefficients(ctx, c, k, &fitted));
    SRI_TRY(sri_residuals_of_model(ctx, w->problem, &c->kernel, c->whitening.centres, &fitted));
    const sri_path_point point = {.index = k,
                                  .param = c->question.path.v[k],
                                  .alpha = fitted.alpha,
                                  .n_centres = fitted.n_centres,
                                  .residual = fitted.residual,
                                  .beta = fitted.beta,
                                  .df = c->path.df[k]};
    SRI_TRY(sri_path_watch(ctx, w, &(sri_seen){c->number, &c->kernel, c->setting, &c->path.filter},
                           &point));
done:
    sri_fitted_free(&fitted);
    return st;
}

/* A kernel's centres are its own. */
static specreg_status watch_kernel(specreg_context *ctx, void *payload, const sri_sums_candidate *c)
{
    sri_path_watcher *w = payload;
    const sri_problem *problem = w->problem;
    sri_points points = *problem->points;
    sri_problem own = *problem;
    specreg_status st = SPECREG_OK;
    points.centres = c->whitening.centres;
    own.points = &points;
    w->problem = &own;
    w->centre = c->whitening.row;
    for (int64_t k = 0; k < c->path.count && st == SPECREG_OK; k++)
        st = watch_point(ctx, w, c, k);
    w->problem = problem;
    w->centre = NULL;
    sri_path_rows *const rows[] = {&w->test, &w->predicted};
    for (int i = 0; i < 2; i++) { /* the next kernel may have more centres */
        sri_free(rows[i]->K);
        rows[i]->K = NULL;
        rows[i]->candidate = -1;
    }
    return st;
}

specreg_status sri_path_by_sums(specreg_context *ctx, sri_prepared *p, sri_path_watcher *w,
                                sri_sums_facts *facts)
{
    specreg_status st = SPECREG_OK;
    sri_blocks *blocks = NULL;
    int64_t *number = NULL;
    sri_points *centres = NULL;
    SRI_TRY(sri_prepare_sums(ctx, p));
    p->problem.reader.may_be_empty = true;
    SRI_TRY(sri_blocks_of_table(ctx, p->data.table, &blocks));
    SRI_TRY(sri_dataset_numbers(ctx, &p->data, &number));
    sri_sums_spec spec = sri_sums_spec_of(p, blocks, number);
    spec.watch = watch_kernel;
    spec.payload = w;
    SRI_TRY(sri_sums_search(ctx, &spec, &w->out->found, &centres, facts));
done:
    sri_points_free(centres);
    sri_free(number);
    sri_blocks_free(blocks);
    return st;
}
