#include "engine/run.h"

#include "engine/adapter.h"

/* In the order in which a problem passes them; its points come back the other way. */
static const sri_adapter_ops *const adapters[] = {&sri_adapter_coupling, &sri_adapter_weights,
                                                  &sri_adapter_projection};
enum { N_ADAPTERS = sizeof adapters / sizeof *adapters };

specreg_status sri_engine_plan(specreg_context *ctx, const char *name, sri_job *job,
                               const sri_engine **out, char *why)
{
    *out = NULL;
    SRI_CALL(sri_engine_look(ctx, name, job));
    return sri_engine_choose(ctx, name, job, out, why);
}

/* An engine at work on some points of a path. */
typedef struct driver {
    sri_sink base;
    sri_sink *to;
    sri_adapter *const *adapter;
    const sri_engine *engine;
    sri_job job;            /* as the engine sees it                                  */
    int64_t first;          /* the number of its first point in the whole path        */
    int64_t waiting, count; /* points that wait for the fallback: the first, how many */
    sri_report *report;
} driver;

static specreg_status hand_over(specreg_context *ctx, driver *d);

static specreg_status driver_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    driver *d = (driver *)self;
    sri_path_point out = *point;
    SRI_CALL(hand_over(ctx, d));
    d->waiting = point->index;
    d->count = point->to_fallback;
    if (d->count)
        return SPECREG_OK;
    out.index += d->first;
    out.n_centres = d->job.problem.op->centres.n;
    for (int i = N_ADAPTERS - 1; i >= 0; i--)
        if (d->adapter[i])
            SRI_CALL(adapters[i]->leave(ctx, d->adapter[i], &out));
    return d->to->put(ctx, d->to, &out);
}

static bool driver_enough(const sri_sink *self)
{
    const sri_sink *to = ((const driver *)self)->to;
    return to->enough && to->enough(to);
}

/* The engine that takes over: the fallback, its fallback where that one refuses the job, and so on;
 * where all refuse, the first. */
static const sri_engine *fallback_of(const sri_engine *engine, const sri_job *job)
{
    for (const sri_engine *next = engine->fallback; next; next = next->fallback)
        if (!sri_engine_refuses(next, job))
            return next;
    return engine->fallback;
}

/* What the job would take by it; 0: none can. */
static double fallback_seconds(const sri_engine *engine, const sri_job *job)
{
    const sri_engine *next = fallback_of(engine, job);
    if (!next || sri_engine_refuses(next, job))
        return 0;
    const sri_cost cost = next->cost(job);
    return cost.bytes <= (double)job->request.memory ? sri_job_seconds(job, &cost) : 0;
}

static specreg_status drive(specreg_context *ctx, driver *d)
{
    d->job.hint.fallback_seconds = fallback_seconds(d->engine, &d->job);
    SRI_CALL(d->engine->run(ctx, &d->job, &d->base, d->report));
    return hand_over(ctx, d);
}

/* The points that wait, by the fallback. */
static specreg_status hand_over(specreg_context *ctx, driver *d)
{
    driver next = *d;
    sri_report its = {0};
    if (!d->count)
        return SPECREG_OK;
    next.engine = fallback_of(d->engine, &d->job);
    next.job.path.param += d->waiting;
    next.job.path.count = d->count;
    next.first += d->waiting;
    next.count = d->count = 0;
    next.report = &its;
    const char *why = sri_engine_refuses(next.engine, &next.job);
    if (why)
        return sri_fail(ctx, SPECREG_E_NUMERIC,
                        "%s=%g is below what rounding leaves of the kernel matrix, and engine %s "
                        "cannot take over from %s: %s (a larger value helps)",
                        sri_path_name(next.job.path.filter->path), next.job.path.param[0],
                        next.engine->name, d->engine->name, why);
    const specreg_status st = drive(ctx, &next);
    d->report->fell_back += its.fell_back;
    return st;
}

specreg_status sri_engine_run(specreg_context *ctx, const sri_engine *engine, const sri_job *job,
                              sri_sink *sink, sri_report *report)
{
    specreg_status st = SPECREG_OK;
    sri_arena memory = {0};
    sri_adapter *adapter[N_ADAPTERS] = {NULL};
    driver d = {.base = {driver_put, driver_enough},
                .to = sink,
                .adapter = adapter,
                .engine = engine,
                .job = *job,
                .report = report};
    d.job.shape = sri_op_shape(job->problem.op);
    for (int i = 0; i < N_ADAPTERS && st == SPECREG_OK; i++)
        st = adapters[i]->enter(ctx, &d.job, &memory, &adapter[i]);
    if (st == SPECREG_OK)
        st = drive(ctx, &d);
    sri_arena_free(&memory);
    return st;
}
