#include "data/labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

typedef struct sri_label_value {
    double value;
    bool plain; /* written as this program writes the number */
    int32_t index;
} sri_label_value;

/* By value; of several ways to write a number the plain one comes first, else the first label. */
static int by_value(const void *a, const void *b)
{
    const sri_label_value *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    if (x->plain != y->plain)
        return x->plain ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

specreg_status sri_labels_make(specreg_context *ctx, sri_arena *scratch, const sri_texts *texts,
                               sri_labels *out)
{
    char plain[32];
    *out = (sri_labels){.texts = texts};
    SRI_ARENA_NEW(ctx, scratch, out->value, texts->count, 1);
    for (int64_t k = 0; k < texts->count; k++) {
        const char *text = texts->text[k];
        double x;
        if (!sri_parse_double(text, strlen(text), &x) || isnan(x))
            continue;
        x += 0.0; /* -0 becomes 0 */
        out->value[out->n_values++] =
            (sri_label_value){x, strcmp(text, sri_format_double(x, plain)) == 0, (int32_t)k};
    }
    qsort(out->value, (size_t)out->n_values, sizeof *out->value, by_value);
    return SPECREG_OK;
}

int32_t sri_labels_find_number(const sri_labels *labels, double x)
{
    int64_t low = 0, high = labels->n_values; /* the first value >= x lies in low..high */
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (labels->value[middle].value < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low < labels->n_values && labels->value[low].value == x ? labels->value[low].index : -1;
}

int32_t sri_labels_find_text(const sri_labels *labels, const char *text)
{
    const size_t length = strlen(text);
    const int32_t code = sri_texts_find(labels->texts, text, length);
    double x;
    if (code >= 0 || !sri_parse_double(text, length, &x) || isnan(x))
        return code;
    return sri_labels_find_number(labels, x);
}
