/* Lanczos spaces of a search: one for every fold and output, all in one product a step.
 *
 * Reorthogonalization may use copies of the vectors in single precision, half of what it has to
 * pass by: each is off by some 2e-8, in a random direction, which leaves angles of 2e-8 /
 * sqrt(n).  What that does to the entries of T is in proportion to the size of T there, which
 * falls from step to step; so the first vectors are kept as they are. */
#ifndef SRI_ENGINE_KRYLOV_BASIS_H
#define SRI_ENGINE_KRYLOV_BASIS_H

#include "engine/engine.h"
#include "op/lanczos.h"

enum { SRI_BASIS_HEAD = 32 };

typedef struct sri_basis {
    sri_lanczos t; /* T_k and what K V_k says in the held-out rows; its V are the first vectors */
    float *tail;   /* the vectors after SRI_BASIS_HEAD; NULL: t.V has all                 */
    double *last, *before; /* v_{k+1} and v_k                                                     */
    bool single;           /* there may be a tail                                                 */
} sri_basis;

/* As sri_lanczos_start. */
specreg_status sri_basis_start(specreg_context *ctx, sri_basis *z, const sri_lanczos_source *source,
                               bool single);
/* Extends all spaces by one step but those that are whole.  X and KX have space for n x columns. */
specreg_status sri_basis_step(specreg_context *ctx, const sri_job *job, sri_basis *z,
                              int64_t columns, double *X, double *KX);
void sri_basis_free(sri_basis *z);

#endif
