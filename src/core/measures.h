/* The list of measures of error: X(id, words), where `words` is what the help of --criterion says
 * of a measure that a choice of parameters can go by, and "" where it is only reported.  The list
 * feeds the registry (measure/registry.c) and that help; sri_measure_ID is in measure/ID.c. */
#ifndef SRI_CORE_MEASURES_H
#define SRI_CORE_MEASURES_H

#define SRI_MEASURE_LIST(X)                                                          \
    X(error_rate, "error_rate")                                                      \
    X(balanced_error, ", balanced_error (the mean of the classes' own error rates)") \
    X(log_loss, "")                                                                  \
    X(auc, ", auc (made large)")                                                     \
    X(mse, ", mse")                                                                  \
    X(mae, " or mae")                                                                \
    X(r2, "")                                                                        \
    X(explained_variance, "")                                                        \
    X(angular_error, "")

#endif
