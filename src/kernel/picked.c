#include "kernel/picked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

specreg_status sri_picked_new(specreg_context *ctx, const char *text, sri_picked **out)
{
    specreg_status st = SPECREG_OK;
    *out = NULL;
    SRI_CALLOC(ctx, *out, 1, 1);
    SRI_STRDUP(ctx, (*out)->text, text);
done:
    if (st != SPECREG_OK) {
        sri_picked_free(*out);
        *out = NULL;
    }
    return st;
}

specreg_status sri_picked_copy(specreg_context *ctx, const sri_picked *from, sri_picked **out)
{
    specreg_status st = SPECREG_OK;
    *out = NULL;
    if (!from)
        return st;
    SRI_TRY(sri_picked_new(ctx, from->text, out));
    SRI_ALLOC(ctx, (*out)->span, from->spans, 1);
    if (from->spans)
        memcpy((*out)->span, from->span, (size_t)from->spans * sizeof *from->span);
    (*out)->spans = from->spans;
    (*out)->count = from->count;
done:
    if (st != SPECREG_OK) {
        sri_picked_free(*out);
        *out = NULL;
    }
    return st;
}

void sri_picked_free(sri_picked *picked)
{
    if (picked) {
        sri_free(picked->text);
        sri_free(picked->span);
    }
    sri_free(picked);
}

specreg_status sri_picked_mark(specreg_context *ctx, sri_picked *picked, const bool *marked,
                               int64_t p)
{
    int64_t spans = 0;
    for (int64_t k = 0; k < p; k++)
        spans += marked[k] && (k == 0 || !marked[k - 1]);
    sri_free(picked->span);
    picked->span = NULL;
    picked->count = picked->spans = 0;
    SRI_NEW(ctx, picked->span, spans, 1);
    for (int64_t k = 0; k < p; k++) {
        if (!marked[k])
            continue;
        if (k == 0 || !marked[k - 1])
            picked->span[picked->spans++].first = k;
        picked->span[picked->spans - 1].end = k + 1;
        picked->count++;
    }
    return SPECREG_OK;
}

/* A whole number from 1 to p at the beginning of a text, of which `end` is the rest; 0: there is
 * none. */
static int64_t column_number(const char *text, int64_t p, const char **end)
{
    char *rest;
    *end = text;
    if (*text < '0' || *text > '9')
        return 0;
    errno = 0;
    const long long number = strtoll(text, &rest, 10);
    *end = rest;
    return errno == 0 && number >= 1 && number <= p ? number : 0;
}

specreg_status sri_picked_numbers(specreg_context *ctx, const sri_picked *picked, bool *marked,
                                  int64_t p)
{
    const char *s = picked->text;
    for (bool more = true; more;) {
        s += strspn(s, " ");
        const int64_t first = column_number(s, p, &s);
        int64_t last = first;
        if (first && (*s == '-' || *s == ':'))
            last = column_number(s + 1, p, &s);
        s += strspn(s, " ");
        SRI_CHECK(ctx, first && first <= last && (*s == ',' || !*s), SPECREG_E_ARG,
                  "kernel: columns=%s: columns of sparse data are numbers from 1 to %lld and "
                  "ranges such as 2-5",
                  picked->text, (long long)p);
        memset(marked + first - 1, true, (size_t)(last - first + 1) * sizeof *marked);
        more = *s++ == ',';
    }
    return SPECREG_OK;
}

bool sri_picked_same(const sri_picked *a, const sri_picked *b)
{
    if (!a || !b || a == b)
        return a == b;
    if (!a->count || !b->count) /* as they were written */
        return strcmp(a->text, b->text) == 0;
    return a->spans == b->spans &&
           memcmp(a->span, b->span, (size_t)a->spans * sizeof *a->span) == 0;
}

const double *sri_picked_see(const sri_picked *picked, const double *x, double *room)
{
    int64_t count = 0;
    if (!picked || picked->spans == 1)
        return picked ? x + picked->span->first : x;
    for (int64_t s = 0; s < picked->spans; s++)
        for (int64_t k = picked->span[s].first; k < picked->span[s].end; k++)
            room[count++] = x[k];
    return room;
}

/* The first entry from `low` on whose column is `column` or more. */
static int64_t entry_from(const sri_matrix *m, int64_t low, int64_t high, int64_t column)
{
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (m->index[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void sri_picked_entries(const sri_matrix *m, int64_t i, sri_span span, int64_t *from, int64_t *to)
{
    *from = entry_from(m, m->start[i], m->start[i + 1], span.first);
    *to = entry_from(m, *from, m->start[i + 1], span.end);
}

sri_matrix sri_picked_row(const sri_matrix *m, int64_t i, sri_span span, int64_t place[2])
{
    sri_matrix row = *m;
    sri_picked_entries(m, i, span, &place[0], &place[1]);
    row.n = 1;
    row.start = place;
    return row;
}
