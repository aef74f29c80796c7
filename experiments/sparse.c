/* Sparse rows: reading, choosing, weighing, and what the library makes of them. */
#include "sparse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void *grown(void *memory, int64_t count, size_t size)
{
    void *larger = realloc(memory, (size_t)count * size);
    if (!larger) {
        fputs("specreg: out of memory\n", stderr);
        exit(CLI_FAILED);
    }
    return larger;
}

/* ------------------------------------------------------------------------- reading */

typedef struct reader {
    exp_sparse *rows;
    int64_t row_room, entry_room;
} reader;

static void add_entry(reader *r, int32_t index, double value)
{
    exp_sparse *rows = r->rows;
    const int64_t at = rows->start[rows->rows + 1]++;
    if (at >= r->entry_room) {
        r->entry_room = 2 * at + 1024;
        rows->index = grown(rows->index, r->entry_room, sizeof *rows->index);
        rows->value = grown(rows->value, r->entry_room, sizeof *rows->value);
    }
    rows->index[at] = index;
    rows->value[at] = value;
    rows->cols = index >= rows->cols ? index + 1 : rows->cols;
}

static void add_row(reader *r)
{
    exp_sparse *rows = r->rows;
    if (rows->rows + 2 > r->row_room) {
        r->row_room = 2 * rows->rows + 1024;
        rows->start = grown(rows->start, r->row_room, sizeof *rows->start);
        rows->label = grown(rows->label, r->row_room, sizeof *rows->label);
    }
    if (rows->rows == 0)
        rows->start[0] = 0;
    rows->start[rows->rows + 1] = rows->start[rows->rows];
}

/* One line "label index:value index:value ..."; whether it is one. */
static bool parse_line(reader *r, char *text)
{
    char *at;
    int64_t before = 0;
    add_row(r);
    r->rows->label[r->rows->rows] = (int)strtol(text, &at, 10);
    if (at == text)
        return false;
    while (*(at += strspn(at, " \n")) != '\0') {
        char *end;
        const long index = strtol(at, &end, 10);
        if (*end != ':' || index <= before || index > INT32_MAX)
            return false;
        const double value = strtod(end + 1, &at);
        if (at == end + 1 || !isfinite(value))
            return false;
        add_entry(r, (int32_t)(index - 1), value);
        before = index;
    }
    r->rows->rows++;
    return true;
}

/* A whole line, however long; false at the end. */
static bool read_line(gzFile file, char **line, size_t *room)
{
    size_t length = 0;
    for (;;) {
        if (*room - length < 4096) {
            *room = 2 * *room + 8192;
            *line = grown(*line, (int64_t)*room, 1);
        }
        if (!gzgets(file, *line + length, (int)(*room - length)))
            return length > 0;
        length += strlen(*line + length);
        if (length > 0 && (*line)[length - 1] == '\n')
            return true;
    }
}

int sparse_read(const char *path, exp_sparse *rows)
{
    reader r = {.rows = rows, .row_room = rows->rows ? rows->rows + 1 : 0};
    gzFile file = gzopen(path, "rb");
    char *line = NULL;
    size_t room = 0;
    int rc = CLI_OK;
    if (!file)
        return cli_fail(CLI_FAILED, "%s: %s", path, strerror(errno));
    r.entry_room = rows->rows ? rows->start[rows->rows] : 0;
    for (int64_t n = 1; !rc && read_line(file, &line, &room); n++)
        if (!parse_line(&r, line))
            rc = cli_fail(CLI_FAILED, "%s: line %lld is no row of a LIBSVM file", path,
                          (long long)n);
    if (!rc && rows->rows == 0)
        rc = cli_fail(CLI_FAILED, "%s: there are no rows", path);
    free(line);
    gzclose(file);
    return rc;
}

int sparse_read_news(const cli *c, exp_sparse *documents)
{
    static const char *const part[] = {"train", "test"};
    int rc = exp_check_data_folder(c);
    for (int i = 0; !rc && i < 2; i++) {
        char *path = cli_format("%s/20news/%s.libsvm.gz", exp_data_folder(c), part[i]);
        rc = exp_check_file(path, "that holds 20news/");
        if (!rc)
            rc = sparse_read(path, documents);
        free(path);
    }
    for (int64_t i = 0; !rc && i < documents->rows; i++)
        if (documents->label[i] < 1 || documents->label[i] > NEWS_CLASSES)
            rc = cli_fail(CLI_FAILED, "20news: %d is no class from 1 to %d", documents->label[i],
                          NEWS_CLASSES);
    return rc;
}

/* ------------------------------------------------------------------ rows and weights */

exp_sparse sparse_select(const exp_sparse *from, const int64_t *list, int64_t count)
{
    exp_sparse to = {.rows = count, .cols = from->cols};
    int64_t entries = 0;
    for (int64_t i = 0; i < count; i++)
        entries += from->start[list[i] + 1] - from->start[list[i]];
    to.start = cli_alloc((size_t)count + 1, sizeof *to.start);
    to.label = cli_alloc((size_t)count + 1, sizeof *to.label);
    to.index = cli_alloc((size_t)entries + 1, sizeof *to.index);
    to.value = cli_alloc((size_t)entries + 1, sizeof *to.value);
    for (int64_t i = 0; i < count; i++) {
        const int64_t first = from->start[list[i]], length = from->start[list[i] + 1] - first;
        memcpy(to.index + to.start[i], from->index + first, (size_t)length * sizeof *to.index);
        memcpy(to.value + to.start[i], from->value + first, (size_t)length * sizeof *to.value);
        to.label[i] = from->label[list[i]];
        to.start[i + 1] = to.start[i] + length;
    }
    return to;
}

double *sparse_log_share(const exp_sparse *basis)
{
    double *share = exp_zeros(basis->cols);
    for (int64_t k = 0; k < basis->start[basis->rows]; k++)
        share[basis->index[k]] += 1.0;
    for (int64_t j = 0; j < basis->cols; j++)
        share[j] = share[j] > 0 ? log((double)basis->rows / share[j]) : 0.0;
    return share;
}

void sparse_weigh(exp_sparse *rows, const double *log_share)
{
    for (int64_t i = 0; i < rows->rows; i++) {
        double square = 0.0;
        for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
            rows->value[k] = (1.0 + log(rows->value[k])) * log_share[rows->index[k]];
            square += rows->value[k] * rows->value[k];
        }
        for (int64_t k = rows->start[i]; k < rows->start[i + 1] && square > 0; k++)
            rows->value[k] /= sqrt(square);
    }
}

/* -------------------------------------------------------------------- to the library */

static specreg_csr_view view_of(const exp_sparse *rows)
{
    return (specreg_csr_view){rows->value, rows->start, rows->index, rows->rows, rows->cols};
}

int sparse_table(cli *c, const exp_sparse *rows, bool labels, specreg_table **out)
{
    const specreg_csr_view X = view_of(rows);
    char(*text)[16] = cli_alloc((size_t)rows->rows, sizeof *text);
    const char **label = cli_alloc((size_t)rows->rows, sizeof *label);
    for (int64_t i = 0; i < rows->rows; i++) {
        snprintf(text[i], sizeof text[i], "%02d", rows->label[i]);
        label[i] = text[i];
    }
    const specreg_data data = {.struct_size = sizeof data,
                               .X_csr = &X,
                               .labels = labels ? label : NULL};
    const int rc = cli_check(c, specreg_table_from_data(c->ctx, &data, out));
    free(label);
    free(text);
    return rc;
}

int sparse_error(cli *c, const specreg_model *model, const exp_sparse *test, double *error)
{
    const specreg_csr_view X = view_of(test);
    const specreg_data data = {.struct_size = sizeof data, .X_csr = &X};
    int32_t *class = cli_alloc((size_t)test->rows, sizeof *class);
    const int rc =
        cli_check(c, specreg_predict_classes(c->ctx, model, &data, NULL, class, test->rows));
    *error = 0.0;
    for (int64_t i = 0; !rc && i < test->rows; i++)
        *error += atoi(specreg_model_class(model, class[i])) != test->label[i]
                      ? 1.0 / (double)test->rows
                      : 0.0;
    free(class);
    return rc;
}

void sparse_free(exp_sparse *rows)
{
    free(rows->start);
    free(rows->label);
    free(rows->index);
    free(rows->value);
    *rows = (exp_sparse){0};
}
