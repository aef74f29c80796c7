/* Kernel principal components.  With K/n = V diag(s) V', s falling, the coordinates of a
 * training row are V_ij (n s_j)^(1/2), those of any x
 *     sum_i k(x, x_i) a_ij,   a_ij = V_ij / (n s_j)^(1/2):
 * a model with the outputs pc1, pc2, ... and these coefficients.  Least squares on m coordinates
 * is the filter tsvd with m components.
 *
 * Centred, with H = I - 11'/n: V and s are those of H K H/n, so that V_j has the mean 0, and the
 * mean of the coordinates over the training rows is taken away, 1'K a_j/n.  H K H is S K S' for
 * the feature 1, and the model has that feature with the coefficients -1'K a_j/n. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/blas.h"
#include "core/memory.h"
#include "core/spec.h"
#include "core/text.h"
#include "kernel/registry.h"
#include "model/coordinates.h"
#include "op/leading.h"
#include "select/combinations.h"

typedef struct wanted {
    int64_t components; /* 0: not said                                  */
    bool center;        /* the mean is taken out, in the feature space  */
    bool fewer;         /* the number is the largest that is taken      */
} wanted;

static specreg_status parse_count(specreg_context *ctx, const char *text, int64_t *out)
{
    double number = 0;
    SRI_CALL(sri_number_parse(ctx, "kpca", text, &number));
    if (!(number >= 1 && number <= 1e9 && number == floor(number)))
        return sri_fail(ctx, SPECREG_E_ARG,
                        "kpca: the number of components must be a whole number from 1 on, not %s",
                        text);
    *out = (int64_t)number;
    return SPECREG_OK;
}

/* Takes a number without a key off the beginning, as in "20" and "20,center=yes". */
static specreg_status take_count(specreg_context *ctx, const char **text, int64_t *out)
{
    char number[64];
    const size_t length = strcspn(*text, ",");
    if (length == 0 || memchr(*text, '=', length))
        return SPECREG_OK;
    snprintf(number, sizeof number, "%.*s", (int)length, *text);
    *text += length + ((*text)[length] == ',');
    return parse_count(ctx, number, out);
}

static specreg_status parse_yes(specreg_context *ctx, const char *key, const char *value, bool *out)
{
    *out = strcmp(value, "yes") == 0;
    SRI_CHECK(ctx, *out || strcmp(value, "no") == 0, SPECREG_E_ARG,
              "kpca: %s is yes or no, not '%s'", key, value);
    return SPECREG_OK;
}

/* "20" or a list such as "components=20,center=yes,fewer=yes". */
static specreg_status parse_how(specreg_context *ctx, const char *text, wanted *out)
{
    static const char *const known[] = {"components", "center", "fewer"};
    specreg_status st = SPECREG_OK;
    sri_spec spec = {0};
    SRI_TRY(take_count(ctx, &text, &out->components));
    if (!*text)
        goto done;
    SRI_TRY(sri_spec_parse(ctx, "kpca", text, &spec));
    bool pairs = !*spec.name;
    for (int i = 0; i < spec.count; i++)
        pairs = pairs && spec.arg[i].key;
    SRI_REQUIRE(ctx, pairs, SPECREG_E_ARG,
                "kpca '%s': write a list such as components=20,center=yes", text);
    for (int i = 0; i < spec.count; i++) {
        const char *key = spec.arg[i].key, *value = spec.arg[i].value;
        if (strcmp(key, known[0]) == 0) {
            SRI_TRY(parse_count(ctx, value, &out->components));
        } else if (strcmp(key, known[1]) == 0) {
            SRI_TRY(parse_yes(ctx, key, value, &out->center));
        } else if (strcmp(key, known[2]) == 0) {
            SRI_TRY(parse_yes(ctx, key, value, &out->fewer));
        } else {
            SRI_TRY(sri_fail_unknown(ctx, "part of --kpca", key, known, 3));
        }
    }
done:
    sri_spec_free(&spec);
    return st;
}

/* The first list of values for a parameter of the kernel; 1: there is none. */
static int64_t values_given(const sri_kernel_grid *grid)
{
    for (int t = 0; t < grid->base.n_terms; t++)
        for (int i = 0; i < SRI_KERNEL_PARAMS; i++)
            if (grid->list[t][i].count > 1)
                return grid->list[t][i].count;
    return 1;
}

/* One kernel, of rows of numbers. */
static specreg_status check(specreg_context *ctx, const specreg_table *t, const sri_recipe *recipe)
{
    const sri_kernel_grid *grid = &recipe->search.kernel;
    const bool documents = !t->sparse && t->format && strcmp(t->format, "text") == 0;
    char count[32];
    sri_aspects aspects = {.name = {[SRI_NAMED_TABLE] = t->source,
                                    [SRI_NAMED_KERNEL] = sri_kernel_grid_conditional(grid),
                                    [SRI_NAMED_COUNT] = count}};
    snprintf(count, sizeof count, "%lld", (long long)values_given(grid));
    sri_aspects_add(&aspects, SRI_HAS_KPCA, true);
    sri_aspects_add(&aspects, SRI_HAS_FIELD_KERNEL, sri_kernel_is_field(&grid->base));
    sri_aspects_add(&aspects, SRI_HAS_MATRIX_KERNEL, sri_kernel_is_matrix(&grid->base));
    sri_aspects_add(&aspects, SRI_HAS_CONDITIONAL, sri_kernel_grid_polynomial(grid) >= 0);
    sri_aspects_add(&aspects, SRI_HAS_COUPLING, sri_kernel_grid_couples(grid));
    sri_aspects_add(&aspects, SRI_HAS_COUPLINGS, sri_kernel_grid_mixes(grid));
    sri_aspects_add(&aspects, SRI_HAS_KERNEL_LIST, values_given(grid) > 1);
    sri_aspects_add(&aspects, SRI_HAS_DOCUMENTS, documents || *recipe->data.text);
    return sri_combinations_check(ctx, &aspects);
}

static specreg_status find_trace(specreg_context *ctx, sri_op *op, double *out)
{
    specreg_status st = SPECREG_OK;
    double *d = NULL;
    *out = 0;
    SRI_ALLOC(ctx, d, op->n, 1);
    SRI_TRY(op->ops->diagonal(ctx, op, d));
    for (int64_t i = 0; i < op->n; i++)
        *out += d[i] / op->mass;
    SRI_REQUIRE(ctx, isfinite(*out), SPECREG_E_NUMERIC, "the kernel's values are not finite");
done:
    sri_free(d);
    return st;
}

/* Directions whose eigenvalues are rounding are no components. */
static specreg_status check_rank(specreg_context *ctx, sri_coordinates *c)
{
    int64_t rank = 0;
    const double rounding = (double)c->n * DBL_EPSILON * (c->s[0] + c->level);
    while (rank < c->m && c->s[rank] > rounding)
        rank++;
    if (rank == c->m)
        return SPECREG_OK;
    if (rank == 0)
        return sri_fail(ctx, SPECREG_E_NUMERIC,
                        c->center ? "kpca: all rows are the same to the kernel: no components"
                                  : "kpca: all kernel values are 0: no components");
    if (c->fewer) {
        c->m = rank;
        return SPECREG_OK;
    }
    return sri_fail(ctx, SPECREG_E_NUMERIC,
                    "kpca: only %lld component%s above rounding; ask for at most %lld",
                    (long long)rank, rank == 1 ? " is" : "s are", (long long)rank);
}

/* An eigenvector's sign is nobody's choice: the entry of the largest magnitude is positive. */
static void fix_sign(double *v, int64_t n)
{
    int64_t largest = 0;
    for (int64_t i = 1; i < n; i++)
        if (fabs(v[i]) > fabs(v[largest]))
            largest = i;
    const double sign = v[largest] < 0 ? -1 : 1;
    for (int64_t i = 0; i < n; i++)
        v[i] *= sign;
}

/* K, or H K H. */
static specreg_status make_op(specreg_context *ctx, const sri_kernel *kernel,
                              const sri_points *points, const sri_coordinates *c, sri_op **op)
{
    specreg_status st = SPECREG_OK;
    char constant[] = "constant", *name = constant;
    double *one = NULL;
    sri_projection *mean = NULL;
    sri_op *inner = NULL;
    SRI_TRY(sri_op_kernel(ctx, kernel, points, c->center ? &inner : op));
    if (!c->center)
        goto done;
    SRI_ALLOC(ctx, one, c->n, 1);
    for (int64_t i = 0; i < c->n; i++)
        one[i] = 1;
    const sri_features features = {.P = one, .l = 1, .name = &name};
    SRI_TRY(sri_projection_new(ctx, &features, c->n, NULL, &mean));
    st = sri_op_projected(ctx, inner, mean, op);
    inner = NULL; /* both are the operator's */
done:
    sri_op_free(inner);
    sri_free(one);
    return st;
}

/* a, and the coordinates' means, which the constant takes away. */
static specreg_status find_coefficients(specreg_context *ctx, sri_op *op, sri_coordinates *c)
{
    specreg_status st = SPECREG_OK;
    const double *KD;
    SRI_ALLOC(ctx, c->a, c->n, c->m);
    for (int64_t j = 0; j < c->m; j++) {
        const double size = sqrt((double)c->n * c->s[j]);
        for (int64_t i = 0; i < c->n; i++)
            c->a[i * c->m + j] = c->V[j * c->n + i] / size;
    }
    if (!c->center)
        goto done;
    SRI_TRY(sri_project(ctx, op->projection, c->m, c->a)); /* to the last bit */
    SRI_TRY(sri_op_projected_rest(ctx, op, &KD));
    SRI_ALLOC(ctx, c->beta, c->m, 1);
    sri_gemm(false, false, 1, c->m, c->n, -op->projection->back[0], KD, c->n, c->a, c->m, 0,
             c->beta, c->m);
done:
    return st;
}

static specreg_status find_components(specreg_context *ctx, const sri_kernel *kernel,
                                      const sri_points *points, const sri_resources *resources,
                                      sri_coordinates *c)
{
    specreg_status st = SPECREG_OK;
    sri_op *op = NULL;
    SRI_ALLOC(ctx, c->s, c->m, 1);
    SRI_ALLOC(ctx, c->V, c->m, c->n);
    SRI_TRY(sri_stage(ctx, "components", 1));
    SRI_TRY(make_op(ctx, kernel, points, c, &op));
    SRI_TRY(find_trace(ctx, op, &c->trace));
    const sri_leading_limits limits = {resources->memory, resources->seed};
    SRI_TRY(sri_op_leading(ctx, op, c->m, limits, c->s, c->V));
    SRI_TRY(sri_op_leading_level(ctx, op, &c->level));
    SRI_TRY(check_rank(ctx, c));
    for (int64_t j = 0; j < c->m; j++)
        fix_sign(c->V + j * c->n, c->n);
    SRI_TRY(find_coefficients(ctx, op, c));
done:
    sri_op_free(op);
    return st;
}

specreg_status specreg_kpca(specreg_context *ctx, const specreg_table *train,
                            const specreg_options *options, int64_t count, specreg_model **out)
{
    SRI_MAKES(ctx, out, train);
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_prepared p = {0};
    wanted how = {0};
    sri_coordinates c = {.kind = SRI_MODEL_KPCA, .name = "pc"};
    sri_threads threads = {0};
    SRI_REQUIRE(ctx, count >= 0, SPECREG_E_ARG, "kpca: %lld components", (long long)count);
    SRI_TRY(parse_how(ctx, sri_option_value(options, SRI_OPT_KPCA), &how));
    c.m = count ? count : how.components;
    c.center = how.center;
    SRI_REQUIRE(ctx, c.m > 0, SPECREG_E_ARG, "kpca: how many components? Give the option kpca");
    SRI_TRY(sri_call_enter(ctx, options, &call));
    SRI_TRY(check(ctx, train, call.recipe));
    SRI_TRY(sri_prepare_inputs(ctx, &call, train, &p));
    c.n = p.data.rows.n;
    c.fewer = how.fewer;
    if (c.fewer && c.m > c.n - c.center)
        c.m = c.n - c.center;
    SRI_REQUIRE(ctx, c.m <= c.n - c.center, SPECREG_E_ARG,
                "kpca: %lld%s components, but there are only %lld training rows", (long long)c.m,
                c.center ? " centred" : "", (long long)c.n);
    sri_search_threads(c.n, &threads);
    SRI_TRY(sri_prepare_kernels(ctx, &p));
    /* automatic widths lie around the median distance: the middle one is that itself */
    const sri_kernel kernel = sri_kernel_grid_at(&p.grid, sri_kernel_grid_count(&p.grid) / 2);
    SRI_TRY(find_components(ctx, &kernel, p.data.points.own.points, &call.recipe->resources, &c));
    SRI_TRY(sri_coordinates_model(ctx, &p.data, &call, &kernel, &c, out));
done:
    sri_coordinates_free(&c);
    sri_threads_leave(&threads);
    sri_prepared_free(&p);
    sri_call_leave(&call);
    return st;
}
