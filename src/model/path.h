/* The whole regularization path: for every kernel and parameter the degrees of freedom, the
 * training error, what the selection rule says, and the error on test data. */
#ifndef SRI_MODEL_PATH_H
#define SRI_MODEL_PATH_H

#include "model/report.h"

typedef struct sri_path_errors {
    double mse, error_rate; /* the latter of classes */
} sri_path_errors;

/* specreg_path_request */
typedef struct sri_path_request {
    const specreg_table *test, *rows;
    const char *grid;
    specreg_path_fn *each;
    void *payload;
} sri_path_request;

typedef struct sri_path_row {
    int64_t candidate, setting; /* the kernel, and the filter's */
    double param, df;
    double df_stderr; /* 0: df is exact */
    sri_path_errors train, test;
} sri_path_row;

typedef struct sri_path_result {
    sri_search_result found; /* its kernels */
    sri_search_report search;
    sri_path_row *row; /* row i belongs to row i of the search's table */
    int64_t rows, capacity;
    bool tested;
    sri_sums_facts facts; /* of fewer centres than rows */
} sri_path_result;

specreg_status sri_path_run(specreg_context *ctx, sri_prepared *p, const sri_path_request *request,
                            sri_path_result *out);
void sri_path_result_free(sri_path_result *result);

#endif
