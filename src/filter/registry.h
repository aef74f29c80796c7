#ifndef SRI_FILTER_REGISTRY_H
#define SRI_FILTER_REGISTRY_H

#include "filter/filter.h"

/* NULL when there is none of that name. */
const sri_filter_ops *sri_filter_builtin(const char *name);

#endif
