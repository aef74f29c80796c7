/* A file of finished evaluations, so that a search that was killed goes on where it was.  It holds
 * scores and no coefficients: the winner is evaluated again. */
#ifndef SRI_SELECT_CHECKPOINT_H
#define SRI_SELECT_CHECKPOINT_H

#include "select/memo.h"

typedef struct sri_checkpoint sri_checkpoint;

/* Opens a checkpoint and locks it against other processes, or begins one, which is written at once:
 * a path that cannot be written fails before the work.  `fingerprint` is a digest of data and
 * options (core/digest.h).  A file of another fingerprint, of another version, or that is no
 * checkpoint is left as it is: SPECREG_E_FORMAT. */
specreg_status sri_checkpoint_open(specreg_context *ctx, const char *path,
                                   const uint64_t fingerprint[2], sri_checkpoint **out);
/* An evaluation done before and its `count` scores; false where there is none, and then nothing is
 * changed.  `key` is a text that names the evaluation: kernel, path, rows. */
bool sri_checkpoint_find(const sri_checkpoint *c, const char *key, int64_t count,
                         sri_finished *finished, sri_score *score);
/* Keeps an evaluation; it is on the disk on return.  After a failure the file is as before. */
specreg_status sri_checkpoint_add(specreg_context *ctx, sri_checkpoint *c, const char *key,
                                  int64_t count, const sri_finished *finished,
                                  const sri_score *score);
/* Closes and unlocks; the file stays.  Accepts NULL. */
void sri_checkpoint_free(sri_checkpoint *c);

#endif
