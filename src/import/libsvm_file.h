/* Model files of LIBSVM as they stand: a head of lines `key values`, then `SV` and a line for each
 * support vector, its coefficients and `index:value` pairs. */
#ifndef SRI_IMPORT_LIBSVM_FILE_H
#define SRI_IMPORT_LIBSVM_FILE_H

#include <stdbool.h>

#include "core/matrix.h"

typedef enum sri_svm_type {
    SRI_SVM_C_SVC,
    SRI_SVM_NU_SVC,
    SRI_SVM_ONE_CLASS,
    SRI_SVM_EPSILON_SVR,
    SRI_SVM_NU_SVR,
    SRI_SVM_TYPES
} sri_svm_type;

typedef enum sri_svm_kernel {
    SRI_SVM_LINEAR,
    SRI_SVM_POLYNOMIAL,
    SRI_SVM_RBF,
    SRI_SVM_SIGMOID,
    SRI_SVM_PRECOMPUTED,
    SRI_SVM_KERNELS
} sri_svm_kernel;

extern const char *const sri_svm_types[SRI_SVM_TYPES]; /* their names in files */
extern const char *const sri_svm_kernels[SRI_SVM_KERNELS];

typedef struct sri_svm_file {
    sri_svm_type type;
    sri_svm_kernel kernel;
    double degree, gamma, coef0;
    int64_t classes;        /* of a regression: 0                                              */
    int64_t pairs;          /* of classes a < b, in the order of (a, b); of a regression: 1    */
    double *rho;            /* pairs                                                           */
    int64_t *label;         /* classes; NULL: a regression                                     */
    int64_t *count;         /* classes: support vectors of each; NULL: a regression            */
    bool has_probabilities; /* the file also has what its probabilities are made of           */
    sri_matrix vector;      /* sparse, p its largest index; of a given matrix without an entry */
    int64_t *serial;        /* of a given matrix: the row that each vector is, from 1          */
    int64_t width;          /* coefficients of a vector: classes - 1, of a regression 1        */
    double *coefficient;    /* vector.n x width                                                */
} sri_svm_file;

static inline bool sri_svm_is_regression(const sri_svm_file *f)
{
    return f->type == SRI_SVM_EPSILON_SVR || f->type == SRI_SVM_NU_SVR;
}

/* Whatever the bytes are: a failure names the line.  Refuses one-class machines and the sigmoid
 * kernel. */
specreg_status sri_svm_read(specreg_context *ctx, const char *path, sri_svm_file *out);
void sri_svm_free(sri_svm_file *f);

#endif
