#include "data/io/vtk_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/io/output.h"

enum { FLUSH = 1 << 16, LONGEST = 255 }; /* readers take names up to that length */

typedef struct writer {
    specreg_context *ctx;
    const specreg_table *values;
    sri_output *output;
    sri_buffer text;
} writer;

static specreg_status flush(writer *w, int64_t from)
{
    specreg_status st = SPECREG_OK;
    if (w->text.length < from)
        return st;
    st = sri_output_write(w->ctx, w->output, w->text.data, (size_t)w->text.length);
    w->text.length = 0;
    return st;
}

static specreg_status put_three(writer *w, const char *key, const double *v)
{
    char x[32], y[32], z[32];
    return sri_buffer_print(w->ctx, &w->text, "%s %s %s %s\n", key, sri_format_double(v[0], x),
                            sri_format_double(v[1], y), sri_format_double(v[2], z));
}

static specreg_status put_head(writer *w, const sri_grid_spec *g)
{
    specreg_status st = SPECREG_OK;
    SRI_TRY(sri_buffer_print(w->ctx, &w->text,
                             "# vtk DataFile Version 3.0\nspecreg\nASCII\n"
                             "DATASET STRUCTURED_POINTS\nDIMENSIONS %lld %lld %lld\n",
                             (long long)g->count[0], (long long)g->count[1],
                             (long long)g->count[2]));
    SRI_TRY(put_three(w, "ORIGIN", g->origin));
    SRI_TRY(put_three(w, "SPACING", g->spacing));
    SRI_TRY(sri_buffer_print(w->ctx, &w->text, "POINT_DATA %lld\n", (long long)w->values->rows));
done:
    return st;
}

/* A name is one word: readers take %XX for a byte that a word cannot hold. */
static specreg_status put_name(writer *w, const char *name)
{
    specreg_status st = SPECREG_OK;
    const int64_t before = w->text.length;
    SRI_REQUIRE(w->ctx, *name, SPECREG_E_ARG, "%s: VTK files cannot hold a column without a name",
                sri_output_name(w->output));
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        SRI_TRY(sri_buffer_print(w->ctx, &w->text,
                                 *c <= ' ' || *c > '~' || *c == '"' || *c == '%' ? "%%%02X" : "%c",
                                 *c));
    SRI_REQUIRE(w->ctx, w->text.length - before <= LONGEST, SPECREG_E_ARG,
                "%s: the name '%.40s...' is too long for VTK files", sri_output_name(w->output),
                name);
done:
    return st;
}

static specreg_status put_number(writer *w, int64_t row, int64_t column, char end)
{
    specreg_status st = SPECREG_OK;
    char number[32];
    const double v = specreg_table_number(w->values, row, column);
    SRI_REQUIRE(w->ctx, isfinite(v), SPECREG_E_ARG,
                "%s: row %lld: column '%s' has no finite number, which VTK files cannot say",
                sri_output_name(w->output), (long long)row + 1,
                specreg_table_name(w->values, column));
    sri_format_double(v, number);
    SRI_TRY(sri_buffer_add(w->ctx, &w->text, number, strlen(number)));
    SRI_TRY(sri_buffer_add(w->ctx, &w->text, &end, 1));
done:
    return st;
}

static specreg_status put_vector(writer *w, const sri_vtk_vector *v)
{
    specreg_status st = SPECREG_OK;
    SRI_TRY(sri_buffer_add(w->ctx, &w->text, "VECTORS ", 8));
    SRI_TRY(put_name(w, v->name));
    SRI_TRY(sri_buffer_add(w->ctx, &w->text, " double\n", 8));
    for (int64_t i = 0; i < w->values->rows; i++) {
        for (int k = 0; k < v->count; k++)
            SRI_TRY(put_number(w, i, v->column[k], k == 2 ? '\n' : ' '));
        for (int k = v->count; k < 3; k++)
            SRI_TRY(sri_buffer_add(w->ctx, &w->text, k == 2 ? "0\n" : "0 ", 2));
        SRI_TRY(flush(w, FLUSH));
    }
done:
    return st;
}

static specreg_status put_scalar(writer *w, int64_t column)
{
    specreg_status st = SPECREG_OK;
    SRI_TRY(sri_buffer_add(w->ctx, &w->text, "SCALARS ", 8));
    SRI_TRY(put_name(w, specreg_table_name(w->values, column)));
    SRI_TRY(sri_buffer_print(w->ctx, &w->text, " double 1\nLOOKUP_TABLE default\n"));
    for (int64_t i = 0; i < w->values->rows; i++) {
        SRI_TRY(put_number(w, i, column, '\n'));
        SRI_TRY(flush(w, FLUSH));
    }
done:
    return st;
}

static specreg_status check(specreg_context *ctx, const sri_grid_spec *grid,
                            const specreg_table *values, const sri_vtk_vector *vectors,
                            int n_vectors, const char *path)
{
    specreg_status st = SPECREG_OK;
    const int64_t cols = specreg_table_cols(values);
    SRI_REQUIRE(ctx, values->rows == sri_grid_count(grid), SPECREG_E_SHAPE,
                "%s: the grid has %lld points, the table %lld rows", path,
                (long long)sri_grid_count(grid), (long long)values->rows);
    for (int64_t j = 0; j < cols; j++)
        SRI_REQUIRE(ctx, !specreg_table_is_text(values, j), SPECREG_E_ARG,
                    "%s: column '%s' is text, which VTK files cannot hold", path,
                    specreg_table_name(values, j));
    for (int v = 0; v < n_vectors; v++) {
        SRI_REQUIRE(ctx, vectors[v].count >= 1 && vectors[v].count <= 3, SPECREG_E_ARG,
                    "%s: vector '%s' has %d components: VTK files hold 1 to 3", path,
                    vectors[v].name, vectors[v].count);
        for (int k = 0; k < vectors[v].count; k++)
            SRI_REQUIRE(ctx, vectors[v].column[k] >= 0 && vectors[v].column[k] < cols,
                        SPECREG_E_ARG, "%s: vector '%s': there is no column %lld", path,
                        vectors[v].name, (long long)vectors[v].column[k] + 1);
    }
done:
    return st;
}

static bool is_component(const sri_vtk_vector *vectors, int n_vectors, int64_t column)
{
    for (int v = 0; v < n_vectors; v++)
        for (int k = 0; k < vectors[v].count; k++)
            if (vectors[v].column[k] == column)
                return true;
    return false;
}

specreg_status sri_vtk_write(specreg_context *ctx, const sri_grid_spec *grid,
                             const specreg_table *values, const sri_vtk_vector *vectors,
                             int n_vectors, const char *path)
{
    specreg_status st = SPECREG_OK;
    writer w = {.ctx = ctx, .values = values};
    SRI_TRY(check(ctx, grid, values, vectors, n_vectors, path));
    SRI_TRY(sri_output_open(ctx, path, &w.output));
    SRI_TRY(sri_output_compress(ctx, w.output));
    SRI_TRY(put_head(&w, grid));
    for (int v = 0; v < n_vectors; v++)
        SRI_TRY(put_vector(&w, &vectors[v]));
    for (int64_t j = 0; j < specreg_table_cols(values); j++)
        if (!is_component(vectors, n_vectors, j))
            SRI_TRY(put_scalar(&w, j));
    SRI_TRY(flush(&w, 0));
    st = sri_output_commit(ctx, w.output);
    w.output = NULL;
done:
    sri_output_abandon(w.output);
    sri_buffer_free(&w.text);
    return st;
}
