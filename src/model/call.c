#include "model/call.h"

#include <math.h>

#include "backend/backend.h"
#include "core/memory.h"

/* Plans may be off by 15 %; what exceeds this share of the budget was not planned. */
static const double MOST = 1.25;

/* Threads, and a limit on what the call may allocate. */
static specreg_status take_resources(specreg_context *ctx, sri_call *out)
{
    const double most = fmin(MOST * (double)out->own.resources.memory, (double)INT64_MAX / 2);
    char need[32];
    out->threads = sri_threads_enter(out->own.resources.threads, &out->before);
    out->limited = ctx;
    out->outside = sri_memory_begin(ctx, (int64_t)most);
    const double lacks = sri_blas_lacks(out->threads);
    SRI_CHECK(
        ctx, !(lacks > 0), SPECREG_E_NOMEM,
        "the limit on address space (ulimit -v) leaves less than %s, which the linear algebra "
        "library needs for %d threads (see --threads)",
        sri_bytes_text(lacks, need), out->threads);
    return SPECREG_OK;
}

specreg_status sri_call_enter_predict(specreg_context *ctx, const specreg_options *options,
                                      sri_call *out)
{
    *out = (sri_call){.recipe = &out->own, .start = sri_clock()};
    SRI_CALL(sri_recipe_parse_predict(ctx, options, &out->own));
    SRI_CALL(sri_backend_choose(ctx, sri_option_value(options, SRI_OPT_LINALG)));
    return take_resources(ctx, out);
}

specreg_status sri_call_enter(specreg_context *ctx, const specreg_options *options, sri_call *out)
{
    *out = (sri_call){.recipe = &out->own, .start = sri_clock()};
    SRI_CALL(sri_recipe_parse(ctx, options, &out->own));
    SRI_CALL(sri_backend_choose(ctx, sri_option_value(options, SRI_OPT_LINALG)));
    SRI_CALL(take_resources(ctx, out));
    return sri_machine_get(ctx, out->own.resources.calibrate, out->threads, &out->machine);
}

void sri_call_leave(sri_call *call)
{
    if (call->limited)
        sri_memory_end(call->limited, call->outside);
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
