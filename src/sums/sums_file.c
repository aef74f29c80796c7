#include "sums/sums_file.h"

#include <string.h>

#include "core/memory.h"

enum { VERSION = 1 };
static const int64_t BYTE_ORDER_MARK = 0x0102030405060708;
static const int64_t MOST_ORDER = 100000, MOST_PARTS = 10000;

void sri_put(sri_sums_writer *w, const void *data, int64_t size)
{
    if (w->st != SPECREG_OK)
        return;
    sri_digest_add(&w->digest, data, (size_t)size);
    w->st = sri_output_write(w->ctx, w->to, data, (size_t)size);
}

void sri_put_number(sri_sums_writer *w, int64_t number)
{
    sri_put(w, &number, sizeof number);
}

void sri_put_piece(sri_sums_writer *w, const char *data, int64_t size)
{
    sri_put_number(w, size);
    sri_put(w, data, size);
}

specreg_status sri_begin_writing(specreg_context *ctx, const char *path, const char *mark,
                                 sri_sums_writer *w)
{
    *w = (sri_sums_writer){.ctx = ctx};
    SRI_CALL(sri_output_open(ctx, path, &w->to));
    sri_put(w, mark, SRI_MARK);
    sri_put_number(w, BYTE_ORDER_MARK);
    sri_put_number(w, VERSION);
    return SPECREG_OK;
}

specreg_status sri_end_writing(sri_sums_writer *w)
{
    const sri_digest digest = w->digest;
    sri_put(w, &digest, sizeof digest);
    if (w->st == SPECREG_OK)
        return sri_output_commit(w->ctx, w->to);
    sri_output_abandon(w->to);
    return w->st;
}

specreg_status sri_read_broken(const sri_sums_reader *r, const char *what)
{
    return sri_fail(r->ctx, SPECREG_E_FORMAT, "%s: %s", r->path, what);
}

static specreg_status get_raw(sri_sums_reader *r, void *data, int64_t size)
{
    char *to = data;
    if (size > r->left)
        return sri_read_broken(r, "the file ends too early");
    r->left -= size;
    while (size > 0) {
        size_t got;
        SRI_CALL(sri_stream_read(r->ctx, r->from, to, (size_t)size, &got));
        if (!got)
            return sri_read_broken(r, "the file ends too early");
        to += got;
        size -= (int64_t)got;
    }
    return SPECREG_OK;
}

specreg_status sri_get(sri_sums_reader *r, void *data, int64_t size)
{
    SRI_CALL(get_raw(r, data, size));
    sri_digest_add(&r->digest, data, (size_t)size);
    return SPECREG_OK;
}

specreg_status sri_get_number(sri_sums_reader *r, int64_t least, int64_t most, int64_t *out)
{
    SRI_CALL(sri_get(r, out, sizeof *out));
    return *out >= least && *out <= most ? SPECREG_OK : sri_read_broken(r, "an impossible size");
}

specreg_status sri_get_piece(sri_sums_reader *r, char **out, int64_t *size)
{
    SRI_CALL(sri_get_number(r, 0, INT64_MAX, size));
    if (*size > r->left)
        return sri_read_broken(r, "the file ends too early");
    SRI_NEW(r->ctx, *out, *size + 1, 1);
    (*out)[*size] = 0;
    return sri_get(r, *out, *size);
}

specreg_status sri_begin_reading(specreg_context *ctx, const char *path, const char *mark,
                                 const char *kind, sri_sums_reader *r)
{
    char found[SRI_MARK];
    int64_t order, version;
    *r = (sri_sums_reader){.ctx = ctx, .path = path};
    SRI_CALL(sri_stream_open(ctx, path, &r->from));
    r->left = sri_stream_length(r->from);
    if (r->left < SRI_MARK)
        return sri_fail(ctx, SPECREG_E_FORMAT, "%s is not a %s file", path, kind);
    SRI_CALL(sri_get(r, found, SRI_MARK));
    if (memcmp(found, mark, SRI_MARK) != 0)
        return sri_fail(ctx, SPECREG_E_FORMAT, "%s is not a %s file", path, kind);
    SRI_CALL(sri_get_number(r, INT64_MIN, INT64_MAX, &order));
    if (order != BYTE_ORDER_MARK)
        return sri_read_broken(r, "it comes from a computer with another order of bytes");
    SRI_CALL(sri_get_number(r, INT64_MIN, INT64_MAX, &version));
    return version == VERSION ? SPECREG_OK
                              : sri_read_broken(r, "it is of a newer version of specreg");
}

specreg_status sri_end_reading(sri_sums_reader *r)
{
    sri_digest found;
    SRI_CALL(get_raw(r, &found, sizeof found));
    if (memcmp(&found, &r->digest, sizeof found) != 0)
        return sri_read_broken(r, "the checksum is wrong: the file is damaged");
    return r->left ? sri_read_broken(r, "there is more than there should be") : SPECREG_OK;
}

int64_t sri_sums_numbers(const sri_sums *s)
{
    return s->parts * sri_sums_triangle(s->order);
}

void sri_put_sums(sri_sums_writer *w, const sri_sums *s)
{
    const int64_t bytes = sri_sums_numbers(s) * (int64_t)sizeof(int64_t);
    sri_put_number(w, s->at.r);
    sri_put_number(w, s->at.l);
    sri_put_number(w, s->at.T);
    sri_put_number(w, s->parts);
    for (int64_t j = 0; j < s->order; j++)
        sri_put_number(w, s->exponent[j]);
    sri_put(w, s->rows, s->parts * (int64_t)sizeof *s->rows);
    sri_put(w, s->sum.high, bytes);
    sri_put(w, s->sum.low, bytes);
}

static specreg_status get_exponents(sri_sums_reader *r, int64_t order, int *exponent)
{
    for (int64_t j = 0; j < order; j++) {
        int64_t e;
        SRI_CALL(sri_get_number(r, -2000, 2000, &e));
        exponent[j] = (int)e;
    }
    return SPECREG_OK;
}

/* Numbers that only a file made by others has. */
static specreg_status check_sums(sri_sums_reader *r, sri_sums *s)
{
    for (int64_t f = 0; f < s->parts; f++)
        if (s->rows[f] < 0 || s->rows[f] > INT64_C(1) << 48)
            return sri_read_broken(r, "an impossible number of rows");
    for (int64_t k = 0; k < sri_sums_numbers(s); k++)
        if (s->sum.low[k] < -(INT64_C(1) << 50) || s->sum.low[k] > INT64_C(1) << 50)
            return sri_read_broken(r, "an impossible sum");
    return sri_sums_close(r->ctx, s);
}

specreg_status sri_get_sums(sri_sums_reader *r, sri_sums *out)
{
    specreg_status st = SPECREG_OK;
    sri_sums_layout at;
    int64_t parts;
    int *exponent = NULL;
    SRI_TRY(sri_get_number(r, 1, MOST_ORDER, &at.r));
    SRI_TRY(sri_get_number(r, 0, MOST_ORDER, &at.l));
    SRI_TRY(sri_get_number(r, 1, MOST_ORDER, &at.T));
    SRI_TRY(sri_get_number(r, 1, MOST_PARTS, &parts));
    const int64_t order = sri_sums_order(&at);
    if (sri_sums_bytes(order, parts) > (double)r->left)
        SRI_TRY(sri_read_broken(r, "the file ends too early"));
    SRI_ALLOC(r->ctx, exponent, order, 1);
    SRI_TRY(get_exponents(r, order, exponent));
    SRI_TRY(sri_sums_new(r->ctx, &at, parts, exponent, out));
    SRI_TRY(sri_get(r, out->rows, parts * (int64_t)sizeof *out->rows));
    SRI_TRY(sri_get(r, out->sum.high, sri_sums_numbers(out) * (int64_t)sizeof(int64_t)));
    SRI_TRY(sri_get(r, out->sum.low, sri_sums_numbers(out) * (int64_t)sizeof(int64_t)));
    SRI_TRY(check_sums(r, out));
done:
    sri_free(exponent);
    return st;
}
