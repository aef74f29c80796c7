#include "select/combinations.h"

#define IDA "select: ida is for one task, and outputs that are independent: take kfold"
#define ONE_OUTPUT \
    "outputs %s: there is one output only: name several --target columns, or a --task-column"
#define ALL_OUTPUTS "outputs %s: with classes filters are applied output by output, which "
#define SIZES " takes as many targets as features, a component for each coordinate: there are %s"
#define TOGETHER(what) "select: leave-one-out cannot keep " what " together: use kfold"

/* clang-format off */
const sri_combination sri_combinations[] = {
    {SRI_HAS_TASKS, SRI_HAS_GAPS, SPECREG_E_ARG,
     "missing-targets: with --task-column every row has all its targets", {0}},
    {SRI_HAS_IDA, SRI_HAS_TASKS, SPECREG_E_ARG, IDA, {0}},
    {SRI_HAS_IDA, SRI_HAS_COUPLING, SPECREG_E_ARG, IDA, {0}},
    {SRI_HAS_TASKS, SRI_HAS_OWN_INPUTS, SPECREG_E_ARG,
     "outputs %s is for several targets, not for tasks", {SRI_NAMED_OWN_INPUTS}},
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
    {SRI_HAS_COUPLED_CLASSES, SRI_HAS_UNCOUPLED_RULE, SPECREG_E_ARG,
     "select: bound is for outputs that have nothing to do with each other: take loo", {0}},
    {SRI_HAS_FIELD, SRI_HAS_OTHER_SIZE, SPECREG_E_SHAPE, "problem field" SIZES, {SRI_NAMED_SIZES}},
    {SRI_HAS_FIELD_KERNEL, SRI_HAS_TASKS, SPECREG_E_ARG,
     "kernel %s is for one field, not for tasks", {SRI_NAMED_KERNEL}},
    {SRI_HAS_FIELD_KERNEL, SRI_HAS_CLASSES, SPECREG_E_ARG,
     "kernel %s is for vector fields, and this is a classification", {SRI_NAMED_KERNEL}},
    {SRI_HAS_FIELD_KERNEL, SRI_HAS_COUPLING, SPECREG_E_ARG,
     "kernel %s says itself what outputs have to do with each other: leave --outputs out",
     {SRI_NAMED_KERNEL}},
    {SRI_HAS_FIELD_KERNEL, SRI_HAS_OTHER_SIZE, SPECREG_E_SHAPE, "kernel %s" SIZES,
     {SRI_NAMED_KERNEL, SRI_NAMED_SIZES}},
    {SRI_HAS_LABELS, SRI_HAS_SPARSE_ROWS, SPECREG_E_UNAVAILABLE,
     "%s: sparse data are for rows with all their outputs: tasks, missing targets and sums of "
     "outputs need dense data", {SRI_NAMED_TABLE}},
    {SRI_HAS_LABELS, SRI_HAS_GIVEN_MATRIX, SPECREG_E_ARG,
     "kernel precomputed is for rows with one output, or with independent ones", {0}},
    {SRI_HAS_ROW_RULE, SRI_HAS_OUTPUT_POINTS, SPECREG_E_ARG, TOGETHER("the outputs of a row"), {0}},
    {SRI_HAS_ROW_RULE, SRI_HAS_GROUPS, SPECREG_E_ARG, TOGETHER("groups"), {0}},
};
/* clang-format on */

const int sri_n_combinations = sizeof sri_combinations / sizeof *sri_combinations;

specreg_status sri_combinations_check(specreg_context *ctx, const sri_aspects *aspects)
{
    const sri_combination *c = sri_combinations;
    for (int i = 0; i < sri_n_combinations; i++, c++)
        if (aspects->has >> c->one & aspects->has >> c->other & 1)
            return sri_fail(ctx, c->status, c->message, aspects->name[c->named[0]],
                            aspects->name[c->named[1]]);
    return SPECREG_OK;
}
