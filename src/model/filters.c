#include "model/filters.h"

#include <math.h>

#include "core/memory.h"
#include "kernel/kernel.h"

/* Four points and a linear kernel: every engine could serve them. */
specreg_status sri_filter_engines(specreg_context *ctx, const sri_filter *filter,
                                  const sri_engine *out[SRI_MOST_ENGINES], int *count)
{
    static const double x[] = {1, 2, 4, 8};
    const double param = 1;
    specreg_status st = SPECREG_OK;
    sri_kernel_grid grid = {0};
    sri_points *points = NULL;
    sri_op *op = NULL;
    *count = 0;
    SRI_TRY(sri_kernel_grid_parse(ctx, "linear", &grid));
    SRI_TRY(sri_points_new(ctx, x, 4, 1, false, &points));
    const sri_kernel kernel = sri_kernel_grid_at(&grid, 0);
    for (int e = 0; sri_engine_at(e); e++) {
        const sri_engine *engine = sri_engine_at(e);
        SRI_TRY(sri_op_kernel(ctx, &kernel, points, &op));
        sri_job job = sri_job_make(&(sri_engine_problem){.op = op, .Y = x, .T = 1},
                                   &(sri_path){filter, &param, 1},
                                   &(sri_request){.memory = (int64_t)1 << 30}, &(sri_hint){0});
        SRI_TRY(sri_engine_look(ctx, engine->name, &job));
        if (!sri_engine_refuses(engine, &job) && *count < SRI_MOST_ENGINES)
            out[(*count)++] = engine;
        sri_op_free(op);
        op = NULL;
    }
done:
    sri_op_free(op);
    sri_points_free(points);
    sri_kernel_grid_free(&grid);
    return st;
}

specreg_status sri_filter_curve_make(specreg_context *ctx, const char *filter, const char *param,
                                     const char *s, sri_filter_curve *out)
{
    specreg_status st = SPECREG_OK;
    bool is_auto;
    sri_filter *f = &out->filter;
    SRI_TRY(sri_filter_parse(ctx, filter, f));
    SRI_REQUIRE(ctx, !sri_filter_nonlinear(f), SPECREG_E_ARG,
                "filter %s depends on y: it has no curve over s", sri_filter_name(f));
    if (f->step_rule == SRI_STEP_NORM)
        f->step = f->norm_share;
    SRI_TRY(sri_path_parse(ctx, f, param, &out->param, &is_auto));
    SRI_REQUIRE(ctx, f->path != SRI_PATH_COMPONENTS, SPECREG_E_ARG,
                "param: components depend on the spectrum: give lambda=VALUES");
    if (is_auto)
        SRI_TRY(sri_path_auto(ctx, f, 100, 1, &out->param));
    SRI_TRY(sri_values_parse(ctx, "s", s, &out->s));
    SRI_REQUIRE(ctx, out->s.count > 0, SPECREG_E_ARG, "s: give values, as log:1e-4:1:100");
    const double most = f->ops->iteration ? f->ops->iteration->largest_step(f) / f->step : INFINITY;
    for (int64_t j = 0; j < out->s.count; j++)
        SRI_REQUIRE(ctx, out->s.v[j] >= 0 && out->s.v[j] <= most, SPECREG_E_ARG,
                    "s: %g is not between 0 and %g, where filter %s converges with step %g",
                    out->s.v[j], most, sri_filter_name(f), f->step);
    const int64_t count = out->param.count;
    SRI_ALLOC(ctx, out->g, out->s.count, count);
    SRI_ALLOC(ctx, out->r, out->s.count, count);
    for (int64_t j = 0; j < out->s.count; j++)
        f->ops->eval(f, out->s.v[j], out->param.v, count, out->g + j * count, out->r + j * count);
done:
    return st;
}

void sri_filter_curve_free(sri_filter_curve *curve)
{
    sri_free(curve->r);
    sri_free(curve->g);
    sri_values_free(&curve->s);
    sri_values_free(&curve->param);
}
