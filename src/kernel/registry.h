/* The list of kernels, and their text form. */
#ifndef SRI_KERNEL_REGISTRY_H
#define SRI_KERNEL_REGISTRY_H

#include "kernel/kernel.h"

/* NULL when there is none of that name. */
const sri_kernel_ops *sri_kernel_builtin(const char *name);
/* Sets ops, user and default parameters of a term, by name. */
specreg_status sri_kernel_term_named(specreg_context *ctx, const char *name, sri_kernel_term *term);
/* The parameters of a term, built-in or the user's. */
int sri_kernel_param_count(const sri_kernel_term *term);
sri_param sri_kernel_param_at(const sri_kernel_term *term, int index);
const char *sri_kernel_term_name(const sri_kernel_term *term);

#endif
