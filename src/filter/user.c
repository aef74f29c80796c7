/* A user's filter: g(s, lambda) or g(s, t), registered on the context. */
#include <stddef.h>
#include <string.h>

#include "filter/filter.h"

typedef double filter_fn(double, double, const double *, void *);

static void eval(const sri_filter *self, double s, const double *lambda, int64_t count, double *g,
                 double *r)
{
    filter_fn *fn = (filter_fn *)self->user->function;
    for (int64_t i = 0; i < count; i++) {
        g[i] = fn(s, lambda[i], self->param, self->user->payload);
        r[i] = 1 - s * g[i];
    }
}

const sri_filter_ops sri_filter_user = {
    .name = "user",
    .path = SRI_PATH_LAMBDA,
    .eval = eval,
    .smooth = true,
};

const sri_filter_ops sri_filter_user_steps = {
    .name = "user",
    .path = SRI_PATH_T,
    .eval = eval,
    .smooth = true,
};

specreg_status specreg_register_filter(specreg_context *ctx, const specreg_filter_def *def)
{
    SRI_ARGS(ctx, def);
    /* Callers of older versions have no `path`. */
    const size_t least = offsetof(specreg_filter_def, path);
    if (!def || def->struct_size < least || !def->g)
        return sri_fail(ctx, SPECREG_E_ARG, "filter definition without struct_size or g");
    const char *path = def->struct_size >= sizeof *def && def->path ? def->path : "lambda";
    if (strcmp(path, "lambda") != 0 && strcmp(path, "t") != 0)
        return sri_fail(ctx, SPECREG_E_ARG, "filter definition: path is lambda or t, not '%s'",
                        path);
    if (def->name && sri_filter_builtin(def->name))
        return sri_fail(ctx, SPECREG_E_ARG, "filter '%s' is built in", def->name);
    return sri_register(ctx, &ctx->filters, "filter",
                        &(sri_registration){.name = def->name,
                                            .params = def->params,
                                            .n_params = def->n_params,
                                            .payload = def->payload,
                                            .of_steps = strcmp(path, "t") == 0,
                                            .function = (void (*)(void))def->g});
}
