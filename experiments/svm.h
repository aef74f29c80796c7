/* Support vector machines to compare with: those of LIBSVM and LIBLINEAR, where the build found
 * these libraries. */
#ifndef SVM_H
#define SVM_H

#include "rows.h"
#include "sparse.h"

/* svm_linear.c: LIBLINEAR. */
bool svm_linear_is_here(void);
/* Minimises |w|^2 / 2 + C sum of max(0, 1 - y_i f(x_i)), f(x) = w'x + w[cols]; y are -1 and 1; the
 * constant is penalised with the rest. */
int svm_linear_fit(const exp_sparse *x, const double *y, double C, double *w);

/* svm_rbf.c: LIBSVM with the kernel exp(-r^2 / (2 sigma^2)). */
typedef struct svm_setting {
    double sigma, C;
} svm_setting;
bool svm_rbf_is_here(void);
/* f of the rows of `test`. */
int svm_rbf_scores(const exp_rows *train, svm_setting setting, const exp_rows *test, double *f);
/* The setting with the least error in folds: sigma from 0.18 to 5.7 times the median distance in
 * eleven steps, C from 0.1 to 1000 in five; of equal ones the smoothest. */
int svm_rbf_choose(const exp_rows *train, int folds, exp_random random, svm_setting *best);

/* svm_pairs.c: LIBSVM with a linear kernel, one class against one, C of a list by three folds;
 * gives the share of the rows of `test` that get another class. */
int svm_pairs_error(const exp_sparse *train, const exp_sparse *test, const double *cost, int costs,
                    exp_random random, double *error);

#endif
