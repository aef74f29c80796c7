/* Values on a regular grid as a VTK legacy text file (STRUCTURED_POINTS), which ParaView reads. */
#ifndef SRI_DATA_IO_VTK_WRITE_H
#define SRI_DATA_IO_VTK_WRITE_H

#include "data/grid_points.h"

typedef struct sri_vtk_vector { /* columns that are the components of one vector */
    const char *name;
    int64_t column[3];
    int count; /* 1 to 3; components that are not there are 0 */
} sri_vtk_vector;

/* Row r of `values` belongs to point r of sri_grid_points.  Columns of no vector become scalars
 * under their own names.  Texts and numbers that are not finite are errors. */
specreg_status sri_vtk_write(specreg_context *ctx, const sri_grid_spec *grid,
                             const specreg_table *values, const sri_vtk_vector *vectors,
                             int n_vectors, const char *path);

#endif
