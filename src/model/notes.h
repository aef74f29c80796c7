/* What a person should know about a fit, beyond its numbers. */
#ifndef SRI_MODEL_NOTES_H
#define SRI_MODEL_NOTES_H

#include "model/record.h"

/* Adds to the record's notes: a choice at the edge of its range, targets far from 0, numbers that
 * look like classes. */
void sri_notes_fit(json_t **record, const sri_prepared *p, const sri_search_result *result);

#endif
