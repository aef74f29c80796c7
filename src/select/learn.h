/* Couplings of outputs or tasks that are learned.
 *
 * With a base matrix P, A = P^(1/2) B P^(1/2) and W = (<f_s, f_t>) the products of the outputs in
 * the space of the scalar kernel, learning minimises over f and B
 *
 *     J = (1/n) sum |y_i - f(x_i)|^2 + lambda tr(B^-1 (P^(-1/2) W P^(-1/2) + eps I)),
 *
 * where the powers norm of the eigenvalues of B have the sum T (norm 0: their product is 1).  For
 * norm >= 1 that is a convex problem.  It is solved by turns: f for a given A is the Tikhonov
 * regularization with the kernel k A, and B for a given f has a closed form.  J never rises. */
#ifndef SRI_SELECT_LEARN_H
#define SRI_SELECT_LEARN_H

#include "select/problem.h"

/* What learning on the same points with the same scalar kernel can use again. */
typedef struct sri_learner {
    sri_kernel kernel;
    sri_op *op; /* with its eigenpairs; NULL: nothing is kept */
} sri_learner;

void sri_learner_free(sri_learner *learner);

/* Whether the kernel has a coupling that is learned. */
bool sri_kernel_learns(const sri_kernel *kernel);
/* The kernel with A as these rows have it; *out owns the coupling, which is NULL, as the kernel
 * stays as it is, where nothing is learned.  `learner` may be NULL; `ended` tells whether J had
 * stopped falling, and may be NULL. */
specreg_status sri_learn(specreg_context *ctx, const sri_problem *problem, sri_learner *learner,
                         sri_kernel *kernel, bool *ended, sri_coupling **out);
/* All terms get this coupling. */
void sri_kernel_couple(sri_kernel *kernel, const sri_coupling *coupling);

#endif
