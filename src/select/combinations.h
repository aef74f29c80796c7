/* What does not go together: one table of pairs, in the order in which they are told. */
#ifndef SRI_SELECT_COMBINATIONS_H
#define SRI_SELECT_COMBINATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/context.h"

/* What a call, its problem, kernel, filter or selection rule may have. */
typedef enum sri_aspect {
    SRI_HAS_TASKS,
    SRI_HAS_GAPS,       /* targets may be missing */
    SRI_HAS_ONE_OUTPUT, /* and no tasks           */
    SRI_HAS_CLASSES,
    SRI_HAS_REGRESSION,
    SRI_HAS_COUPLING,        /* of outputs, not of tasks                         */
    SRI_HAS_COUPLINGS,       /* a sum of several, of outputs, not of tasks       */
    SRI_HAS_LEARNED,         /* a coupling that is learned, of outputs or tasks  */
    SRI_HAS_OWN_INPUTS,      /* outputs see inputs of their own                  */
    SRI_HAS_COUPLED_CLASSES, /* both                                             */
    SRI_HAS_OWN_ROWS,        /* outputs of classes train on rows of their own    */
    SRI_HAS_FIELD,           /* targets are a field, the kernel is not of fields */
    SRI_HAS_FIELD_KERNEL,
    SRI_HAS_MATRIX_KERNEL, /* a user's kernel whose values are matrices */
    SRI_HAS_OTHER_SIZE,    /* there are not as many targets as inputs */
    SRI_HAS_LABELS,        /* a point is for one output or task       */
    SRI_HAS_SPARSE_ROWS,
    SRI_HAS_GIVEN_MATRIX,
    SRI_HAS_GROUPS,
    SRI_HAS_UNPENALISED,     /* unpenalised terms ...                                  */
    SRI_HAS_PAPER_TERMS,     /* ... with variant=paper                                 */
    SRI_HAS_OTHER_DECODING,  /* classes are not decoded by the squared distance        */
    SRI_HAS_CG,              /* the filter is not linear in y                          */
    SRI_HAS_OTHER_FILTER,    /* the filter is not Tikhonov's                           */
    SRI_HAS_CUT_OFF,         /* the filter keeps an eigenvalue or leaves it out */
    SRI_HAS_COMPONENTS,      /* the filter counts components                           */
    SRI_HAS_ORDERS,          /* the path runs over the order of iterated Tikhonov      */
    SRI_HAS_OWN_STEPS,       /* the path runs over t, which is no iteration's          */
    SRI_HAS_GIVEN_PATH,      /* --param has values                                     */
    SRI_HAS_SEVERAL_VALUES,  /* of a parameter of the kernel or of the path            */
    SRI_HAS_CRITERION,       /* --criterion names a measure ...                        */
    SRI_HAS_CLASS_CRITERION, /* ... which is for classes                               */
    SRI_HAS_NO_RULE,
    SRI_HAS_IDA,             /* the rule is a search for each split                     */
    SRI_HAS_BOUND,           /* it is the bound on leave-one-out errors ...             */
    SRI_HAS_FIRST_FORM,      /* ... in its first form                                   */
    SRI_HAS_UNLABELLED,      /* rows without targets beside those that have them        */
    SRI_HAS_WHOLE_RULE,      /* it judges by a fit to all rows                          */
    SRI_HAS_ROW_RULE,        /* it leaves out row by row                                */
    SRI_HAS_OWN_MEASURE,     /* it does not go by the criterion                         */
    SRI_HAS_ONE_SYSTEM_RULE, /* it goes by one system of all outputs                   */
    SRI_HAS_LINEAR_RULE,     /* its score is for filters that are linear in y           */
    SRI_HAS_KERNELS_BY_GCV,  /* it looks at one path, and there are several kernels     */
    SRI_HAS_DF_RULE,         /* it needs leverages or degrees of freedom                */
    SRI_HAS_DERIVATIVES,     /* it takes derivatives along the path */
    SRI_HAS_BALANCING,       /* it is the balancing principle                           */
    SRI_HAS_UNKNOWN_NOISE,   /* it has to estimate the noise                            */
    SRI_HAS_APRIORI,         /* it knows the parameter beforehand                       */
    SRI_HAS_KPCA,            /* principal components are asked for                      */
    SRI_HAS_CONDITIONAL,     /* the kernel is positive definite beside polynomials alone */
    SRI_HAS_KERNEL_LIST,     /* a parameter of the kernel has several values            */
    SRI_HAS_DOCUMENTS,       /* the table has documents                                 */
    SRI_HAS_GRID,            /* predictions on a regular grid are asked for             */
    SRI_HAS_MANY_INPUTS,     /* more than three                                         */
    SRI_HAS_TEXT_INPUT,      /* an input is a text                                      */
    SRI_ASPECTS
} sri_aspect;

/* What messages name. */
typedef enum sri_named {
    SRI_NAMED_NOTHING,
    SRI_NAMED_TABLE,
    SRI_NAMED_KERNEL,
    SRI_NAMED_OUTPUTS,    /* the coupling, or the first of several */
    SRI_NAMED_OWN_INPUTS, /* the coupling that makes them          */
    SRI_NAMED_SIZES,      /* the numbers of targets and of inputs  */
    SRI_NAMED_RULE,
    SRI_NAMED_FILTER,
    SRI_NAMED_PARAM, /* what the path runs over */
    SRI_NAMED_CRITERION,
    SRI_NAMED_COUNT, /* of kernels, values or inputs */
    SRI_NAMED_INPUT,
    SRI_NAMED
} sri_named;

/* A set of aspects, with the names for messages. */
typedef struct sri_aspects {
    uint64_t has; /* bit a: aspect a */
    const char *name[SRI_NAMED];
} sri_aspects;

static inline void sri_aspects_add(sri_aspects *aspects, sri_aspect aspect, bool has)
{
    aspects->has |= (uint64_t)has << aspect;
}
/* The first pair of the table that is there is refused. */
specreg_status sri_combinations_check(specreg_context *ctx, const sri_aspects *aspects);

#endif
