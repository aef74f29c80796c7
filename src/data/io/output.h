/* Output that leaves nothing half-written: a regular file is written beside its target, synced and
 * renamed over it; a pipe, a device or "-" (stdout) is written in place. */
#ifndef SRI_DATA_IO_OUTPUT_H
#define SRI_DATA_IO_OUTPUT_H

#include <stdbool.h>

#include "core/context.h"

typedef struct sri_output sri_output;

specreg_status sri_output_open(specreg_context *ctx, const char *path, sri_output **out);
specreg_status sri_output_write(specreg_context *ctx, sri_output *o, const void *data, size_t size);
/* Flushes, syncs and renames; frees the output in every case. */
specreg_status sri_output_commit(specreg_context *ctx, sri_output *o);
/* Removes what was written and frees; accepts NULL. */
void sri_output_abandon(sri_output *o);
/* Compress what is written from here on, by the name's ending (.gz, .zst). */
specreg_status sri_output_compress(specreg_context *ctx, sri_output *o);
/* Whether it is a regular file that is not compressed, the beginning of which can be written again:
 * `size` bytes there, all of which were written before. */
bool sri_output_is_plain(const sri_output *o);
specreg_status sri_output_rewrite(specreg_context *ctx, sri_output *o, const void *data,
                                  size_t size);
/* Whether nothing is seen of it until it is committed. */
bool sri_output_is_file(const sri_output *o);
const char *sri_output_name(const sri_output *o);
#endif
