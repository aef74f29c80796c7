/* Outputs of a coding that leaves some classes out of some of them, by what they train on. */
#ifndef SRI_CODING_GROUPS_H
#define SRI_CODING_GROUPS_H

#include "coding/coding.h"
#include "core/arena.h"

/* Outputs that train on the rows of the same classes. */
typedef struct sri_output_group {
    int64_t count, *output; /* ascending                                  */
    bool *trains;           /* of each class: whether its rows train them */
} sri_output_group;

/* Every output of a coding with words is in one group. */
specreg_status sri_coding_groups(specreg_context *ctx, sri_arena *memory, const sri_coding *coding,
                                 sri_output_group **out, int64_t *count);

#endif
