/* Sums as files, so that several computers, later rows and rows to be taken back can share
 * them.
 *
 * A basis fixes the coordinates: the rows of a first look, as the file they were read from, and
 * the options; encoder, scaling, kernels and centres follow from these.  A sums file has the
 * whole basis in it, the sums for each kernel, and a digest of every block of rows that was
 * added. */
#ifndef SRI_SUMS_STORE_H
#define SRI_SUMS_STORE_H

#include "core/digest.h"
#include "core/options.h"
#include "sums/sums.h"

typedef struct sri_sums_basis {
    char *options; /* NAME=VALUE, a line each                            */
    char *name;    /* of the file with the first rows, for its format    */
    char *rows;    /* that file's content                                */
    int64_t size;
} sri_sums_basis;

/* The options that are set, as such lines, newly allocated; and back into options, those that
 * are set there already staying as they are.  Threads, memory and other limits of a call are not
 * among them; options that name files are refused. */
specreg_status sri_sums_basis_options_text(specreg_context *ctx, const specreg_options *options,
                                           char **out);
specreg_status sri_sums_basis_options_set(specreg_context *ctx, const sri_sums_basis *basis,
                                          specreg_options *options);
/* Reads the file of the first rows. */
specreg_status sri_sums_basis_make(specreg_context *ctx, const char *path,
                                   const specreg_options *options, sri_sums_basis *out);
specreg_status sri_sums_basis_write(specreg_context *ctx, const sri_sums_basis *basis,
                                    const char *path);
specreg_status sri_sums_basis_read(specreg_context *ctx, const char *path, sri_sums_basis *out);
void sri_sums_basis_free(sri_sums_basis *basis);

typedef struct sri_stored_sums {
    sri_sums_basis basis;
    int64_t kernels;
    sri_sums *sums;    /* of each kernel                    */
    sri_digest *block; /* blocks that were added, ascending */
    int64_t blocks;
} sri_stored_sums;

specreg_status sri_stored_write(specreg_context *ctx, sri_stored_sums *stored, const char *path);
specreg_status sri_stored_read(specreg_context *ctx, const char *path, sri_stored_sums *out);
/* Adds other sums of the same basis, or takes them away (sign -1).  Blocks that are there twice, or
 * not there, are an error; `name` is the file of the others. */
specreg_status sri_stored_join(specreg_context *ctx, sri_stored_sums *stored,
                               const sri_stored_sums *other, int sign, const char *name);
void sri_stored_free(sri_stored_sums *stored);
#endif
