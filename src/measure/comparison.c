#include "measure/comparison.h"

#include "core/memory.h"

specreg_status sri_comparison_decode(specreg_context *ctx, unsigned uses, sri_comparison *p)
{
    specreg_status st = SPECREG_OK;
    const int64_t k = p->n_classes;
    const bool keeps_scores = (uses & SRI_USES_SCORES) && !p->scores;
    const bool keeps_labels = (uses & SRI_USES_LABELS) && !p->label;
    double *one = NULL; /* the scores of one row, where they are not kept */
    if (!keeps_scores && !keeps_labels)
        return st;
    SRI_ALLOC(ctx, one, k, 1);
    if (keeps_scores)
        SRI_ALLOC(ctx, p->scores, p->n, k);
    if (keeps_labels)
        SRI_ALLOC(ctx, p->label, p->n, 1);
    for (int64_t i = 0; i < p->n; i++) {
        double *scores = keeps_scores ? p->scores + i * k : one;
        const int32_t label = sri_decode(p->coding, sri_row_outputs(p, i), scores);
        if (keeps_labels)
            p->label[i] = label;
    }
done:
    sri_free(one);
    return st;
}

void sri_comparison_free(sri_comparison *p)
{
    sri_free(p->probability);
    sri_free(p->scores);
    sri_free(p->label);
    p->probability = p->scores = NULL;
    p->label = NULL;
}
