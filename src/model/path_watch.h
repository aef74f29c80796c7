/* Points of a path that pass by, each of which becomes a row of the table. */
#ifndef SRI_MODEL_PATH_WATCH_H
#define SRI_MODEL_PATH_WATCH_H

#include "model/path.h"

typedef struct sri_path_watcher {
    const sri_problem *problem;
    const sri_sample *test; /* NULL: none */
    sri_path_result *out;
    /* Kernel values between test rows and centres, kept while the kernel stays the same. */
    double *K;
    int64_t candidate; /* the kernel's number; -1 at first */
    double *F;         /* test n x T */
} sri_path_watcher;

/* Called for every point of the path, trained on all rows; the payload is a watcher. */
specreg_status sri_path_watch(specreg_context *ctx, void *payload, int64_t candidate,
                              const sri_kernel *kernel, const sri_path_point *point);
/* path_sums.c: the search of --approx rectangle, whose points the watcher sees. */
specreg_status sri_path_by_sums(specreg_context *ctx, sri_prepared *p, sri_path_watcher *w,
                                sri_sums_facts *facts);

#endif
