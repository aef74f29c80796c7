#include "import/libsvm_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/io/window.h"

enum {
    MOST_CLASSES = 300,         /* as many as the coding by pairs takes */
    MOST_INDEX = INT32_MAX - 1, /* as in data                           */
    MOST_SERIAL = 100000,       /* rows of a given matrix               */
    MOST = 100000000,           /* coefficients, of all pairs           */
    SHOWN = 40                  /* characters of a wrong token          */
};

const char *const sri_svm_types[SRI_SVM_TYPES] = {[SRI_SVM_C_SVC] = "c_svc",
                                                  [SRI_SVM_NU_SVC] = "nu_svc",
                                                  [SRI_SVM_ONE_CLASS] = "one_class",
                                                  [SRI_SVM_EPSILON_SVR] = "epsilon_svr",
                                                  [SRI_SVM_NU_SVR] = "nu_svr"};
const char *const sri_svm_kernels[SRI_SVM_KERNELS] = {[SRI_SVM_LINEAR] = "linear",
                                                      [SRI_SVM_POLYNOMIAL] = "polynomial",
                                                      [SRI_SVM_RBF] = "rbf",
                                                      [SRI_SVM_SIGMOID] = "sigmoid",
                                                      [SRI_SVM_PRECOMPUTED] = "precomputed"};

/* What the head has said, a bit each. */
typedef enum key {
    SVM_TYPE,
    KERNEL_TYPE,
    DEGREE,
    GAMMA,
    COEF0,
    NR_CLASS,
    TOTAL_SV,
    RHO,
    LABEL,
    NR_SV,
    PROB_A,
    PROB_B,
    DENSITY_MARKS,
    KEYS
} key;

static const char *const keys[KEYS] = {[SVM_TYPE] = "svm_type",
                                       [KERNEL_TYPE] = "kernel_type",
                                       [DEGREE] = "degree",
                                       [GAMMA] = "gamma",
                                       [COEF0] = "coef0",
                                       [NR_CLASS] = "nr_class",
                                       [TOTAL_SV] = "total_sv",
                                       [RHO] = "rho",
                                       [LABEL] = "label",
                                       [NR_SV] = "nr_sv",
                                       [PROB_A] = "probA",
                                       [PROB_B] = "probB",
                                       [DENSITY_MARKS] = "prob_density_marks"};

/* Part of a line. */
typedef struct token {
    const char *text;
    size_t length; /* 0: the line has no more */
} token;

typedef struct reader {
    specreg_context *ctx;
    const char *path;
    sri_window w;
    int64_t line;          /* the number of the one being read                     */
    const char *at, *end;  /* what is left of it                                   */
    bool is_over;          /* there is no further line                             */
    unsigned said;         /* keys                                                 */
    double classes, total; /* as the head has them                                 */
    int64_t start_capacity, index_capacity, value_capacity, serial_capacity, coefficient_capacity;
    sri_svm_file *f;
} reader;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static specreg_status fail(const reader *r, const char *what)
{
    return sri_fail(r->ctx, SPECREG_E_FORMAT, "%s:%lld: %s", r->path, (long long)r->line, what);
}

/* A token as messages show it: what is not printable becomes a '?'. */
static specreg_status fail_token(const reader *r, token t, const char *what)
{
    char shown[SHOWN + 4];
    size_t n = 0;
    for (; n < t.length && n < SHOWN; n++)
        shown[n] = t.text[n] > ' ' && t.text[n] < 127 ? t.text[n] : '?';
    snprintf(shown + n, sizeof shown - n, "%s", n < t.length ? "..." : "");
    return sri_fail(r->ctx, SPECREG_E_FORMAT, "%s:%lld: '%s' %s", r->path, (long long)r->line,
                    shown, what);
}

/* Goes to the next line, which may be the last one without an end. */
static specreg_status next_line(reader *r)
{
    const char *end;
    r->w.begin = r->end ? r->end + (r->end < r->w.end) : r->w.begin;
    r->end = NULL;
    while (!(end = memchr(r->w.begin, '\n', (size_t)(r->w.end - r->w.begin))) && !r->w.eof)
        SRI_CALL(sri_window_more(r->ctx, &r->w, r->line + 1));
    r->is_over = r->w.begin == r->w.end;
    r->line++;
    r->at = r->w.begin;
    r->end = end ? end : r->w.end;
    return SPECREG_OK;
}

static token next_token(reader *r)
{
    while (r->at < r->end && is_blank(*r->at))
        r->at++;
    const char *begin = r->at;
    while (r->at < r->end && !is_blank(*r->at))
        r->at++;
    return (token){begin, (size_t)(r->at - begin)};
}

static bool is_word(token t, const char *word)
{
    return t.length == strlen(word) && memcmp(t.text, word, t.length) == 0;
}

static specreg_status read_number(reader *r, double *out)
{
    const token t = next_token(r);
    if (!t.length)
        return fail(r, "there are fewer numbers than there should be");
    if (!sri_parse_double(t.text, t.length, out))
        return fail_token(r, t, "is not a number");
    return isfinite(*out) ? SPECREG_OK : fail_token(r, t, "is not finite");
}

static specreg_status read_whole(reader *r, double least, double most, double *out)
{
    const char *begin = r->at;
    SRI_CALL(read_number(r, out));
    while (is_blank(*begin))
        begin++;
    return *out >= least && *out <= most && *out == floor(*out)
               ? SPECREG_OK
               : fail_token(r, (token){begin, (size_t)(r->at - begin)},
                            "is no whole number, or too small or large");
}

static specreg_status read_name(reader *r, const char *const *names, int count, int *out)
{
    const token t = next_token(r);
    for (*out = 0; *out < count; ++*out)
        if (is_word(t, names[*out]))
            return SPECREG_OK;
    return fail_token(r, t, "is no such thing that LIBSVM has");
}

static specreg_status read_type(reader *r)
{
    int which;
    SRI_CALL(read_name(r, sri_svm_types, SRI_SVM_TYPES, &which));
    r->f->type = (sri_svm_type)which;
    return which != SRI_SVM_ONE_CLASS
               ? SPECREG_OK
               : sri_fail(r->ctx, SPECREG_E_UNAVAILABLE,
                          "%s:%lld: a one_class machine says which rows are unusual; it is neither "
                          "a regression nor a classification",
                          r->path, (long long)r->line);
}

static specreg_status read_kernel(reader *r)
{
    int which;
    SRI_CALL(read_name(r, sri_svm_kernels, SRI_SVM_KERNELS, &which));
    r->f->kernel = (sri_svm_kernel)which;
    return which != SRI_SVM_SIGMOID
               ? SPECREG_OK
               : sri_fail(r->ctx, SPECREG_E_UNAVAILABLE,
                          "%s:%lld: the sigmoid kernel is not positive definite, and specreg has "
                          "no kernel like it",
                          r->path, (long long)r->line);
}

/* Numbers that the classes have, which must be known by now. */
static specreg_status read_list(reader *r, bool each_pair, bool whole, double least, double *out)
{
    const int64_t count = each_pair ? r->f->pairs : r->f->classes;
    for (int64_t i = 0; i < count; i++)
        SRI_CALL(whole ? read_whole(r, least, INT32_MAX, &out[i]) : read_number(r, &out[i]));
    return SPECREG_OK;
}

static specreg_status read_integers(reader *r, double least, int64_t **out)
{
    double number[MOST_CLASSES];
    SRI_CALL(read_list(r, false, true, least, number));
    if (*out || !r->f->classes)
        return fail(r, "a regression has no classes");
    SRI_NEW(r->ctx, *out, r->f->classes, 1);
    for (int64_t i = 0; i < r->f->classes; i++)
        (*out)[i] = (int64_t)number[i];
    return SPECREG_OK;
}

static specreg_status read_classes(reader *r)
{
    sri_svm_file *f = r->f;
    SRI_CALL(read_whole(r, 1, INT32_MAX, &r->classes));
    if (!(r->said & 1u << SVM_TYPE))
        return fail(r, "nr_class comes before svm_type");
    const int64_t k = (int64_t)r->classes;
    if (!sri_svm_is_regression(f) && (k < 2 || k > MOST_CLASSES))
        return fail(r, k < 2 ? "there is one class only, nothing to tell apart"
                             : "there are more than 300 classes");
    f->classes = sri_svm_is_regression(f) ? 0 : k;
    f->pairs = f->classes ? k * (k - 1) / 2 : 1;
    f->width = f->classes ? k - 1 : 1;
    SRI_NEW(r->ctx, f->rho, f->pairs, 1);
    return SPECREG_OK;
}

static specreg_status read_value(reader *r, key which)
{
    sri_svm_file *f = r->f;
    switch (which) {
    case SVM_TYPE:
        return read_type(r);
    case KERNEL_TYPE:
        return read_kernel(r);
    case DEGREE:
        return read_whole(r, INT32_MIN, INT32_MAX, &f->degree);
    case GAMMA:
        return read_number(r, &f->gamma);
    case COEF0:
        return read_number(r, &f->coef0);
    case NR_CLASS:
        return read_classes(r);
    case TOTAL_SV:
        return read_whole(r, 1, INT32_MAX, &r->total);
    case RHO:
        return read_list(r, true, false, 0, f->rho);
    case LABEL:
        return read_integers(r, INT32_MIN, &f->label);
    case NR_SV:
        return read_integers(r, 0, &f->count);
    default: /* what probabilities are made of, which nobody asks for */
        f->has_probabilities = true;
        r->at = r->end;
        return SPECREG_OK;
    }
}

/* A line of the head; `SV` ends it. */
static specreg_status read_key(reader *r, bool *is_over)
{
    const token name = next_token(r);
    int which = 0;
    *is_over = is_word(name, "SV");
    if (*is_over || !name.length)
        return SPECREG_OK;
    while (which < KEYS && !is_word(name, keys[which]))
        which++;
    if (which == KEYS)
        return fail_token(r, name, "is no line of a LIBSVM model");
    if (r->said & 1u << which)
        return fail_token(r, name, "is there twice");
    if (which >= RHO && !(r->said & 1u << NR_CLASS))
        return fail_token(r, name, "comes before nr_class");
    SRI_CALL(read_value(r, (key)which));
    r->said |= 1u << which;
    const token more = next_token(r);
    return more.length ? fail_token(r, more, "is more than the line should have") : SPECREG_OK;
}

static specreg_status check_labels(const reader *r)
{
    const sri_svm_file *f = r->f;
    int64_t sum = 0;
    for (int64_t c = 0; c < f->classes; c++) {
        sum += f->count[c];
        for (int64_t d = 0; d < c; d++)
            if (f->label[c] == f->label[d])
                return fail(r, "two classes have the same label");
    }
    return !f->classes || sum == (int64_t)r->total
               ? SPECREG_OK
               : fail(r, "nr_sv and total_sv do not agree on the number of support vectors");
}

/* Everything that the vectors need has been said. */
static specreg_status check_head(const reader *r)
{
    const sri_svm_file *f = r->f;
    unsigned needed = 1u << SVM_TYPE | 1u << KERNEL_TYPE | 1u << NR_CLASS | 1u << TOTAL_SV |
                      1u << RHO | (f->classes ? 1u << LABEL | 1u << NR_SV : 0);
    if (f->kernel == SRI_SVM_POLYNOMIAL)
        needed |= 1u << DEGREE | 1u << GAMMA | 1u << COEF0;
    if (f->kernel == SRI_SVM_RBF)
        needed |= 1u << GAMMA;
    for (int which = 0; which < KEYS; which++)
        if (needed & 1u << which && !(r->said & 1u << which))
            return fail_token(r, (token){keys[which], strlen(keys[which])}, "is missing before SV");
    SRI_CHECK(r->ctx, r->total * (double)f->pairs <= MOST, SPECREG_E_UNAVAILABLE,
              "%s:%lld: %.0f support vectors with a coefficient for each of %lld pairs of classes "
              "are too many (at most %d numbers)",
              r->path, (long long)r->line, r->total, (long long)f->pairs, (int)MOST);
    return check_labels(r);
}

static specreg_status read_head(reader *r)
{
    for (bool is_over = false; !is_over;) {
        SRI_CALL(next_line(r));
        if (r->is_over)
            return fail(r, r->said ? "the file ends before SV"
                                   : "the file is empty, it is no LIBSVM model");
        SRI_CALL(read_key(r, &is_over));
    }
    return check_head(r);
}

/* `index:value` of a token; an index may be 0 where the kernel is given. */
static specreg_status split_pair(const reader *r, token t, double *index, double *value)
{
    const char *colon = memchr(t.text, ':', t.length);
    const size_t before = colon ? (size_t)(colon - t.text) : 0;
    if (!before || !sri_parse_double(t.text, before, index) ||
        !sri_parse_double(colon + 1, t.length - before - 1, value) || *index != floor(*index))
        return fail_token(r, t, "is not index:value");
    return isfinite(*value) ? SPECREG_OK : fail_token(r, t, "is not finite");
}

static specreg_status put_pair(reader *r, int64_t index, double value, int64_t entries)
{
    sri_matrix *m = &r->f->vector;
    SRI_CALL(SRI_GROW(r->ctx, m->index, r->index_capacity, entries + 1));
    SRI_CALL(SRI_GROW(r->ctx, m->value, r->value_capacity, entries + 1));
    m->index[entries] = (int32_t)(index - 1);
    m->value[entries] = value;
    return SPECREG_OK;
}

static specreg_status read_pairs(reader *r)
{
    sri_matrix *m = &r->f->vector;
    double index, value, last = 0;
    int64_t entries = m->start[m->n];
    for (token t; (t = next_token(r)).length; last = index) {
        SRI_CALL(split_pair(r, t, &index, &value));
        if (!(index >= 1 && index <= MOST_INDEX))
            return fail_token(r, t, "has an index that is not from 1 to 2147483646");
        if (!(index > last))
            return fail_token(r, t, "does not come after a smaller index");
        if (value != 0)
            SRI_CALL(put_pair(r, (int64_t)index, value, entries++));
        m->p = index > (double)m->p ? (int64_t)index : m->p;
    }
    m->start[m->n + 1] = entries;
    return SPECREG_OK;
}

/* `0:number`, the row of the given matrix; what follows it is not used by predictions. */
static specreg_status read_serial(reader *r)
{
    sri_matrix *m = &r->f->vector;
    double index, number;
    const token t = next_token(r);
    SRI_CALL(split_pair(r, t, &index, &number));
    if (index != 0 || !(number >= 1 && number <= MOST_SERIAL) || number != floor(number))
        return fail_token(r, t, "is not 0:row, the row of the matrix from 1 to 100000");
    SRI_CALL(SRI_GROW(r->ctx, r->f->serial, r->serial_capacity, m->n + 1));
    r->f->serial[m->n] = (int64_t)number;
    m->p = number > (double)m->p ? (int64_t)number : m->p;
    m->start[m->n + 1] = 0;
    return SPECREG_OK;
}

static specreg_status read_vector(reader *r)
{
    sri_svm_file *f = r->f;
    const int64_t n = f->vector.n;
    SRI_CALL(SRI_GROW(r->ctx, f->vector.start, r->start_capacity, n + 2));
    SRI_CALL(SRI_GROW(r->ctx, f->coefficient, r->coefficient_capacity, (n + 1) * f->width));
    for (int64_t j = 0; j < f->width; j++)
        SRI_CALL(read_number(r, &f->coefficient[n * f->width + j]));
    SRI_CALL(f->kernel == SRI_SVM_PRECOMPUTED ? read_serial(r) : read_pairs(r));
    f->vector.n++;
    return SPECREG_OK;
}

static specreg_status read_vectors(reader *r)
{
    sri_matrix *m = &r->f->vector;
    SRI_CALL(SRI_GROW(r->ctx, m->start, r->start_capacity, 1));
    SRI_CALL(SRI_GROW(r->ctx, m->index, r->index_capacity, 1)); /* also without an entry */
    SRI_CALL(SRI_GROW(r->ctx, m->value, r->value_capacity, 1));
    m->start[0] = 0;
    while ((double)m->n < r->total) {
        SRI_CALL(next_line(r));
        if (r->is_over)
            return sri_fail(r->ctx, SPECREG_E_FORMAT,
                            "%s:%lld: the file ends after %lld of %.0f support vectors", r->path,
                            (long long)r->line, (long long)m->n, r->total);
        SRI_CALL(read_vector(r));
    }
    do {
        SRI_CALL(next_line(r));
        if (next_token(r).length)
            return fail(r, "there are more support vectors than total_sv says");
    } while (!r->is_over);
    m->p = m->p ? m->p : 1; /* all of them are 0 */
    return SPECREG_OK;
}

specreg_status sri_svm_read(specreg_context *ctx, const char *path, sri_svm_file *out)
{
    specreg_status st = SPECREG_OK;
    sri_stream *stream = NULL;
    reader r = {.ctx = ctx, .path = path, .f = out};
    *out = (sri_svm_file){0};
    SRI_TRY(sri_stream_open(ctx, path, &stream));
    SRI_TRY(sri_window_open(ctx, stream, &r.w));
    SRI_TRY(read_head(&r));
    SRI_TRY(read_vectors(&r));
done:
    sri_window_close(&r.w);
    sri_stream_close(stream);
    if (st != SPECREG_OK)
        sri_svm_free(out);
    return st;
}

void sri_svm_free(sri_svm_file *f)
{
    sri_free(f->rho);
    sri_free(f->label);
    sri_free(f->count);
    sri_free(f->serial);
    sri_free(f->coefficient);
    sri_matrix_free(&f->vector);
    *f = (sri_svm_file){0};
}
