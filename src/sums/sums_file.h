/* Files of numbers, pieces and sums: a mark, the byte order, a version, the content, and a digest
 * of all before it. */
#ifndef SRI_SUMS_SUMS_FILE_H
#define SRI_SUMS_SUMS_FILE_H

#include "core/digest.h"
#include "data/io/output.h"
#include "data/io/stream.h"
#include "sums/sums.h"

enum { SRI_MARK = 8 }; /* bytes that a kind of file begins with */

typedef struct sri_sums_writer {
    specreg_context *ctx;
    sri_output *to;
    sri_digest digest;
    specreg_status st; /* the first failure */
} sri_sums_writer;

specreg_status sri_begin_writing(specreg_context *ctx, const char *path, const char *mark,
                                 sri_sums_writer *w);
/* Failures are told at the end. */
void sri_put(sri_sums_writer *w, const void *data, int64_t size);
void sri_put_number(sri_sums_writer *w, int64_t number);
void sri_put_piece(sri_sums_writer *w, const char *data, int64_t size);
void sri_put_sums(sri_sums_writer *w, const sri_sums *s);
/* Commits, or leaves nothing behind. */
specreg_status sri_end_writing(sri_sums_writer *w);

typedef struct sri_sums_reader {
    specreg_context *ctx;
    const char *path;
    sri_stream *from; /* to be closed by the caller */
    int64_t left;     /* bytes of the file */
    sri_digest digest;
} sri_sums_reader;

/* `kind` is the word for such files in messages. */
specreg_status sri_begin_reading(specreg_context *ctx, const char *path, const char *mark,
                                 const char *kind, sri_sums_reader *r);
specreg_status sri_get(sri_sums_reader *r, void *data, int64_t size);
specreg_status sri_get_number(sri_sums_reader *r, int64_t least, int64_t most, int64_t *out);
/* A piece with its size before it, and a 0 behind it in memory. */
specreg_status sri_get_piece(sri_sums_reader *r, char **out, int64_t *size);
/* Sums as they were put; what only a file made by others has is an error. */
specreg_status sri_get_sums(sri_sums_reader *r, sri_sums *out);
specreg_status sri_end_reading(sri_sums_reader *r);
specreg_status sri_read_broken(const sri_sums_reader *r, const char *what);

/* Numbers of all parts together. */
int64_t sri_sums_numbers(const sri_sums *s);

#endif
