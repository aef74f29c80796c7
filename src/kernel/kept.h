/* A kernel as models and reports keep it: names and numbers that need no context.  A kernel that a
 * user registered is looked up by its name when it is used. */
#ifndef SRI_KERNEL_KEPT_H
#define SRI_KERNEL_KEPT_H

#include "kernel/kernel.h"

typedef struct sri_kept_kernel {
    sri_kernel kernel;                        /* its users, couplings and columns are below */
    sri_registration *user[SRI_KERNEL_TERMS]; /* names and parameters alone                */
    /* How outputs are coupled: ops and parameters, without the matrix unless that was learned.
     * NULL: they are not. */
    sri_coupling *coupling[SRI_KERNEL_TERMS];
    sri_picked *columns[SRI_KERNEL_TERMS]; /* NULL: all */
} sri_kept_kernel;

specreg_status sri_kernel_keep(specreg_context *ctx, const sri_kernel *kernel,
                               sri_kept_kernel *out);
/* The kernel to compute with, without couplings.  One that is not registered on the context, or
 * takes other parameters there, is an error. */
specreg_status sri_kept_kernel_use(specreg_context *ctx, const sri_kept_kernel *kept,
                                   sri_kernel *out);
/* Gives the product that begins with term `t`, or all terms (-1), a coupling by name and
 * parameters. */
specreg_status sri_kept_kernel_couple(specreg_context *ctx, sri_kept_kernel *kept, int t,
                                      const sri_coupling *like);
/* Whether each output is learned on its own. */
bool sri_kept_kernel_independent(const sri_kept_kernel *kept);
void sri_kept_kernel_free(sri_kept_kernel *kept);

#endif
