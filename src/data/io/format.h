/* File formats: one file each, listed in format.c. */
#ifndef SRI_DATA_IO_FORMAT_H
#define SRI_DATA_IO_FORMAT_H

#include "core/options.h"
#include "data/io/output.h"
#include "data/io/stream.h"
#include "data/table.h"

typedef struct sri_format {
    const char *name;       /* in --format                                          */
    const char *extensions; /* "csv tsv tab", matched after .gz and .zst are removed */
    bool many_arrays;       /* a file may hold several: file.h5:/name               */
    /* Required: whether the first bytes look like it. */
    bool (*sniff)(const char *head, size_t length);
    /* Required.  `stream` is decompressed content, read from the start.  `path` names the file;
     * `inner` is what the user wrote after its ':' (file.h5:/name), or NULL. */
    specreg_status (*read)(specreg_context *ctx, sri_stream *stream, const char *path,
                           const char *inner, const specreg_options *options, specreg_table **out);
    /* NULL: cannot be written. */
    specreg_status (*write)(specreg_context *ctx, const specreg_table *table, sri_output *output);
} sri_format;

extern const sri_format sri_format_csv, sri_format_libsvm, sri_format_npy, sri_format_npz,
    sri_format_hdf5, sri_format_text, sri_format_vtk;

#endif
