/* File formats: one file each, listed in format.c. */
#ifndef SRI_DATA_IO_FORMAT_H
#define SRI_DATA_IO_FORMAT_H

#include "core/options.h"
#include "data/blocks_kind.h"
#include "data/io/output.h"
#include "data/io/recode.h"
#include "data/io/stream.h"

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
    /* Starts to read a few rows at a time; `stream` must outlive the source.  `like` has the
     * columns that are expected, from an earlier reading or file; NULL: none.  NULL: the format is
     * read as a whole. */
    specreg_status (*open)(specreg_context *ctx, sri_stream *stream, const specreg_options *options,
                           const specreg_table *like, sri_row_source *out);
    /* The same of an array inside the file; `inner` NULL: none is named.  *out stays without a kind
     * where this stream is read as a whole.  NULL: the format has no such arrays. */
    specreg_status (*open_array)(specreg_context *ctx, sri_stream *stream, const char *inner,
                                 sri_row_source *out);
    /* NULL: cannot be written. */
    specreg_status (*write)(specreg_context *ctx, const specreg_table *table, sri_output *output);
    /* Writes rows after those before them; the `first` ones come with what stands before them.
     * NULL: the format is written as a whole. */
    specreg_status (*append)(specreg_context *ctx, const specreg_table *table, sri_output *output,
                             bool first);
    /* Puts the number of rows where it stands, in a plain file; NULL: it stands nowhere. */
    specreg_status (*finish)(specreg_context *ctx, int64_t rows, int64_t cols, sri_output *output);
} sri_format;

/* A file that is open, and its format. */
typedef struct sri_content {
    char *file;        /* its path without what follows the ':' of arrays */
    const char *inner; /* what follows it, or NULL */
    const sri_format *format;
    sri_stream *stream; /* as UTF-8 where it is text */
    sri_stream *raw;    /* what that one reads from; NULL: the same */
    sri_recoder *recoder;
} sri_content;

/* `copy` is a descriptor of a copy of what the path gives, which is read from its start in place of
 * it; -1: none.  sri_content_close must follow in every case. */
specreg_status sri_content_open(specreg_context *ctx, const char *path, int copy,
                                const specreg_options *options, sri_content *out);
void sri_content_close(sri_content *c);
/* What reading adds to any format: columns that --categorical names, the source, the format. */
specreg_status sri_content_finish(specreg_context *ctx, const sri_content *c, const char *path,
                                  const specreg_options *options, specreg_table *t);
/* labelled.c: puts the rows of --labels FILE beside those of a table, as its last column. */
specreg_status sri_table_label(specreg_context *ctx, specreg_table *t, const specreg_table *labels);
/* The file that --labels names; "": none.  With documents it says how labels are written. */
const char *sri_labels_file(const specreg_options *options);
/* The options for the file of labels, which has neither labels nor their format. */
specreg_status sri_options_for_labels(specreg_context *ctx, const specreg_options *options,
                                      specreg_options **out);
/* By the name of a file that is to be written. */
specreg_status sri_format_to_write(specreg_context *ctx, const char *path, const sri_format **out);
/* What a table may take: --memory, or what is free. */
specreg_status sri_read_limit(specreg_context *ctx, const specreg_options *options,
                              int64_t *memory);

extern const sri_format sri_format_csv, sri_format_libsvm, sri_format_npy, sri_format_npz,
    sri_format_hdf5, sri_format_idx, sri_format_text, sri_format_vtk;

#endif
