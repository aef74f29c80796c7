#include "model/call.h"

#include "backend/backend.h"

specreg_status sri_call_enter_predict(specreg_context *ctx, const specreg_options *options,
                                      sri_call *out)
{
    *out = (sri_call){.recipe = &out->own, .start = sri_clock()};
    SRI_CALL(sri_recipe_parse_predict(ctx, options, &out->own));
    SRI_CALL(sri_backend_choose(ctx, sri_option_value(options, SRI_OPT_LINALG)));
    out->threads = sri_threads_enter(out->own.resources.threads, &out->before);
    return SPECREG_OK;
}

specreg_status sri_call_enter(specreg_context *ctx, const specreg_options *options, sri_call *out)
{
    *out = (sri_call){.recipe = &out->own, .start = sri_clock()};
    SRI_CALL(sri_recipe_parse(ctx, options, &out->own));
    SRI_CALL(sri_backend_choose(ctx, sri_option_value(options, SRI_OPT_LINALG)));
    out->threads = sri_threads_enter(out->own.resources.threads, &out->before);
    return sri_machine_get(ctx, out->own.resources.calibrate, out->threads, &out->machine);
}

void sri_call_leave(sri_call *call)
{
    sri_threads_leave(&call->before);
    sri_recipe_free(&call->own);
    *call = (sri_call){0};
}

sri_call sri_call_with(const sri_call *call, const sri_recipe *recipe)
{
    return (sri_call){.recipe = recipe,
                      .machine = call->machine,
                      .start = sri_clock(),
                      .threads = call->threads};
}

double sri_call_seconds(const sri_call *call)
{
    return sri_clock() - call->start;
}
