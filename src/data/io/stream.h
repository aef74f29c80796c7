/* Input: a file, plain or compressed (.gz, .zst, found by its first bytes), or stdin. */
#ifndef SRI_DATA_IO_STREAM_H
#define SRI_DATA_IO_STREAM_H

#include <stdbool.h>

#include "core/context.h"

typedef struct sri_stream sri_stream;

/* Refuses directories and unreadable files with a message that begins with the path.
 * "-" is stdin, called "stdin" in messages. */
specreg_status sri_stream_open(specreg_context *ctx, const char *path, sri_stream **out);
void sri_stream_close(sri_stream *s);
/* Reads up to `size` bytes; *got is 0 only at the end.  A truncated or corrupt compressed file is
 * SPECREG_E_FORMAT. */
specreg_status sri_stream_read(specreg_context *ctx, sri_stream *s, void *buffer, size_t size,
                               size_t *got);
/* The first bytes without consuming them (up to 4096). */
specreg_status sri_stream_peek(specreg_context *ctx, sri_stream *s, const char **head,
                               size_t *length);
const char *sri_stream_name(const sri_stream *s);

#endif
