/* NPY: as a part of NPZ, in parts, and arrays that lie in files in the same way. */
#ifndef SRI_DATA_IO_NPY_H
#define SRI_DATA_IO_NPY_H

#include "core/text.h"
#include "data/io/array.h"

/* What the header of a file says. */
typedef struct sri_npy_layout {
    char order;   /* '<' '>' '|'                                     */
    char kind;    /* b i u f, U (UTF-32 texts), S (byte texts)       */
    int64_t size; /* bytes of an item                              */
    bool fortran;
    int dims;
    int64_t shape[2];
    int64_t offset, count; /* of the first item, in bytes; of all items */
    bool is_label;         /* the one column is named label */
} sri_npy_layout;

/* Reads the header and compares the shape with the length of the file. */
specreg_status sri_npy_begin(specreg_context *ctx, sri_stream *s, sri_npy_layout *out);
/* Items `done` .. `done` + `count` of an array with room for them. */
specreg_status sri_npy_convert(specreg_context *ctx, const sri_npy_layout *h,
                               const unsigned char *bytes, int64_t count, sri_array *a,
                               int64_t done);
static inline bool sri_npy_is_text(const sri_npy_layout *h)
{
    return h->kind == 'U' || h->kind == 'S';
}
/* The rest of the file from a row on could not be read. */
specreg_status sri_npy_too_short(specreg_context *ctx, const sri_stream *s, int64_t got,
                                 int64_t count);
/* npy_rows.c: rows of an array of known layout, from a stream that stands behind its header. */
specreg_status sri_npy_rows(specreg_context *ctx, sri_stream *stream, const sri_npy_layout *layout,
                            sri_row_source *out);
/* As sri_format.open. */
specreg_status sri_npy_open(specreg_context *ctx, sri_stream *stream,
                            const specreg_options *options, const specreg_table *like,
                            sri_row_source *out);

specreg_status sri_npy_read(specreg_context *ctx, sri_stream *stream, sri_array *out);
/* The header of a C-ordered array of doubles, into an empty buffer; cols < 0 for one dimension. */
specreg_status sri_npy_header(specreg_context *ctx, int64_t rows, int64_t cols, sri_buffer *out);

#endif
