/* The median of each parameter that several searches chose. */
#ifndef SRI_SELECT_MEDIANS_H
#define SRI_SELECT_MEDIANS_H

#include "filter/filter.h"
#include "kernel/kernel.h"

enum { SRI_MOST_CHOICES = 5 };

typedef struct sri_chosen {
    int64_t count;
    sri_kernel kernel[SRI_MOST_CHOICES];
    sri_filter filter[SRI_MOST_CHOICES];
    double param[SRI_MOST_CHOICES];
} sri_chosen;

/* Of the kernels of the family that was chosen most often; a filter's words and the rule of its
 * step must be the same everywhere. */
specreg_status sri_medians(specreg_context *ctx, const sri_chosen *chosen, sri_kernel *kernel,
                           sri_filter *filter, double *param);

#endif
