/* The points of a path as the caller's function sees them. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/table.h"
#include "kernel/registry.h"
#include "model/path_watch.h"

/* The parameters of the filter, where it is one of several settings: "order=2 ". */
static specreg_status name_setting(specreg_context *ctx, const sri_filter *filter, sri_buffer *out)
{
    char number[32];
    for (int i = 0; i < sri_filter_param_count(filter); i++)
        if (!isnan(filter->param[i]))
            SRI_CALL(sri_buffer_print(ctx, out, "%s=%s ", sri_filter_param_at(filter, i).name,
                                      sri_format_double(filter->param[i], number)));
    if (filter->ops->iteration)
        SRI_CALL(sri_buffer_print(ctx, out, "step=%s ", sri_format_double(filter->step, number)));
    if (filter->ops->word)
        SRI_CALL(sri_buffer_print(ctx, out, "%s=%s ", filter->ops->word->key,
                                  filter->ops->word->get(filter)));
    return SPECREG_OK;
}

/* "sigma=1 lambda=0.1" */
static specreg_status name_point(specreg_context *ctx, const sri_path_watcher *w,
                                 const sri_seen *of, double param, sri_buffer *out)
{
    const sri_kernel *kernel = of->kernel;
    char number[32];
    for (int t = 0; t < kernel->n_terms; t++)
        for (int i = 0; i < sri_kernel_param_count(&kernel->term[t]); i++)
            SRI_CALL(sri_buffer_print(ctx, out, "%s=%s ",
                                      sri_kernel_param_at(&kernel->term[t], i).name,
                                      sri_format_double(kernel->term[t].param[i], number)));
    if (w->settings > 1)
        SRI_CALL(name_setting(ctx, of->filter, out));
    return sri_buffer_print(ctx, out, "%s=%s", sri_path_name(of->filter->path),
                            sri_format_double(param, number));
}

/* Outputs as they are, or the scores of classes. */
static const double *predictions_of(const sri_path_watcher *w)
{
    const sri_problem *problem = w->problem;
    if (!w->predicted.wanted || !problem->classes)
        return w->predicted.F;
    for (int64_t i = 0; i < w->predicted.sample.n; i++)
        sri_coding_scores(problem->coding, w->predicted.F + i * problem->T,
                          w->scores + i * problem->n_classes);
    return w->scores;
}

/* The coefficients of a point as those of a model, and where its centres come from. */
typedef struct solution {
    sri_fitted fitted;   /* a copy of the coefficients */
    int64_t columns;     /* of these and of the terms  */
    int64_t *row;        /* of each centre             */
    const char **output; /* of each centre; NULL       */
    int64_t l;           /* terms                      */
    char *const *term;   /* their names                */
} solution;

static void solution_free(solution *s)
{
    sri_free(s->output);
    sri_free(s->row);
    sri_fitted_free(&s->fitted);
}

/* The row of the table that row i of the problem is. */
static int64_t table_row(const sri_path_watcher *w, int64_t i)
{
    const sri_dataset *d = w->data;
    if (i < d->rows.n)
        return sri_table_origin(d->table, d->rows.keep[i]);
    i -= d->rows.n; /* rows without targets: those of the table come first */
    return i < d->n_unlabelled ? sri_table_origin(d->table, d->unlabelled[i])
                               : d->table->rows + i - d->n_unlabelled;
}

static specreg_status find_centres(specreg_context *ctx, const sri_path_watcher *w,
                                   sri_layout_kind kind, solution *s)
{
    const sri_flat *flat = &w->data->points.flat;
    const bool each = kind == SRI_LAYOUT_OUTPUTS;
    SRI_NEW(ctx, s->row, s->fitted.n_centres, 1);
    if (each)
        SRI_NEW(ctx, s->output, s->fitted.n_centres, 1);
    for (int64_t i = 0; i < s->fitted.n_centres; i++) {
        s->row[i] = table_row(w, each ? flat->row[i] : w->centre ? w->centre[i] : i);
        if (each)
            s->output[i] = w->problem->reader.target->name[flat->label[i]];
    }
    return SPECREG_OK;
}

static specreg_status find_solution(specreg_context *ctx, const sri_path_watcher *w,
                                    const sri_kernel *kernel, const sri_path_point *point,
                                    solution *s)
{
    const sri_problem *problem = w->problem;
    const sri_dataset *d = w->data;
    const size_t count = (size_t)(point->n_centres * problem->T);
    sri_layout_kind kind;
    SRI_NEW(ctx, s->fitted.alpha, point->n_centres, problem->T);
    memcpy(s->fitted.alpha, point->alpha, count * sizeof *point->alpha);
    s->fitted.n_centres = point->n_centres;
    SRI_CALL(sri_coefficients_take(ctx, &d->points, kernel, &s->fitted, &kind));
    const bool gathered = d->points.flat.n && kind == SRI_LAYOUT_ROWS;
    s->columns = gathered ? d->rows.T : problem->T;
    s->l = gathered ? d->rows.l : problem->unpenalised.l; /* l x T as (l T) x 1 */
    s->term = gathered ? d->rows.name : problem->unpenalised.name;
    return find_centres(ctx, w, kind, s);
}

specreg_status sri_path_show(specreg_context *ctx, const sri_path_watcher *w, const sri_seen *of,
                             const sri_path_point *point)
{
    specreg_status st = SPECREG_OK;
    sri_buffer name = {0};
    solution found = {0};
    const sri_problem *problem = w->problem;
    const sri_target *target = problem->reader.target;
    if (!w->request->each)
        return st;
    SRI_TRY(name_point(ctx, w, of, point->param, &name));
    SRI_TRY(find_solution(ctx, w, of->kernel, point, &found));
    const specreg_path_point shown = {.name = name.data,
                                      .parameter = sri_path_name(of->filter->path),
                                      .value = point->param,
                                      .kernel = of->number,
                                      .coefficients = found.fitted.alpha,
                                      .centres = found.fitted.n_centres,
                                      .columns = found.columns,
                                      .terms = point->beta,
                                      .n_terms = found.l,
                                      .term_names = (const char *const *)found.term,
                                      .predictions = predictions_of(w),
                                      .rows = w->predicted.sample.n,
                                      .outputs =
                                          problem->classes ? problem->n_classes : w->data->rows.T,
                                      .output_names =
                                          (const char *const *)(problem->classes ? target->label
                                                                                 : target->name),
                                      .table = w->table,
                                      .centre_rows = found.row,
                                      .centre_outputs = found.output};
    SRI_REQUIRE(ctx, w->request->each(&shown, w->request->payload) == 0, SPECREG_E_CANCELLED,
                "the caller of the path stopped it");
done:
    solution_free(&found);
    sri_buffer_free(&name);
    return st;
}
