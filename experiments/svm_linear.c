/* Linear support vector machines of LIBLINEAR. */
#include "svm.h"

#ifdef HAVE_LIBLINEAR
#include <linear.h>
#include <stdlib.h>

bool svm_linear_is_here(void)
{
    return true;
}

static void silent(const char *text)
{
    (void)text;
}

/* Its rows end with the constant 1 and with the index -1. */
static struct feature_node *nodes_of(const exp_sparse *x, struct feature_node **row)
{
    struct feature_node *node = cli_alloc((size_t)(x->start[x->rows] + 2 * x->rows), sizeof *node);
    struct feature_node *at = node;
    for (int64_t i = 0; i < x->rows; i++) {
        row[i] = at;
        for (int64_t k = x->start[i]; k < x->start[i + 1]; k++)
            *at++ = (struct feature_node){x->index[k] + 1, x->value[k]};
        *at++ = (struct feature_node){(int)x->cols + 1, 1.0};
        *at++ = (struct feature_node){-1, 0.0};
    }
    return node;
}

int svm_linear_fit(const exp_sparse *x, const double *y, double C, double *w)
{
    struct feature_node **row = cli_alloc((size_t)x->rows, sizeof *row);
    struct feature_node *node = nodes_of(x, row);
    double *target = exp_zeros(x->rows);
    for (int64_t i = 0; i < x->rows; i++)
        target[i] = y[i];
    const struct problem problem = {.l = (int)x->rows,
                                    .n = (int)x->cols + 1,
                                    .y = target,
                                    .x = row,
                                    .bias = 1.0};
    const struct parameter parameter = {.solver_type = L2R_L1LOSS_SVC_DUAL,
                                        .eps = 0.1,
                                        .C = C,
                                        .p = 0.1};
    set_print_string_function(silent);
    srand(1); /* it draws the order of its steps by rand() */
    struct model *model = train(&problem, &parameter);
    /* w is for the label that comes first */
    const double sign = model->label[0] > 0 ? 1.0 : -1.0;
    for (int64_t j = 0; j <= x->cols; j++)
        w[j] = sign * model->w[j];
    free_and_destroy_model(&model);
    free(target);
    free(node);
    free(row);
    return CLI_OK;
}

#else
bool svm_linear_is_here(void)
{
    return false;
}

int svm_linear_fit(const exp_sparse *x, const double *y, double C, double *w)
{
    return cli_fail(CLI_FAILED, "built without LIBLINEAR");
}
#endif
