/* The points of a path as the caller's function sees them. */
#include <math.h>

#include "core/text.h"
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

specreg_status sri_path_show(specreg_context *ctx, const sri_path_watcher *w, const sri_seen *of,
                             const sri_path_point *point)
{
    specreg_status st = SPECREG_OK;
    sri_buffer name = {0};
    const sri_problem *problem = w->problem;
    const sri_target *target = problem->reader.target;
    if (!w->request->each)
        return st;
    SRI_TRY(name_point(ctx, w, of, point->param, &name));
    const specreg_path_point shown = {.name = name.data,
                                      .parameter = sri_path_name(of->filter->path),
                                      .value = point->param,
                                      .kernel = of->number,
                                      .coefficients = point->alpha,
                                      .centres = point->n_centres,
                                      .columns = problem->T,
                                      .terms = point->beta,
                                      .n_terms = problem->unpenalised.l,
                                      .term_names = (const char *const *)problem->unpenalised.name,
                                      .predictions = predictions_of(w),
                                      .rows = w->predicted.sample.n,
                                      .outputs = problem->classes ? problem->n_classes : problem->T,
                                      .output_names =
                                          (const char *const *)(problem->classes ? target->label
                                                                                 : target->name),
                                      .table = w->table};
    SRI_REQUIRE(ctx, w->request->each(&shown, w->request->payload) == 0, SPECREG_E_CANCELLED,
                "the caller of the path stopped it");
done:
    sri_buffer_free(&name);
    return st;
}
