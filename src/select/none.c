/* No selection: every parameter must be a single value. */
#include "select/rule.h"

const sri_rule_ops sri_rule_none = {.name = "none", .by_sums = SRI_SUMS_NOTHING};
