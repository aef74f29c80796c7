/* The rows with the least hashes: a sample that depends on the seed and the rows' numbers only, not
 * on how many threads or machines look for it. */
#include <stdlib.h>

#include "core/memory.h"
#include "core/rng.h"
#include "data/blocks_kind.h"

typedef struct sri_least_row least_row;

int sri_by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t hash_of(const sri_sample_rows *which, int64_t row)
{
    sri_rng r = sri_rng_make(which->seed, SRI_STREAM_SAMPLE);
    if (which->n_listed &&
        bsearch(&row, which->listed, (size_t)which->n_listed, sizeof *which->listed, sri_by_number))
        return 0;
    r.counter = (uint64_t)row;
    return sri_rng_next(&r);
}

specreg_status sri_least_begin(specreg_context *ctx, const sri_sample_rows *which, int64_t most,
                               sri_least *out)
{
    *out = (sri_least){.which = which, .most = most};
    SRI_NEW(ctx, out->heap, most, 1);
    return SPECREG_OK;
}

/* Equal hashes: the row that comes first is the lesser one. */
static bool is_less(least_row a, least_row b)
{
    return a.hash < b.hash || (a.hash == b.hash && a.row < b.row);
}

/* Lets the entry at the top sink to its place. */
static void sink(least_row *heap, int64_t count)
{
    const least_row moved = heap[0];
    int64_t at = 0;
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_less(heap[child], heap[child + 1]))
            child++;
        if (!is_less(moved, heap[child]))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static void rise(least_row *heap, int64_t at)
{
    const least_row moved = heap[at];
    for (int64_t parent; at > 0 && is_less(heap[parent = (at - 1) / 2], moved); at = parent)
        heap[at] = heap[parent];
    heap[at] = moved;
}

bool sri_least_offer(sri_least *l, int64_t row)
{
    const least_row offered = {hash_of(l->which, row), row};
    if (l->count < l->most) {
        l->heap[l->count] = offered;
        rise(l->heap, l->count++);
        return true;
    }
    if (l->count == 0 || !is_less(offered, l->heap[0]))
        return false;
    l->heap[0] = offered;
    sink(l->heap, l->count);
    return true;
}

void sri_least_rows(sri_least *l, int64_t *row)
{
    for (int64_t i = 0; i < l->count; i++)
        row[i] = l->heap[i].row;
    if (l->count > 1)
        qsort(row, (size_t)l->count, sizeof *row, sri_by_number);
}

void sri_least_free(sri_least *l)
{
    sri_free(l->heap);
    l->heap = NULL;
}
