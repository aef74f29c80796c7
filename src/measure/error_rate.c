/* The share of rows that are decoded to another class than theirs. */
#include "measure/confusion.h"
#include "measure/measure.h"

const sri_measure sri_measure_error_rate = {
    .info = {.name = "error_rate", .title = "error rate", .unit = "%", .line = 1},
    .uses = SRI_USES_LABELS,
    .suits = SRI_SUITS_CLASSES,
    .reports = SRI_IN_ALL,
    .losses = sri_losses_wrong,
};
