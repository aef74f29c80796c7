/* Regular grids of points in the plane or in space: `x0:x1:nx,y0:y1:ny[,z0:z1:nz]`. */
#ifndef SRI_DATA_GRID_POINTS_H
#define SRI_DATA_GRID_POINTS_H

#include "data/table.h"

typedef struct sri_grid_spec {
    int axes;                  /* 2 or 3                                         */
    int64_t count[3];          /* 1 where there is no axis                       */
    double origin[3], last[3]; /* 0 where there is no axis                       */
    double spacing[3];         /* (last - origin) / (count - 1); 1 for one point */
} sri_grid_spec;

/* `what` names the option in messages.  Ends must rise, but for an axis of one point, which is its
 * first end. */
specreg_status sri_grid_parse(specreg_context *ctx, const char *what, const char *text,
                              sri_grid_spec *out);
/* How many points it has. */
int64_t sri_grid_count(const sri_grid_spec *grid);
/* The points, one a row, the first coordinate running fastest; `names` has one per axis. */
specreg_status sri_grid_points(specreg_context *ctx, const sri_grid_spec *grid,
                               const char *const *names, specreg_table **out);

#endif
