/* A copy on disk of what can be read only once: standard input, a pipe. */
#ifndef SRI_DATA_IO_SPOOL_H
#define SRI_DATA_IO_SPOOL_H

#include "core/context.h"

/* The descriptor of a file without a name in TMPDIR (/tmp) that has all bytes of the path; "-" is
 * standard input, which is its own copy where it is a regular file.  The caller closes it. */
specreg_status sri_spool(specreg_context *ctx, const char *path, int *out);

#endif
