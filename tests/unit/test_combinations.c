/* What does not go together: every pair of aspects, and the table in the documentation. */
#include <string.h>

#include "kit/kit.h"
#include "select/combinations.h"

#define DOCS SPECREG_SOURCE_DIR "/docs/OUTPUTS.md"

/* As the documentation calls them. */
static const char *const names[SRI_ASPECTS] = {
    [SRI_HAS_TASKS] = "tasks",
    [SRI_HAS_GAPS] = "missing targets",
    [SRI_HAS_ONE_OUTPUT] = "one output, no tasks",
    [SRI_HAS_CLASSES] = "classes",
    [SRI_HAS_REGRESSION] = "a regression",
    [SRI_HAS_COUPLING] = "coupled outputs",
    [SRI_HAS_COUPLINGS] = "a sum of couplings of outputs",
    [SRI_HAS_LEARNED] = "outputs that are learned",
    [SRI_HAS_UNLABELLED] = "rows without targets",
    [SRI_HAS_WHOLE_RULE] = "selection by a fit to all rows",
    [SRI_HAS_OWN_INPUTS] = "outputs that see inputs of their own",
    [SRI_HAS_COUPLED_CLASSES] = "classes with coupled outputs",
    [SRI_HAS_OWN_ROWS] = "outputs that train on some classes only",
    [SRI_HAS_ONE_SYSTEM_RULE] = "selection by one system of all outputs",
    [SRI_HAS_FIELD] = "a field, with another kernel",
    [SRI_HAS_FIELD_KERNEL] = "a kernel of fields",
    [SRI_HAS_MATRIX_KERNEL] = "a matrix-valued kernel of one's own",
    [SRI_HAS_OTHER_SIZE] = "not as many targets as inputs",
    [SRI_HAS_LABELS] = "a point for each output, or tasks",
    [SRI_HAS_SPARSE_ROWS] = "sparse rows",
    [SRI_HAS_GIVEN_MATRIX] = "kernel precomputed",
    [SRI_HAS_GROUPS] = "groups",
    [SRI_HAS_UNPENALISED] = "unpenalised terms",
    [SRI_HAS_PAPER_TERMS] = "unpenalised terms with variant=paper",
    [SRI_HAS_OTHER_DECODING] = "labels decoded in another way",
    [SRI_HAS_CG] = "filter cg",
    [SRI_HAS_OTHER_FILTER] = "another filter than tikhonov",
    [SRI_HAS_COMPONENTS] = "a number of components",
    [SRI_HAS_GIVEN_PATH] = "values for --param",
    [SRI_HAS_SEVERAL_VALUES] = "several values of a parameter",
    [SRI_HAS_CRITERION] = "a criterion",
    [SRI_HAS_CLASS_CRITERION] = "a criterion for classes",
    [SRI_HAS_NO_RULE] = "selection by none",
    [SRI_HAS_IDA] = "selection by ida",
    [SRI_HAS_BOUND] = "selection by bound",
    [SRI_HAS_FIRST_FORM] = "selection by bound:form=1",
    [SRI_HAS_ROW_RULE] = "selection by leave-one-out",
    [SRI_HAS_OWN_MEASURE] = "selection by a measure of its own",
    [SRI_HAS_LINEAR_RULE] = "selection by loo or gcv",
    [SRI_HAS_KERNELS_BY_GCV] = "selection along one path, several kernels",
    [SRI_HAS_DF_RULE] = "selection with degrees of freedom",
    [SRI_HAS_BALANCING] = "selection by balancing",
    [SRI_HAS_UNKNOWN_NOISE] = "selection with an unknown noise",
    [SRI_HAS_DERIVATIVES] = "selection by lcurve",
    [SRI_HAS_CUT_OFF] = "filter tsvd",
    [SRI_HAS_ORDERS] = "a path over the order",
    [SRI_HAS_OWN_STEPS] = "a filter of t that is no iteration",
    [SRI_HAS_APRIORI] = "selection by apriori",
    [SRI_HAS_KPCA] = "principal components",
    [SRI_HAS_CONDITIONAL] = "a spline, or multiquadric",
    [SRI_HAS_KERNEL_LIST] = "a list of values for the kernel",
    [SRI_HAS_DOCUMENTS] = "documents",
    [SRI_HAS_GRID] = "predictions on a grid",
    [SRI_HAS_MANY_INPUTS] = "more than three inputs",
    [SRI_HAS_TEXT_INPUT] = "an input that is a text",
};

/* Names in messages. */
static const char *const called[SRI_NAMED] = {
    [SRI_NAMED_TABLE] = "TABLE",         [SRI_NAMED_KERNEL] = "KERNEL",
    [SRI_NAMED_OUTPUTS] = "OUTPUTS",     [SRI_NAMED_OWN_INPUTS] = "OUTPUTS",
    [SRI_NAMED_SIZES] = "T and P",       [SRI_NAMED_RULE] = "RULE",
    [SRI_NAMED_FILTER] = "FILTER",       [SRI_NAMED_PARAM] = "PARAM",
    [SRI_NAMED_CRITERION] = "CRITERION", [SRI_NAMED_COUNT] = "COUNT",
    [SRI_NAMED_INPUT] = "INPUT",
};

/* What is refused, in the order in which it is told. */
static const struct refusal {
    sri_aspect one, other;
    specreg_status status;
    const char *message;
} refusals[] = {
    {SRI_HAS_KPCA, SRI_HAS_FIELD_KERNEL, SPECREG_E_ARG,
     "kpca: kernel KERNEL is for vector fields, its values are matrices"},
    {SRI_HAS_KPCA, SRI_HAS_MATRIX_KERNEL, SPECREG_E_ARG,
     "kpca: values of kernel KERNEL are matrices"},
    {SRI_HAS_KPCA, SRI_HAS_CONDITIONAL, SPECREG_E_ARG,
     "kpca: kernel KERNEL is positive definite only beside polynomials: take another"},
    {SRI_HAS_KPCA, SRI_HAS_COUPLING, SPECREG_E_ARG,
     "kpca: there are no outputs that could share a matrix"},
    {SRI_HAS_KPCA, SRI_HAS_COUPLINGS, SPECREG_E_ARG,
     "kpca: there are no outputs that could share a matrix"},
    {SRI_HAS_KPCA, SRI_HAS_KERNEL_LIST, SPECREG_E_ARG,
     "kpca: kernel: there is nothing to choose by, give one value in place of COUNT"},
    {SRI_HAS_KPCA, SRI_HAS_DOCUMENTS, SPECREG_E_ARG,
     "TABLE: kpca is for numbers: make features of documents first (--text)"},
    {SRI_HAS_GRID, SRI_HAS_TASKS, SPECREG_E_UNAVAILABLE,
     "grid: the model is of many tasks: predict a table, whose rows name theirs"},
    {SRI_HAS_GRID, SRI_HAS_MANY_INPUTS, SPECREG_E_SHAPE,
     "grid: the model has COUNT features, grids have at most three axes"},
    {SRI_HAS_GRID, SRI_HAS_TEXT_INPUT, SPECREG_E_SHAPE,
     "grid: the model's feature 'INPUT' is a text or has gaps, grids are for numbers"},
    {SRI_HAS_TASKS, SRI_HAS_GAPS, SPECREG_E_ARG,
     "missing-targets: with --task-column every row has all its targets"},
    {SRI_HAS_IDA, SRI_HAS_TASKS, SPECREG_E_ARG,
     "select: ida is for one task, and outputs that are independent: take kfold"},
    {SRI_HAS_IDA, SRI_HAS_COUPLING, SPECREG_E_ARG,
     "select: ida is for one task, and outputs that are independent: take kfold"},
    {SRI_HAS_ONE_OUTPUT, SRI_HAS_COUPLING, SPECREG_E_ARG,
     "outputs OUTPUTS: there is one output only: name several --target columns, or a "
     "--task-column"},
    {SRI_HAS_ONE_OUTPUT, SRI_HAS_COUPLINGS, SPECREG_E_ARG,
     "outputs OUTPUTS: there is one output only: name several --target columns, or a "
     "--task-column"},
    {SRI_HAS_CLASSES, SRI_HAS_COUPLINGS, SPECREG_E_ARG,
     "outputs: a sum of several is for regression, not for classes"},
    {SRI_HAS_CLASSES, SRI_HAS_OWN_INPUTS, SPECREG_E_ARG,
     "outputs: OUTPUTS is for regression, not for classes"},
    {SRI_HAS_COUPLED_CLASSES, SRI_HAS_CG, SPECREG_E_ARG,
     "outputs OUTPUTS: with classes filters are applied output by output, which conjugate "
     "gradients does not allow"},
    {SRI_HAS_COUPLED_CLASSES, SRI_HAS_COMPONENTS, SPECREG_E_ARG,
     "outputs OUTPUTS: with classes filters are applied output by output, which a number "
     "of components does not allow"},
    {SRI_HAS_COUPLED_CLASSES, SRI_HAS_BOUND, SPECREG_E_ARG,
     "select: bound is for outputs that have nothing to do with each other: take loo"},
    {SRI_HAS_OWN_ROWS, SRI_HAS_COUPLED_CLASSES, SPECREG_E_ARG,
     "coding: outputs that train on some classes only cannot be coupled: leave --outputs out"},
    {SRI_HAS_OWN_ROWS, SRI_HAS_ONE_SYSTEM_RULE, SPECREG_E_ARG,
     "select: RULE is not for codings whose outputs train on some classes only: take loo or kfold"},
    {SRI_HAS_FIELD, SRI_HAS_OTHER_SIZE, SPECREG_E_SHAPE,
     "problem field takes as many targets as features, a component for each coordinate: "
     "there are T and P"},
    {SRI_HAS_FIELD_KERNEL, SRI_HAS_TASKS, SPECREG_E_ARG,
     "kernel KERNEL is for one field, not for tasks"},
    {SRI_HAS_FIELD_KERNEL, SRI_HAS_CLASSES, SPECREG_E_ARG,
     "kernel KERNEL is for vector fields, and this is a classification"},
    {SRI_HAS_FIELD_KERNEL, SRI_HAS_COUPLING, SPECREG_E_ARG,
     "kernel KERNEL says itself what outputs have to do with each other: leave --outputs "
     "out"},
    {SRI_HAS_MATRIX_KERNEL, SRI_HAS_TASKS, SPECREG_E_ARG,
     "kernel KERNEL is for several targets of a row, not for tasks"},
    {SRI_HAS_MATRIX_KERNEL, SRI_HAS_CLASSES, SPECREG_E_ARG,
     "values of kernel KERNEL are matrices: it is for regression, and this is a classification"},
    {SRI_HAS_MATRIX_KERNEL, SRI_HAS_COUPLING, SPECREG_E_ARG,
     "kernel KERNEL says itself what outputs have to do with each other: leave --outputs "
     "out"},
    {SRI_HAS_FIELD_KERNEL, SRI_HAS_OTHER_SIZE, SPECREG_E_SHAPE,
     "kernel KERNEL takes as many targets as features, a component for each coordinate: "
     "there are T and P"},
    {SRI_HAS_LABELS, SRI_HAS_SPARSE_ROWS, SPECREG_E_UNAVAILABLE,
     "TABLE: sparse data are for rows with all their outputs: tasks, missing targets and "
     "sums of outputs need dense data"},
    {SRI_HAS_LABELS, SRI_HAS_GIVEN_MATRIX, SPECREG_E_ARG,
     "kernel precomputed is for rows with one output, or with independent ones"},
    {SRI_HAS_LEARNED, SRI_HAS_WHOLE_RULE, SPECREG_E_ARG,
     "select: RULE would judge rows that the matrix of outputs learn has seen: take kfold, "
     "holdout, "
     "splits or file"},
    {SRI_HAS_UNLABELLED, SRI_HAS_LABELS, SPECREG_E_ARG,
     "unlabelled: rows without targets are for problems without tasks, whose rows have all "
     "targets"},
    {SRI_HAS_UNLABELLED, SRI_HAS_FIELD_KERNEL, SPECREG_E_ARG,
     "unlabelled: rows without targets are not for kernel KERNEL of vector fields"},
    {SRI_HAS_UNLABELLED, SRI_HAS_COUPLING, SPECREG_E_ARG,
     "unlabelled: rows without targets are for independent outputs: leave --outputs out"},
    {SRI_HAS_UNLABELLED, SRI_HAS_SPARSE_ROWS, SPECREG_E_UNAVAILABLE,
     "TABLE: rows without targets are for dense data"},
    {SRI_HAS_UNLABELLED, SRI_HAS_GIVEN_MATRIX, SPECREG_E_ARG,
     "unlabelled: kernel precomputed has no values for other rows"},
    {SRI_HAS_UNLABELLED, SRI_HAS_OWN_ROWS, SPECREG_E_ARG,
     "unlabelled: rows without targets are not for codings whose outputs train on some classes "
     "only"},
    {SRI_HAS_UNLABELLED, SRI_HAS_WHOLE_RULE, SPECREG_E_ARG,
     "select: RULE has no formula with rows without targets: take kfold, holdout, splits or file"},
    {SRI_HAS_ROW_RULE, SRI_HAS_GROUPS, SPECREG_E_ARG,
     "select: leave-one-out cannot keep groups together: use kfold"},
    {SRI_HAS_NO_RULE, SRI_HAS_SEVERAL_VALUES, SPECREG_E_ARG,
     "select: with none every parameter must be a single value: give the kernel's, and "
     "--param PARAM=VALUE"},
    {SRI_HAS_OWN_MEASURE, SRI_HAS_CRITERION, SPECREG_E_ARG,
     "criterion: selection by RULE does not go by CRITERION"},
    {SRI_HAS_LINEAR_RULE, SRI_HAS_CG, SPECREG_E_ARG,
     "select: RULE is not for filter FILTER, which is not linear in y: use kfold"},
    {SRI_HAS_KERNELS_BY_GCV, SRI_HAS_CG, SPECREG_E_ARG,
     "select: RULE looks at one path, and filter FILTER has no GCV to compare COUNT "
     "kernels by: give one kernel"},
    {SRI_HAS_DF_RULE, SRI_HAS_PAPER_TERMS, SPECREG_E_ARG,
     "select: RULE is not for features with variant=paper, whose degrees of freedom have "
     "no formula: use kfold"},
    {SRI_HAS_BALANCING, SRI_HAS_CG, SPECREG_E_ARG,
     "select: balancing needs degrees of freedom, which filter FILTER has not"},
    {SRI_HAS_UNKNOWN_NOISE, SRI_HAS_CG, SPECREG_E_ARG,
     "select: discrepancy cannot estimate the noise for filter FILTER, which has no "
     "degrees of freedom: give its standard deviation, noise=NUMBER"},
    {SRI_HAS_DERIVATIVES, SRI_HAS_CUT_OFF, SPECREG_E_ARG,
     "select: RULE takes derivatives along the path, which filter FILTER does not have: take gcv"},
    {SRI_HAS_BOUND, SRI_HAS_UNPENALISED, SPECREG_E_ARG,
     "select: bound is for models without features that are not penalised: use loo"},
    {SRI_HAS_BOUND, SRI_HAS_REGRESSION, SPECREG_E_ARG,
     "select: bound counts wrong labels, and this is a regression: take loo"},
    {SRI_HAS_BOUND, SRI_HAS_OTHER_DECODING, SPECREG_E_ARG,
     "select: bound needs labels that are decoded by the squared distance: take loo, or "
     "decode=squared"},
    {SRI_HAS_FIRST_FORM, SRI_HAS_OTHER_FILTER, SPECREG_E_ARG,
     "select: bound:form=1 is Tikhonov's: take form=2 for filter FILTER"},
    {SRI_HAS_CLASS_CRITERION, SRI_HAS_REGRESSION, SPECREG_E_ARG,
     "criterion: CRITERION is for classes, this is a regression"},
    {SRI_HAS_APRIORI, SRI_HAS_GIVEN_PATH, SPECREG_E_ARG,
     "select: RULE finds the parameter by itself: leave --param out"},
    {SRI_HAS_APRIORI, SRI_HAS_CG, SPECREG_E_ARG,
     "select: apriori: the theory has no number of steps for filter FILTER"},
    {SRI_HAS_APRIORI, SRI_HAS_OWN_STEPS, SPECREG_E_ARG,
     "select: apriori: the theory has no number of steps for filter FILTER"},
    {SRI_HAS_APRIORI, SRI_HAS_ORDERS, SPECREG_E_ARG,
     "select: apriori gives a lambda, not an order: leave --param out"},
    {SRI_HAS_APRIORI, SRI_HAS_COMPONENTS, SPECREG_E_ARG,
     "select: apriori gives a threshold lambda, not a number of components: leave --param "
     "out"},
};
enum { REFUSALS = sizeof refusals / sizeof *refusals };

static specreg_status check(specreg_context *ctx, uint64_t has)
{
    sri_aspects aspects = {.has = has};
    memcpy(aspects.name, called, sizeof called);
    return sri_combinations_check(ctx, &aspects);
}

/* The first refusal of a set of aspects; NULL: they go together. */
static const struct refusal *first_refusal(uint64_t has)
{
    for (int i = 0; i < REFUSALS; i++)
        if (has >> refusals[i].one & has >> refusals[i].other & 1)
            return &refusals[i];
    return NULL;
}

TEST(combinations, pairs_of_the_list_are_refused_and_others_go_together)
{
    for (int a = 0; a < SRI_ASPECTS; a++)
        for (int b = 0; b < SRI_ASPECTS; b++) {
            const uint64_t both = (uint64_t)1 << a | (uint64_t)1 << b;
            const struct refusal *expected = first_refusal(both);
            if (!expected) {
                CHECK_OK(ctx, check(ctx, both));
                continue;
            }
            CHECK_EQ(check(ctx, both), expected->status);
            CHECK_STR(specreg_last_error(ctx), expected->message);
        }
}

TEST(combinations, of_several_pairs_the_first_is_told)
{
    for (int i = 0; i < REFUSALS; i++)
        for (int j = 0; j < REFUSALS; j++) {
            const uint64_t all = (uint64_t)1 << refusals[i].one | (uint64_t)1 << refusals[i].other |
                                 (uint64_t)1 << refusals[j].one | (uint64_t)1 << refusals[j].other;
            const struct refusal *expected = first_refusal(all);
            CHECK_EQ(check(ctx, all), expected->status);
            CHECK_STR(specreg_last_error(ctx), expected->message);
        }
}

TEST(combinations, no_pair_has_two_messages)
{
    for (int i = 0; i < REFUSALS; i++)
        CHECK(first_refusal((uint64_t)1 << refusals[i].one | (uint64_t)1 << refusals[i].other) ==
              &refusals[i]);
}

/* Lines "| one | other | message |" after the heading, in the order of the list, and no others. */
TEST(combinations, the_documentation_has_the_table)
{
    int i = -2; /* two lines of heading */
    char line[1024], expected[1024];
    bool here = false;
    FILE *f = fopen(DOCS, "r");
    CHECK(f != NULL);
    while (f && fgets(line, sizeof line, f)) {
        here = here || strcmp(line, "## What does not go together\n") == 0;
        if (!here || *line != '|' || i++ < 0)
            continue;
        CHECK(i <= REFUSALS);
        if (i > REFUSALS)
            break;
        snprintf(expected, sizeof expected, "| %s | %s | %s |\n", names[refusals[i - 1].one],
                 names[refusals[i - 1].other], refusals[i - 1].message);
        CHECK_STR(line, expected);
    }
    CHECK_EQ(i, REFUSALS);
    fclose(f);
}
