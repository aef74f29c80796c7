/* A public call at work: its recipe, and what it uses of the computer until it returns. */
#ifndef SRI_MODEL_CALL_H
#define SRI_MODEL_CALL_H

#include "backend/threads.h"
#include "core/memory.h"
#include "model/recipe.h"

typedef struct sri_call {
    const sri_recipe *recipe;
    sri_recipe own;      /* the one that was parsed; recipe may be a variant of it     */
    sri_machine machine; /* how fast the computer is, for calls that choose an engine  */
    double start;        /* clock                                                      */
    int threads;
    bool announces;           /* a fit of its own: it tells what it is going to do */
    sri_threads before;       /* the thread counts to put back                              */
    specreg_context *limited; /* has a limit on memory until the call ends; NULL: not yet   */
    sri_memory_scope outside; /* the limit to put back                                      */
} sri_call;

/* Parses the options, then sets the number of threads and the limit on memory until
 * sri_call_leave, and gets the rates. */
specreg_status sri_call_enter(specreg_context *ctx, const specreg_options *options, sri_call *out);
/* The same for predictions and evaluations, which choose no engine. */
specreg_status sri_call_enter_predict(specreg_context *ctx, const specreg_options *options,
                                      sri_call *out);
/* Also for a call that could not be entered, or was not, all zero. */
void sri_call_leave(sri_call *call);
/* The same call with another recipe: nothing of it is to be left. */
sri_call sri_call_with(const sri_call *call, const sri_recipe *recipe);
/* Seconds since it was entered. */
double sri_call_seconds(const sri_call *call);

#endif
