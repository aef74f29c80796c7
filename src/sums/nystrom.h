/* The search where K~ = K_nm K_mm^-1 K_mn stands for the kernel matrix: coefficients belong to all
 * n rows, and predictions take the kernel itself. */
#ifndef SRI_SUMS_NYSTROM_H
#define SRI_SUMS_NYSTROM_H

#include "sums/search.h"

/* The spec's problem has all rows; its blocks and reader are not used.  Scores and held-out
 * residuals are those of K~, the winner's residuals those of the model. */
specreg_status sri_nystrom_search(specreg_context *ctx, const sri_sums_spec *spec,
                                  sri_search_result *out, sri_sums_facts *facts);

#endif
