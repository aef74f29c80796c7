/* Problems with rows that have no targets.
 *
 * With l labelled rows and N in all, a function is an expansion in all N points.  Without a graph
 * filters act on the kernel matrix of all rows, alpha = (1/N) g(K/N) y, where labelled targets are
 * multiplied by N / l and the others are 0 (Caponnetto 2006).  With one, functions that differ
 * between neighbours are penalised too: the norm |f|^2 + (rho / N^2) f'L f belongs to the kernel
 *
 *     k~(x, z) = k(x, z) - k_x' (I + M K)^-1 M k_z,      M = (rho / N^2) L,
 *
 * and filters act on its matrix of the labelled rows (Laplacian regularized least squares, Belkin,
 * Niyogi and Sindhwani 2006, where the filter is Tikhonov's). */
#ifndef SRI_SELECT_EXTENDED_H
#define SRI_SELECT_EXTENDED_H

#include "core/arena.h"
#include "op/op.h"
#include "select/neighbours.h"

/* The rows without targets, and what is made of them. */
typedef struct sri_unlabelled {
    sri_matrix X; /* dense */
    bool has_graph;
    sri_graph_spec graph;
} sri_unlabelled;

/* The points of a problem's rows with those. */
typedef struct sri_extension {
    const sri_unlabelled *unlabelled;
    sri_points *all; /* the labelled ones first */
    sri_graph graph; /* n 0: none               */
} sri_extension;

specreg_status sri_extension_make(specreg_context *ctx, const sri_unlabelled *unlabelled,
                                  const sri_points *labelled, sri_extension **out);
/* The points of all rows as copies of their own. */
specreg_status sri_extension_points(specreg_context *ctx, const sri_unlabelled *unlabelled,
                                    const sri_points *labelled, sri_points **out);
void sri_extension_free(sri_extension *extension);

/* What filters act on: the operator of all rows and padded targets, or that of k~ in the labelled
 * rows and theirs. */
typedef struct sri_extended_system {
    sri_op *op;
    const double *Y; /* n x T */
    int64_t n;
    sri_points *points;
    sri_kernel_grid given;
    sri_arena memory;
} sri_extended_system;

struct sri_problem;
specreg_status sri_extended_system_make(specreg_context *ctx, const struct sri_problem *problem,
                                        const sri_kernel *kernel, sri_extended_system *out);
/* Also after a failure. */
void sri_extended_system_free(sri_extended_system *system);

#endif
