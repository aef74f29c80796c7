#include "data/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/rng.h"

void sri_splits_free(sri_splits *splits)
{
    for (int64_t s = 0; splits->split && s < splits->count; s++) {
        free(splits->split[s].validate);
        free(splits->split[s].train);
    }
    free(splits->split);
    *splits = (sri_splits){0};
}

/* `order` grouped by class, the order within a class as it was: a counting sort. */
static specreg_status group_by_class(specreg_context *ctx, int64_t n, const int32_t *classes,
                                     int64_t n_classes, int64_t *order)
{
    specreg_status st = SPECREG_OK;
    int64_t *next = NULL, *grouped = NULL;
    SRI_CALLOC(ctx, next, n_classes, 1);
    SRI_ALLOC(ctx, grouped, n, 1);
    for (int64_t i = 0; i < n; i++) {
        SRI_REQUIRE(ctx, classes[i] >= 0 && classes[i] < n_classes, SPECREG_E_ARG,
                    "row %lld: class %d of %lld", (long long)i + 1, (int)classes[i],
                    (long long)n_classes);
        next[classes[i]]++;
    }
    for (int64_t c = 0, at = 0; c < n_classes; c++) {
        const int64_t count = next[c];
        next[c] = at;
        at += count;
    }
    for (int64_t i = 0; i < n; i++)
        grouped[next[classes[order[i]]]++] = order[i];
    memcpy(order, grouped, (size_t)n * sizeof *order);
done:
    free(grouped);
    free(next);
    return st;
}

/* All rows in random order, grouped by class where there are classes.  Rows dealt out along this
 * order at equal distances give every part its share of every class. */
static specreg_status random_order(specreg_context *ctx, int64_t n, const int32_t *classes,
                                   int64_t n_classes, sri_rng *rng, int64_t **out)
{
    specreg_status st = SPECREG_OK;
    int64_t *order = NULL;
    *out = NULL;
    SRI_ALLOC(ctx, order, n, 1);
    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    sri_rng_shuffle(rng, order, n);
    if (classes)
        SRI_TRY(group_by_class(ctx, n, classes, n_classes, order));
    *out = order;
    order = NULL;
done:
    free(order);
    return st;
}

/* The split that validates on the rows with part[i] == which, and trains on the others. */
static specreg_status split_make(specreg_context *ctx, const int64_t *part, int64_t n,
                                 int64_t which, sri_split *out)
{
    specreg_status st = SPECREG_OK;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        count += part[i] == which;
    SRI_ALLOC(ctx, out->validate, count, 1);
    SRI_ALLOC(ctx, out->train, n - count, 1);
    for (int64_t i = 0; i < n; i++)
        if (part[i] == which)
            out->validate[out->n_validate++] = i;
        else
            out->train[out->n_train++] = i;
done:
    return st;
}

static specreg_status splits_make(specreg_context *ctx, const int64_t *part, int64_t n,
                                  int64_t count, sri_splits *out)
{
    specreg_status st = SPECREG_OK;
    SRI_CALLOC(ctx, out->split, count, 1);
    out->count = count;
    for (int64_t s = 0; s < count; s++)
        SRI_TRY(split_make(ctx, part, n, s, &out->split[s]));
done:
    if (st != SPECREG_OK)
        sri_splits_free(out);
    return st;
}

specreg_status sri_splits_kfold(specreg_context *ctx, int64_t n, int64_t k, const int32_t *classes,
                                int64_t n_classes, uint64_t seed, sri_splits *out)
{
    specreg_status st = SPECREG_OK;
    int64_t *order = NULL, *part = NULL;
    sri_rng rng = sri_rng_make(seed, SRI_STREAM_FOLDS);
    *out = (sri_splits){0};
    SRI_REQUIRE(ctx, k >= 2, SPECREG_E_ARG, "kfold: k=%lld, at least two folds are needed",
                (long long)k);
    SRI_REQUIRE(ctx, k <= n, SPECREG_E_ARG, "kfold: k=%lld folds are more than the %lld rows",
                (long long)k, (long long)n);
    SRI_TRY(random_order(ctx, n, classes, n_classes, &rng, &order));
    SRI_ALLOC(ctx, part, n, 1);
    for (int64_t i = 0; i < n; i++)
        part[order[i]] = i % k;
    SRI_TRY(splits_make(ctx, part, n, k, out));
done:
    free(part);
    free(order);
    return st;
}

specreg_status sri_splits_holdout(specreg_context *ctx, int64_t n, double fraction,
                                  const int32_t *classes, int64_t n_classes, uint64_t seed,
                                  sri_splits *out)
{
    specreg_status st = SPECREG_OK;
    int64_t *order = NULL, *part = NULL;
    sri_rng rng = sri_rng_make(seed, SRI_STREAM_HOLDOUT);
    *out = (sri_splits){0};
    SRI_REQUIRE(ctx, fraction > 0 && fraction < 1, SPECREG_E_ARG,
                "holdout: fraction=%g is not between 0 and 1", fraction);
    SRI_REQUIRE(ctx, n >= 2, SPECREG_E_ARG, "holdout: %lld row%s cannot be divided", (long long)n,
                n == 1 ? "" : "s");
    SRI_TRY(random_order(ctx, n, classes, n_classes, &rng, &order));
    SRI_ALLOC(ctx, part, n, 1);
    int64_t held = (int64_t)round(fraction * (double)n);
    held = held < 1 ? 1 : held > n - 1 ? n - 1 : held;
    /* `held` of the n places at equal distances from a random start, so that no class is favoured.
     */
    const int64_t start = sri_rng_below(&rng, n);
    for (int64_t i = 0; i < n; i++)
        part[order[i]] = (start + (i + 1) * held) / n > (start + i * held) / n ? 0 : 1;
    SRI_TRY(splits_make(ctx, part, n, 1, out));
done:
    free(part);
    free(order);
    return st;
}
