/* An engine computes the coefficients of a whole path,
 *
 *     alpha(param) = (1/n) g_param(K/n) Y,
 *
 * and hands them to a sink one by one, with what selection rules ask for.  It sees neither weights
 * nor a coupling nor unpenalised terms, but for their effect on the operator, and starts no other
 * engine: run.h does. */
#ifndef SRI_ENGINE_ENGINE_H
#define SRI_ENGINE_ENGINE_H

#include "engine/job.h"

typedef struct sri_engine sri_engine;
struct sri_engine {
    const char *name;
    bool reports_rank; /* it approximates K: its rank and what that leaves are worth telling */
    /* NULL when the engine can do the job, else why not, in words. */
    const char *(*refuses)(const sri_job *job);
    /* Optional: finds out whether the operator is one that the engine can serve, as far as that is
     * worth the time where the job takes `others` seconds by other engines (infinite where this
     * engine was `asked` for).  What is found stays with the operator. */
    specreg_status (*look)(specreg_context *ctx, const sri_job *job, double others, bool asked);
    /* What a job of its shape costs. */
    sri_cost (*cost)(const sri_job *job);
    /* Puts the points of the path, in order.  Those that it cannot compute it leaves to its
     * fallback (sri_path_point.to_fallback): so it says how far it came. */
    specreg_status (*run)(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                          sri_report *report);
    const sri_engine *fallback; /* takes the points that are left to it; NULL: none are */
};

#define ENGINE(name) extern const sri_engine sri_engine_##name;
#include "engine/engines.def"
#undef ENGINE

const sri_engine *sri_engine_at(int index); /* the list; NULL at its end */
/* Checks the name alone ("auto" or an engine's). */
specreg_status sri_engine_name_check(specreg_context *ctx, const char *name);
/* Why an engine cannot do a job, in words, or NULL: what it says itself, and what holds for all. */
const char *sri_engine_refuses(const sri_engine *engine, const sri_job *job);
/* Lets engines look for what they need of the operator; `name` is the engine asked for, or "auto".
 * What is found changes the job's shape. */
specreg_status sri_engine_look(specreg_context *ctx, const char *name, sri_job *job);
/* The cheapest engine that can do the job within its memory, or the one asked for by name.
 * `why` (>= 200 bytes, may be NULL) gets the reason in words. */
specreg_status sri_engine_choose(specreg_context *ctx, const char *name, const sri_job *job,
                                 const sri_engine **out, char *why);
/* What the cheapest of them takes, or the one asked for; infinite where none can do it. */
double sri_engine_seconds(const char *name, const sri_job *job);

#endif
