/* Regular grids of points on a line, in the plane or in space: `x0:x1:nx[,y0:y1:ny[,z0:z1:nz]]`,
 * and tables of values on them. */
#ifndef SRI_DATA_GRID_POINTS_H
#define SRI_DATA_GRID_POINTS_H

#include "data/table.h"

typedef struct sri_grid_spec {
    int axes;                  /* 1 to 3                                         */
    int64_t count[3];          /* 1 where there is no axis                       */
    double origin[3], last[3]; /* 0 where there is no axis                       */
    double spacing[3];         /* (last - origin) / (count - 1); 1 for one point */
} sri_grid_spec;

typedef struct sri_grid_vector { /* columns that are the components of one vector */
    const char *name;            /* a static text                                 */
    int64_t column[3];
    int count; /* 1 to 3 */
} sri_grid_vector;

enum { SRI_GRID_VECTORS = 3 };

/* What a table on a grid has: row r belongs to point r of sri_grid_points. */
typedef struct sri_grid_values {
    sri_grid_spec spec;
    int64_t coordinates; /* its first columns are those of the points; 0: it has values only */
    int n_vectors;
    sri_grid_vector vector[SRI_GRID_VECTORS];
} sri_grid_values;

/* `what` names the option in messages.  Ends must rise, but for an axis of one point, which is its
 * first end. */
specreg_status sri_grid_parse(specreg_context *ctx, const char *what, const char *text,
                              sri_grid_spec *out);
/* How many points it has. */
int64_t sri_grid_count(const sri_grid_spec *grid);
/* The points, one a row, the first coordinate running fastest, as a table on that grid; `names` has
 * one per axis. */
specreg_status sri_grid_points(specreg_context *ctx, const sri_grid_spec *grid,
                               const char *const *names, specreg_table **out);
/* Says that a table, which has a row for each point, is on a grid; the values are copied. */
specreg_status sri_table_on_grid(specreg_context *ctx, specreg_table *table,
                                 const sri_grid_values *values);

#endif
