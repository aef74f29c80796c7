/* Values on a regular grid as VTK legacy text (STRUCTURED_POINTS), which ParaView reads: the
 * table's vectors, then its other columns as scalars; its coordinates follow from the head.
 * Such files are written, not read. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/grid_points.h"
#include "data/io/format.h"

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

static specreg_status put_head(writer *w)
{
    specreg_status st = SPECREG_OK;
    const sri_grid_spec *g = &w->values->grid->spec;
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
    const int64_t before = w->text.length;
    SRI_CHECK(w->ctx, *name, SPECREG_E_ARG, "%s: VTK files cannot hold a column without a name",
              sri_output_name(w->output));
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        SRI_CALL(sri_buffer_print(w->ctx, &w->text,
                                  *c <= ' ' || *c > '~' || *c == '"' || *c == '%' ? "%%%02X" : "%c",
                                  *c));
    SRI_CHECK(w->ctx, w->text.length - before <= LONGEST, SPECREG_E_ARG,
              "%s: the name '%.40s...' is too long for VTK files", sri_output_name(w->output),
              name);
    return SPECREG_OK;
}

static specreg_status put_number(writer *w, int64_t row, int64_t column, char end)
{
    char number[32];
    const double v = specreg_table_number(w->values, row, column);
    SRI_CHECK(w->ctx, isfinite(v), SPECREG_E_ARG,
              "%s: row %lld: column '%s' has no finite number, which VTK files cannot say",
              sri_output_name(w->output), (long long)row + 1,
              specreg_table_name(w->values, column));
    sri_format_double(v, number);
    SRI_CALL(sri_buffer_add(w->ctx, &w->text, number, strlen(number)));
    return sri_buffer_add(w->ctx, &w->text, &end, 1);
}

/* Components that are not there are 0. */
static specreg_status put_vector(writer *w, const sri_grid_vector *v)
{
    SRI_CALL(sri_buffer_add(w->ctx, &w->text, "VECTORS ", 8));
    SRI_CALL(put_name(w, v->name));
    SRI_CALL(sri_buffer_add(w->ctx, &w->text, " double\n", 8));
    for (int64_t i = 0; i < w->values->rows; i++) {
        for (int k = 0; k < v->count; k++)
            SRI_CALL(put_number(w, i, v->column[k], k == 2 ? '\n' : ' '));
        for (int k = v->count; k < 3; k++)
            SRI_CALL(sri_buffer_add(w->ctx, &w->text, k == 2 ? "0\n" : "0 ", 2));
        SRI_CALL(flush(w, FLUSH));
    }
    return SPECREG_OK;
}

/* Numbers; for texts, such as classes, their places in the column's list, from 0. */
static specreg_status put_scalar(writer *w, int64_t column)
{
    const sri_column *c = &w->values->column[column];
    SRI_CALL(sri_buffer_add(w->ctx, &w->text, "SCALARS ", 8));
    SRI_CALL(put_name(w, c->name));
    SRI_CALL(sri_buffer_print(w->ctx, &w->text, " %s 1\nLOOKUP_TABLE default\n",
                              c->is_text ? "int" : "double"));
    for (int64_t i = 0; i < w->values->rows; i++) {
        if (c->is_text)
            SRI_CALL(sri_buffer_print(w->ctx, &w->text, "%d\n", (int)c->code[i]));
        else
            SRI_CALL(put_number(w, i, column, '\n'));
        SRI_CALL(flush(w, FLUSH));
    }
    return SPECREG_OK;
}

static bool is_component(const sri_grid_values *grid, int64_t column)
{
    for (int v = 0; v < grid->n_vectors; v++)
        for (int k = 0; k < grid->vector[v].count; k++)
            if (grid->vector[v].column[k] == column)
                return true;
    return false;
}

static specreg_status vtk_write(specreg_context *ctx, const specreg_table *table,
                                sri_output *output)
{
    specreg_status st = SPECREG_OK;
    const sri_grid_values *grid = table->grid;
    writer w = {.ctx = ctx, .values = table, .output = output};
    SRI_REQUIRE(ctx, grid, SPECREG_E_ARG,
                "%s: VTK files hold values on a regular grid: predict --grid makes them",
                sri_output_name(output));
    SRI_TRY(put_head(&w));
    for (int v = 0; v < grid->n_vectors; v++)
        SRI_TRY(put_vector(&w, &grid->vector[v]));
    for (int64_t j = grid->coordinates; j < table->n_columns; j++)
        if (!is_component(grid, j))
            SRI_TRY(put_scalar(&w, j));
    SRI_TRY(flush(&w, 0));
done:
    sri_buffer_free(&w.text);
    return st;
}

static bool vtk_sniff(const char *head, size_t length)
{
    static const char begin[] = "# vtk DataFile";
    return length >= sizeof begin - 1 && memcmp(head, begin, sizeof begin - 1) == 0;
}

static specreg_status vtk_read(specreg_context *ctx, sri_stream *stream, const char *path,
                               const char *inner, const specreg_options *options,
                               specreg_table **out)
{
    (void)path, (void)inner, (void)options;
    *out = NULL;
    return sri_fail(ctx, SPECREG_E_FORMAT, "%s: VTK files are written, not read",
                    sri_stream_name(stream));
}

const sri_format sri_format_vtk = {
    .name = "vtk",
    .extensions = "vtk",
    .sniff = vtk_sniff,
    .read = vtk_read,
    .write = vtk_write,
};
