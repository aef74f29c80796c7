/* cg: t steps of conjugate gradients on K alpha = y from 0; in the Lanczos notation
 * alpha = |y| V_t T_t^{-1} e_1 / n.  norm=residual takes the minimal-residual iterate instead.
 * Not linear in y: no degrees of freedom, no generalized cross-validation, no closed forms. */
#include <string.h>

#include "filter/filter.h"

static sri_nonlinear nonlinear(const sri_filter *self)
{
    return self->variant ? SRI_CG_RESIDUAL : SRI_CG_ERROR;
}

static bool set_norm(sri_filter *self, const char *value)
{
    self->variant = strcmp(value, "residual") == 0;
    return self->variant || strcmp(value, "error") == 0;
}

static const char *get_norm(const sri_filter *self)
{
    return self->variant ? "residual" : "error";
}

static const sri_filter_word norm = {
    .key = "norm",
    .values = "error or residual",
    .set = set_norm,
    .get = get_norm,
};

static const sri_filter_about about = {
    .g = "depends on y",
    .r = "depends on y",
    .qualification = "infinite",
};

const sri_filter_ops sri_filter_cg = {
    .name = "cg",
    .about = &about,
    .path = SRI_PATH_T,
    .nonlinear = nonlinear,
    .word = &norm,
    .smooth = true,
};
