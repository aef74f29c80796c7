#include "core/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/openmp.h"

enum { SERIAL = 100000 }; /* entries below which one thread is faster */

void sri_matrix_free(sri_matrix *m)
{
    sri_free(m->value);
    sri_free(m->index);
    sri_free(m->start);
    sri_free(m->x);
    *m = (sri_matrix){0};
}

void sri_matrix_delete(sri_matrix *m)
{
    if (m)
        sri_matrix_free(m);
    sri_free(m);
}

double sri_matrix_entry(const sri_matrix *m, int64_t i, int64_t j)
{
    if (m->x)
        return m->x[i * m->p + j];
    int64_t low = m->start[i], high = m->start[i + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (m->index[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->start[i + 1] && m->index[low] == j ? m->value[low] : 0;
}

sri_matrix sri_matrix_slice(const sri_matrix *m, int64_t first, int64_t count)
{
    sri_matrix part = *m;
    part.n = count;
    if (m->x)
        part.x += first * m->p;
    else
        part.start += first;
    return part;
}

int64_t sri_matrix_entries(const sri_matrix *m)
{
    return m->start ? m->start[m->n] - m->start[0] : m->n * m->p;
}

specreg_status sri_matrix_new_sparse(specreg_context *ctx, int64_t n, int64_t p, int64_t entries,
                                     sri_matrix *out)
{
    specreg_status st = SPECREG_OK;
    *out = (sri_matrix){.n = n, .p = p};
    SRI_CALLOC(ctx, out->start, n + 1, 1);
    SRI_ALLOC(ctx, out->index, entries, 1);
    SRI_ALLOC(ctx, out->value, entries, 1);
done:
    if (st != SPECREG_OK)
        sri_matrix_free(out);
    return st;
}

specreg_status sri_matrix_gather(specreg_context *ctx, const sri_matrix *m, const int64_t *rows,
                                 int64_t count, sri_matrix *out)
{
    specreg_status st = SPECREG_OK;
    int64_t entries = 0;
    *out = (sri_matrix){.n = count, .p = m->p};
    if (m->x) {
        SRI_ALLOC(ctx, out->x, count, m->p);
        for (int64_t i = 0; i < count; i++)
            memcpy(out->x + i * m->p, m->x + rows[i] * m->p, (size_t)m->p * sizeof *m->x);
        goto done;
    }
    for (int64_t i = 0; i < count; i++)
        entries += m->start[rows[i] + 1] - m->start[rows[i]];
    SRI_TRY(sri_matrix_new_sparse(ctx, count, m->p, entries, out));
    for (int64_t i = 0; i < count; i++) {
        const int64_t from = m->start[rows[i]], few = m->start[rows[i] + 1] - from;
        memcpy(out->index + out->start[i], m->index + from, (size_t)few * sizeof *m->index);
        memcpy(out->value + out->start[i], m->value + from, (size_t)few * sizeof *m->value);
        out->start[i + 1] = out->start[i] + few;
    }
done:
    return st;
}

void sri_columns_free(sri_columns *c)
{
    if (!c)
        return;
    sri_free(c->place);
    sri_free(c->value);
    sri_free(c->row);
    sri_free(c->start);
    sri_free(c->column);
    sri_free(c);
}

int64_t sri_columns_find(const sri_columns *c, int64_t from, int32_t column)
{
    int64_t low = from, high = c->used, step = 1;
    while (low + step < high && c->column[low + step] < column) { /* mostly it is not far */
        low += step;
        step *= 2;
    }
    high = low + step < high ? low + step + 1 : high;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (c->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int ascending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Which columns occur, by an array over all of them. */
static specreg_status list_by_mark(specreg_context *ctx, const sri_matrix *m, sri_columns *c)
{
    specreg_status st = SPECREG_OK;
    const int32_t *index = m->index + m->start[0];
    const int64_t entries = sri_matrix_entries(m);
    int32_t *at = NULL;
    SRI_CALLOC(ctx, at, m->p, 1);
    for (int64_t k = 0; k < entries; k++)
        at[index[k]] = 1;
    for (int64_t j = 0; j < m->p; j++)
        c->used += at[j];
    SRI_ALLOC(ctx, c->column, c->used, 1);
    for (int64_t j = 0, place = 0; j < m->p; j++)
        if (at[j]) {
            c->column[place] = (int32_t)j;
            at[j] = (int32_t)place++;
        }
#pragma omp parallel for schedule(static) if (entries > SERIAL)
    for (int64_t k = 0; k < entries; k++)
        c->place[k] = at[index[k]];
done:
    sri_free(at);
    return st;
}

/* The same where most columns are empty: by sorting. */
static specreg_status list_by_sorting(specreg_context *ctx, const sri_matrix *m, sri_columns *c)
{
    const int32_t *index = m->index + m->start[0];
    const int64_t entries = sri_matrix_entries(m);
    SRI_NEW(ctx, c->column, entries, 1);
    memcpy(c->column, index, (size_t)entries * sizeof *index);
    qsort(c->column, (size_t)entries, sizeof *c->column, ascending);
    for (int64_t k = 0; k < entries; k++)
        if (!k || c->column[k] != c->column[c->used - 1])
            c->column[c->used++] = c->column[k];
    for (int64_t k = 0; k < entries; k++)
        c->place[k] = (int32_t)sri_columns_find(c, 0, index[k]);
    return SPECREG_OK;
}

/* The entries column by column; within one the rows ascend, as they come.  Each thread has some
 * of the rows: first it counts what they have of every column, then it knows where its share
 * begins. */
static specreg_status sort_entries(specreg_context *ctx, const sri_matrix *m, sri_columns *c)
{
    enum { MOST_PARTS = 8 };
    specreg_status st = SPECREG_OK;
    const int64_t first = m->start[0], used = c->used;
    const int threads = omp_get_max_threads() < MOST_PARTS ? omp_get_max_threads() : MOST_PARTS;
    const int parts = sri_matrix_entries(m) > SERIAL ? threads : 1;
    int64_t *next = NULL, before = 0;
    SRI_ALLOC(ctx, c->start, used + 1, 1);
    SRI_CALLOC(ctx, next, parts, used);
#pragma omp parallel for schedule(static, 1) num_threads(parts)
    for (int part = 0; part < parts; part++)
        for (int64_t k = m->start[m->n * part / parts]; k < m->start[m->n * (part + 1) / parts];
             k++)
            next[part * used + c->place[k - first]]++;
    for (int64_t j = 0; j < used; j++) {
        c->start[j] = before;
        for (int part = 0; part < parts; part++) {
            const int64_t count = next[part * used + j];
            next[part * used + j] = before;
            before += count;
        }
    }
    c->start[used] = before;
#pragma omp parallel for schedule(static, 1) num_threads(parts)
    for (int part = 0; part < parts; part++)
        for (int64_t i = m->n * part / parts; i < m->n * (part + 1) / parts; i++)
            for (int64_t k = m->start[i]; k < m->start[i + 1]; k++) {
                const int64_t to = next[part * used + c->place[k - first]]++;
                c->row[to] = (int32_t)i;
                c->value[to] = m->value[k];
            }
done:
    sri_free(next);
    return st;
}

specreg_status sri_columns_new(specreg_context *ctx, const sri_matrix *m, sri_columns **out)
{
    enum { EMPTY = 4 }; /* columns for an entry, from which sorting takes less room */
    specreg_status st = SPECREG_OK;
    sri_columns *c = NULL;
    const int64_t entries = sri_matrix_entries(m);
    *out = NULL;
    SRI_CALLOC(ctx, c, 1, 1);
    SRI_ALLOC(ctx, c->place, entries, 1);
    SRI_ALLOC(ctx, c->row, entries, 1);
    SRI_ALLOC(ctx, c->value, entries, 1);
    SRI_TRY(m->p / EMPTY > entries ? list_by_sorting(ctx, m, c) : list_by_mark(ctx, m, c));
    SRI_TRY(sort_entries(ctx, m, c));
    SRI_MOVE(*out, c);
done:
    sri_columns_free(c);
    return st;
}
