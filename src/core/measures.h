/* The list of measures of error: X(id, words), where `words` is what the help of --criterion says
 * of a measure that a choice of parameters can go by, and "" where it is only reported.  The list
 * feeds the registry (measure/registry.c) and that help; sri_measure_ID is in measure/ID.c. */
#ifndef SRI_CORE_MEASURES_H
#define SRI_CORE_MEASURES_H

#define SRI_MEASURE_LIST(X)                                                          \
    X(error_rate, "error_rate")                                                      \
    X(balanced_error, ", balanced_error (the mean of the classes' own error rates)") \
    X(accuracy, ", accuracy")                                                        \
    X(balanced_accuracy, ", balanced_accuracy")                                      \
    X(f1, ", f1 (the mean of the classes' own)")                                     \
    X(mcc, ", mcc")                                                                  \
    X(auc, ", auc")                                                                  \
    X(log_loss, ", log_loss")                                                        \
    X(brier, ", brier")                                                              \
    X(mse, ", mse")                                                                  \
    X(rmse, ", rmse")                                                                \
    X(mae, ", mae")                                                                  \
    X(mape, ", mape")                                                                \
    X(r2, ", r2 (those of which more is better are made large)")                     \
    X(explained_variance, "")                                                        \
    X(angular_error, "")

#endif
