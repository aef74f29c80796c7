#include "core/param.h"

#include <math.h>

specreg_status sri_param_check(specreg_context *ctx, const char *what, const sri_param *param,
                               double value)
{
    if (value < param->least || (param->open && value == param->least))
        return sri_fail(ctx, SPECREG_E_ARG, "%s: %s must be %s %g, not %g", what, param->name,
                        param->open ? "greater than" : "at least", param->least, value);
    if (param->most > 0 && value > param->most)
        return sri_fail(ctx, SPECREG_E_ARG, "%s: %s must be at most %g, not %g", what, param->name,
                        param->most, value);
    if (param->whole && (value != floor(value) || value > 1e6))
        return sri_fail(ctx, SPECREG_E_ARG, "%s: %s must be a whole number up to a million, not %g",
                        what, param->name, value);
    return SPECREG_OK;
}

sri_param sri_param_user(const sri_registration *user, int i)
{
    return (sri_param){.name = user->params[i].name,
                       .value = user->params[i].default_value,
                       .least = -INFINITY};
}
