/* How fast this machine is, and what a run of an engine asks of it.
 *
 * Rates are measured once (calibrate.c) and kept in a file (machine_file.c); without one there are
 * built-in ones.  They decide which engine is taken, never what it computes. */
#ifndef SRI_ENGINE_MACHINE_H
#define SRI_ENGINE_MACHINE_H

#include <stdbool.h>

#include "core/context.h"
#include "op/cost.h"

/* Reading is measured over blocks of these sizes: from the caches to memory. */
enum { SRI_BLOCKS = 4 };
extern const double sri_block_bytes[SRI_BLOCKS];

typedef struct sri_rates { /* with so many threads */
    int threads;
    double gemm;             /* flops a second of a matrix product               */
    double read[SRI_BLOCKS]; /* bytes a second, read again and again             */
    double values;           /* kernel values a second: rbf, few columns         */
    double scalar;           /* dependent operations a second, always one thread */
    double region;           /* seconds to start threads and wait for them       */
} sri_rates;

typedef struct sri_machine {
    sri_rates one, all; /* with one thread, and with as many as were asked for */
    bool measured;      /* else built in                                       */
} sri_machine;

/* The built-in rates for so many threads. */
sri_machine sri_machine_default(int threads);
/* The rates for the number of threads that OpenMP has now; NULL: the built-in ones. */
sri_rates sri_machine_now(const sri_machine *machine);

/* What a cost takes, without its kernel values, and these with `flops` beside the function. */
double sri_rates_seconds(const sri_rates *rates, const sri_cost *cost);
double sri_rates_value_seconds(const sri_rates *rates, double values, double flops);

/* All numbers positive and such as machines may have? */
bool sri_rates_plausible(const sri_rates *rates);

/* calibrate.c: measures, for about a tenth of a second. */
specreg_status sri_rates_measure(specreg_context *ctx, int threads, sri_rates *out);

typedef enum sri_calibrate {
    SRI_CALIBRATE_NO,     /* built-in rates                           */
    SRI_CALIBRATE_CACHED, /* what the file has, else built-in rates   */
    SRI_CALIBRATE_AUTO,   /* what the file has, else measure and keep */
    SRI_CALIBRATE_AGAIN   /* measure and keep                         */
} sri_calibrate;

/* machine_file.c: the rates for so many threads.  A file that cannot be read, is damaged or of
 * another machine is as good as none; one that cannot be written is no error. */
specreg_status sri_machine_get(specreg_context *ctx, sri_calibrate how, int threads,
                               sri_machine *out);

#endif
