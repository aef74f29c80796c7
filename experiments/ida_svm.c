/* experiment ida --svm: LIBSVM by the protocol of the paper. */
#include "ida.h"
#include "svm.h"

#include <stdlib.h>

enum { CHOOSE = 5, FOLDS = 5 };

static int read_split(cli *c, const ida_data *data, int64_t i, exp_rows *train, exp_rows *test)
{
    specreg_table *tables[2] = {NULL, NULL};
    int rc = ida_divide(c, data, i, &tables[0], &tables[1]);
    if (!rc)
        rc = rows_of_table(c, tables[0], 1.0, train);
    if (!rc)
        rc = rows_of_table(c, tables[1], 1.0, test);
    specreg_table_free(tables[0]);
    specreg_table_free(tables[1]);
    return rc;
}

/* The medians of what folds choose on the first five splits. */
static int choose(cli *c, const ida_data *data, ida_outcome *o, svm_setting *setting)
{
    const int count = o->splits < CHOOSE ? (int)o->splits : CHOOSE;
    double sigma[CHOOSE], cost[CHOOSE];
    int rc = CLI_OK;
    for (int i = 0; !rc && i < count; i++) {
        exp_rows train = {0}, test = {0};
        svm_setting best = {1, 1};
        cli_progress_label("%s, choice %d/%d", o->set->name, i + 1, count);
        rc = read_split(c, data, i, &train, &test);
        if (!rc)
            rc = svm_rbf_choose(&train, FOLDS, exp_random_for(0, 78, i, 0, 0), &best);
        sigma[i] = best.sigma;
        cost[i] = best.C;
        rows_free(&train);
        rows_free(&test);
    }
    *setting = (svm_setting){exp_median(sigma, count), exp_median(cost, count)};
    return rc;
}

int ida_run_svm(cli *c, const ida_data *data, ida_outcome *o)
{
    svm_setting setting;
    int rc = svm_rbf_is_here() ? choose(c, data, o, &setting)
                               : cli_fail(CLI_FAILED, "built without LIBSVM: no --svm");
    for (int64_t i = 0; !rc && i < o->splits; i++) {
        exp_rows train = {0}, test = {0};
        cli_progress_label("%s %d/%d", o->set->name, (int)i + 1, (int)o->splits);
        rc = read_split(c, data, i, &train, &test);
        double *f = exp_zeros(test.n);
        if (!rc)
            rc = svm_rbf_scores(&train, setting, &test, f);
        o->error[i] = rows_error(test.y, f, test.n);
        o->sigma[i] = setting.sigma;
        o->parameter[i] = setting.C;
        free(f);
        rows_free(&train);
        rows_free(&test);
    }
    cli_progress_no_label();
    return rc;
}
