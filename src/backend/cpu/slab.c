#include "backend/slab.h"

#include <string.h>

#include "backend/vec.h"
#include "core/memory.h"

int64_t sri_slab_padded(int64_t count)
{
    const int64_t width = sri_vec_best()->slab->width;
    return (count + width - 1) / width * width;
}

void sri_slab_pack(int64_t r, int64_t count, const double *C, int64_t along, int64_t across,
                   double *out)
{
    const int64_t width = sri_vec_best()->slab->width;
    for (int64_t c = 0; c < sri_slab_padded(count); c += width)
        for (int64_t k = 0; k < r; k++)
            for (int64_t q = c; q < c + width; q++)
                *out++ = q < count ? C[k * along + q * across] : 0;
}

/* The diagonal block from row j on, inverted and transposed: to the last `width` rows of its panel.
 * Beyond r it is the unit matrix. */
static void invert_block(int64_t r, int64_t j, int64_t width, const double *L, double *out)
{
    const int64_t n = r - j < width ? r - j : width;
    memset(out, 0, (size_t)(width * width) * sizeof *out);
    for (int64_t c = 0; c < width; c++) {
        out[c * width + c] = c < n ? 1 / L[(j + c) * (r + 1)] : 1;
        for (int64_t i = c + 1; i < n; i++) {
            double sum = 0;
            for (int64_t k = c; k < i; k++)
                sum -= L[(j + i) * r + j + k] * out[c * width + k];
            out[c * width + i] = sum / L[(j + i) * (r + 1)];
        }
    }
}

specreg_status sri_lower_rows_new(specreg_context *ctx, int64_t r, const double *L,
                                  sri_lower_rows *out)
{
    const int64_t width = sri_vec_best()->slab->width, count = sri_slab_padded(r) / width;
    *out = (sri_lower_rows){.r = r};
    SRI_NEW(ctx, out->panels, count * (count + 1) / 2 * width, width);
    double *panel = out->panels;
    for (int64_t j = 0; j < r; panel += (j + width) * width, j += width) {
        for (int64_t k = 0; k < j; k++)
            for (int64_t c = 0; c < width; c++)
                panel[k * width + c] = j + c < r ? -L[(j + c) * r + k] : 0;
        invert_block(r, j, width, L, panel + j * width);
    }
    return SPECREG_OK;
}

void sri_lower_rows_free(sri_lower_rows *s)
{
    sri_free(s->panels);
    *s = (sri_lower_rows){0};
}

void sri_lower_rows_solve(const sri_lower_rows *s, int64_t n, double *B, int64_t ldb)
{
    sri_vec_best()->slab->solve(n, s->r, s->panels, B, ldb);
}
