/* --unlabelled and --laplacian: rows without targets in a fit. */
#ifndef SRI_MODEL_SEMI_H
#define SRI_MODEL_SEMI_H

#include "model/prepare.h"
#include "model/report.h"

/* Reads the rows without targets and adds them to the problem; nothing where none are given. */
specreg_status sri_semi_attach(specreg_context *ctx, sri_prepared *p);
/* The search, for every strength of the graph: the best of them. */
specreg_status sri_semi_search(specreg_context *ctx, sri_prepared *p, sri_search_result *out);
/* All points become the centres of the model. */
specreg_status sri_semi_centres(specreg_context *ctx, sri_prepared *p);
/* What was made of them, with notes for people. */
specreg_status sri_semi_report_make(specreg_context *ctx, const sri_prepared *p,
                                    sri_fit_report *report);
void sri_semi_free(sri_semi *semi);

#endif
