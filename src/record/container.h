/* The model file's outer form: the safetensors layout.
 *
 *     8 bytes, little-endian: length of the header
 *     JSON header: name -> {dtype, shape, data_offsets}, and "__metadata__": name -> text
 *     the tensors' bytes, little-endian, 8-byte aligned
 *
 * The metadata hold "format" = "specreg", "format_version", and "checksum", which covers the
 * metadata and the tensors: XXH3-128 of the whole file with the checksum's own digits as '0'. */
#ifndef SRI_RECORD_CONTAINER_H
#define SRI_RECORD_CONTAINER_H

#include "core/text.h"

enum { SRI_FORMAT_VERSION = 2 };

/* Texts by name. */
typedef struct sri_metadata {
    void *texts; /* a JSON object; NULL: none */
} sri_metadata;

/* NULL: there is none of that name. */
const char *sri_metadata_get(const sri_metadata *metadata, const char *name);
/* In place of one of that name; NULL: takes it out. */
specreg_status sri_metadata_set(specreg_context *ctx, sri_metadata *metadata, const char *name,
                                const char *text);
void sri_metadata_free(sri_metadata *metadata);

typedef struct sri_tensor {
    const char *name;
    const double *data; /* row-major */
    int64_t rows, cols;
} sri_tensor;

/* Writes tensors and metadata (NULL: none) through sri_output: atomically.  The three names above
 * are set here, whatever `metadata` says of them. */
specreg_status sri_container_write(specreg_context *ctx, const char *path,
                                   const sri_metadata *metadata, const sri_tensor *tensors,
                                   int count);

/* The same bytes, uncompressed, in memory. */
specreg_status sri_container_print(specreg_context *ctx, const sri_metadata *metadata,
                                   const sri_tensor *tensors, int count, sri_buffer *out);

/* Where a tensor lies among the bytes of all of them. */
typedef struct sri_extent {
    const char *name; /* the header's */
    uint64_t begin, end;
    int64_t rows, cols;
} sri_extent;

typedef struct sri_container {
    void *header; /* a JSON object */
    sri_metadata metadata;
    int version;
    sri_extent *tensor;
    int64_t tensors;
    char *bytes; /* the whole file          */
    size_t size;
    const char *data; /* where the tensors begin */
    char *path;
} sri_container;

/* Reads and checks everything: length, JSON, version, offsets, shapes, checksum.  Each failure is
 * one line that begins with the path. */
specreg_status sri_container_read(specreg_context *ctx, const char *path, sri_container *out);
/* The same from memory: `bytes`, from sri_alloc(), belong to the container from here on, and are
 * freed on failure too.  `path` is for messages. */
specreg_status sri_container_parse(specreg_context *ctx, char *bytes, size_t size, const char *path,
                                   sri_container *out);
/* Whether the first bytes of a file (16 or more) begin like a model file. */
bool sri_container_looks(const char *head, size_t length);
void sri_container_free(sri_container *c);
bool sri_container_has(const sri_container *c, const char *tensor);
/* A copy of a tensor of F64 numbers, 2-D, newly allocated. */
specreg_status sri_container_tensor(specreg_context *ctx, const sri_container *c, const char *name,
                                    double **data, int64_t *rows, int64_t *cols);

#endif
