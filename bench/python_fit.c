/* The fits that python_fit.py makes, by a program over the public header; the least processor time
 * of all repetitions.
 *   python_fit FILE N P REPEATS KERNEL PARAM SELECT
 * FILE: N rows of P doubles, then N targets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <specreg/specreg.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* All that a fit from nothing takes: a context, options, the fit, its numbers, the end. */
static specreg_status fit(const specreg_data *data, char **argv)
{
    specreg_context *ctx = NULL;
    specreg_options *options = NULL;
    specreg_model *model = NULL;
    specreg_status st = specreg_context_new(&ctx);
    const char *const given[][2] = {{"kernel", argv[0]},
                                    {"param", argv[1]},
                                    {"select", argv[2]},
                                    {"threads", "1"}};
    st = st ? st : specreg_options_new(ctx, &options);
    for (int i = 0; i < 4 && !st; i++)
        st = specreg_options_set(ctx, options, given[i][0], given[i][1]);
    st = st ? st : specreg_fit_data(ctx, data, options, &model);
    if (st)
        fprintf(stderr, "python_fit: %s\n", specreg_last_error(ctx));
    specreg_model_free(model);
    specreg_options_free(options);
    specreg_context_free(ctx);
    return st;
}

int main(int argc, char **argv)
{
    if (argc != 8)
        return 2;
    const long n = atol(argv[2]), p = atol(argv[3]), repeats = atol(argv[4]);
    double *X = malloc((size_t)(n * p) * sizeof *X), *y = malloc((size_t)n * sizeof *y);
    FILE *f = fopen(argv[1], "rb");
    double best = 1e300;
    int bad = !X || !y || !f || fread(X, sizeof *X, (size_t)(n * p), f) != (size_t)(n * p) ||
              fread(y, sizeof *y, (size_t)n, f) != (size_t)n;
    const specreg_view inputs = {X, n, p, p}, targets = {y, n, 1, 1};
    const specreg_data data = {.struct_size = sizeof data, .X = &inputs, .Y = &targets};
    for (long i = 0; i < repeats && !bad; i++) {
        const double start = seconds();
        bad = fit(&data, argv + 5) != SPECREG_OK;
        best = seconds() - start < best ? seconds() - start : best;
    }
    if (f)
        fclose(f);
    free(y);
    free(X);
    printf("%.6f\n", best);
    return bad;
}
