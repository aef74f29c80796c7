/* The parts of a portrait, and what they share. */
#ifndef SRI_PORTRAIT_PARTS_H
#define SRI_PORTRAIT_PARTS_H

#include "engine/job.h"
#include "portrait/portrait.h"

/* A sample of the rows, with its kernel matrix, on which the path is computed again. */
typedef struct sri_portrait_sample {
    const sri_portrait_of *of;
    sri_portrait_size size;
    sri_subproblem sub;
    sri_op *op;   /* of the winner's kernel; pairs are its eigenpairs, raised ones last */
    int64_t n, m; /* its order, and the eigenpairs that are not raised                  */
    sri_filter filter;
    double *param; /* of the path, as the sample can have it                                */
    sri_portrait *out;
} sri_portrait_sample;

/* `count` of the rows 0 .. n - 1, ascending, drawn by the seed. */
void sri_portrait_choose(uint64_t seed, int64_t n, int64_t count, int64_t *row);
/* A sentence, a static text, that says what cannot be shown. */
void sri_portrait_lacks(sri_portrait *portrait, const char *sentence);

/* path.c: the points of the winner's path as the search has scored them. */
specreg_status sri_portrait_points(specreg_context *ctx, const sri_portrait_of *of,
                                   sri_portrait *out);
/* spectrum.c: decomposes the matrix of the sample; the list, and the filter on it. */
specreg_status sri_portrait_decompose(specreg_context *ctx, sri_portrait_sample *s);
specreg_status sri_portrait_filter_on(specreg_context *ctx, sri_portrait_sample *s);
/* train.c: trains on the sample along the path: errors, degrees of freedom, curves. */
specreg_status sri_portrait_train(specreg_context *ctx, sri_portrait_sample *s);
/* held_out.c: a sample of rows, and what was said of them. */
specreg_status sri_portrait_held_out(specreg_context *ctx, const sri_portrait_of *of,
                                     int64_t numbers, sri_portrait *out);

/* curve.c: the fitted functions at some points of the path, gathered while the path is computed. */
typedef struct sri_functions sri_functions;
/* *out NULL where the inputs are not one or two numbers, or for other reasons. */
specreg_status sri_functions_new(specreg_context *ctx, sri_portrait_sample *s, sri_functions **out);
specreg_status sri_functions_take(specreg_context *ctx, sri_functions *functions,
                                  const sri_path_point *point);
specreg_status sri_functions_finish(specreg_context *ctx, sri_functions *functions);
void sri_functions_free(sri_functions *functions); /* accepts NULL */

#endif
