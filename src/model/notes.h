/* What a person should know about a fit, beyond its numbers. */
#ifndef SRI_MODEL_NOTES_H
#define SRI_MODEL_NOTES_H

#include "model/report.h"

/* How the search went: what gave way, what was left out. */
void sri_notes_search(specreg_context *ctx, const sri_search_result *result, sri_notes *notes);
/* A choice at the edge of its range, targets far from 0, numbers that look like classes. */
void sri_notes_fit(specreg_context *ctx, const sri_prepared *p, const sri_search_result *result,
                   sri_notes *notes);

#endif
