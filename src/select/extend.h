/* A best value that is the last of its grid: where to look next. */
#ifndef SRI_SELECT_EXTEND_H
#define SRI_SELECT_EXTEND_H

#include "select/search.h"

/* The winner's kernel with a parameter one step beyond all that were tried; false: no need, or the
 * kernel does not take it. */
bool sri_extend_kernel(specreg_context *ctx, const sri_search_spec *spec, const sri_points *points,
                       const sri_search_result *result, sri_kernel *next);
/* More values beyond the winner's end of its path, smooth to rough; none: no need.  A kernel's path
 * is extended once, and not for rules that look at it as a whole. */
specreg_status sri_extend_path(specreg_context *ctx, const sri_search_spec *spec,
                               const sri_search_result *result, sri_values *next);

#endif
