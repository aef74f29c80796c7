/* The model file's outer form: the safetensors layout.
 *
 *     8 bytes, little-endian: length of the header
 *     JSON header: name -> {dtype, shape, data_offsets}, and "__metadata__": name -> text
 *     the tensors' bytes, little-endian, 8-byte aligned
 *
 * The metadata hold "format" = "specreg", "format_version", and "checksum", which covers the
 * metadata and the tensors: XXH3-128 of the whole file with the checksum's own digits as '0'. */
#ifndef SRI_MODEL_CONTAINER_H
#define SRI_MODEL_CONTAINER_H

#include <jansson.h>
#include <stdbool.h>

#include "core/context.h"

enum { SRI_FORMAT_VERSION = 1 };

typedef struct sri_tensor {
    const char *name;
    const double *data; /* row-major */
    int64_t rows, cols;
} sri_tensor;

/* Writes tensors and metadata (an object of texts; NULL: none) through sri_output: atomically.  The
 * three names above are set here, whatever `metadata` says of them. */
specreg_status sri_container_write(specreg_context *ctx, const char *path, const json_t *metadata,
                                   const sri_tensor *tensors, int count);

typedef struct sri_container {
    json_t *metadata; /* name -> text */
    json_t *tensors;  /* name -> {dtype, shape, data_offsets} */
    char *bytes;      /* the whole file          */
    size_t size;
    const char *data; /* where the tensors begin */
    char *path;
} sri_container;

/* Reads and checks everything: length, JSON, version, offsets, shapes, checksum.  Each failure is
 * one line that begins with the path. */
specreg_status sri_container_read(specreg_context *ctx, const char *path, sri_container *out);
/* The same from memory: `bytes`, from malloc(), belong to the container from here on, and are freed
 * on failure too.  `path` is for messages. */
specreg_status sri_container_parse(specreg_context *ctx, char *bytes, size_t size, const char *path,
                                   sri_container *out);
/* Whether the first bytes of a file (16 or more) begin like a model file. */
bool sri_container_looks(const char *head, size_t length);
void sri_container_free(sri_container *c);
/* A copy of a tensor of F64 numbers, 2-D, newly allocated. */
specreg_status sri_container_tensor(specreg_context *ctx, const sri_container *c, const char *name,
                                    double **data, int64_t *rows, int64_t *cols);

#endif
