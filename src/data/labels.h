/* Finding a label among known ones, by its text or by its value: "1", "1.0" and the number 1 are
 * the same label unless each of them is a label of its own. */
#ifndef SRI_DATA_LABELS_H
#define SRI_DATA_LABELS_H

#include "core/arena.h"
#include "data/table.h"

typedef struct sri_labels {
    const sri_texts *texts;        /* the labels; not owned */
    struct sri_label_value *value; /* those that are numbers, sorted */
    int64_t n_values;
} sri_labels;

/* `texts` must outlive the labels. */
specreg_status sri_labels_make(specreg_context *ctx, sri_arena *scratch, const sri_texts *texts,
                               sri_labels *out);
/* The label's index, or -1. */
int32_t sri_labels_find_text(const sri_labels *labels, const char *text);
int32_t sri_labels_find_number(const sri_labels *labels, double x);

#endif
