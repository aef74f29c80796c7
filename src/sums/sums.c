#include "sums/sums.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/vec.h"
#include "core/memory.h"

/* Sums are added a strip of rows at a time, while it lies in the cache.  Each strip has a lock. */
enum { STRIP = SRI_SQUARE_STRIP, LOCKS = 64 };

struct sri_sums_locks {
    atomic_flag flag[LOCKS];
};

/* Row i of the triangle of one part. */
static sri_exact row_of(const sri_sums *s, int64_t part, int64_t i)
{
    const int64_t at = part * sri_sums_triangle(s->order) + sri_sums_triangle(i);
    return (sri_exact){s->sum.high + at, s->sum.low + at};
}

specreg_status sri_sums_new(specreg_context *ctx, const sri_sums_layout *at, int64_t parts,
                            const int *exponent, sri_sums *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t order = sri_sums_order(at);
    *out = (sri_sums){.at = *at, .order = order, .parts = parts, .vec = sri_vec_best()->square};
    SRI_ALLOC(ctx, out->exponent, order, 1);
    SRI_ALLOC(ctx, out->inverse, order, 1);
    for (int64_t j = 0; j < order; j++) {
        out->exponent[j] = exponent[j];
        out->inverse[j] = ldexp(1, -exponent[j]);
    }
    SRI_CALLOC(ctx, out->rows, parts, 1);
    SRI_CALLOC(ctx, out->sum.high, parts, sri_sums_triangle(order));
    SRI_CALLOC(ctx, out->sum.low, parts, sri_sums_triangle(order));
    SRI_ALLOC(ctx, out->locks, 1, 1);
    for (int i = 0; i < LOCKS; i++)
        atomic_flag_clear(&out->locks->flag[i]);
done:
    if (st != SPECREG_OK)
        sri_sums_free(out);
    return st;
}

void sri_sums_free(sri_sums *s)
{
    sri_free(s->locks);
    sri_free(s->sum.low);
    sri_free(s->sum.high);
    sri_free(s->rows);
    sri_free(s->inverse);
    sri_free(s->exponent);
    *s = (sri_sums){0};
}

bool sri_sums_take(sri_sums *s, sri_sums *from)
{
    if (from->order != s->order || from->at.r != s->at.r || from->at.l != s->at.l ||
        from->parts != s->parts ||
        memcmp(from->exponent, s->exponent, (size_t)s->order * sizeof *s->exponent) != 0)
        return false;
    sri_sums_free(s);
    *s = *from;
    *from = (sri_sums){0};
    return true;
}

double sri_sums_bytes(int64_t order, int64_t parts)
{
    return 16.0 * (double)parts * (double)order * (double)(order + 1) / 2;
}

/* A few rows more than there are, lest all panels begin at the same place of the cache. */
static int64_t stride_of(const sri_sums *s, int64_t rows)
{
    return (rows + 3) * s->vec->width;
}

specreg_status sri_sums_room_new(specreg_context *ctx, sri_arena *memory, const sri_sums *s,
                                 int64_t rows, sri_sums_room *out)
{
    const int64_t padded = sri_square_padded(s->vec, s->order);
    out->stride = stride_of(s, rows);
    SRI_ARENA_NEW(ctx, memory, out->panels, padded / s->vec->width, out->stride);
    SRI_ARENA_NEW(ctx, memory, out->strip, STRIP, padded);
    return SPECREG_OK;
}

void sri_sums_put(const sri_sums *s, const sri_sums_room *room, int64_t first, const double *Z,
                  int64_t rows)
{
    s->vec->pack(rows, s->order, Z, s->order, s->inverse, room->panels + first * s->vec->width,
                 room->stride);
}

/* Whether the integers can take a row: no entry of Z'Z is larger than the largest one of its
 * diagonal. */
static bool fits(double diagonal)
{
    return diagonal < SRI_EXACT_LARGEST;
}

bool sri_sums_add(sri_sums *s, int64_t part, const sri_sums_room *room, int64_t first, int64_t rows)
{
    const int64_t q = s->order, padded = sri_square_padded(s->vec, q);
    const double *panels = room->panels + first * s->vec->width;
    bool good = true;
    for (int64_t i0 = 0; i0 < q; i0 += STRIP) {
        const int64_t end = i0 + STRIP < q ? i0 + STRIP : q;
        atomic_flag *lock =
            &s->locks->flag[(part * ((q + STRIP - 1) / STRIP) + i0 / STRIP) % LOCKS];
        s->vec->multiply(rows, i0, q, panels, room->stride, room->strip, padded);
        while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
            ;
        for (int64_t i = i0; i < end; i++) {
            const double *row = room->strip + (i - i0) * padded;
            const sri_exact to = row_of(s, part, i);
            good &= fits(row[i]);
            s->vec->add(i + 1, row, to.high, to.low);
        }
        if (i0 == 0)
            s->rows[part] += rows;
        atomic_flag_clear_explicit(lock, memory_order_release);
    }
    return good;
}

specreg_status sri_sums_close(specreg_context *ctx, sri_sums *s)
{
    s->added = 0;
    return sri_exact_carry(s->sum, s->parts * sri_sums_triangle(s->order))
               ? SPECREG_OK
               : sri_fail(ctx, SPECREG_E_NUMERIC, "the sums outgrew their scale");
}

specreg_status sri_sums_settle(specreg_context *ctx, sri_sums *s, int64_t blocks)
{
    s->added += blocks;
    return s->added + blocks < SRI_EXACT_ADDITIONS ? SPECREG_OK : sri_sums_close(ctx, s);
}

/* Row i of the lower triangle of a matrix from its sums. */
static void write_row(const sri_sums *s, sri_exact row, int64_t i, double *M)
{
    for (int64_t j = 0; j <= i; j++)
        M[i * s->order + j] = ldexp(sri_exact_value(row, j), s->exponent[i] + s->exponent[j]);
}

void sri_sums_part(const sri_sums *s, int64_t part, double *M)
{
    for (int64_t i = 0; i < s->order; i++)
        write_row(s, row_of(s, part, i), i, M);
    sri_mirror(s->order, M, s->order);
}

double sri_sums_mass(const sri_sums *s, int64_t part)
{
    const int64_t last = s->order - 1;
    return ldexp(sri_exact_value(row_of(s, part, last), last), 2 * s->exponent[last]);
}

/* The integers of the parts are added up row by row, and rounded once. */
specreg_status sri_sums_join(specreg_context *ctx, const sri_sums *s, const bool *in, double *M)
{
    specreg_status st = SPECREG_OK;
    const int64_t q = s->order;
    sri_exact row = {0};
    bool good = true;
    SRI_ALLOC(ctx, row.high, q, 1);
    SRI_ALLOC(ctx, row.low, q, 1);
    for (int64_t i = 0; i < q; i++) {
        memset(row.high, 0, (size_t)q * sizeof *row.high);
        memset(row.low, 0, (size_t)q * sizeof *row.low);
        for (int64_t f = 0; f < s->parts; f++)
            good &= !in[f] || sri_exact_merge(row, row_of(s, f, i), i + 1, 1);
        write_row(s, row, i, M);
    }
    SRI_REQUIRE(ctx, good, SPECREG_E_NUMERIC, "the sums outgrew their scale");
    sri_mirror(q, M, q);
done:
    sri_free(row.low);
    sri_free(row.high);
    return st;
}
