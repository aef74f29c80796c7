#include "kernel/radial.h"

#include <math.h>
#include <string.h>

#define ROOT3 1.7320508075688772935
#define ROOT5 2.2360679774997896964
#define ROOT7 2.6457513110645905905

static const sri_radial_form radials[] = {
    [SRI_RADIAL_GAUSS] = {.one = 1,
                          .first = {.kind = SRI_MAP_EXP, .c = -0.5},
                          .two = 1,
                          .second = {.kind = SRI_MAP_EXP, .c = -0.5}},
    [SRI_RADIAL_IMQ] = {.one = 1,
                        .first = {.kind = SRI_MAP_INVERSE, .c = 1, .shift = 1.5},
                        .two = 3,
                        .second = {.kind = SRI_MAP_INVERSE, .c = 1, .shift = 2.5}},
    [SRI_RADIAL_MATERN32] = {.one = 3,
                             .first = {.kind = SRI_MAP_EXP_ROOT, .c = -ROOT3},
                             .two = 3 * ROOT3,
                             .second = {.kind = SRI_MAP_EXP_ROOT, .c = -ROOT3},
                             .over_root = true},
    [SRI_RADIAL_MATERN52] = {.one = 5.0 / 3,
                             .first = {.kind = SRI_MAP_MATERN32, .c = ROOT5},
                             .two = 25.0 / 3,
                             .second = {.kind = SRI_MAP_EXP_ROOT, .c = -ROOT5}},
    [SRI_RADIAL_MATERN72] = {.one = 7.0 / 5,
                             .first = {.kind = SRI_MAP_MATERN52, .c = ROOT7},
                             .two = 49.0 / 15,
                             .second = {.kind = SRI_MAP_MATERN32, .c = ROOT7}},
};

const sri_radial_form *sri_radial_form_of(sri_radial radial)
{
    return &radials[radial];
}

void sri_radial_values(sri_radial radial, const double *s, int64_t n, double *G1, double *G2)
{
    const sri_vec *vec = sri_vec_best();
    memcpy(G1, s, (size_t)n * sizeof *s);
    memcpy(G2, s, (size_t)n * sizeof *s);
    sri_map_apply(&radials[radial].first, vec, G1, n);
    sri_map_apply(&radials[radial].second, vec, G2, n);
    for (int64_t i = 0; i < n; i++) {
        const double root = radials[radial].over_root ? sqrt(s[i]) : 1;
        G1[i] *= radials[radial].one;
        G2[i] = root > 0 ? G2[i] * radials[radial].two / root : 0;
    }
}
