/* Cross-validation of the whole procedure: the search happens inside each outer training part, so
 * that nothing of a test part has been seen by the choice of parameters or the scaling. */
#ifndef SRI_MODEL_CV_H
#define SRI_MODEL_CV_H

#include "model/evaluate.h"

/* What was chosen on the training rows of an outer split, and the errors on the others. */
typedef struct sri_cv_fold {
    int64_t n_train, n_test, T;
    sri_kept_kernel kernel;
    sri_kept_filter filter;
    sri_unpenalised unpenalised;
    sri_evaluation test;
    double df, df_stderr; /* as in the record of a fit */
} sri_cv_fold;

typedef struct sri_cv_result {
    sri_cv_fold *fold;
    int64_t folds;
    char *outer; /* how the rows were split */
} sri_cv_result;

/* `p` has the rows of `data` alone. */
specreg_status sri_cv(specreg_context *ctx, const sri_prepared *p, const specreg_table *data,
                      sri_cv_result *out);
/* The same with the parameters of a model, which are not searched anew: what else is learned from
 * the rows, such as words of documents, is learned inside the parts. */
specreg_status sri_cv_at(specreg_context *ctx, const sri_call *call, const specreg_table *data,
                         const specreg_model *model, sri_cv_result *out);
void sri_cv_result_free(sri_cv_result *result);

#endif
