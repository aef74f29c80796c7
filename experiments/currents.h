/* experiment currents: positions and velocities of drifters, and fits of them. */
#ifndef CURRENTS_H
#define CURRENTS_H

#include "experiment.h"

typedef struct drifters {
    int64_t n;
    double *x, *v;   /* pairs: positions and velocities                     */
    double distance; /* median distance between two of all, for the widths */
} drifters;

/* drifters.c */
drifters drifters_new(int64_t n); /* zeros */
void drifters_free(drifters *d);
int drifters_read(cli *c, const char *path, drifters *d);
drifters drifters_select(const drifters *all, const int64_t *rows, int64_t n);
void drifters_mean(const drifters *d, double *mean); /* the mean current, a pair */

/* Fits component 0 or 1 of the current, less its mean, or both as a field. */
enum { CURRENTS_BOTH = -1 };
int drifters_fit(cli *c, const drifters *train, const double *mean, int component,
                 specreg_model **model, json_t **record);
/* Adds the prediction of a component, or of both, to the pairs `v`. */
int drifters_add_prediction(cli *c, const specreg_model *model, const drifters *at, int component,
                            double *v);
/* Fills n pairs with the mean, to which predictions are then added. */
void drifters_fill(double *v, const double *mean, int64_t n);

/* currents_map.c: the field that all drifters give, less their mean current, with its curl-free and
 * divergence-free parts on a grid. */
int currents_map(cli *c, const drifters *all, cli_columns **out);

#endif
