/* The radial functions phi that kernels of vector fields are made of (field.h), by their
 * derivatives in s = |w|^2, w = (x - z) / sigma:
 *
 *     G1 = -2 phi'(s),   G2 = 4 phi''(s):   the matrix of second derivatives is G2 w w' - G1 I. */
#ifndef SRI_KERNEL_RADIAL_H
#define SRI_KERNEL_RADIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/fill.h"

typedef enum sri_radial {
    SRI_RADIAL_GAUSS,    /* exp(-s/2)                                         */
    SRI_RADIAL_IMQ,      /* (1 + s)^(-1/2), the inverse multiquadric          */
    SRI_RADIAL_MATERN32, /* (1 + u) exp(-u), u = (3 s)^(1/2)                  */
    SRI_RADIAL_MATERN52, /* (1 + u + u^2/3) exp(-u), u = (5 s)^(1/2)          */
    SRI_RADIAL_MATERN72  /* (1 + u + 2u^2/5 + u^3/15) exp(-u), u = (7 s)^(1/2) */
} sri_radial;

/* G1 and G2 of n numbers s.  Where G2 has no value, of matern with nu = 3/2 at s = 0, it is 0: s G2
 * goes to 0 there. */
void sri_radial_values(sri_radial radial, const double *s, int64_t n, double *G1, double *G2);

/* The same as formulas: G1 and G2, each a number times a function of s. */
typedef struct sri_radial_form {
    double one;
    sri_map first;
    double two;
    sri_map second;
    bool over_root; /* G2 is still to be divided by s^(1/2) */
} sri_radial_form;
const sri_radial_form *sri_radial_form_of(sri_radial radial);

#endif
