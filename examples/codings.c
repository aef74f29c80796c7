/* Twelve classes under three codings: one against all, a simplex, error-correcting words.  The
 * labels are found from one score per class, whatever the columns were that were fitted. */
#include <stdio.h>

#include <specreg/specreg.h>

enum { K = 12, N = 20 * K, M = 100 * K };

/* A number between -1 and 1; the same sequence everywhere. */
static double uniform(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

/* Class c lies about the point (c mod 4, c / 4), and overlaps with its neighbours. */
static void draw(int n, double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = i % K;
        x[2 * i] = i % K % 4 + 0.35 * (uniform() + uniform());
        x[2 * i + 1] = i % K / 4 + 0.35 * (uniform() + uniform());
    }
}

/* The share of wrong labels on new rows. */
static specreg_status error_rate(specreg_context *ctx, specreg_options *options, const char *coding,
                                 double *error)
{
    static double x[2 * N], y[N], new_x[2 * M], new_y[M], score[K * M];
    const specreg_view X = {x, N, 2, 2}, Y = {y, N, 1, 1}, new_X = {new_x, M, 2, 2};
    specreg_model *model = NULL;
    int wrong = 0;
    draw(N, x, y);
    draw(M, new_x, new_y);
    specreg_status st = specreg_options_set(ctx, options, "coding", coding);
    if (st == SPECREG_OK) /* arrays of numbers are a regression unless one says so */
        st = specreg_options_set(ctx, options, "problem", "classification");
    if (st == SPECREG_OK)
        st = specreg_fit_arrays(ctx, &X, &Y, options, &model);
    if (st == SPECREG_OK) /* a score for each class, in the order of the labels */
        st = specreg_predict_array(ctx, model, &new_X, NULL, score, K * M);
    specreg_model_free(model);
    for (int i = 0; i < M; i++) {
        int best = 0;
        for (int c = 1; c < K; c++)
            if (score[i * K + c] > score[i * K + best])
                best = c;
        wrong += best != i % K;
    }
    *error = (double)wrong / M;
    printf("%-22s %.3f wrong\n", coding, *error);
    return st;
}

int main(void)
{
    static const char *const coding[] = {"ova", "simplex", "bch:63", "bch:31,decode=hamming"};
    specreg_context *ctx = NULL;
    specreg_options *options = NULL;
    double error = 1, worst = 0;
    if (specreg_context_new(&ctx) != SPECREG_OK)
        return 1;
    specreg_status st = specreg_options_new(ctx, &options);
    for (int i = 0; i < 4 && st == SPECREG_OK; i++) {
        st = error_rate(ctx, options, coding[i], &error);
        worst = error > worst ? error : worst;
    }
    if (st != SPECREG_OK)
        fprintf(stderr, "%s\n", specreg_last_error(ctx));
    specreg_options_free(options);
    specreg_context_free(ctx);
    return st == SPECREG_OK && worst < 0.2 ? 0 : 1;
}
