/* What the reading and the writing half of the HDF5 format share.  Only for builds with HDF5. */
#ifndef SRI_DATA_IO_HDF5_H
#define SRI_DATA_IO_HDF5_H

#include <hdf5.h>

#include "data/io/array.h"

/* HDF5 prints errors by itself and, as most builds of it are, must not be used by two threads at
 * once.  Between these two calls it is silent and ours. */
typedef struct sri_hdf5_quiet {
    H5E_auto2_t print;
    void *payload;
} sri_hdf5_quiet;
/* The name of a file in memory: HDF5 wants one, and takes offence when such a file exists. */
#define SRI_HDF5_NO_FILE "/dev/null/memory"
void sri_hdf5_enter(sri_hdf5_quiet *before);
void sri_hdf5_leave(const sri_hdf5_quiet *before);

specreg_status sri_hdf5_write(specreg_context *ctx, const specreg_table *t, sri_output *output);

#endif
