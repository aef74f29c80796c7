/* Whether a search by a rule is refused: one kernel, nothing but the problem and the filter. */
#ifndef SRI_TESTS_SEARCH_CHECK_H
#define SRI_TESTS_SEARCH_CHECK_H

#include "select/search.h"

static inline specreg_status search_check(specreg_context *ctx, const sri_rule *rule,
                                          const sri_problem *problem, const sri_filter *filter)
{
    static const sri_points none = {0};
    static const sri_kernel_grid one_kernel = {0};
    const sri_search_spec spec = {.grid = &one_kernel, .rule = rule, .filter = filter};
    sri_problem p = *problem;
    p.points = p.points ? p.points : &none;
    return sri_search_check(ctx, &p, &spec);
}

#endif
