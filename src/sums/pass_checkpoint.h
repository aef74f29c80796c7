/* A file of the sums so far, so that a first pass that was killed goes on where it was.  The file
 * is replaced as a whole, every few moments: whatever ends the process, it is one that was written
 * whole. */
#ifndef SRI_SUMS_PASS_CHECKPOINT_H
#define SRI_SUMS_PASS_CHECKPOINT_H

#include "sums/checkpoint_file.h"

typedef struct sri_pass_checkpoint {
    sri_checkpoint_file file; /* its fingerprint is of options, rows looked at first, centres */
    int64_t blocks;           /* that the sums had when it was opened                         */
    sri_digest chain;         /* of these blocks, one after the other                         */
} sri_pass_checkpoint;

/* Takes the sums of the file, or begins one with sums that are 0, which is written at once: a path
 * that cannot be written fails before the work. */
specreg_status sri_pass_checkpoint_open(specreg_context *ctx, const char *path,
                                        sri_digest fingerprint, sri_sums *sums,
                                        sri_pass_checkpoint *out);
/* Writes the sums of so many blocks. */
specreg_status sri_pass_checkpoint_write(specreg_context *ctx, sri_pass_checkpoint *c,
                                         sri_sums *sums, int64_t blocks, sri_digest chain);
void sri_pass_checkpoint_free(sri_pass_checkpoint *c);

#endif
