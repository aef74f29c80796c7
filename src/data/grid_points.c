#include "data/grid_points.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

enum { MOST_POINTS = 100000000 };

/* The next number of a text, up to one of the characters `ends`, where *s is then. */
static bool next_number(const char **s, const char *ends, double *out)
{
    const char *from = *s + strspn(*s, " ");
    const size_t length = strcspn(from, ends);
    size_t used = length;
    while (used > 0 && from[used - 1] == ' ')
        used--;
    *s = from + length;
    return used > 0 && sri_parse_double(from, used, out);
}

/* from:to:count, up to a comma or the end. */
static specreg_status parse_axis(specreg_context *ctx, const char *what, const char *text,
                                 const char **s, sri_grid_spec *g)
{
    const int length = (int)strcspn(*s, ","), axis = g->axes;
    const char *begin = *s;
    double part[3];
    for (int i = 0; i < 3; i++) {
        SRI_CHECK(ctx, next_number(s, ":,", &part[i]) && (i == 2 ? **s != ':' : **s == ':'),
                  SPECREG_E_ARG, "%s '%s': write '%.*s' as from:to:count", what, text, length,
                  begin);
        *s += i < 2;
    }
    SRI_CHECK(ctx, isfinite(part[0]) && isfinite(part[1]) && isfinite(part[1] - part[0]),
              SPECREG_E_ARG, "%s '%s': the ends of '%.*s' must be finite", what, text, length,
              begin);
    SRI_CHECK(ctx, part[2] >= 1 && part[2] <= MOST_POINTS && part[2] == floor(part[2]),
              SPECREG_E_ARG, "%s '%s': the count of '%.*s' must be a whole number from 1 to %d",
              what, text, length, begin, (int)MOST_POINTS);
    SRI_CHECK(ctx, part[0] < part[1] || part[2] == 1, SPECREG_E_ARG,
              "%s '%s': the second end of '%.*s' must be greater than the first", what, text,
              length, begin);
    const int64_t count = (int64_t)part[2];
    const double spacing = count > 1 ? (part[1] - part[0]) / (double)(count - 1) : 1;
    SRI_CHECK(ctx, count == 1 || (part[0] + spacing > part[0] && part[1] - spacing < part[1]),
              SPECREG_E_ARG, "%s '%s': the points of '%.*s' lie too close to be told apart", what,
              text, length, begin);
    g->count[axis] = count;
    g->origin[axis] = part[0];
    g->last[axis] = count > 1 ? part[1] : part[0];
    g->spacing[axis] = spacing;
    g->axes++;
    return SPECREG_OK;
}

specreg_status sri_grid_parse(specreg_context *ctx, const char *what, const char *text,
                              sri_grid_spec *out)
{
    sri_grid_spec g = {.count = {1, 1, 1}, .spacing = {1, 1, 1}};
    double points = 1;
    *out = (sri_grid_spec){0};
    for (const char *s = text;; s++) {
        SRI_CHECK(ctx, g.axes < 3, SPECREG_E_ARG, "%s '%s': a grid has at most three axes", what,
                  text);
        SRI_CALL(parse_axis(ctx, what, text, &s, &g));
        points *= (double)g.count[g.axes - 1];
        if (!*s)
            break;
    }
    SRI_CHECK(ctx, points <= MOST_POINTS, SPECREG_E_ARG,
              "%s '%s': these are %.3g points, at most %d", what, text, points, (int)MOST_POINTS);
    *out = g;
    return SPECREG_OK;
}

int64_t sri_grid_count(const sri_grid_spec *grid)
{
    return grid->count[0] * grid->count[1] * grid->count[2];
}

/* The last one is met to the last bit. */
static double coordinate(const sri_grid_spec *g, int axis, int64_t i)
{
    return i > 0 && i == g->count[axis] - 1 ? g->last[axis]
                                            : g->origin[axis] + (double)i * g->spacing[axis];
}

specreg_status sri_grid_points(specreg_context *ctx, const sri_grid_spec *grid,
                               const char *const *names, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = sri_grid_count(grid);
    const sri_grid_values values = {.spec = *grid, .coordinates = grid->axes};
    double *X = NULL;
    *out = NULL;
    SRI_ALLOC(ctx, X, n, grid->axes);
    for (int64_t r = 0; r < n; r++)
        for (int64_t axis = 0, rest = r; axis < grid->axes; rest /= grid->count[axis++])
            X[r * grid->axes + axis] = coordinate(grid, (int)axis, rest % grid->count[axis]);
    const specreg_view view = {.data = X, .rows = n, .cols = grid->axes, .ld = grid->axes};
    SRI_TRY(specreg_table_from_arrays(ctx, &view, names, NULL, NULL, out));
    SRI_TRY(sri_table_on_grid(ctx, *out, &values));
done:
    sri_free(X);
    if (st != SPECREG_OK) {
        specreg_table_free(*out);
        *out = NULL;
    }
    return st;
}

specreg_status sri_table_on_grid(specreg_context *ctx, specreg_table *table,
                                 const sri_grid_values *values)
{
    sri_grid_values *copy = NULL;
    SRI_NEW(ctx, copy, 1, 1);
    *copy = *values;
    sri_free(table->grid);
    table->grid = copy;
    return SPECREG_OK;
}
