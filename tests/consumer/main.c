/* A user's program: fits six points of a line and predicts between them. */
#include <stdio.h>

#include <specreg/specreg.h>

int main(void)
{
    const double x[6] = {0, 1, 2, 3, 4, 5}, y[6] = {1, 3, 5, 7, 9, 11};
    specreg_view X = {x, 6, 1, 1}, Y = {y, 6, 1, 1};
    specreg_context *ctx = NULL;
    specreg_options *options = NULL;
    specreg_model *model = NULL;
    double at[1] = {2.5}, value = 0;
    specreg_view where = {at, 1, 1, 1};
    int failed = specreg_context_new(&ctx) || specreg_options_new(ctx, &options) ||
                 specreg_options_set(ctx, options, "kernel", "rbf:sigma=2") ||
                 specreg_fit_arrays(ctx, &X, &Y, options, &model) ||
                 specreg_predict_array(ctx, model, &where, NULL, &value, 1);
    if (failed)
        fprintf(stderr, "%s\n", specreg_last_error(ctx));
    else
        printf("specreg %s: y(2.5) = %.3f\n", specreg_version(), value);
    specreg_model_free(model);
    specreg_options_free(options);
    specreg_context_free(ctx);
    return failed || value < 5 || value > 7;
}
