/* The whole regularization path of a filter as JSON: training error, test error and criterion for
 * every number of Landweber steps, from one decomposition.  Prints a line of text for some points
 * and leaves the record to your JSON library. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <specreg/specreg.h>

enum { N = 80 };

/* A number between -1 and 1; the same sequence everywhere. */
static double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

static specreg_status make_table(specreg_context *ctx, uint64_t seed, specreg_table **table)
{
    double x[N], y[N];
    const specreg_view X = {x, N, 1, 1}, Y = {y, N, 1, 1};
    for (int i = 0; i < N; i++) {
        x[i] = uniform(&seed);
        y[i] = sin(3 * x[i]) + 0.5 * uniform(&seed);
    }
    return specreg_table_from_arrays(ctx, &X, NULL, &Y, NULL, table);
}

static specreg_status compute(specreg_context *ctx, char **json)
{
    specreg_options *options = NULL;
    specreg_table *train = NULL, *test = NULL;
    specreg_status st = specreg_options_new(ctx, &options);
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, options, "filter", "landweber");
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, options, "kernel", "rbf:sigma=0.3");
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, options, "param", "t={1,10,100,1000,10000,100000}");
    if (st == SPECREG_OK)
        st = make_table(ctx, 1, &train);
    if (st == SPECREG_OK)
        st = make_table(ctx, 2, &test);
    if (st == SPECREG_OK)
        st = specreg_path(ctx, train, test, options, json);
    specreg_table_free(test);
    specreg_table_free(train);
    specreg_options_free(options);
    return st;
}

/* The number after "key": from `text` on, where it ends in *end; NaN for none.  Enough for this
 * record; a program would use a JSON library. */
static double number_after(const char *text, const char *key, const char **end)
{
    const char *at = strstr(text, key);
    if (!at)
        return NAN;
    *end = at + strlen(key);
    return strtod(*end, NULL);
}

int main(void)
{
    specreg_context *ctx = NULL;
    char *json = NULL;
    double last_train = INFINITY, best_test = INFINITY, last_test = INFINITY;
    int points = 0, rc = 1;
    if (specreg_context_new(&ctx) != SPECREG_OK)
        return 1;
    if (compute(ctx, &json) != SPECREG_OK) {
        fprintf(stderr, "%s\n", specreg_last_error(ctx));
        goto done;
    }
    const char *at = strstr(json, "\"table\":");
    printf("     t  train_mse   test_mse\n");
    while (at) {
        const double t = number_after(at, "\"t\": ", &at);
        const double train = number_after(at, "\"train_mse\": ", &at);
        const double test = number_after(at, "\"test_mse\": ", &at);
        if (isnan(t))
            break;
        printf("%6.0f  %9.5f  %9.5f\n", t, train, test);
        points++;
        if (!(train < last_train)) /* more steps fit the training data better, always */
            goto done;
        last_train = train;
        last_test = test;
        best_test = fmin(best_test, test);
    }
    printf("%zu bytes of JSON\n", strlen(json));
    rc = points == 6 && best_test < last_test ? 0 : 1; /* and new data worse, in the end */
done:
    specreg_string_free(json);
    specreg_context_free(ctx);
    return rc;
}
