/* A new file that takes the place of another one, or of none, when it is complete.  Until then it
 * has no name where the file system allows that, so that nothing remains of a program that is
 * killed; elsewhere it lies beside its target as .NAME.XXXXXXXX, readable by its owner only. */
#ifndef SRI_DATA_IO_REPLACEMENT_H
#define SRI_DATA_IO_REPLACEMENT_H

#include <sys/stat.h>

#include "core/context.h"

typedef struct sri_replacement {
    char *target; /* behind symbolic links, which stay */
    char *temp;   /* NULL: the new file has no name yet */
    int fd;       /* -1: none */
    mode_t mode;  /* what the file will have */
} sri_replacement;

/* `old` describes the file that is replaced, NULL for none: it must be writable, and the new one
 * gets its mode, and its owner where that is allowed. */
specreg_status sri_replacement_open(specreg_context *ctx, const char *path, const struct stat *old,
                                    sri_replacement *out);
/* Syncs, closes and renames. */
specreg_status sri_replacement_commit(specreg_context *ctx, sri_replacement *r, const char *path);
/* Closes and frees; what has not been committed is gone. */
void sri_replacement_free(sri_replacement *r);
/* So that the name of a new file survives a crash too.  Not every file system can: no error. */
void sri_sync_folder(const char *path);

#endif
