/* The kinds of predefined features. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/spec.h"
#include "data/predefined.h"

static specreg_status no_text(specreg_context *ctx, sri_predefined_term *term)
{
    return *term->text ? sri_fail(ctx, SPECREG_E_ARG, "features: %s takes nothing, not '%s'",
                                  term->ops->name, term->text)
                       : SPECREG_OK;
}

static specreg_status learn_constant(specreg_context *ctx, sri_predefined_term *term,
                                     const sri_predefined_rows *rows, sri_predefined *p)
{
    (void)rows;
    term->l = 1;
    return sri_predefined_add_name(ctx, p, "constant");
}

static specreg_status fill_constant(specreg_context *ctx, const sri_predefined_term *term,
                                    const sri_predefined_rows *rows, double *P, int64_t width)
{
    (void)ctx;
    (void)term;
    for (int64_t i = 0; i < rows->X->n; i++)
        P[i * width] = 1;
    return SPECREG_OK;
}

const sri_predefined_ops sri_predefined_constant = {.name = "constant",
                                                    .is_one = true,
                                                    .parse = no_text,
                                                    .learn = learn_constant,
                                                    .fill = fill_constant};

static specreg_status alloc_columns(specreg_context *ctx, sri_predefined_term *term, int64_t count)
{
    SRI_NEW(ctx, term->column, count, 1);
    SRI_NEW(ctx, term->slope, count, 1);
    SRI_NEW(ctx, term->at, count, 1);
    return SPECREG_OK;
}

/* One more column of X, which is a feature scaled as the encoder does. */
static void add_column(sri_predefined_term *term, int64_t column, const sri_feature *f)
{
    const int64_t k = term->n_columns++;
    const bool number = f && !f->is_text;
    term->column[k] = column;
    term->slope[k] = number ? ldexp(f->factor, f->exponent) : 1;
    term->at[k] = number ? -f->shift * f->factor : 0;
}

static specreg_status parse_poly(specreg_context *ctx, sri_predefined_term *term)
{
    specreg_status st = SPECREG_OK;
    double degree = 2;
    sri_spec spec = {0};
    if (*term->text) {
        sri_buffer text = {0};
        SRI_TRY(sri_buffer_print(ctx, &text, "poly:%s", term->text));
        st = sri_spec_parse(ctx, "features", text.data, &spec);
        sri_buffer_free(&text);
        SRI_TRY(st);
    }
    SRI_REQUIRE(ctx, spec.count <= 1, SPECREG_E_ARG, "features: poly has one degree, not '%s'",
                term->text);
    for (int i = 0; i < spec.count; i++) {
        SRI_REQUIRE(ctx, !spec.arg[i].key || strcmp(spec.arg[i].key, "degree") == 0, SPECREG_E_ARG,
                    "features: poly knows degree, variant and dependent, not '%s'",
                    spec.arg[i].key);
        SRI_TRY(sri_number_parse(ctx, "features: degree", spec.arg[i].value, &degree));
    }
    SRI_REQUIRE(ctx, degree >= 0 && degree <= 20 && degree == floor(degree), SPECREG_E_ARG,
                "features: degree is a whole number from 0 to 20, not %g", degree);
    term->degree = (int)degree;
done:
    sri_spec_free(&spec);
    return st;
}

/* How many monomials of p variables there are up to a degree: (p + q)! / (p! q!). */
static double monomials(int64_t p, int degree)
{
    double count = 1;
    for (int k = 1; k <= degree; k++)
        count *= (double)(p + k) / k;
    return round(count);
}

/* The next powers of the same degree, the last variable counting up; false after the last ones. */
static bool next_powers(int *power, int64_t p)
{
    int64_t k = p - 2;
    while (k >= 0 && power[k] == 0)
        k--;
    if (k < 0)
        return false;
    int rest = power[p - 1] + 1;
    power[p - 1] = 0;
    power[k]--;
    power[k + 1] = rest;
    return true;
}

/* Degree after degree: 1, a, b, a^2, a*b, b^2, ... */
static void list_powers(const sri_predefined_term *term)
{
    const int64_t p = term->n_columns;
    int64_t k = 0;
    for (int degree = 0; degree <= (p ? term->degree : 0); degree++) {
        int *now = term->power + k * p;
        memset(now, 0, (size_t)p * sizeof *now);
        if (p)
            now[0] = degree;
        for (k++; k < term->l; k++) {
            int *next = term->power + k * p;
            memcpy(next, next - p, (size_t)p * sizeof *next);
            if (p == 0 || degree == 0 || !next_powers(next, p))
                break;
        }
    }
}

static specreg_status add_poly_name(specreg_context *ctx, const sri_encoder *e, const int *power,
                                    sri_predefined *p)
{
    specreg_status st = SPECREG_OK;
    sri_buffer text = {0};
    int64_t k = 0; /* numeric features come in order */
    for (int64_t i = 0; i < e->n_features; i++) {
        if (e->feature[i].is_text)
            continue;
        const int q = power[k++];
        if (q)
            SRI_TRY(
                sri_buffer_print(ctx, &text, "%s%s", text.length ? "*" : "", e->feature[i].name));
        if (q > 1)
            SRI_TRY(sri_buffer_print(ctx, &text, "^%d", q));
    }
    SRI_TRY(sri_predefined_add_name(ctx, p, text.length ? text.data : "constant"));
done:
    sri_buffer_free(&text);
    return st;
}

static specreg_status learn_poly(specreg_context *ctx, sri_predefined_term *term,
                                 const sri_predefined_rows *rows, sri_predefined *p)
{
    const sri_encoder *e = rows->encoder;
    SRI_CHECK(ctx, !e->sparse, SPECREG_E_UNAVAILABLE,
              "features: poly needs dense data; columns: takes single columns of sparse ones");
    SRI_CALL(alloc_columns(ctx, term, e->n_features));
    for (int64_t i = 0; i < e->n_features; i++)
        if (!e->feature[i].is_text)
            add_column(term, e->feature[i].at, &e->feature[i]);
    const double count = monomials(term->n_columns, term->degree);
    SRI_CHECK(ctx, count < (double)rows->X->n, SPECREG_E_SHAPE,
              "features: poly:degree=%d of %lld columns are %.0f features, there are %lld rows",
              term->degree, (long long)term->n_columns, count, (long long)rows->X->n);
    term->l = (int64_t)count;
    SRI_NEW(ctx, term->power, term->l, term->n_columns);
    list_powers(term);
    for (int64_t k = 0; k < term->l; k++)
        SRI_CALL(add_poly_name(ctx, e, term->power + k * term->n_columns, p));
    return SPECREG_OK;
}

static specreg_status fill_poly(specreg_context *ctx, const sri_predefined_term *term,
                                const sri_predefined_rows *rows, double *P, int64_t width)
{
    (void)ctx;
    const int64_t p = term->n_columns;
    for (int64_t i = 0; i < rows->X->n; i++)
        for (int64_t k = 0; k < term->l; k++) {
            double value = 1;
            for (int64_t j = 0; j < p; j++)
                for (int q = 0; q < term->power[k * p + j]; q++)
                    value *= sri_matrix_entry(rows->X, i, term->column[j]);
            P[i * width + k] = value;
        }
    return SPECREG_OK;
}

const sri_predefined_ops sri_predefined_poly = {.name = "poly",
                                                .has_powers = true,
                                                .parse = parse_poly,
                                                .learn = learn_poly,
                                                .fill = fill_poly};

/* A column of X that is there already was named twice. */
static specreg_status check_new(specreg_context *ctx, const sri_predefined_term *term,
                                int64_t column, const char *text)
{
    return sri_lists(term->column, term->n_columns, column)
               ? sri_fail(ctx, SPECREG_E_ARG, "features: column '%s' is named twice", text)
               : SPECREG_OK;
}

/* Sparse columns have numbers, from 1 on, as LIBSVM files count them, also where X is dense. */
static specreg_status numbered_column(specreg_context *ctx, sri_predefined_term *term,
                                      const sri_encoder *e, const char *text)
{
    char *end;
    const long long number = strtoll(text, &end, 10);
    SRI_CHECK(ctx, !*end && end != text && number >= 1 && number <= e->n_features, SPECREG_E_ARG,
              "features: there is no column '%s': sparse data have columns 1 to %lld", text,
              (long long)e->n_features);
    SRI_CALL(check_new(ctx, term, number - 1, text));
    add_column(term, number - 1, e->sparse ? NULL : &e->feature[number - 1]);
    if (e->sparse && e->factor)
        term->slope[term->n_columns - 1] = e->factor[number - 1];
    return SPECREG_OK;
}

static specreg_status named_column(specreg_context *ctx, sri_predefined_term *term,
                                   const sri_predefined_rows *rows, const char *text)
{
    const sri_encoder *e = rows->encoder;
    const int64_t position = sri_table_find(ctx, rows->table, text);
    if (position < 0)
        return SPECREG_E_ARG;
    int64_t parts = 0;
    for (int64_t i = 0; i < e->n_features; i++) {
        const sri_feature *f = &e->feature[i];
        if (f->position != position)
            continue;
        const int64_t wide = f->is_text ? f->category.count : 1;
        SRI_CALL(check_new(ctx, term, f->at, text));
        for (int64_t k = 0; k < wide; k++)
            add_column(term, f->at + k, f);
        parts++;
    }
    SRI_CHECK(ctx, parts, SPECREG_E_ARG,
              "features: column '%s' is the target, has another role, or is left out: it is no "
              "feature",
              text);
    return SPECREG_OK;
}

/* "a,b": a column of X for each, or one for each category; blanks around names do not count. */
static specreg_status each_name(specreg_context *ctx, sri_predefined_term *term,
                                const sri_predefined_rows *rows)
{
    specreg_status st = SPECREG_OK;
    char *list = NULL;
    const bool by_number = rows->encoder->by_number;
    int64_t most = by_number ? 1 : rows->encoder->p;
    SRI_STRDUP(ctx, list, term->text);
    for (const char *c = list; by_number && *c; c++)
        most += *c == ',';
    SRI_TRY(alloc_columns(ctx, term, most));
    for (char *next = list, *text; (text = strsep(&next, ","));) {
        text += strspn(text, " ");
        for (size_t end = strlen(text); end && text[end - 1] == ' ';)
            text[--end] = '\0';
        SRI_REQUIRE(ctx, *text, SPECREG_E_ARG, "features: columns:%s has an empty name",
                    term->text);
        if (by_number)
            SRI_TRY(numbered_column(ctx, term, rows->encoder, text));
        else
            SRI_TRY(named_column(ctx, term, rows, text));
    }
done:
    sri_free(list);
    return st;
}

static specreg_status add_column_name(specreg_context *ctx, const sri_encoder *e, int64_t column,
                                      sri_predefined *p)
{
    specreg_status st = SPECREG_OK;
    char number[32];
    sri_buffer text = {0};
    int64_t i = 0;
    if (e->sparse)
        return sri_predefined_add_name(ctx, p, sri_encoder_name(e, column, number));
    while (i + 1 < e->n_features && e->feature[i + 1].at <= column)
        i++;
    const sri_feature *f = &e->feature[i];
    SRI_TRY(sri_buffer_print(ctx, &text, "%s%s%s", f->name, f->is_text ? "=" : "",
                             f->is_text ? f->category.text[column - f->at] : ""));
    SRI_TRY(sri_predefined_add_name(ctx, p, text.data));
done:
    sri_buffer_free(&text);
    return st;
}

static specreg_status learn_columns(specreg_context *ctx, sri_predefined_term *term,
                                    const sri_predefined_rows *rows, sri_predefined *p)
{
    SRI_CALL(each_name(ctx, term, rows));
    term->l = term->n_columns;
    for (int64_t k = 0; k < term->l; k++)
        SRI_CALL(add_column_name(ctx, rows->encoder, term->column[k], p));
    return SPECREG_OK;
}

static specreg_status fill_columns(specreg_context *ctx, const sri_predefined_term *term,
                                   const sri_predefined_rows *rows, double *P, int64_t width)
{
    (void)ctx;
    for (int64_t i = 0; i < rows->X->n; i++)
        for (int64_t k = 0; k < term->l; k++)
            P[i * width + k] =
                (sri_matrix_entry(rows->X, i, term->column[k]) - term->at[k]) / term->slope[k];
    return SPECREG_OK;
}

const sri_predefined_ops sri_predefined_columns = {.name = "columns",
                                                   .takes_names = true,
                                                   .one_for_each = true,
                                                   .asks = "features: columns: which? Names or "
                                                           "numbers, with commas between them",
                                                   .learn = learn_columns,
                                                   .fill = fill_columns};

/* The table must be there, have the rows of the other one, and numbers in all columns. */
static specreg_status check_file(specreg_context *ctx, const sri_predefined_rows *rows)
{
    const specreg_table *f = rows->file;
    SRI_CHECK(ctx, f, SPECREG_E_ARG,
              "%s: the model has features from a file: give those of these rows with "
              "--features-file",
              rows->table ? rows->table->source : "X");
    SRI_CHECK(ctx, f->rows == sri_table_origins(rows->table), SPECREG_E_SHAPE,
              "%s has %lld rows of features, %s has %lld", f->source, (long long)f->rows,
              rows->table->source, (long long)sri_table_origins(rows->table));
    for (int64_t j = 0; j < f->n_columns; j++)
        SRI_CHECK(ctx, !f->column[j].is_text, SPECREG_E_FORMAT,
                  "%s: column '%s' has texts: features are numbers", f->source, f->column[j].name);
    return SPECREG_OK;
}

static specreg_status learn_file(specreg_context *ctx, sri_predefined_term *term,
                                 const sri_predefined_rows *rows, sri_predefined *p)
{
    SRI_CALL(check_file(ctx, rows));
    SRI_CHECK(ctx, !rows->file->sparse && rows->file->n_columns > 0, SPECREG_E_FORMAT,
              "%s: features that are not penalised come in dense columns", rows->file->source);
    term->l = rows->file->n_columns;
    for (int64_t k = 0; k < term->l; k++)
        SRI_CALL(sri_predefined_add_name(ctx, p, rows->file->column[k].name));
    return SPECREG_OK;
}

static specreg_status fill_file(specreg_context *ctx, const sri_predefined_term *term,
                                const sri_predefined_rows *rows, double *P, int64_t width)
{
    const specreg_table *f = rows->file;
    SRI_CALL(check_file(ctx, rows));
    SRI_CHECK(ctx, f->n_columns == term->l, SPECREG_E_SHAPE,
              "%s has %lld columns of features, in training there were %lld", f->source,
              (long long)f->n_columns, (long long)term->l);
    for (int64_t i = 0; i < rows->X->n; i++) {
        const int64_t row = sri_table_origin(rows->table, rows->rows[i]);
        for (int64_t k = 0; k < term->l; k++) {
            const double v = sri_cell_number(f, row, &f->column[k]);
            if (isnan(v))
                return sri_fail_at_cell(ctx, SPECREG_E_NUMERIC, f, row, f->column[k].name,
                                        "the feature is missing");
            P[i * width + k] = v;
        }
    }
    return SPECREG_OK;
}

const sri_predefined_ops sri_predefined_file = {.name = "file",
                                                .takes_names = true,
                                                .only_once = true,
                                                .needs_file = true,
                                                .asks = "features: file: which?",
                                                .learn = learn_file,
                                                .fill = fill_file};
