/* The graph of nearest neighbours and its Laplacian. */
#ifndef SRI_SELECT_NEIGHBOURS_H
#define SRI_SELECT_NEIGHBOURS_H

#include "kernel/points.h"

/* How a graph is made and how strongly it smooths. */
typedef struct sri_graph_spec {
    double strength;    /* rho: the norm is |f|^2 + (rho / N^2) f'L f                     */
    int64_t neighbours; /* of each point; two are joined where one is a neighbour of the other */
    bool heat; /* weights exp(-d^2 / (4 t)), 2 t the mean squared distance of the edges; else 1 */
    bool normalised; /* L = I - D^(-1/2) W D^(-1/2); else D - W                              */
} sri_graph_spec;

/* The Laplacian L: a diagonal, and an entry -weight for every edge and direction. */
typedef struct sri_graph {
    int64_t n, *start, *to; /* edges of point i: start[i] .. start[i + 1] - 1 */
    double *weight, *diagonal;
    int64_t parts; /* connected ones */
} sri_graph;

/* Of dense points, by their Euclidean distances. */
specreg_status sri_graph_make(specreg_context *ctx, const sri_points *points,
                              const sri_graph_spec *spec, sri_graph *out);
/* Y = L X, X and Y t x n: a row for each function on the points. */
void sri_graph_apply(const sri_graph *graph, int64_t t, const double *X, double *Y);
void sri_graph_free(sri_graph *graph);

#endif
