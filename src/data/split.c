#include "data/split.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/arena.h"

void sri_splits_free(sri_splits *splits)
{
    for (int64_t s = 0; splits->split && s < splits->count; s++) {
        sri_free(splits->split[s].validate);
        sri_free(splits->split[s].train);
    }
    sri_free(splits->split);
    *splits = (sri_splits){0};
}

/* `order` grouped by class, the order within a class as it was: a counting sort. */
static specreg_status group_by_class(specreg_context *ctx, const sri_strata *s, int64_t *order)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    int64_t *next, *grouped;
    SRI_SCRATCH_ZERO(ctx, &scratch, next, s->n_classes, 1);
    SRI_SCRATCH(ctx, &scratch, grouped, s->n, 1);
    for (int64_t i = 0; i < s->n; i++)
        next[s->classes[i]]++;
    for (int64_t c = 0, at = 0; c < s->n_classes; c++) {
        const int64_t count = next[c];
        next[c] = at;
        at += count;
    }
    for (int64_t i = 0; i < s->n; i++)
        grouped[next[s->classes[order[i]]]++] = order[i];
    memcpy(order, grouped, (size_t)s->n * sizeof *order);
done:
    sri_arena_free(&scratch);
    return st;
}

/* All rows in random order, grouped by class where there are classes.  Rows dealt out along this
 * order at equal distances give every part its share of every class. */
static specreg_status random_order(specreg_context *ctx, const sri_strata *s, sri_rng *rng,
                                   int64_t *order)
{
    for (int64_t i = 0; i < s->n; i++)
        order[i] = i;
    sri_rng_shuffle(rng, order, s->n);
    return s->classes ? group_by_class(ctx, s, order) : SPECREG_OK;
}

/* Every row has a group and a class that are there. */
static specreg_status check_rows(specreg_context *ctx, const sri_strata *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        SRI_CHECK(ctx, !s->group || (s->group[i] >= 0 && s->group[i] < s->n_groups), SPECREG_E_ARG,
                  "row %lld: group %d of %lld", (long long)i + 1, (int)s->group[i],
                  (long long)s->n_groups);
        SRI_CHECK(ctx, !s->classes || (s->classes[i] >= 0 && s->classes[i] < s->n_classes),
                  SPECREG_E_ARG, "row %lld: class %d of %lld", (long long)i + 1, (int)s->classes[i],
                  (long long)s->n_classes);
    }
    return SPECREG_OK;
}

static specreg_status check_folds(specreg_context *ctx, const sri_strata *s, int64_t k)
{
    SRI_CHECK(ctx, !s->group || s->n_groups > 1, SPECREG_E_SHAPE,
              "kfold: all rows are of one group: none can be held out");
    SRI_CHECK(ctx, k >= 2, SPECREG_E_ARG, "kfold: k=%lld, at least two folds are needed",
              (long long)k);
    SRI_CHECK(ctx, k <= sri_strata_units(s), SPECREG_E_SHAPE,
              "kfold: k=%lld folds are more than the %lld %s", (long long)k,
              (long long)sri_strata_units(s), s->group ? "groups" : "rows");
    return SPECREG_OK;
}

specreg_status sri_folds_deal(specreg_context *ctx, const sri_strata *s, int64_t k, int64_t repeat,
                              int32_t *fold)
{
    specreg_status st = SPECREG_OK;
    int64_t *order = NULL;
    sri_rng rng = sri_rng_make(s->seed, SRI_STREAM_FOLDS | (uint64_t)repeat << 32);
    SRI_TRY(check_folds(ctx, s, k));
    SRI_TRY(check_rows(ctx, s));
    if (s->group)
        return sri_groups_deal(ctx, s, k, &rng, fold);
    SRI_ALLOC(ctx, order, s->n, 1);
    SRI_TRY(random_order(ctx, s, &rng, order));
    for (int64_t i = 0; i < s->n; i++)
        fold[order[i]] = (int32_t)(i % k);
done:
    sri_free(order);
    return st;
}

/* Adds the split that validates on the rows with part[i] == which, and trains on the others. */
static specreg_status split_add(specreg_context *ctx, const int32_t *part, int64_t n, int64_t which,
                                sri_splits *out)
{
    sri_split *split = &out->split[out->count++];
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        count += part[i] == which;
    SRI_NEW(ctx, split->validate, count, 1);
    SRI_NEW(ctx, split->train, n - count, 1);
    for (int64_t i = 0; i < n; i++)
        if (part[i] == which)
            split->validate[split->n_validate++] = i;
        else
            split->train[split->n_train++] = i;
    return SPECREG_OK;
}

specreg_status sri_splits_kfold(specreg_context *ctx, const sri_strata *s, int64_t k,
                                int64_t repeats, sri_splits *out)
{
    specreg_status st = SPECREG_OK;
    int32_t *fold = NULL;
    *out = (sri_splits){0};
    SRI_TRY(check_folds(ctx, s, k));
    SRI_ALLOC(ctx, fold, s->n, 1);
    SRI_CALLOC(ctx, out->split, k, repeats);
    for (int64_t r = 0; r < repeats; r++) {
        SRI_TRY(sri_folds_deal(ctx, s, k, r, fold));
        for (int64_t f = 0; f < k; f++)
            SRI_TRY(split_add(ctx, fold, s->n, f, out));
    }
done:
    sri_free(fold);
    if (st != SPECREG_OK)
        sri_splits_free(out);
    return st;
}

/* 0 for the rows held out: places at equal distances from a random start, so that no class is
 * favoured. */
static specreg_status hold_rows(specreg_context *ctx, const sri_strata *s, double fraction,
                                sri_rng *rng, int32_t *part)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = s->n;
    int64_t *order = NULL;
    SRI_ALLOC(ctx, order, n, 1);
    SRI_TRY(random_order(ctx, s, rng, order));
    int64_t held_out = (int64_t)round(fraction * (double)n);
    held_out = held_out < 1 ? 1 : held_out > n - 1 ? n - 1 : held_out;
    const int64_t start = sri_rng_below(rng, n);
    for (int64_t i = 0; i < n; i++)
        part[order[i]] = (start + (i + 1) * held_out) / n > (start + i * held_out) / n ? 0 : 1;
done:
    sri_free(order);
    return st;
}

specreg_status sri_splits_holdout(specreg_context *ctx, const sri_strata *s, double fraction,
                                  sri_splits *out)
{
    specreg_status st = SPECREG_OK;
    int32_t *part = NULL;
    sri_rng rng = sri_rng_make(s->seed, SRI_STREAM_HOLDOUT);
    *out = (sri_splits){0};
    SRI_REQUIRE(ctx, fraction > 0 && fraction < 1, SPECREG_E_ARG,
                "holdout: fraction=%g is not between 0 and 1", fraction);
    SRI_REQUIRE(ctx, s->n >= 2, SPECREG_E_ARG, "holdout: %lld row%s cannot be divided",
                (long long)s->n, s->n == 1 ? "" : "s");
    SRI_REQUIRE(ctx, !s->group || s->n_groups > 1, SPECREG_E_SHAPE,
                "holdout: all rows are of one group: none can be held out");
    SRI_TRY(check_rows(ctx, s));
    SRI_ALLOC(ctx, part, s->n, 1);
    SRI_TRY((s->group ? sri_groups_hold : hold_rows)(ctx, s, fraction, &rng, part));
    SRI_CALLOC(ctx, out->split, 1, 1);
    SRI_TRY(split_add(ctx, part, s->n, 0, out));
done:
    sri_free(part);
    if (st != SPECREG_OK)
        sri_splits_free(out);
    return st;
}

/* The first class that `split` holds out altogether, or -1; `rows` takes a count of each. */
static int64_t class_held_out(const sri_strata *s, const sri_split *split, int64_t *rows)
{
    memset(rows, 0, (size_t)s->n_classes * sizeof *rows);
    for (int64_t i = 0; i < split->n_validate; i++)
        rows[s->classes[split->validate[i]]]++;
    for (int64_t i = 0; i < split->n_train; i++)
        rows[s->classes[split->train[i]]] = 0;
    for (int64_t c = 0; c < s->n_classes; c++)
        if (rows[c] > 0)
            return c;
    return -1;
}

static bool divides_a_group(const sri_strata *s, const sri_split *split, bool *trains)
{
    memset(trains, 0, (size_t)s->n_groups * sizeof *trains);
    for (int64_t i = 0; i < split->n_train; i++)
        trains[s->group[split->train[i]]] = true;
    for (int64_t i = 0; i < split->n_validate; i++)
        if (trains[s->group[split->validate[i]]])
            return true;
    return false;
}

specreg_status sri_splits_check(specreg_context *ctx, const char *what, const sri_strata *s,
                                char *const *label, const sri_splits *splits)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    int64_t *rows;
    bool *trains;
    SRI_SCRATCH(ctx, &scratch, rows, s->n_classes, 1);
    SRI_SCRATCH(ctx, &scratch, trains, s->n_groups, 1);
    for (int64_t i = 0; i < splits->count; i++) {
        const int64_t c = s->classes ? class_held_out(s, &splits->split[i], rows) : -1;
        SRI_REQUIRE(ctx, c < 0, SPECREG_E_SHAPE,
                    "%s: split %lld of %lld holds out all rows of class '%s' (%lld): take fewer "
                    "folds or another --seed%s, or leave the class out",
                    what, (long long)i + 1, (long long)splits->count, label[c], (long long)rows[c],
                    strcmp(what, "select") == 0 ? ", or --select loo" : "");
        SRI_REQUIRE(ctx, !s->group || !divides_a_group(s, &splits->split[i], trains),
                    SPECREG_E_SHAPE,
                    "%s: split %lld of %lld trains on a part of a group and holds "
                    "out the rest",
                    what, (long long)i + 1, (long long)splits->count);
    }
done:
    sri_arena_free(&scratch);
    return st;
}
