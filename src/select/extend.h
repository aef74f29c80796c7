/* A best value that is the last of its grid: where to look next. */
#ifndef SRI_SELECT_EXTEND_H
#define SRI_SELECT_EXTEND_H

#include "select/search.h"

/* The winner's kernel with a parameter one step beyond all that were tried; false: no need. */
bool sri_extend_kernel(const sri_search_spec *spec, const sri_search_result *result,
                       sri_kernel *next);
/* More values beyond the winner's end of its path, smooth to rough; none: no need.  Each end of a
 * kernel's path is extended once. */
specreg_status sri_extend_path(specreg_context *ctx, const sri_search_spec *spec,
                               const sri_search_result *result, sri_values *next);

#endif
