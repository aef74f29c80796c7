#include "coding/coding.h"

#include <string.h>

#include "core/text.h"

static const sri_coding *const codings[] = {&sri_coding_ova};
enum { N_CODINGS = sizeof codings / sizeof codings[0] };

const sri_coding *sri_coding_find(specreg_context *ctx, const char *name)
{
    const char *known[N_CODINGS];
    for (int i = 0; i < N_CODINGS; i++) {
        if (strcmp(codings[i]->name, name) == 0)
            return codings[i];
        known[i] = codings[i]->name;
    }
    sri_fail_unknown(ctx, "coding", name, known, N_CODINGS);
    return NULL;
}

int32_t sri_decode(const sri_coding *coding, const double *outputs, int64_t n_classes,
                   double *scores)
{
    int64_t best = 0;
    coding->scores(outputs, n_classes, scores);
    for (int64_t c = 1; c < n_classes; c++)
        if (scores[c] > scores[best])
            best = c;
    return (int32_t)best;
}
