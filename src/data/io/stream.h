/* Input: a file, plain or compressed (.gz, .zst, found by its first bytes), or stdin. */
#ifndef SRI_DATA_IO_STREAM_H
#define SRI_DATA_IO_STREAM_H

#include <stdbool.h>

#include "core/context.h"

typedef struct sri_stream sri_stream;

/* Refuses directories and unreadable files with a message that begins with the path.
 * "-" is stdin, called "stdin" in messages. */
specreg_status sri_stream_open(specreg_context *ctx, const char *path, sri_stream **out);
/* Reads a descriptor of a regular file, which stays the caller's, from its start; `path` is for
 * messages.  One stream of it at a time. */
specreg_status sri_stream_open_copy(specreg_context *ctx, const char *path, int copy,
                                    sri_stream **out);
/* Over bytes that stay the caller's and must outlive the stream. */
specreg_status sri_stream_from_memory(specreg_context *ctx, const char *name, const void *data,
                                      size_t size, sri_stream **out);
/* Over a function that gives the next bytes: how many, 0 at the end, negative on failure (then it
 * has written the error text).  Taken as they are, not decompressed. */
typedef int64_t sri_stream_source(specreg_context *ctx, void *payload, void *buffer, size_t size);
specreg_status sri_stream_from_source(specreg_context *ctx, const char *name,
                                      sri_stream_source *source, void *payload, sri_stream **out);
void sri_stream_close(sri_stream *s); /* accepts NULL */
/* Reads up to `size` bytes; *got is 0 only at the end.  A truncated or corrupt compressed file is
 * SPECREG_E_FORMAT. */
specreg_status sri_stream_read(specreg_context *ctx, sri_stream *s, void *buffer, size_t size,
                               size_t *got);
/* Reads exactly `size` bytes; *got is fewer only at the end. */
specreg_status sri_stream_fill(specreg_context *ctx, sri_stream *s, void *buffer, size_t size,
                               size_t *got);
/* How many times the compressed bytes the content may be, where it is more than 16 MiB; 200 unless
 * this says otherwise. */
void sri_stream_allow_expansion(sri_stream *s, double times);
/* The first bytes without consuming them (up to 4096). */
specreg_status sri_stream_peek(specreg_context *ctx, sri_stream *s, const char **head,
                               size_t *length);
/* All that is left, into a block for sri_free(). */
specreg_status sri_stream_slurp(specreg_context *ctx, sri_stream *s, char **data, size_t *size);
/* The same of a text of at most so many bytes, with a 0 behind it; a stream may have no end. */
specreg_status sri_stream_text(specreg_context *ctx, sri_stream *s, int64_t most, char **text,
                               size_t *size);
const char *sri_stream_name(const sri_stream *s);
/* The length in bytes where it is known beforehand (a plain file, memory), else -1. */
int64_t sri_stream_length(const sri_stream *s);
/* Whether bytes may be read at any place: a regular file that is not compressed. */
bool sri_stream_has_places(const sri_stream *s);
/* Reads exactly `size` bytes there, wherever reading is; *got is fewer only where the file ends. */
specreg_status sri_stream_read_at(specreg_context *ctx, const sri_stream *s, int64_t place,
                                  void *buffer, size_t size, size_t *got);
/* The path, when it names a plain file that is not compressed, else NULL. */
const char *sri_stream_path(const sri_stream *s);

#endif
