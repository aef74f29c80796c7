#include "coding/coding.h"

static int64_t ova_width(int64_t n_classes)
{
    return n_classes == 2 ? 1 : n_classes;
}

/* With two classes the one column says +1 for class 1. */
static void ova_encode(const int32_t *classes, int64_t n, int64_t n_classes, double *Y)
{
    const int64_t width = ova_width(n_classes), first = n_classes == 2;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < width; c++)
            Y[i * width + c] = classes[i] == first + c ? 1.0 : -1.0;
}

static void ova_scores(const double *outputs, int64_t n_classes, double *scores)
{
    if (n_classes == 2) {
        const double f = outputs[0];
        scores[0] = -f;
        scores[1] = f;
        return;
    }
    for (int64_t c = 0; c < n_classes; c++)
        scores[c] = outputs[c];
}

const sri_coding sri_coding_ova = {
    .name = "ova",
    .width = ova_width,
    .encode = ova_encode,
    .scores = ova_scores,
};
