/* A model as C source: NAME.c and NAME.h, with one function
 *
 *     void NAME_predict(const double *row, double *scores);
 *
 * which needs nothing but the C library and keeps no state. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/io/output.h"
#include "export/c_kernel.h"

enum { MOST_COLUMNS = 100000, LISTED = 1000 }; /* of x, which lies on the stack; of a list */

/* Where the files go, and what the function is called. */
typedef struct place {
    char *stem; /* the path without .c */
    char *name;
} place;

static specreg_status find_place(specreg_context *ctx, const char *path, place *out)
{
    const size_t length = strlen(path);
    SRI_NEW_TEXT(ctx, out->stem, path);
    if (length > 2 && strcmp(path + length - 2, ".c") == 0)
        out->stem[length - 2] = '\0';
    const char *slash = strrchr(out->stem, '/'), *base = slash ? slash + 1 : out->stem;
    SRI_CHECK(ctx, *base && strcmp(base, "-") != 0, SPECREG_E_ARG,
              "%s: C source is two files, OUT.c and OUT.h: give it the name of a file", path);
    for (const char *c = base; *c; c++)
        SRI_CHECK(ctx, (unsigned char)*c >= ' ' && !strchr("\"\\*", *c), SPECREG_E_ARG,
                  "%s: the name of a file that C includes cannot have quotes, backslashes or "
                  "asterisks",
                  path);
    SRI_NEW(ctx, out->name, (int64_t)strlen(base) + 2, 1);
    char *to = out->name;
    if (isdigit((unsigned char)*base))
        *to++ = '_';
    for (; *base; base++)
        *to++ = isalnum((unsigned char)*base) && (unsigned char)*base < 128 ? *base : '_';
    *to = '\0';
    return SPECREG_OK;
}

static void put_array(sri_text *to, const char *name, const double *value, int64_t rows,
                      int64_t cols)
{
    sri_text_put(to, "\nstatic const double %s[%lld][%lld] = {\n", name, (long long)rows,
                 (long long)cols);
    for (int64_t i = 0; i < rows; i++) {
        sri_text_put(to, "    {");
        for (int64_t j = 0; j < cols; j++) {
            sri_text_put(to, "%s", j ? j % 8 ? ", " : ",\n     " : "");
            if (isfinite(value[i * cols + j]))
                sri_text_number(to, value[i * cols + j]);
            else
                sri_text_put(to, "NAN");
        }
        sri_text_put(to, "},\n");
    }
    sri_text_put(to, "};\n");
}

static bool has_text(const sri_plain *plain)
{
    for (int64_t i = 0; i < plain->inputs; i++)
        if (plain->input[i].text)
            return true;
    return false;
}

/* Whether x is the row itself, times numbers, column by column. */
static bool is_sparse(const sri_plain *plain)
{
    return plain->columns && !plain->column[0].feature;
}

static void put_arrays(sri_text *to, const sri_plain *plain)
{
    const sri_encoder *e = plain->model->encoding.encoder;
    const sri_coding *coding = plain->model->encoding.coding;
    char name[32];
    if (is_sparse(plain) && e->factor)
        put_array(to, "factor", e->factor, 1, plain->p);
    for (int64_t j = 0; j < plain->columns; j++) {
        const sri_feature *f = plain->column[j].feature;
        snprintf(name, sizeof name, "share_%lld", (long long)j);
        if (f && f->is_text && f->share && sri_plain_fills(plain))
            put_array(to, name, f->share, 1, f->category.count);
    }
    if (plain->n)
        put_array(to, "centre", plain->centre, plain->n, plain->p);
    for (int j = 0; j < plain->products; j++) {
        snprintf(name, sizeof name, "coefficient_%d", j + 1);
        if (j == 0 || !plain->same_coefficients)
            put_array(to, name, plain->coefficient[j], plain->n, plain->T);
        snprintf(name, sizeof name, "task_%d", j + 1);
        if (plain->task_factor[j])
            put_array(to, name, plain->task_factor[j], plain->tasks + 1, plain->n);
    }
    if (plain->slope)
        put_array(to, "slope", plain->slope, plain->slopes, plain->T);
    if (plain->slope_column) {
        sri_text_put(to, "\nstatic const int slope_column[%lld] = {", (long long)plain->slopes);
        for (int64_t k = 0; k < plain->slopes; k++)
            sri_text_put(to, "%s%d",
                         k % 12 ? ", "
                         : k    ? ",\n    "
                                : "\n    ",
                         plain->slope_column[k]);
        sri_text_put(to, "};\n");
    }
    if (plain->terms)
        put_array(to, "beta", plain->beta, plain->terms, plain->T);
    if (coding && coding->word)
        put_array(to, "word", coding->word, coding->n_classes, coding->width);
}

/* A text as its category's number: NaN is a missing one, any other number one that training did not
 * have. */
static void put_category(sri_text *to, const sri_plain *plain)
{
    const sri_encoder *e = plain->model->encoding.encoder;
    sri_text_put(
        to, "\nstatic void category(double number, long count, const double *share, double *x)\n"
            "{\n    for (long k = 0; k < count; k++)\n        x[k] = number == (double)k;\n"
            "    if (isnan(number))\n        for (long k = 0; k < count; k++)\n");
    sri_text_put(to, "            x[k] = share ? share[k] : %s;\n",
                 sri_plain_fills(plain) ? "0" : "NAN");
    if (e->refuses_unseen)
        sri_text_put(to, "    else if (!(number >= 0 && number < (double)count && number == "
                         "floor(number)))\n        x[0] = NAN;\n");
    sri_text_put(to, "}\n");
}

/* x[at] of a number: (x 2^exponent - shift) factor, the fill in place of a gap. */
static void put_number_column(sri_text *to, const sri_plain *plain, const sri_plain_column *c)
{
    const sri_feature *f = c->feature;
    const long long from = (long long)c->input, at = (long long)c->at;
    if (f->part == SRI_PART_MISSING) {
        sri_text_put(to, "    x[%lld] = isnan(row[%lld]);\n", at, from);
        return;
    }
    sri_text_put(to, "    x[%lld] = ", at);
    sri_text_put(to, f->shift || f->exponent ? "(%s" : "%s", f->exponent ? "ldexp(" : "");
    if (sri_plain_fills(plain)) {
        sri_text_put(to, "(isnan(row[%lld]) ? ", from);
        sri_text_number(to, f->fill);
        sri_text_put(to, " : row[%lld])", from);
    } else {
        sri_text_put(to, "row[%lld]", from);
    }
    if (f->exponent)
        sri_text_put(to, ", %d)", f->exponent);
    if (f->shift)
        sri_text_formula(to, " - #", f->shift);
    sri_text_put(to, f->shift || f->exponent ? ")" : "");
    if (f->factor != 1)
        sri_text_formula(to, " * #", f->factor);
    sri_text_put(to, ";\n");
}

static void put_columns(sri_text *to, const sri_plain *plain)
{
    sri_text_put(to, "    double x[%lld];\n", plain->p ? (long long)plain->p : 1);
    if (is_sparse(plain))
        sri_text_put(to, "    for (long j = 0; j < %lld; j++)\n        x[j] = row[j]%s;\n",
                     (long long)plain->p,
                     plain->model->encoding.encoder->factor ? " * factor[0][j]" : "");
    for (int64_t j = 0; j < plain->columns && !is_sparse(plain); j++) {
        const sri_plain_column *c = &plain->column[j];
        if (!c->feature->is_text) {
            put_number_column(to, plain, c);
            continue;
        }
        sri_text_put(to, "    category(row[%lld], %lld, ", (long long)c->input,
                     (long long)c->feature->category.count);
        if (c->feature->share && sri_plain_fills(plain))
            sri_text_put(to, "share_%lld[0]", (long long)j);
        else
            sri_text_put(to, "0");
        sri_text_put(to, ", x + %lld);\n", (long long)c->at);
    }
    sri_text_put(to,
                 "    for (long j = 0; j < %lld; j++)\n"
                 "        if (!isfinite(x[j])) {\n"
                 "            for (long t = 0; t < %lld; t++)\n"
                 "                scores[t] = NAN;\n"
                 "            return;\n"
                 "        }\n",
                 (long long)plain->p, (long long)plain->scores);
}

/* The row's task, of which the last is any other. */
static void put_task(sri_text *to, const sri_plain *plain)
{
    sri_text_put(to,
                 "    long task = %lld;\n"
                 "    for (long k = 0; k < %lld; k++)\n"
                 "        if (row[%lld] == (double)k)\n"
                 "            task = k;\n",
                 (long long)plain->tasks, (long long)plain->tasks, (long long)plain->inputs - 1);
}

static void put_products(sri_text *to, const sri_plain *plain)
{
    if (plain->tasks)
        put_task(to, plain);
    sri_text_put(to,
                 "    for (long i = 0; i < %lld; i++) {\n        const double *z = centre[i];\n",
                 (long long)plain->n);
    if (plain->is_field)
        sri_text_put(to, "        field(x, z, coefficient_1[i], f);\n");
    for (int j = 1; j <= plain->products && !plain->is_field; j++) {
        sri_text_put(to, "        const double k%d = kernel_%d(x, z)", j, j);
        if (plain->task_factor[j - 1])
            sri_text_put(to, " * task_%d[task][i]", j);
        sri_text_put(to, ";\n");
    }
    if (!plain->is_field) {
        sri_text_put(to, "        for (long t = 0; t < %lld; t++)\n            f[t] += ",
                     (long long)plain->T);
        for (int j = 1; j <= plain->products && plain->same_coefficients; j++)
            sri_text_put(to, "%sk%d%s", j == 1 ? "(" : " + ", j, j == plain->products ? ")" : "");
        if (plain->same_coefficients)
            sri_text_put(to, " * coefficient_1[i][t];\n");
        for (int j = 1; j <= plain->products && !plain->same_coefficients; j++)
            sri_text_put(to, "%sk%d * coefficient_%d[i][t]%s", j == 1 ? "" : " + ", j, j,
                         j == plain->products ? ";\n" : "");
    }
    sri_text_put(to, "    }\n");
}

static void put_terms(sri_text *to, const sri_plain *plain)
{
    sri_text_put(to, "    double term[%lld];\n", (long long)plain->terms);
    for (int64_t k = 0; k < plain->terms; k++) {
        const sri_predefined_term *of = plain->term[k].of;
        const int64_t index = plain->term[k].index;
        sri_text_put(to, "    term[%lld] = ", (long long)k);
        if (of->ops->one_for_each) {
            sri_text_put(to, "(x[%lld]", (long long)of->column[index]);
            sri_text_formula(to, " - #) / #;\n", of->at[index], of->slope[index]);
            continue;
        }
        sri_text_put(to, "1");
        for (int64_t j = 0; of->ops->has_powers && j < of->n_columns; j++)
            for (int q = 0; q < of->power[index * of->n_columns + j]; q++)
                sri_text_put(to, " * x[%lld]", (long long)of->column[j]);
        sri_text_put(to, ";\n");
    }
    sri_text_put(to,
                 "    for (long k = 0; k < %lld; k++)\n        for (long t = 0; t < %lld; t++)\n"
                 "            f[t] += term[k] * beta[k][t];\n",
                 (long long)plain->terms, (long long)plain->T);
}

/* One entry of a codeword and the output there, and what becomes of their sum. */
static const struct {
    const char *add, *finish;
} decodings[] = {
    [SRI_DECODE_SQUARED] = {"sum += word[c][t] * f[t];", "sum"},
    [SRI_DECODE_HAMMING] = {"sum += word[c][t] * ((f[t] > 0) - (f[t] < 0));", "sum"},
    [SRI_DECODE_LOSS] =
        {"if (word[c][t] * f[t] < 1)\n"
         "                sum -= (1 - word[c][t] * f[t]) * (1 - word[c][t] * f[t]);",
         "sum"},
    [SRI_DECODE_VOTES] = {"sum += word[c][t] * ((f[t] > 0) - (f[t] < 0)), margin += word[c][t] * "
                          "f[t];",
                          "(sum + margin / (2 * (1 + fabs(margin))))"},
    [SRI_DECODE_MAJORITY] = {"sum += word[c][t] * (f[t] > 0 ? 1 : -1);", "sum"},
};

static void put_scores(sri_text *to, const sri_plain *plain)
{
    const sri_coding *coding = plain->model->encoding.coding;
    const long long T = (long long)plain->T, classes = (long long)plain->scores;
    if (coding && !coding->word && plain->T < plain->scores) {
        sri_text_put(to, "    scores[0] = -f[0];\n    scores[1] = f[0];\n");
        return;
    }
    if (!coding || !coding->word) {
        sri_text_put(to, "    for (long t = 0; t < %lld; t++)\n        scores[t] = f[t];\n", T);
        return;
    }
    const sri_decoding how = coding->spec.decoding;
    const bool signs = coding->spec.ops->signs;
    sri_text_put(to, "    for (long c = 0; c < %lld; c++) {\n        double sum = 0%s%s;\n",
                 classes, how == SRI_DECODE_VOTES ? ", margin = 0" : "",
                 signs ? ", count = 0" : "");
    sri_text_put(to,
                 "        for (long t = 0; t < %lld; t++) {\n            if (word[c][t] == 0)\n"
                 "                continue;\n            %s\n%s        }\n",
                 T, decodings[how].add, signs ? "            count++;\n" : "");
    sri_text_put(to, "        scores[c] = %s%s;\n    }\n", decodings[how].finish,
                 signs ? " / count" : "");
}

static void put_source(sri_text *to, const sri_plain *plain, const place *at)
{
    const char *base = strrchr(at->stem, '/') ? strrchr(at->stem, '/') + 1 : at->stem;
    sri_text_put(to,
                 "/* Made by specreg %s; %s.h says what goes in and comes out. */\n"
                 "#include \"%s.h\"\n\n#include <math.h>\n",
                 SPECREG_VERSION, base, base);
    put_arrays(to, plain);
    if (has_text(plain))
        put_category(to, plain);
    sri_c_kernels(to, plain);
    sri_text_put(to, "\nvoid %s_predict(const double *row, double *scores)\n{\n", at->name);
    put_columns(to, plain);
    sri_text_put(to, "    double f[%lld] = {0};\n", (long long)plain->T);
    if (plain->n)
        put_products(to, plain);
    if (plain->slope)
        sri_text_put(
            to,
            "    for (long k = 0; k < %lld; k++)\n        for (long t = 0; t < %lld; t++)\n"
            "            f[t] += x[%s] * slope[k][t];\n",
            (long long)plain->slopes, (long long)plain->T,
            plain->slope_column ? "slope_column[k]" : "k");
    if (plain->terms)
        put_terms(to, plain);
    put_scores(to, plain);
    sri_text_put(to, "}\n");
}

/* A text within a comment: on one line, and without asterisks, which could end it. */
static void put_quoted(sri_text *to, const char *text)
{
    sri_text_put(to, "'");
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == '\\' || *c == '*')
            sri_text_put(to, "?");
        else
            sri_text_put(to, "%c", *c);
    sri_text_put(to, "'");
}

static void put_inputs(sri_text *to, const sri_plain *plain)
{
    for (int64_t i = 0; i < plain->inputs && i < LISTED; i++) {
        const sri_plain_input *input = &plain->input[i];
        sri_text_put(to, " *     %lld  ", (long long)i);
        put_quoted(to, input->name);
        if (!input->text && !input->tasks) {
            sri_text_put(to, "\n");
            continue;
        }
        sri_text_put(to, ", the number of its category:\n");
        for (int64_t k = 0; k < sri_plain_categories(input); k++) {
            sri_text_put(to, " *            %lld  ", (long long)k);
            put_quoted(to, sri_plain_category(input, k));
            sri_text_put(to, "\n");
        }
    }
    if (plain->inputs > LISTED)
        sri_text_put(to, " *     ...\n");
}

static void put_gaps(sri_text *to, const sri_plain *plain)
{
    const sri_encoder *e = plain->model->encoding.encoder;
    sri_text_put(to, sri_plain_fills(plain)
                         ? " * NaN stands for a missing value, which is filled in as in training.\n"
                         : " * A row with a missing value (NaN) gets the scores NaN.\n");
    if (has_text(plain))
        sri_text_put(to, e->refuses_unseen
                             ? " * A category that is not listed (-1) gets the scores NaN.\n"
                             : " * -1 stands for a category that is not listed.\n");
    if (plain->tasks)
        sri_text_put(to, " * A task that is not listed (-1) %s.\n",
                     isnan(plain->task_factor[0][plain->tasks * plain->n])
                         ? "gets the scores NaN"
                         : "is taken as one like the others");
}

static void put_header(sri_text *to, const sri_plain *plain, const place *at)
{
    const bool classes = plain->model->encoding.coding;
    sri_text_put(to,
                 "/* Predictions of a model, made by specreg %s.\n *\n * `row`, %lld numbers:\n",
                 SPECREG_VERSION, (long long)plain->inputs);
    put_inputs(to, plain);
    put_gaps(to, plain);
    sri_text_put(to, " *\n * `scores`, %lld numbers%s:\n", (long long)plain->scores,
                 classes ? ", of which the largest, and of equal ones the first, has the label"
                         : "");
    for (int64_t t = 0; t < plain->scores; t++) {
        sri_text_put(to, " *     %lld  ", (long long)t);
        put_quoted(to, sri_plain_score(plain, t));
        sri_text_put(to, "\n");
    }
    sri_text_put(to,
                 " *\n * It keeps no state: threads may call it at once. */\n"
                 "#ifndef %s_H\n#define %s_H\n\n"
                 "enum { %s_INPUTS = %lld, %s_SCORES = %lld };\n\n"
                 "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
                 "void %s_predict(const double *row, double *scores);\n"
                 "#ifdef __cplusplus\n}\n#endif\n\n#endif\n",
                 at->name, at->name, at->name, (long long)plain->inputs, at->name,
                 (long long)plain->scores, at->name);
}

static specreg_status write_both(specreg_context *ctx, const place *at, const sri_text *source,
                                 const sri_text *header)
{
    specreg_status st = SPECREG_OK;
    const sri_text *text[2] = {header, source};
    sri_output *out[2] = {NULL, NULL};
    sri_buffer path = {0};
    for (int i = 0; i < 2; i++) {
        path.length = 0;
        SRI_TRY(sri_buffer_print(ctx, &path, "%s.%c", at->stem, i ? 'c' : 'h'));
        SRI_TRY(sri_output_open(ctx, path.data, &out[i]));
        SRI_TRY(
            sri_output_write(ctx, out[i], text[i]->buffer.data, (size_t)text[i]->buffer.length));
    }
    for (int i = 0; i < 2; i++) {
        sri_output *one;
        SRI_MOVE(one, out[i]);
        SRI_TRY(sri_output_commit(ctx, one));
    }
done:
    sri_buffer_free(&path);
    sri_output_abandon(out[0]);
    sri_output_abandon(out[1]);
    return st;
}

specreg_status sri_export_c(specreg_context *ctx, const specreg_model *model, const char *path)
{
    specreg_status st = SPECREG_OK;
    sri_plain plain = {0};
    place at = {0};
    sri_text source = {.ctx = ctx}, header = {.ctx = ctx};
    SRI_TRY(find_place(ctx, path, &at));
    SRI_TRY(sri_plain_make(ctx, model, "C source", &plain));
    SRI_REQUIRE(ctx, plain.p <= MOST_COLUMNS, SPECREG_E_UNAVAILABLE,
                "C source takes at most %d columns, the model has %lld", (int)MOST_COLUMNS,
                (long long)plain.p);
    put_source(&source, &plain, &at);
    put_header(&header, &plain, &at);
    SRI_TRY(source.st);
    SRI_TRY(header.st);
    SRI_TRY(write_both(ctx, &at, &source, &header));
done:
    sri_buffer_free(&source.buffer);
    sri_buffer_free(&header.buffer);
    sri_free(at.stem);
    sri_free(at.name);
    sri_plain_free(&plain);
    return st;
}
