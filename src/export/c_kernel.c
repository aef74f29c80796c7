#include "export/c_kernel.h"

#include <math.h>
#include <string.h>

/* A statement that makes of `v` a function of it. */
static void put_map(sri_text *to, const sri_map *map)
{
    const double c = map->c, degree = map->degree;
    switch (map->kind) {
    case SRI_MAP_IDENTITY:
        break;
    case SRI_MAP_EXP:
        sri_text_formula(to, "    v = exp(# * v);\n", c);
        break;
    case SRI_MAP_EXP_ROOT:
        sri_text_formula(to, "    v = exp(# * sqrt(v));\n", c);
        break;
    case SRI_MAP_MATERN32:
        sri_text_formula(to, "    v = # * sqrt(v);\n    v = (1 + v) * exp(-v);\n", c);
        break;
    case SRI_MAP_MATERN52:
        sri_text_formula(to, "    v = # * sqrt(v);\n    v = (1 + v + v * v / 3) * exp(-v);\n", c);
        break;
    case SRI_MAP_POWER:
        sri_text_formula(to, "    v = pow(# * v + #, #);\n", c, map->shift, degree);
        break;
    case SRI_MAP_INVERSE:
        sri_text_formula(to, "    v = pow(1 + # * v, #);\n", c, -map->shift);
        break;
    case SRI_MAP_ROOT:
        sri_text_formula(to, "    v = -sqrt(1 + # * v);\n", c);
        break;
    case SRI_MAP_SPLINE:
        sri_text_formula(to,
                         map->degree % 2 ? "    v = # * pow(v, #);\n"
                                         : "    v = v > 0 ? # * pow(v, #) * (0.5 * log(v)) : 0;\n",
                         c, degree / 2);
        break;
    }
}

/* What one coordinate adds to the number of a pair; EACH: of periodic. */
static const char *const adds[] = {
    [SRI_PAIR_DIST2] = "v += (x[j] - z[j]) * (x[j] - z[j]);",
    [SRI_PAIR_DIST1] = "v += fabs(x[j] - z[j]);",
    [SRI_PAIR_DOT] = "v += x[j] * z[j];",
    [SRI_PAIR_COSINE] = "v += x[j] * z[j], xx += x[j] * x[j], zz += z[j] * z[j];",
    [SRI_PAIR_LEAST] = "v += x[j] < z[j] ? x[j] : z[j];",
    [SRI_PAIR_CHI2] = ("v += x[j] != z[j] ? (x[j] - z[j]) * (x[j] - z[j]) / (fabs(x[j]) + "
                       "fabs(z[j])) : 0;"),
    [SRI_PAIR_DIFFER] = "v += x[j] != z[j];",
};

static void put_loops(sri_text *to, const sri_picked *columns, int64_t p, const char *body)
{
    sri_span all;
    int64_t spans;
    const sri_span *span = sri_picked_spans(columns, p, &all, &spans);
    for (int64_t s = 0; s < spans; s++)
        sri_text_put(to, "    for (long j = %lld; j < %lld; j++)\n        %s\n",
                     (long long)span[s].first, (long long)span[s].end, body);
}

static void put_sobolev(sri_text *to, const sri_kernel_term *term, int64_t p)
{
    const long long j = term->columns ? (long long)term->columns->span[0].first : 0;
    (void)p;
    sri_text_put(to,
                 "    const double low = x[%lld] < z[%lld] ? x[%lld] : z[%lld];\n"
                 "    const double high = x[%lld] < z[%lld] ? z[%lld] : x[%lld];\n"
                 "    v = low < 0 || high > 1 ? 0 : low * (1 - high);\n",
                 j, j, j, j, j, j, j, j);
}

static void put_periodic(sri_text *to, const sri_kernel_term *term, int64_t p)
{
    const double period = term->param[0], sigma = term->param[1];
    sri_text_formula(to, "    const double period = #, turn = # / period;\n", period,
                     3.14159265358979323846);
    put_loops(to, term->columns, p, "v += pow(sin(turn * fmod(x[j] - z[j], period)), 2);");
    sri_text_formula(to, "    v = exp(# * v);\n", -2 / sigma / sigma);
}

/* Kernels that are no function of one number; `v` is 0 before. */
static const struct {
    const char *name;
    void (*put)(sri_text *to, const sri_kernel_term *term, int64_t p);
} each[] = {{"sobolev", put_sobolev}, {"periodic", put_periodic}};

static void put_each(sri_text *to, const sri_kernel_term *term, int64_t p)
{
    for (size_t k = 0; k < sizeof each / sizeof *each; k++)
        if (strcmp(term->ops->name, each[k].name) == 0)
            each[k].put(to, term, p);
}

/* One factor, in a block of its own: k *= its value. */
static void put_factor(sri_text *to, const sri_kernel_term *term, int64_t p)
{
    const sri_pair pair = sri_term_pair(term);
    sri_text_put(to, "    {\n    double v = 0%s;\n",
                 pair == SRI_PAIR_COSINE ? ", xx = 0, zz = 0" : "");
    if (pair == SRI_PAIR_EACH) {
        put_each(to, term, p);
    } else {
        const sri_map map = sri_term_map(term);
        put_loops(to, term->columns, p, adds[pair]);
        if (pair == SRI_PAIR_COSINE)
            sri_text_put(to, "    v = xx > 0 && zz > 0 ? v / (sqrt(xx) * sqrt(zz)) : 0;\n");
        put_map(to, &map);
    }
    sri_text_put(to, "    k *= v;\n    }\n");
}

static void put_product(sri_text *to, const sri_plain *plain, int first, int number)
{
    const sri_kernel *kernel = &plain->kernel;
    sri_text_put(to, "\nstatic double kernel_%d(const double *x, const double *z)\n{\n", number);
    sri_text_formula(to, "    double k = #;\n", kernel->term[first].weight);
    for (int t = first;; t++) {
        put_factor(to, &kernel->term[t], plain->p);
        if (sri_product_ends(kernel, t))
            break;
    }
    sri_text_put(to, "    return k;\n}\n");
}

/* With d = x - z and s = |d|^2 / sigma^2: a += start G1 - fall s G2, b += slope G2 / sigma^2. */
static void put_field_part(sri_text *to, const sri_field_part *part, int64_t T)
{
    const sri_radial_form *form = sri_radial_form_of(part->radial);
    const double scale = 1 / part->sigma / part->sigma;
    sri_text_formula(to, "    s = # * square;\n    v = s;\n", scale);
    put_map(to, &form->first);
    sri_text_formula(to, "    a += # * v;\n    v = s;\n",
                     (part->curl + part->div * (double)(T - 1)) * scale * form->one);
    put_map(to, &form->second);
    if (form->over_root)
        sri_text_put(to, "    v = s > 0 ? v / sqrt(s) : 0;\n");
    sri_text_formula(to, "    a -= # * s * v;\n    b += # * v;\n", part->div * scale * form->two,
                     (part->div - part->curl) * scale * scale * form->two);
}

static void put_field(sri_text *to, const sri_plain *plain)
{
    const sri_field *field = &plain->field;
    const long long T = (long long)field->T;
    const sri_field_part first = {field->sigma, field->curl, field->div, field->radial};
    int number = 0;
    sri_text_put(to,
                 "\n/* f += (a I + b d d') c, d = x - z. */\n"
                 "static void field(const double *x, const double *z, const double *c, double *f)\n"
                 "{\n    double square = 0, s, v, a = 0, b = 0, dc = 0;\n");
    sri_text_put(to,
                 "    for (int t = 0; t < %lld; t++) {\n"
                 "        square += (x[t] - z[t]) * (x[t] - z[t]);\n"
                 "        dc += (x[t] - z[t]) * c[t];\n    }\n",
                 T);
    put_field_part(to, &first, field->T);
    for (int i = 0; i < field->n_more; i++)
        put_field_part(to, &field->more[i], field->T);
    for (int t = 0; t < plain->kernel.n_terms; t++)
        if (!plain->kernel.term[t].times) {
            number++;
            if (!plain->kernel.term[t].ops->field)
                sri_text_put(to, "    a += kernel_%d(x, z);\n", number);
        }
    sri_text_put(to,
                 "    for (int t = 0; t < %lld; t++)\n"
                 "        f[t] += a * c[t] + b * dc * (x[t] - z[t]);\n}\n",
                 T);
}

void sri_c_kernels(sri_text *to, const sri_plain *plain)
{
    int number = 0;
    for (int t = 0; t < plain->kernel.n_terms && plain->products; t++)
        if (!plain->kernel.term[t].times) {
            number++;
            if (!plain->kernel.term[t].ops->field)
                put_product(to, plain, t, number);
        }
    if (plain->is_field)
        put_field(to, plain);
}
