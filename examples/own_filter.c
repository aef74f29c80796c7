/* A filter of your own.  A filter is a function g(s, lambda) that stands for 1/s on the eigenvalues
 * s of K/n and stays bounded for small s.  This one is iterated Tikhonov of order 3 in its naive
 * form; the built-in iterated:order=3 must give the same model. */
#include <math.h>
#include <stdio.h>

#include <specreg/specreg.h>

enum { N = 100 };

/* g = (1 - (lambda / (s + lambda))^order) / s, and order / lambda at s = 0. */
static double thrice(double s, double lambda, const double *params, void *payload)
{
    const double order = params[0];
    (void)payload;
    if (s < 1e-12 * lambda)
        return order / lambda;
    return (1 - pow(lambda / (s + lambda), order)) / s;
}

/* Fits with one filter, the kernel and lambda given, and predicts the training rows. */
static specreg_status fitted(specreg_context *ctx, const char *filter, const specreg_view *X,
                             const specreg_view *Y, double *f)
{
    specreg_options *options = NULL;
    specreg_model *model = NULL;
    specreg_status st = specreg_options_new(ctx, &options);
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, options, "filter", filter);
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, options, "kernel", "rbf:sigma=0.5");
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, options, "param", "lambda=1e-3");
    if (st == SPECREG_OK)
        st = specreg_fit_arrays(ctx, X, Y, options, &model);
    if (st == SPECREG_OK)
        st = specreg_predict_array(ctx, model, X, NULL, f, X->rows);
    specreg_model_free(model);
    specreg_options_free(options);
    return st;
}

int main(void)
{
    const specreg_param_def params[] = {{"order", 2}};
    const specreg_filter_def def = {sizeof def, "thrice", thrice, params, 1, NULL, NULL};
    specreg_context *ctx = NULL;
    double x[N], y[N], mine[N], theirs[N], worst = 0;
    const specreg_view X = {x, N, 1, 1}, Y = {y, N, 1, 1};
    int rc = 1;
    for (int i = 0; i < N; i++) {
        x[i] = -1 + 2.0 * i / (N - 1);
        y[i] = exp(x[i]) * sin(5 * x[i]);
    }
    if (specreg_context_new(&ctx) != SPECREG_OK)
        return 1;
    if (specreg_register_filter(ctx, &def) != SPECREG_OK ||
        fitted(ctx, "thrice:order=3", &X, &Y, mine) != SPECREG_OK ||
        fitted(ctx, "iterated:order=3", &X, &Y, theirs) != SPECREG_OK) {
        fprintf(stderr, "%s\n", specreg_last_error(ctx));
        goto done;
    }
    for (int i = 0; i < N; i++)
        worst = fmax(worst, fabs(mine[i] - theirs[i]));
    printf("fitted values of the two filters differ by at most %.1e\n", worst);
    rc = worst < 1e-8 ? 0 : 1;
done:
    specreg_context_free(ctx);
    return rc;
}
