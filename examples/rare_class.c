/* A rare class: one row in twelve is of class 1, among the others.  By the share of errors it pays
 * to say class 0 everywhere; with class weights and the balanced error as criterion both classes
 * count the same, in training and in the choice of the parameters. */
#include <stdio.h>

#include <specreg/specreg.h>

enum { N = 240, M = 1200, RARE = 12 };

/* A number between -1 and 1; the same sequence everywhere. */
static double uniform(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

/* Class 0 lies all over the square, class 1 in the middle of it. */
static void draw(int n, double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = i % RARE == 0;
        x[2 * i] = (y[i] > 0 ? 0.4 : 1) * uniform();
        x[2 * i + 1] = (y[i] > 0 ? 0.4 : 1) * uniform();
    }
}

/* The mean of the two classes' error rates on new rows. */
static specreg_status balanced_error(specreg_context *ctx, const specreg_options *options,
                                     double *error)
{
    static double x[2 * N], y[N], new_x[2 * M], new_y[M], score[2 * M];
    const specreg_view X = {x, N, 2, 2}, Y = {y, N, 1, 1}, new_X = {new_x, M, 2, 2};
    specreg_model *model = NULL;
    int rows[2] = {0, 0}, wrong[2] = {0, 0};
    draw(N, x, y);
    draw(M, new_x, new_y);
    specreg_status st = specreg_fit_arrays(ctx, &X, &Y, options, &model);
    if (st == SPECREG_OK) /* a score for each class, in the order of the labels */
        st = specreg_predict_array(ctx, model, &new_X, NULL, score, 2 * M);
    specreg_model_free(model);
    for (int i = 0; i < M; i++) {
        const int is = new_y[i] > 0, said = score[2 * i + 1] > score[2 * i];
        rows[is]++;
        wrong[is] += said != is;
    }
    *error = 0.5 * wrong[0] / rows[0] + 0.5 * wrong[1] / rows[1];
    printf("class 0: %4d of %4d wrong; class 1: %3d of %3d wrong; balanced error %.3f\n", wrong[0],
           rows[0], wrong[1], rows[1], *error);
    return st;
}

int main(void)
{
    specreg_context *ctx = NULL;
    specreg_options *options = NULL;
    double plain = 1, balanced = 1;
    if (specreg_context_new(&ctx) != SPECREG_OK)
        return 1;
    specreg_status st = specreg_options_new(ctx, &options);
    if (st == SPECREG_OK) /* arrays of numbers are a regression unless one says so */
        st = specreg_options_set(ctx, options, "problem", "classification");
    if (st == SPECREG_OK)
        st = balanced_error(ctx, options, &plain);
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, options, "class-weight", "balanced");
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, options, "criterion", "balanced_error");
    if (st == SPECREG_OK)
        st = balanced_error(ctx, options, &balanced);
    if (st != SPECREG_OK)
        fprintf(stderr, "%s\n", specreg_last_error(ctx));
    specreg_options_free(options);
    specreg_context_free(ctx);
    return st == SPECREG_OK && balanced < 0.3 && plain > 0.4 ? 0 : 1;
}
