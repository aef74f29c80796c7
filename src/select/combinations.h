/* What does not go together: one table of pairs, in the order in which they are told. */
#ifndef SRI_SELECT_COMBINATIONS_H
#define SRI_SELECT_COMBINATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/context.h"

/* What a problem, its kernel, filter or selection rule may have. */
typedef enum sri_aspect {
    SRI_HAS_TASKS,
    SRI_HAS_GAPS,       /* targets may be missing                          */
    SRI_HAS_ONE_OUTPUT, /* and no tasks                                    */
    SRI_HAS_CLASSES,
    SRI_HAS_COUPLING,        /* of outputs, not of tasks                        */
    SRI_HAS_COUPLINGS,       /* a sum of several, of outputs, not of tasks      */
    SRI_HAS_OWN_INPUTS,      /* outputs see inputs of their own                 */
    SRI_HAS_COUPLED_CLASSES, /* both                                            */
    SRI_HAS_FIELD,           /* targets are a field, the kernel is not of fields */
    SRI_HAS_FIELD_KERNEL,
    SRI_HAS_OTHER_SIZE, /* there are not as many targets as inputs         */
    SRI_HAS_LABELS,     /* a point is for one output or task               */
    SRI_HAS_SPARSE_ROWS,
    SRI_HAS_GIVEN_MATRIX,
    SRI_HAS_GROUPS,
    SRI_HAS_OUTPUT_POINTS,  /* outputs of a row are points of their own        */
    SRI_HAS_CG,             /* the filter is not linear in y                   */
    SRI_HAS_COMPONENTS,     /* the filter counts components                    */
    SRI_HAS_IDA,            /* the rule is a search for each split             */
    SRI_HAS_UNCOUPLED_RULE, /* it is for outputs that are independent          */
    SRI_HAS_ROW_RULE,       /* it leaves out row by row                        */
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
    SRI_NAMED
} sri_named;

typedef struct sri_combination {
    sri_aspect one, other;
    specreg_status status;
    const char *message; /* a format for up to two strings */
    sri_named named[2];
} sri_combination;

extern const sri_combination sri_combinations[];
extern const int sri_n_combinations;

/* A set of aspects, with the names for messages. */
typedef struct sri_aspects {
    uint32_t has; /* bit a: aspect a */
    const char *name[SRI_NAMED];
} sri_aspects;

static inline void sri_aspects_add(sri_aspects *aspects, sri_aspect aspect, bool has)
{
    aspects->has |= (uint32_t)has << aspect;
}
/* The first pair of the table that is there is refused. */
specreg_status sri_combinations_check(specreg_context *ctx, const sri_aspects *aspects);

#endif
