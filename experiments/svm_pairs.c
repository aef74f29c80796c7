/* Linear support vector machines of LIBSVM for several classes, one against one. */
#include "svm.h"

#ifdef HAVE_LIBSVM
#include <libsvm/svm.h>
#include <stdlib.h>

enum { FOLDS = 3 };

static void silent(const char *text)
{
    (void)text;
}

static struct svm_node *nodes_of(const exp_sparse *x, struct svm_node **row)
{
    struct svm_node *node = cli_alloc((size_t)(x->start[x->rows] + x->rows), sizeof *node);
    struct svm_node *at = node;
    for (int64_t i = 0; i < x->rows; i++) {
        row[i] = at;
        for (int64_t k = x->start[i]; k < x->start[i + 1]; k++)
            *at++ = (struct svm_node){x->index[k] + 1, x->value[k]};
        *at++ = (struct svm_node){-1, 0.0};
    }
    return node;
}

/* Trains on the rows list[i] with i % FOLDS != fold, all with fold -1; gives how many of the others
 * it gets wrong, or of `test`. */
static int64_t wrong(struct svm_node **row, const exp_sparse *train, const int64_t *list, int fold,
                     double C, struct svm_node **other, const exp_sparse *test)
{
    struct svm_node **x = cli_alloc((size_t)train->rows, sizeof *x);
    double *y = exp_zeros(train->rows);
    const struct svm_parameter parameter = {.svm_type = C_SVC,
                                            .kernel_type = LINEAR,
                                            .C = C,
                                            .cache_size = 200,
                                            .eps = 1e-3,
                                            .shrinking = 1};
    struct svm_problem problem = {.x = x, .y = y};
    int64_t count = 0;
    for (int64_t i = 0; i < train->rows; i++)
        if (fold < 0 || i % FOLDS != fold) {
            x[problem.l] = row[list[i]];
            y[problem.l++] = train->label[list[i]];
        }
    struct svm_model *model = svm_train(&problem, &parameter);
    for (int64_t i = fold; fold >= 0 && i < train->rows; i += FOLDS)
        count += (int)svm_predict(model, row[list[i]]) != train->label[list[i]];
    for (int64_t i = 0; fold < 0 && i < test->rows; i++)
        count += (int)svm_predict(model, other[i]) != test->label[i];
    svm_free_and_destroy_model(&model);
    free(y);
    free(x);
    return count;
}

int svm_pairs_error(const exp_sparse *train, const exp_sparse *test, const double *cost, int costs,
                    exp_random random, double *error)
{
    struct svm_node **row = cli_alloc((size_t)(train->rows + test->rows), sizeof *row);
    struct svm_node **other = row + train->rows;
    struct svm_node *of_train = nodes_of(train, row), *of_test = nodes_of(test, other);
    int64_t *list = cli_alloc((size_t)train->rows, sizeof *list), least = INT64_MAX;
    double best = cost[0];
    for (int64_t i = 0; i < train->rows; i++)
        list[i] = i;
    exp_shuffle(&random, list, train->rows);
    svm_set_print_string_function(silent);
    for (int k = 0; k < costs && !cli_stop_code(); k++) {
        int64_t count = 0;
        for (int fold = 0; fold < FOLDS; fold++)
            count += wrong(row, train, list, fold, cost[k], other, test);
        if (count < least) {
            least = count;
            best = cost[k];
        }
    }
    *error = (double)wrong(row, train, list, -1, best, other, test) / (double)test->rows;
    free(list);
    free(of_test);
    free(of_train);
    free(row);
    return cli_stop_code();
}

#else
int svm_pairs_error(const exp_sparse *train, const exp_sparse *test, const double *cost, int costs,
                    exp_random random, double *error)
{
    return cli_fail(CLI_FAILED, "built without LIBSVM");
}
#endif
