/* Streams of text in other encodings, read as UTF-8. */
#ifndef SRI_DATA_IO_RECODE_H
#define SRI_DATA_IO_RECODE_H

#include "data/io/stream.h"

typedef struct sri_recoder sri_recoder;

/* Wraps a stream, which stays the caller's and must outlive the other: `encoding` is a name that
 * iconv knows, or auto, which finds UTF-16 by its byte-order mark or its zero bytes.  *out and
 * *recoder are NULL where nothing is to be done. */
specreg_status sri_recode_open(specreg_context *ctx, sri_stream *from, const char *encoding,
                               sri_recoder **recoder, sri_stream **out);
void sri_recode_close(sri_recoder *recoder); /* accepts NULL */

#endif
