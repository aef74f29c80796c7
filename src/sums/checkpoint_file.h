/* What files of work so far share: where they may lie, whose they are, and when to write them. */
#ifndef SRI_SUMS_CHECKPOINT_FILE_H
#define SRI_SUMS_CHECKPOINT_FILE_H

#include "sums/sums_file.h"

typedef struct sri_checkpoint_file {
    char *path;
    sri_digest fingerprint; /* of all that the work depends on                        */
    double wrote_at, took;  /* when the file was written last, and how long that took */
} sri_checkpoint_file;

/* Whether there is a file; what is none, and cannot become one, is an error. */
specreg_status sri_checkpoint_look(specreg_context *ctx, const char *path, bool *found);
/* Whether it is time to write: no more than a twentieth of the time is spent on that. */
bool sri_checkpoint_due(const sri_checkpoint_file *f);
/* Up to what follows the fingerprint, and from there on.  A file of another fingerprint, or that is
 * no checkpoint, is left as it is: SPECREG_E_FORMAT. */
specreg_status sri_checkpoint_read(specreg_context *ctx, const sri_checkpoint_file *f,
                                   const char *mark, sri_sums_reader *r);
specreg_status sri_checkpoint_write(specreg_context *ctx, sri_checkpoint_file *f, const char *mark,
                                    sri_sums_writer *w);
/* The file is replaced as a whole; after a failure it is as before. */
specreg_status sri_checkpoint_written(sri_checkpoint_file *f, sri_sums_writer *w);
specreg_status sri_checkpoint_elsewhere(specreg_context *ctx, const char *path);
void sri_checkpoint_file_free(sri_checkpoint_file *f);

#endif
