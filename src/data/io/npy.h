/* NPY as a part of NPZ. */
#ifndef SRI_DATA_IO_NPY_H
#define SRI_DATA_IO_NPY_H

#include "core/text.h"
#include "data/io/array.h"

specreg_status sri_npy_read(specreg_context *ctx, sri_stream *stream, sri_array *out);
/* The header of a C-ordered array of doubles, into an empty buffer; cols < 0 for one dimension. */
specreg_status sri_npy_header(specreg_context *ctx, int64_t rows, int64_t cols, sri_buffer *out);

#endif
