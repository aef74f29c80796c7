/* The writing half of the LIBSVM format. */
#ifndef SRI_DATA_IO_LIBSVM_WRITE_H
#define SRI_DATA_IO_LIBSVM_WRITE_H

#include "data/io/format.h"

specreg_status sri_libsvm_write(specreg_context *ctx, const specreg_table *table,
                                sri_output *output);

#endif
