/* The two halves of the CSV format, which csv.c lists. */
#ifndef SRI_DATA_IO_CSV_PARTS_H
#define SRI_DATA_IO_CSV_PARTS_H

#include "data/io/format.h"

specreg_status sri_csv_read(specreg_context *ctx, sri_stream *stream, const char *path,
                            const char *inner, const specreg_options *options, specreg_table **out);
specreg_status sri_csv_open(specreg_context *ctx, sri_stream *stream,
                            const specreg_options *options, const specreg_table *like,
                            sri_row_source *out);
specreg_status sri_csv_write(specreg_context *ctx, const specreg_table *table, sri_output *output);
specreg_status sri_csv_append(specreg_context *ctx, const specreg_table *t, sri_output *output,
                              bool first);

#endif
