/* A trend that is known beside a wave that is not: features that are not penalised.
 *
 * y = 20 + 3 t + a wave.  Without features a Gaussian kernel pays for the trend, and beyond the
 * data its predictions fall back to 0.  With `constant + columns:1` the line costs nothing, goes
 * on, and its coefficients are told.
 *
 *     cc trend.c $(pkg-config --cflags --libs specreg) -lm */
#include <math.h>
#include <stdio.h>

#include <specreg/specreg.h>

enum { N = 80 };

static double truth(double t)
{
    return 20 + 3 * t + 2 * sin(4 * t);
}

static int predict_at(specreg_context *ctx, const double *t, const double *y, const char *features,
                      double later, double *f, double *trend)
{
    const specreg_view X = {t, N, 1, 1}, Y = {y, N, 1, 1}, at = {&later, 1, 1, 1};
    specreg_options *o = NULL;
    specreg_model *model = NULL;
    specreg_status st = specreg_options_new(ctx, &o);
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, o, "features", features);
    if (st == SPECREG_OK) /* narrow: it is for the wave */
        st = specreg_options_set(ctx, o, "kernel", "rbf:sigma=0.2");
    if (st == SPECREG_OK)
        st = specreg_fit_arrays(ctx, &X, &Y, o, &model);
    if (st == SPECREG_OK)
        st = specreg_predict_array(ctx, model, &at, NULL, f, at.rows);
    for (int64_t k = 0; st == SPECREG_OK && k < specreg_model_parts(model);
         k++) /* kernel, features */
        st = specreg_predict_part_array(ctx, model, &at, k, NULL, trend, at.rows);
    specreg_model_free(model);
    specreg_options_free(o);
    if (st != SPECREG_OK)
        fprintf(stderr, "%s\n", specreg_last_error(ctx));
    return st;
}

int main(void)
{
    double t[N], y[N], with = 0, without = 0, line = 0;
    const double later = 7;
    specreg_context *ctx = NULL;
    if (specreg_context_new(&ctx) != SPECREG_OK) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    for (int i = 0; i < N; i++) {
        t[i] = 5.0 * i / N;
        y[i] = truth(t[i]) + 0.1 * sin(997.0 * i);
    }
    int failed = predict_at(ctx, t, y, "none", later, &without, &line) ||
                 predict_at(ctx, t, y, "constant + columns:1", later, &with, &line);
    printf("at t = %g: the truth is %.1f, of which the trend is %.1f\n", later, truth(later),
           20 + 3 * later);
    printf("  the kernel alone says %.1f\n", without);
    printf("  with a line that is not penalised %.1f, of which the line is %.1f\n", with, line);
    failed = failed || !(fabs(with - truth(later)) < fabs(without - truth(later)));
    specreg_context_free(ctx);
    return failed;
}
