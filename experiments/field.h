/* Vector fields in the plane: samples of them, and fits. */
#ifndef FIELD_H
#define FIELD_H

#include "experiment.h"

/* A field to be learned, and its noise. */
typedef struct field_case {
    double gamma;  /* field1: the share of the divergence-free part; NaN: field2 */
    double noise;  /* field1: its deviation; field2: its deviation divided by |v| */
    double spread; /* field1: the deviation of its Gaussians                     */
} field_case;

typedef struct field_sample {
    int64_t n;
    double *x, *v; /* pairs */
} field_sample;

/* The training, validation (field2) and test sample of a repetition; the rest of the grid tests. */
void field_draw(uint64_t seed, const field_case *which, int64_t n, int repeat, field_sample *s);
void field_free(field_sample *s); /* of all roles */

/* The targets are both components, or one of them (0 or 1). */
enum { FIELD_BOTH = -1 };
/* Predicts `component`, or both, at the test points.  `s` has a sample for each role.  field1
 * selects by folds; field2 has a validation sample, which replaces the folds. */
int field_learn(cli *c, double width, const field_sample *s, int component, double *predictions,
                json_t **record);

#endif
