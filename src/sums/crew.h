/* Several jobs at the same time, each on one thread, so that its bits never depend on how many
 * threads there are. */
#ifndef SRI_SUMS_CREW_H
#define SRI_SUMS_CREW_H

#include "core/context.h"

/* Does job number `job`.  `ctx` is its own: errors of several jobs do not mix. */
typedef specreg_status sri_job_fn(specreg_context *ctx, void *payload, int64_t job);

/* How many are done at the same time, at most. */
int sri_crew_size(void);
/* Jobs 0 .. count - 1, `most` at the same time; of those that fail the first one's error is
 * told. */
specreg_status sri_crew_run(specreg_context *ctx, int64_t count, int most, sri_job_fn *work,
                            void *payload);

#endif
