#include "engine/fall_back.h"

bool sri_pivots_are_sound(int64_t n, const double *L, int64_t stride, double mu)
{
    for (int64_t i = 0; i < n; i++)
        if (!(L[i * stride] * L[i * stride] > 0.5 * mu))
            return false;
    return true;
}

/* Hands points of another engine's path on under the index they have here. */
typedef struct forward {
    sri_sink base;
    sri_sink *to;
    int64_t first;
} forward;

static specreg_status forward_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    forward *f = (forward *)self;
    sri_path_point moved = *point;
    moved.index += f->first;
    return f->to->put(ctx, f->to, &moved);
}

specreg_status sri_hand_over(specreg_context *ctx, const sri_engine *to, const sri_job *job,
                             int64_t first, int64_t count, sri_sink *sink, sri_report *report)
{
    forward f = {.base = {forward_put}, .to = sink, .first = first};
    sri_job some = *job;
    sri_report its = {0};
    some.param = job->param + first;
    some.count = count;
    const specreg_status st = to->run(ctx, &some, &f.base, &its);
    report->fell_back += its.fell_back;
    return st;
}

specreg_status sri_fall_back(specreg_context *ctx, const sri_job *job, int64_t first, int64_t count,
                             sri_sink *sink, sri_report *report)
{
    report->fell_back += count;
    return sri_hand_over(ctx, &sri_engine_eig, job, first, count, sink, report);
}
