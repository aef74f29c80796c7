/* The driver: the one place that plans a job, runs an engine on it, and lets another engine take
 * the points that the first one cannot do. */
#ifndef SRI_ENGINE_RUN_H
#define SRI_ENGINE_RUN_H

#include "engine/engine.h"

/* Looks for what the operator may have to offer to engines (sri_engine.look), which may grow a
 * low-rank factor in it, then chooses an engine as sri_engine_choose does. */
specreg_status sri_engine_plan(specreg_context *ctx, const char *name, sri_job *job,
                               const sri_engine **out, char *why);
/* Runs an engine.  Weights, unpenalised terms and a coupling are taken out of the problem before,
 * and the points that reach the sink are those of the problem itself. */
specreg_status sri_engine_run(specreg_context *ctx, const sri_engine *engine, const sri_job *job,
                              sri_sink *sink, sri_report *report);

#endif
