#include "select/combinations.h"

#define IDA "select: ida is for one task, and outputs that are independent: take kfold"
#define ONE_OUTPUT \
    "outputs %s: there is one output only: name several --target columns, or a --task-column"
#define ALL_OUTPUTS "outputs %s: with classes filters are applied output by output, which "
#define SIZES " takes as many targets as features, a component for each coordinate: there are %s"
#define NO_OUTPUTS "kpca: there are no outputs that could share a matrix"

/* clang-format off */
static const struct {
    sri_aspect one, other;
    specreg_status status;
    const char *message; /* a format for up to three strings */
    sri_named named[3];
} combinations[] = {
    {SRI_HAS_KPCA, SRI_HAS_FIELD_KERNEL, SPECREG_E_ARG,
     "kpca: kernel %s is for vector fields, its values are matrices", {SRI_NAMED_KERNEL}},
    {SRI_HAS_KPCA, SRI_HAS_MATRIX_KERNEL, SPECREG_E_ARG, "kpca: values of kernel %s are matrices",
     {SRI_NAMED_KERNEL}},
    {SRI_HAS_KPCA, SRI_HAS_CONDITIONAL, SPECREG_E_ARG,
     "kpca: kernel %s is positive definite only beside polynomials: take another",
     {SRI_NAMED_KERNEL}},
    {SRI_HAS_KPCA, SRI_HAS_COUPLING, SPECREG_E_ARG, NO_OUTPUTS, {0}},
    {SRI_HAS_KPCA, SRI_HAS_COUPLINGS, SPECREG_E_ARG, NO_OUTPUTS, {0}},
    {SRI_HAS_KPCA, SRI_HAS_KERNEL_LIST, SPECREG_E_ARG,
     "kpca: kernel: there is nothing to choose by, give one value in place of %s",
     {SRI_NAMED_COUNT}},
    {SRI_HAS_KPCA, SRI_HAS_DOCUMENTS, SPECREG_E_ARG,
     "%s: kpca is for numbers: make features of documents first (--text)", {SRI_NAMED_TABLE}},
    {SRI_HAS_GRID, SRI_HAS_TASKS, SPECREG_E_UNAVAILABLE,
     "grid: the model is of many tasks: predict a table, whose rows name theirs", {0}},
    {SRI_HAS_GRID, SRI_HAS_MANY_INPUTS, SPECREG_E_SHAPE,
     "grid: the model has %s features, grids have at most three axes", {SRI_NAMED_COUNT}},
    {SRI_HAS_GRID, SRI_HAS_TEXT_INPUT, SPECREG_E_SHAPE,
     "grid: the model's feature '%s' is a text or has gaps, grids are for numbers",
     {SRI_NAMED_INPUT}},
    {SRI_HAS_TASKS, SRI_HAS_GAPS, SPECREG_E_ARG,
     "missing-targets: with --task-column every row has all its targets", {0}},
    {SRI_HAS_IDA, SRI_HAS_TASKS, SPECREG_E_ARG, IDA, {0}},
    {SRI_HAS_IDA, SRI_HAS_COUPLING, SPECREG_E_ARG, IDA, {0}},
    {SRI_HAS_ONE_OUTPUT, SRI_HAS_COUPLING, SPECREG_E_ARG, ONE_OUTPUT, {SRI_NAMED_OUTPUTS}},
    {SRI_HAS_ONE_OUTPUT, SRI_HAS_COUPLINGS, SPECREG_E_ARG, ONE_OUTPUT, {SRI_NAMED_OUTPUTS}},
    {SRI_HAS_CLASSES, SRI_HAS_COUPLINGS, SPECREG_E_ARG,
     "outputs: a sum of several is for regression, not for classes", {0}},
    {SRI_HAS_CLASSES, SRI_HAS_OWN_INPUTS, SPECREG_E_ARG,
     "outputs: %s is for regression, not for classes", {SRI_NAMED_OWN_INPUTS}},
    {SRI_HAS_COUPLED_CLASSES, SRI_HAS_CG, SPECREG_E_ARG,
     ALL_OUTPUTS "conjugate gradients does not allow", {SRI_NAMED_OUTPUTS}},
    {SRI_HAS_COUPLED_CLASSES, SRI_HAS_COMPONENTS, SPECREG_E_ARG,
     ALL_OUTPUTS "a number of components does not allow", {SRI_NAMED_OUTPUTS}},
    {SRI_HAS_COUPLED_CLASSES, SRI_HAS_BOUND, SPECREG_E_ARG,
     "select: bound is for outputs that have nothing to do with each other: take loo", {0}},
    {SRI_HAS_OWN_ROWS, SRI_HAS_COUPLED_CLASSES, SPECREG_E_ARG,
     "coding: outputs that train on some classes only cannot be coupled: leave --outputs out", {0}},
    {SRI_HAS_OWN_ROWS, SRI_HAS_ONE_SYSTEM_RULE, SPECREG_E_ARG,
     "select: %s is not for codings whose outputs train on some classes only: take loo or kfold",
     {SRI_NAMED_RULE}},
    {SRI_HAS_FIELD, SRI_HAS_OTHER_SIZE, SPECREG_E_SHAPE, "problem field" SIZES, {SRI_NAMED_SIZES}},
    {SRI_HAS_FIELD_KERNEL, SRI_HAS_TASKS, SPECREG_E_ARG,
     "kernel %s is for one field, not for tasks", {SRI_NAMED_KERNEL}},
    {SRI_HAS_FIELD_KERNEL, SRI_HAS_CLASSES, SPECREG_E_ARG,
     "kernel %s is for vector fields, and this is a classification", {SRI_NAMED_KERNEL}},
    {SRI_HAS_FIELD_KERNEL, SRI_HAS_COUPLING, SPECREG_E_ARG,
     "kernel %s says itself what outputs have to do with each other: leave --outputs out",
     {SRI_NAMED_KERNEL}},
    {SRI_HAS_MATRIX_KERNEL, SRI_HAS_TASKS, SPECREG_E_ARG,
     "kernel %s is for several targets of a row, not for tasks", {SRI_NAMED_KERNEL}},
    {SRI_HAS_MATRIX_KERNEL, SRI_HAS_CLASSES, SPECREG_E_ARG,
     "values of kernel %s are matrices: it is for regression, and this is a classification",
     {SRI_NAMED_KERNEL}},
    {SRI_HAS_MATRIX_KERNEL, SRI_HAS_COUPLING, SPECREG_E_ARG,
     "kernel %s says itself what outputs have to do with each other: leave --outputs out",
     {SRI_NAMED_KERNEL}},
    {SRI_HAS_FIELD_KERNEL, SRI_HAS_OTHER_SIZE, SPECREG_E_SHAPE, "kernel %s" SIZES,
     {SRI_NAMED_KERNEL, SRI_NAMED_SIZES}},
    {SRI_HAS_LABELS, SRI_HAS_SPARSE_ROWS, SPECREG_E_UNAVAILABLE,
     "%s: sparse data are for rows with all their outputs: tasks, missing targets and sums of "
     "outputs need dense data", {SRI_NAMED_TABLE}},
    {SRI_HAS_LABELS, SRI_HAS_GIVEN_MATRIX, SPECREG_E_ARG,
     "kernel precomputed is for rows with one output, or with independent ones", {0}},
    {SRI_HAS_LEARNED, SRI_HAS_WHOLE_RULE, SPECREG_E_ARG,
     "select: %s would judge rows that the matrix of outputs learn has seen: take kfold, holdout, "
     "splits or file", {SRI_NAMED_RULE}},
    {SRI_HAS_UNLABELLED, SRI_HAS_LABELS, SPECREG_E_ARG,
     "unlabelled: rows without targets are for problems without tasks, whose rows have all targets",
     {0}},
    {SRI_HAS_UNLABELLED, SRI_HAS_FIELD_KERNEL, SPECREG_E_ARG,
     "unlabelled: rows without targets are not for kernel %s of vector fields", {SRI_NAMED_KERNEL}},
    {SRI_HAS_UNLABELLED, SRI_HAS_COUPLING, SPECREG_E_ARG,
     "unlabelled: rows without targets are for independent outputs: leave --outputs out", {0}},
    {SRI_HAS_UNLABELLED, SRI_HAS_SPARSE_ROWS, SPECREG_E_UNAVAILABLE,
     "%s: rows without targets are for dense data", {SRI_NAMED_TABLE}},
    {SRI_HAS_UNLABELLED, SRI_HAS_GIVEN_MATRIX, SPECREG_E_ARG,
     "unlabelled: kernel precomputed has no values for other rows", {0}},
    {SRI_HAS_UNLABELLED, SRI_HAS_OWN_ROWS, SPECREG_E_ARG,
     "unlabelled: rows without targets are not for codings whose outputs train on some classes "
     "only",
     {0}},
    {SRI_HAS_UNLABELLED, SRI_HAS_WHOLE_RULE, SPECREG_E_ARG,
     "select: %s has no formula with rows without targets: take kfold, holdout, splits or file",
     {SRI_NAMED_RULE}},
    {SRI_HAS_ROW_RULE, SRI_HAS_GROUPS, SPECREG_E_ARG,
     "select: leave-one-out cannot keep groups together: use kfold", {0}},
    {SRI_HAS_NO_RULE, SRI_HAS_SEVERAL_VALUES, SPECREG_E_ARG,
     "select: with none every parameter must be a single value: give the kernel's, and --param "
     "%s=VALUE", {SRI_NAMED_PARAM}},
    {SRI_HAS_OWN_MEASURE, SRI_HAS_CRITERION, SPECREG_E_ARG,
     "criterion: selection by %s does not go by %s", {SRI_NAMED_RULE, SRI_NAMED_CRITERION}},
    {SRI_HAS_LINEAR_RULE, SRI_HAS_CG, SPECREG_E_ARG,
     "select: %s is not for filter %s, which is not linear in y: use kfold",
     {SRI_NAMED_RULE, SRI_NAMED_FILTER}},
    {SRI_HAS_KERNELS_BY_GCV, SRI_HAS_CG, SPECREG_E_ARG,
     "select: %s looks at one path, and filter %s has no GCV to compare %s kernels by: give one "
     "kernel", {SRI_NAMED_RULE, SRI_NAMED_FILTER, SRI_NAMED_COUNT}},
    {SRI_HAS_DF_RULE, SRI_HAS_PAPER_TERMS, SPECREG_E_ARG,
     "select: %s is not for features with variant=paper, whose degrees of freedom have no "
     "formula: use kfold", {SRI_NAMED_RULE}},
    {SRI_HAS_BALANCING, SRI_HAS_CG, SPECREG_E_ARG,
     "select: balancing needs degrees of freedom, which filter %s has not", {SRI_NAMED_FILTER}},
    {SRI_HAS_UNKNOWN_NOISE, SRI_HAS_CG, SPECREG_E_ARG,
     "select: discrepancy cannot estimate the noise for filter %s, which has no degrees of "
     "freedom: give its standard deviation, noise=NUMBER", {SRI_NAMED_FILTER}},
    {SRI_HAS_DERIVATIVES, SRI_HAS_CUT_OFF, SPECREG_E_ARG,
     "select: %s takes derivatives along the path, which filter %s does not have: take gcv",
     {SRI_NAMED_RULE, SRI_NAMED_FILTER}},
    {SRI_HAS_BOUND, SRI_HAS_UNPENALISED, SPECREG_E_ARG,
     "select: bound is for models without features that are not penalised: use loo", {0}},
    {SRI_HAS_BOUND, SRI_HAS_REGRESSION, SPECREG_E_ARG,
     "select: bound counts wrong labels, and this is a regression: take loo", {0}},
    {SRI_HAS_BOUND, SRI_HAS_OTHER_DECODING, SPECREG_E_ARG,
     "select: bound needs labels that are decoded by the squared distance: take loo, or "
     "decode=squared", {0}},
    {SRI_HAS_FIRST_FORM, SRI_HAS_OTHER_FILTER, SPECREG_E_ARG,
     "select: bound:form=1 is Tikhonov's: take form=2 for filter %s", {SRI_NAMED_FILTER}},
    {SRI_HAS_CLASS_CRITERION, SRI_HAS_REGRESSION, SPECREG_E_ARG,
     "criterion: %s is for classes, this is a regression", {SRI_NAMED_CRITERION}},
    {SRI_HAS_APRIORI, SRI_HAS_GIVEN_PATH, SPECREG_E_ARG,
     "select: %s finds the parameter by itself: leave --param out", {SRI_NAMED_RULE}},
    {SRI_HAS_APRIORI, SRI_HAS_CG, SPECREG_E_ARG,
     "select: apriori: the theory has no number of steps for filter %s", {SRI_NAMED_FILTER}},
    {SRI_HAS_APRIORI, SRI_HAS_OWN_STEPS, SPECREG_E_ARG,
     "select: apriori: the theory has no number of steps for filter %s", {SRI_NAMED_FILTER}},
    {SRI_HAS_APRIORI, SRI_HAS_ORDERS, SPECREG_E_ARG,
     "select: apriori gives a lambda, not an order: leave --param out", {0}},
    {SRI_HAS_APRIORI, SRI_HAS_COMPONENTS, SPECREG_E_ARG,
     "select: apriori gives a threshold lambda, not a number of components: leave --param out",
     {0}},
};
/* clang-format on */

enum { N_COMBINATIONS = sizeof combinations / sizeof *combinations };

specreg_status sri_combinations_check(specreg_context *ctx, const sri_aspects *aspects)
{
    const uint64_t has = aspects->has;
    const char *const *name = aspects->name;
    for (int i = 0; i < N_COMBINATIONS; i++)
        if (has >> combinations[i].one & has >> combinations[i].other & 1) {
            const sri_named *named = combinations[i].named;
            return sri_fail(ctx, combinations[i].status, combinations[i].message, name[named[0]],
                            name[named[1]], name[named[2]]);
        }
    return SPECREG_OK;
}
