/* Points of a path that pass by, each of which becomes a row of the table. */
#ifndef SRI_MODEL_PATH_WATCH_H
#define SRI_MODEL_PATH_WATCH_H

#include "model/path.h"

/* Rows whose outputs are found at every point. */
typedef struct sri_path_rows {
    sri_sample sample;
    bool wanted;
    /* Kernel values between the rows and the centres, kept while the kernel stays the same. */
    double *K;
    int64_t candidate; /* the kernel's number; -1 at first */
    double *F;         /* n x T: the outputs               */
} sri_path_rows;

typedef struct sri_path_watcher {
    const sri_problem *problem;
    const sri_dataset *data;
    const int64_t *centre; /* the rows of the data that are centres; NULL: all */
    int64_t settings;      /* of the filter */
    const sri_path_request *request;
    sri_path_rows test, predicted;
    const specreg_table *table; /* of `predicted`; NULL: none */
    double *scores;             /* of its rows, where there are classes */
    sri_path_result *out;
} sri_path_watcher;

/* path_points.c: a point for the caller. */
specreg_status sri_path_show(specreg_context *ctx, const sri_path_watcher *w, const sri_seen *of,
                             const sri_path_point *point);

/* Called for every point of the path, trained on all rows; the payload is a watcher. */
specreg_status sri_path_watch(specreg_context *ctx, void *payload, const sri_seen *of,
                              const sri_path_point *point);
/* path_sums.c: the search of --approx rectangle, whose points the watcher sees. */
specreg_status sri_path_by_sums(specreg_context *ctx, sri_prepared *p, sri_path_watcher *w,
                                sri_sums_facts *facts);

#endif
