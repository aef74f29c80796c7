/* A kernel of your own whose values are matrices, by the name of slopes: a function and its
 * derivative as two outputs.  With k(x, z) = exp(-(x - z)^2 / (2 sigma^2)) the matrix is
 * (k, dk/dz; dk/dx, d^2 k/(dx dz)).  From slopes and one value it finds the function. */
#include <math.h>
#include <stdio.h>

#include <specreg/specreg.h>

enum { N = 40, M = 5 };

/* Called from several threads at once: no state but the arguments. */
static void slopes(const double *x, const double *z, int64_t p, int64_t outputs,
                   const double *params, void *payload, double *values)
{
    const double u = x[0] - z[0], scale = 1 / (params[0] * params[0]);
    const double k = exp(-u * u * scale / 2);
    (void)p;
    (void)outputs; /* two, as the definition says */
    (void)payload;
    values[0] = k;
    values[1] = u * scale * k;
    values[2] = -u * scale * k;
    values[3] = (1 - u * u * scale) * scale * k;
}

static specreg_status fit(specreg_context *ctx, const specreg_view *X, const specreg_view *Y,
                          specreg_model **model)
{
    static const char *const settings[][2] = {{"kernel", "slopes:sigma={0.5,1,2}"},
                                              {"param", "lambda=log:1e-10:1e-2:9"},
                                              {"missing-targets", "allow"},
                                              {"features", "none"},
                                              {"scale", "none"}};
    const specreg_param_def params[] = {{"sigma", 1}};
    const specreg_matrix_kernel_def def = {.struct_size = sizeof def,
                                           .name = "slopes",
                                           .eval = slopes,
                                           .params = params,
                                           .n_params = 1,
                                           .outputs = 2};
    specreg_options *options = NULL;
    specreg_status st = specreg_register_matrix_kernel(ctx, &def);
    if (st == SPECREG_OK)
        st = specreg_options_new(ctx, &options);
    for (size_t i = 0; st == SPECREG_OK && i < sizeof settings / sizeof *settings; i++)
        st = specreg_options_set(ctx, options, settings[i][0], settings[i][1]);
    if (st == SPECREG_OK)
        st = specreg_fit_arrays(ctx, X, Y, options, model);
    specreg_options_free(options);
    return st;
}

int main(void)
{
    specreg_context *ctx = NULL;
    specreg_model *model = NULL;
    double x[N], y[2 * N], later[M], f[2 * M], worst = 0;
    const specreg_view X = {x, N, 1, 1}, Y = {y, N, 2, 2}, Later = {later, M, 1, 1};
    int rc = 1;
    for (int i = 0; i < N; i++) {
        x[i] = 6.0 * i / (N - 1);
        y[2 * i] = i == 0 ? sin(x[i]) : NAN; /* not measured */
        y[2 * i + 1] = cos(x[i]);
    }
    for (int i = 0; i < M; i++)
        later[i] = 1 + i;
    if (specreg_context_new(&ctx) != SPECREG_OK)
        return rc;
    if (fit(ctx, &X, &Y, &model) != SPECREG_OK ||
        specreg_predict_array(ctx, model, &Later, NULL, f, 2 * M) != SPECREG_OK) {
        fprintf(stderr, "%s\n", specreg_last_error(ctx));
        goto done;
    }
    for (int i = 0; i < M; i++) {
        printf("x = %g: predicted %7.4f, true %7.4f\n", later[i], f[2 * i], sin(later[i]));
        worst = fmax(worst, fabs(f[2 * i] - sin(later[i])));
    }
    rc = worst < 1e-3 ? 0 : 1;
done:
    specreg_model_free(model);
    specreg_context_free(ctx);
    return rc;
}
