/* A search under way: what was considered, and the leader, the best candidate so far. */
#ifndef SRI_SELECT_STATE_H
#define SRI_SELECT_STATE_H

#include "select/memoize.h"

typedef struct sri_search_state {
    sri_setting setting;
    sri_search_result *out; /* its kernel, filter, row and coefficients are those of the leader */
    sri_checkpoint *checkpoint;
    int64_t row_capacity, candidate_capacity;
    int64_t evaluations;
    sri_candidate leader; /* number -1: none yet                               */
    int64_t first_row;    /* of the leader's path                              */
    sri_score rank;       /* of the leader                                     */
    bool recalled;        /* the leader is known from a checkpoint             */
    sri_op *kept;         /* for the kernel after it, where that has the same scalar one */
    int64_t kept_number;
    int64_t abandoned; /* paths that were not followed to their end         */
    int64_t step;      /* of the stage that progress shows                  */
    int64_t *effort;   /* of each candidate considered, by number; 0: not known */
    int64_t effort_capacity;
    const double *seen; /* of each candidate of the grid, as sri_entrants has it; NULL: none */
} sri_search_state;

/* One more kernel to try; its number is the last. */
specreg_status sri_state_add(specreg_context *ctx, sri_search_state *s, const sri_kernel *kernel);
/* Evaluates a kernel with every setting of the filter along its path; or several kernels that
 * follow each other in one run for each setting.  The best so far leads. */
specreg_status sri_state_consider(specreg_context *ctx, sri_search_state *s, int64_t first,
                                  int64_t members);
/* Follows the leader, with its setting of the filter, along another path. */
specreg_status sri_state_go_on(specreg_context *ctx, sri_search_state *s, const sri_values *path);
/* What happened in an evaluation, added to the result. */
void sri_state_report(sri_search_result *out, const sri_outcome *o);
/* The rank, and what it or rounding leaves, as the engine knows them that made the model. */
void sri_state_take_rank(sri_search_result *out, const sri_outcome *o);
/* The point at a row is the winner. */
void sri_state_win(sri_search_result *out, int64_t row);
/* winner.c: settles the winner, trains it where that is left to do, and sorts the table. */
specreg_status sri_state_finish(specreg_context *ctx, sri_search_state *s);
void sri_state_free(sri_search_state *s);

#endif
