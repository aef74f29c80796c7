/* The files of --outputs. */
#ifndef SRI_MODEL_OUTPUTS_FILE_H
#define SRI_MODEL_OUTPUTS_FILE_H

#include "kernel/kernel.h"

/* Reads the files, for T outputs (or tasks: `what`) and p features, and makes the matrices. */
specreg_status sri_outputs_load(specreg_context *ctx, sri_kernel_grid *grid, const char *what,
                                int64_t T, int64_t p);

#endif
