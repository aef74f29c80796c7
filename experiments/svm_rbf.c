/* Support vector machines of LIBSVM with a Gaussian kernel. */
#include "svm.h"

#ifdef HAVE_LIBSVM
#include <libsvm/svm.h>
#include <math.h>
#include <stdlib.h>

enum { WIDTHS = 11, COSTS = 5 };
static const double costs[COSTS] = {0.1, 1.0, 10.0, 100.0, 1000.0};

bool svm_rbf_is_here(void)
{
    return true;
}

static void silent(const char *text)
{
    (void)text;
}

static struct svm_parameter parameter_of(int kernel, double C)
{
    return (struct svm_parameter){.svm_type = C_SVC,
                                  .kernel_type = kernel,
                                  .C = C,
                                  .cache_size = 400,
                                  .eps = 1e-3,
                                  .shrinking = 1};
}

/* f is for the label of the first row; ours is for 1. */
static double sign_of(const struct svm_model *model)
{
    int label[2];
    svm_get_labels(model, label);
    return label[0] > 0 ? 1.0 : -1.0;
}

/* ------------------------------------------------------------------- one fit */

/* Rows of d numbers become rows of d + 1 nodes. */
static struct svm_node *nodes_of(const exp_rows *rows, struct svm_node **row)
{
    struct svm_node *node = cli_alloc((size_t)(rows->n * (rows->d + 1)), sizeof *node);
    for (int64_t i = 0; i < rows->n; i++) {
        row[i] = node + i * (rows->d + 1);
        for (int64_t j = 0; j < rows->d; j++)
            row[i][j] = (struct svm_node){(int)j + 1, rows->x[i * rows->d + j]};
        row[i][rows->d].index = -1;
    }
    return node;
}

int svm_rbf_scores(const exp_rows *train, svm_setting setting, const exp_rows *test, double *f)
{
    struct svm_node **row = cli_alloc((size_t)(train->n + test->n), sizeof *row);
    struct svm_node *of_train = nodes_of(train, row), *of_test = nodes_of(test, row + train->n);
    struct svm_parameter parameter = parameter_of(RBF, setting.C);
    const struct svm_problem problem = {.l = (int)train->n, .y = train->y, .x = row};
    parameter.gamma = 0.5 / (setting.sigma * setting.sigma);
    svm_set_print_string_function(silent);
    struct svm_model *model = svm_train(&problem, &parameter);
    const double sign = sign_of(model);
    for (int64_t i = 0; i < test->n; i++) {
        svm_predict_values(model, row[train->n + i], &f[i]);
        f[i] *= sign;
    }
    svm_free_and_destroy_model(&model);
    free(of_test);
    free(of_train);
    free(row);
    return cli_stop_code();
}

/* ------------------------------------------------------------------- the search */

static double *squared_distances(const exp_rows *rows)
{
    double *r = exp_zeros(rows->n * rows->n);
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t j = 0; j < i; j++) {
            double sum = 0.0;
            for (int64_t k = 0; k < rows->d; k++) {
                const double apart = rows->x[i * rows->d + k] - rows->x[j * rows->d + k];
                sum += apart * apart;
            }
            r[i * rows->n + j] = r[j * rows->n + i] = sum;
        }
    return r;
}

/* Of the pairs of the first 500 rows that differ. */
static double median_distance(const double *squared, int64_t n)
{
    const int64_t some = n < 500 ? n : 500;
    double *list = exp_zeros(some * some);
    int64_t count = 0;
    for (int64_t i = 0; i < some; i++)
        for (int64_t j = 0; j < i; j++)
            if (squared[i * n + j] > 0)
                list[count++] = squared[i * n + j];
    const double median = count ? sqrt(exp_median(list, count)) : 1.0;
    free(list);
    return median;
}

/* LIBSVM's form of a kernel matrix: row i is the node 0:i+1, then its values, as 1:K(i,0) and so
 * on. */
static void fill_kernel(const double *squared, int64_t n, double sigma, struct svm_node *node)
{
    for (int64_t i = 0; i < n; i++) {
        struct svm_node *row = node + i * (n + 2);
        row[0] = (struct svm_node){0, (double)(i + 1)};
        for (int64_t j = 0; j < n; j++)
            row[j + 1] =
                (struct svm_node){(int)j + 1, exp(-0.5 * squared[i * n + j] / (sigma * sigma))};
        row[n + 1].index = -1;
    }
}

/* How many rows the folds get wrong: row list[i] is in fold i % folds. */
static int64_t wrong_in_folds(const exp_rows *rows, const struct svm_node *node,
                              const int64_t *list, int folds, double C)
{
    struct svm_node **row = cli_alloc((size_t)rows->n, sizeof *row);
    double *y = exp_zeros(rows->n);
    const struct svm_parameter parameter = parameter_of(PRECOMPUTED, C);
    int64_t wrong = 0;
    for (int fold = 0; fold < folds; fold++) {
        struct svm_problem problem = {.y = y, .x = row};
        for (int64_t i = 0; i < rows->n; i++)
            if (i % folds != fold) {
                row[problem.l] = (struct svm_node *)(node + list[i] * (rows->n + 2));
                y[problem.l++] = rows->y[list[i]];
            }
        struct svm_model *model = svm_train(&problem, &parameter);
        for (int64_t i = fold; i < rows->n; i += folds)
            wrong += svm_predict(model, node + list[i] * (rows->n + 2)) * rows->y[list[i]] <= 0;
        svm_free_and_destroy_model(&model);
    }
    free(y);
    free(row);
    return wrong;
}

int svm_rbf_choose(const exp_rows *train, int folds, exp_random random, svm_setting *best)
{
    const int64_t n = train->n;
    double *squared = squared_distances(train);
    const double median = median_distance(squared, n);
    struct svm_node *node = cli_alloc((size_t)(n * (n + 2)), sizeof *node);
    int64_t *list = cli_alloc((size_t)n, sizeof *list), least = n + 1;
    for (int64_t i = 0; i < n; i++)
        list[i] = i;
    exp_shuffle(&random, list, n);
    svm_set_print_string_function(silent);
    for (int k = WIDTHS - 1; k >= 0 && !cli_stop_code(); k--) {
        const double sigma = median * pow(2.0, 0.5 * (k - WIDTHS / 2));
        fill_kernel(squared, n, sigma, node);
        for (int j = 0; j < COSTS && !cli_stop_code(); j++) {
            const int64_t wrong = wrong_in_folds(train, node, list, folds, costs[j]);
            if (wrong < least) {
                least = wrong;
                *best = (svm_setting){sigma, costs[j]};
            }
        }
    }
    free(list);
    free(node);
    free(squared);
    return cli_stop_code();
}

#else
bool svm_rbf_is_here(void)
{
    return false;
}

int svm_rbf_scores(const exp_rows *train, svm_setting setting, const exp_rows *test, double *f)
{
    return cli_fail(CLI_FAILED, "built without LIBSVM");
}

int svm_rbf_choose(const exp_rows *train, int folds, exp_random random, svm_setting *best)
{
    return cli_fail(CLI_FAILED, "built without LIBSVM");
}
#endif
