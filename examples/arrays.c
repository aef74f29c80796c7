/* Arrays of a program's own: sparse rows with labels and weights become a model, which goes through
 * memory to another context and says there which words speak for which class. */
#include <stdio.h>
#include <string.h>

#include <specreg/specreg.h>

enum { ROWS = 8, WORDS = 5 };
static const char *const word[WORDS] = {"goal", "team", "score", "market", "bank"};

int main(void)
{
    /* which words each text has: entries start[i] to start[i + 1] - 1 are those of row i */
    const int64_t start[ROWS + 1] = {0, 2, 4, 6, 8, 10, 12, 13, 15};
    const int32_t index[] = {0, 1, 1, 2, 0, 2, 0, 1, 3, 4, 2, 3, 4, 3, 4};
    const double value[] = {1, 1, 1, 1, 1, 2, 2, 1, 1, 1, 1, 2, 1, 2, 1};
    const char *const labels[ROWS] = {"sport",   "sport",   "sport",   "sport",
                                      "economy", "economy", "economy", "economy"};
    const double weights[ROWS] = {1, 1, 1, 1, 2, 1, 1, 2};
    const specreg_csr_view X = {value, start, index, ROWS, WORDS};
    const specreg_data data = {.struct_size = sizeof(specreg_data),
                               .X_csr = &X,
                               .labels = labels,
                               .weights = weights};
    specreg_context *ctx = NULL, *other = NULL;
    specreg_options *options = NULL;
    specreg_model *model = NULL, *copy = NULL;
    specreg_view slopes = {0};
    void *bytes = NULL;
    size_t size = 0;
    int32_t said[ROWS];
    int wrong = 0, failed;
    failed = specreg_context_new(&ctx) || specreg_context_new(&other) ||
             specreg_options_new(ctx, &options) ||
             specreg_options_set(ctx, options, "kernel", "linear") ||
             specreg_options_set(ctx, options, "param", "lambda=0.1") ||
             specreg_options_set(ctx, options, "select", "none") ||
             specreg_fit_data(ctx, &data, options, &model) ||
             specreg_model_to_memory(ctx, model, &bytes, &size);
    if (failed) {
        fprintf(stderr, "%s\n", specreg_last_error(ctx));
        goto done;
    }
    failed = specreg_model_from_memory(other, bytes, size, &copy) ||
             specreg_predict_classes(other, copy, &data, NULL, said, ROWS) ||
             specreg_model_array(other, copy, "slopes", &slopes);
    if (failed) {
        fprintf(stderr, "%s\n", specreg_last_error(other));
        goto done;
    }
    for (int i = 0; i < ROWS; i++)
        wrong += strcmp(specreg_model_class(copy, said[i]), labels[i]) != 0;
    printf("%d of %d texts get another class\n", wrong, ROWS);
    for (int64_t j = 0; j < slopes.rows; j++)
        printf("%-7s %6.3f\n", word[j], slopes.data[j * slopes.ld]);
    /* "bank" and "goal" differ in what they say */
    failed = wrong > 0 || slopes.rows != WORDS || slopes.data[0] * slopes.data[4 * slopes.ld] >= 0;
done:
    specreg_bytes_free(bytes);
    specreg_model_free(copy);
    specreg_model_free(model);
    specreg_options_free(options);
    specreg_context_free(other);
    specreg_context_free(ctx);
    return failed;
}
