/* A model as a model file of LIBSVM.  A regression is an epsilon_svr, sum_i coef_i k(x, z_i) - rho.
 * A classification is a c_svc: of classes i before j, i gets a vote where
 *
 *     sum over SV of i: coef_j k + sum over SV of j: coef_i k - rho_ij > 0,
 *
 * and the most votes win.  With all centres as SV of every class, and coefficients those of its
 * score, with the sign of the pair, that is the difference of two scores: the class with the
 * largest gets all its votes.  Outputs of one against one that a majority decides are the pairs
 * themselves. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "export/plain.h"
#include "export/text.h"

/* Scores, or pairs of classes, as sums over vectors: row v of vector times score s has
 * coefficient[v * scores + s]. */
typedef struct sums {
    const sri_plain *plain;
    int64_t vectors, scores;
    double *vector;      /* vectors x p, or NULL: the centres */
    double *coefficient; /* vectors x scores                  */
    double *constant;    /* scores                            */
} sums;

/* Whether each output is that of a pair of classes, which vote as LIBSVM has them do. */
static bool has_pairs(const sri_plain *plain)
{
    const sri_coding *coding = plain->model->encoding.coding;
    return coding && coding->spec.ops->by_pairs && coding->spec.decoding == SRI_DECODE_MAJORITY;
}

static specreg_status refuse(specreg_context *ctx, const char *what, const char *name,
                             const char *help)
{
    return sri_fail(ctx, SPECREG_E_UNAVAILABLE, "a LIBSVM model cannot carry %s%s%s%s%s", what,
                    *name ? " '" : "", name, *name ? "'" : "", help);
}

static bool is_scaled(const sri_plain_column *c)
{
    return c->feature ? c->feature->shift != 0 || c->feature->factor != 1 || c->feature->exponent
                      : c->factor != 1;
}

static specreg_status check_columns(specreg_context *ctx, const sri_plain *plain)
{
    for (int64_t j = 0; j < plain->columns; j++) {
        const sri_plain_column *c = &plain->column[j];
        const char *name = plain->input[c->input].name;
        if (c->feature && c->feature->is_text)
            return refuse(ctx, "texts, as those of column", name, "");
        if (is_scaled(c))
            return refuse(ctx, "scaling, as that of column", name, ": fit with --scale none");
    }
    if (sri_plain_fills(plain))
        return refuse(ctx, "what fills in missing values", "", "");
    return SPECREG_OK;
}

static specreg_status check_kernel(specreg_context *ctx, const sri_plain *plain)
{
    const sri_kernel_term *term = &plain->kernel.term[0];
    if (plain->slope)
        return SPECREG_OK;
    if (plain->kernel.n_terms > 1)
        return refuse(ctx, "sums and products of kernels", "", "");
    if (term->columns)
        return refuse(ctx, "kernels of some columns", "", "");
    const sri_map map = sri_term_map(term);
    const sri_pair pair = sri_term_pair(term);
    const bool is_poly =
        pair == SRI_PAIR_DOT && (map.kind == SRI_MAP_POWER || map.kind == SRI_MAP_IDENTITY);
    if (!is_poly && !(pair == SRI_PAIR_DIST2 && map.kind == SRI_MAP_EXP))
        return refuse(ctx, "the kernel", term->ops->name, ": it has linear, poly and rbf");
    return SPECREG_OK;
}

static specreg_status check_outputs(specreg_context *ctx, const sri_plain *plain)
{
    const sri_coding *coding = plain->model->encoding.coding;
    if (plain->tasks)
        return refuse(ctx, "tasks", "", "");
    if (!coding && plain->T > 1)
        return refuse(ctx, "more than one output", "", "");
    for (int64_t k = 0; k < plain->terms; k++)
        if (!plain->term[k].of->ops->is_one)
            return refuse(ctx, "unpenalised terms other than a constant", "", "");
    if (coding && coding->word && coding->spec.decoding != SRI_DECODE_SQUARED && !has_pairs(plain))
        return refuse(ctx, "outputs decoded by", sri_decodings[coding->spec.decoding], "");
    return SPECREG_OK;
}

static specreg_status label_number(specreg_context *ctx, const char *label, long *out)
{
    char *end;
    errno = 0;
    *out = strtol(label, &end, 10);
    if (errno || end == label || *end || *out > INT_MAX || *out < INT_MIN)
        return refuse(ctx, "the label", label, ": its labels are whole numbers");
    return SPECREG_OK;
}

/* As sri_plain_share, but of two classes with one output that of the second is it, and the first
 * has none: what counts is their difference. */
static double share(const sri_plain *plain, int64_t score, int64_t t)
{
    const sri_coding *coding = plain->model->encoding.coding;
    if (has_pairs(plain))
        return score == t;
    return coding && !coding->word && plain->T < plain->scores ? (double)score
                                                               : sri_plain_share(plain, score, t);
}

/* A linear model has one vector for each score, its slopes. */
static specreg_status linear_sums(specreg_context *ctx, const sri_plain *plain, sums *out)
{
    out->vectors = out->scores;
    SRI_NEW_ZERO(ctx, out->vector, out->scores, plain->p);
    SRI_NEW_ZERO(ctx, out->coefficient, out->scores, out->scores);
    for (int64_t s = 0; s < out->scores; s++) {
        out->coefficient[s * out->scores + s] = 1;
        for (int64_t k = 0; k < plain->slopes; k++) {
            const int64_t j = plain->slope_column ? plain->slope_column[k] : k;
            for (int64_t t = 0; t < plain->T; t++)
                out->vector[s * plain->p + j] +=
                    share(plain, s, t) * plain->slope[k * plain->T + t];
        }
    }
    return SPECREG_OK;
}

static specreg_status centre_sums(specreg_context *ctx, const sri_plain *plain, sums *out)
{
    const double weight = plain->kernel.term[0].weight;
    out->vectors = plain->n;
    SRI_NEW_ZERO(ctx, out->coefficient, plain->n, out->scores);
    for (int64_t i = 0; i < plain->n; i++)
        for (int64_t s = 0; s < out->scores; s++)
            for (int64_t t = 0; t < plain->T; t++)
                out->coefficient[i * out->scores + s] +=
                    weight * share(plain, s, t) * plain->coefficient[0][i * plain->T + t];
    return SPECREG_OK;
}

static specreg_status make_sums(specreg_context *ctx, const sri_plain *plain, sums *out)
{
    out->plain = plain;
    out->scores = has_pairs(plain) ? plain->T : plain->scores;
    SRI_NEW_ZERO(ctx, out->constant, out->scores, 1);
    for (int64_t s = 0; s < out->scores; s++)
        for (int64_t k = 0; k < plain->terms; k++)
            for (int64_t t = 0; t < plain->T; t++)
                out->constant[s] += share(plain, s, t) * plain->beta[k * plain->T + t];
    return plain->slope ? linear_sums(ctx, plain, out) : centre_sums(ctx, plain, out);
}

static void sums_free(sums *s)
{
    sri_free(s->vector);
    sri_free(s->coefficient);
    sri_free(s->constant);
}

enum { MOST = 1000000000 }; /* numbers of a file */

/* A class has its vectors again, with a coefficient for each other class. */
static specreg_status check_size(specreg_context *ctx, const sri_plain *plain)
{
    const double k = (double)plain->scores, vectors = plain->slope ? 1 : (double)plain->n;
    const double width = fmax(k, has_pairs(plain) ? (double)plain->T : 0);
    SRI_CHECK(ctx, k * k + vectors * k * (width + (double)plain->p) <= MOST, SPECREG_E_UNAVAILABLE,
              "a LIBSVM model has the centres of each class again, with a number for each other "
              "class: %.0f of %.0f classes are too many",
              vectors, k);
    return SPECREG_OK;
}

static void put_field(sri_text *to, const char *name, double value)
{
    sri_text_put(to, "%s ", name);
    sri_text_number(to, value);
    sri_text_put(to, "\n");
}

static void put_kernel(sri_text *to, const sri_plain *plain)
{
    sri_map map = {0};
    if (!plain->slope)
        map = sri_term_map(&plain->kernel.term[0]);
    if (map.kind == SRI_MAP_EXP) {
        sri_text_put(to, "kernel_type rbf\n");
        put_field(to, "gamma", -map.c);
    } else if (map.kind == SRI_MAP_POWER) {
        sri_text_put(to, "kernel_type polynomial\n");
        put_field(to, "degree", map.degree);
        put_field(to, "gamma", map.c);
        put_field(to, "coef0", map.shift);
    } else {
        sri_text_put(to, "kernel_type linear\n");
    }
}

/* The coordinates that are not 0, after the coefficients. */
static void put_vector(sri_text *to, const sums *s, int64_t v)
{
    const int64_t p = s->plain->p;
    const double *z = (s->vector ? s->vector : s->plain->centre) + v * p;
    for (int64_t j = 0; j < p; j++)
        if (z[j] != 0) {
            sri_text_put(to, "%lld:", (long long)j + 1);
            sri_text_number(to, z[j]);
            sri_text_put(to, " ");
        }
    sri_text_put(to, "\n");
}

static void put_number(sri_text *to, double number)
{
    sri_text_number(to, number);
    sri_text_put(to, " ");
}

static void put_regression(sri_text *to, const sums *s)
{
    sri_text_put(to, "svm_type epsilon_svr\n");
    put_kernel(to, s->plain);
    sri_text_put(to, "nr_class 2\ntotal_sv %lld\n", (long long)s->vectors);
    put_field(to, "rho", -s->constant[0]);
    sri_text_put(to, "SV\n");
    for (int64_t v = 0; v < s->vectors; v++) {
        put_number(to, s->coefficient[v]);
        put_vector(to, s, v);
    }
}

/* Whether a vector says something of a score. */
static bool counts(const sums *s, int64_t v, int64_t score)
{
    return s->coefficient[v * s->scores + score] != 0;
}

/* The number of the pair of class c and another one. */
static int64_t pair_of(int64_t classes, int64_t c, int64_t other)
{
    const int64_t a = c < other ? c : other, b = c < other ? other : c;
    return a * (2 * classes - a - 1) / 2 + b - a - 1;
}

/* The first class of which all pairs are that a vector counts in; -1: there is none. */
static int64_t owner_of(const sums *s, int64_t classes, int64_t v)
{
    int64_t all = 0;
    for (int64_t t = 0; t < s->scores; t++)
        all += s->coefficient[v * s->scores + t] != 0;
    for (int64_t c = 0; c < classes; c++) {
        int64_t own = 0;
        for (int64_t other = 0; other < classes; other++)
            own += other != c && s->coefficient[v * s->scores + pair_of(classes, c, other)] != 0;
        if (own == all)
            return c;
    }
    return -1;
}

/* The coefficient of a vector, as one of class c, in the pair with another class: one that no class
 * owns is a vector of the first class of each of its pairs. */
static double pair_coefficient(const sums *s, int64_t classes, int64_t v, int64_t owner, int64_t c,
                               int64_t other)
{
    return owner == c || (owner < 0 && c < other)
               ? s->coefficient[v * s->scores + pair_of(classes, c, other)]
               : 0;
}

/* Whether a vector stands among those of class c. */
static bool is_vector_of(const sums *s, int64_t classes, int64_t v, int64_t owner, int64_t c)
{
    bool any = owner == c;
    for (int64_t other = 0; other < classes && owner < 0; other++)
        any = any || (other != c && pair_coefficient(s, classes, v, owner, c, other) != 0);
    return any;
}

/* The vectors of the pairs: `count` of each class, and their lines where there is a text; `owner`
 * of each vector. */
static void put_pair_vectors(sri_text *to, const sums *s, int64_t classes, const int64_t *owner,
                             int64_t *count)
{
    for (int64_t c = 0; c < classes; c++) {
        count[c] = 0;
        for (int64_t v = 0; v < s->vectors; v++) {
            if (!is_vector_of(s, classes, v, owner[v], c))
                continue;
            count[c]++;
            for (int64_t other = 0; to && other < classes; other++)
                if (other != c)
                    put_number(to, pair_coefficient(s, classes, v, owner[v], c, other));
            if (to)
                put_vector(to, s, v);
        }
    }
}

/* `count` has room for a number of each class and of each vector. */
static void put_pairs(sri_text *to, const sums *s, const long *label, int64_t *count)
{
    const int64_t k = s->plain->scores;
    int64_t total = 0, *owner = count + k;
    for (int64_t v = 0; v < s->vectors; v++)
        owner[v] = owner_of(s, k, v);
    put_pair_vectors(NULL, s, k, owner, count);
    for (int64_t c = 0; c < k; c++)
        total += count[c];
    sri_text_put(to, "svm_type c_svc\n");
    put_kernel(to, s->plain);
    sri_text_put(to, "nr_class %lld\ntotal_sv %lld\nrho ", (long long)k, (long long)total);
    for (int64_t t = 0; t < s->scores; t++)
        put_number(to, -s->constant[t]);
    sri_text_put(to, "\nlabel ");
    for (int64_t c = 0; c < k; c++)
        sri_text_put(to, "%ld ", label[c]);
    sri_text_put(to, "\nnr_sv ");
    for (int64_t c = 0; c < k; c++)
        sri_text_put(to, "%lld ", (long long)count[c]);
    sri_text_put(to, "\nSV\n");
    put_pair_vectors(to, s, k, owner, count);
}

/* Classes come from the last to the first: of equal scores that of the first wins, as a pair
 * without a sign is a vote for its second class. */
static void put_classes(sri_text *to, const sums *s, const long *label)
{
    const int64_t k = s->scores;
    int64_t total = 0;
    for (int64_t i = 0; i < s->vectors * k; i++)
        total += s->coefficient[i] != 0;
    sri_text_put(to, "svm_type c_svc\n");
    put_kernel(to, s->plain);
    sri_text_put(to, "nr_class %lld\ntotal_sv %lld\nrho ", (long long)k, (long long)total);
    for (int64_t i = k - 1; i >= 0; i--)
        for (int64_t j = i - 1; j >= 0; j--)
            put_number(to, s->constant[j] - s->constant[i]);
    sri_text_put(to, "\nlabel ");
    for (int64_t c = k - 1; c >= 0; c--)
        sri_text_put(to, "%ld ", label[c]);
    sri_text_put(to, "\nnr_sv ");
    for (int64_t c = k - 1; c >= 0; c--) {
        int64_t count = 0;
        for (int64_t v = 0; v < s->vectors; v++)
            count += counts(s, v, c);
        sri_text_put(to, "%lld ", (long long)count);
    }
    sri_text_put(to, "\nSV\n");
    for (int64_t c = k - 1; c >= 0; c--)
        for (int64_t v = 0; v < s->vectors; v++) {
            if (!counts(s, v, c))
                continue;
            const double a = s->coefficient[v * k + c];
            for (int64_t other = k - 1; other >= 0; other--)
                if (other != c)
                    put_number(to, other < c ? a : -a);
            put_vector(to, s, v);
        }
}

specreg_status sri_export_libsvm(specreg_context *ctx, const specreg_model *model, const char *path)
{
    specreg_status st = SPECREG_OK;
    sri_plain plain = {0};
    sums s = {0};
    long *label = NULL;
    int64_t *count = NULL;
    sri_text text = {.ctx = ctx};
    SRI_TRY(sri_plain_make(ctx, model, "a LIBSVM model", &plain));
    SRI_TRY(check_kernel(ctx, &plain));
    SRI_TRY(check_columns(ctx, &plain));
    SRI_TRY(check_outputs(ctx, &plain));
    SRI_TRY(check_size(ctx, &plain));
    SRI_ALLOC(ctx, label, plain.scores, 1);
    for (int64_t c = 0; model->encoding.coding && c < plain.scores; c++)
        SRI_TRY(label_number(ctx, sri_plain_score(&plain, c), &label[c]));
    SRI_TRY(make_sums(ctx, &plain, &s));
    SRI_ALLOC(ctx, count, plain.scores + s.vectors, 1);
    if (has_pairs(&plain))
        put_pairs(&text, &s, label, count);
    else if (model->encoding.coding)
        put_classes(&text, &s, label);
    else
        put_regression(&text, &s);
    SRI_TRY(sri_text_finish(&text, path));
done:
    sri_buffer_free(&text.buffer);
    sri_free(count);
    sri_free(label);
    sums_free(&s);
    sri_plain_free(&plain);
    return st;
}
