#include "kernel/outputs.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/eigen.h"
#include "core/arena.h"
#include "core/text.h"

enum { MOST_COLUMNS = 1000000 }; /* that a map can make of a row */

/* omega 11' + (1 - omega) I: all outputs are alike to the same degree, also those still unknown. */
static specreg_status common(specreg_context *ctx, const sri_outputs_grid *grid, sri_coupling *self)
{
    (void)ctx;
    (void)grid;
    const double omega = self->param[0];
    for (int64_t i = 0; i < self->T; i++)
        for (int64_t j = 0; j < self->T; j++)
            self->A[i * self->T + j] = i == j ? 1 : omega;
    self->unseen = omega;
    return SPECREG_OK;
}

/* The matrix that learning starts from, and that its penalty draws A to. */
static specreg_status base(specreg_context *ctx, const sri_outputs_grid *grid, sri_coupling *self)
{
    SRI_CALL(common(ctx, grid, self));
    self->unseen = NAN;
    return SPECREG_OK;
}

/* Entries that differ by rounding are made the same. */
static specreg_status symmetrize(specreg_context *ctx, const char *what, double *A, int64_t T)
{
    for (int64_t i = 0; i < T; i++)
        for (int64_t j = 0; j <= i; j++) {
            const double x = A[i * T + j], y = A[j * T + i];
            if (!isfinite(x) || !isfinite(y))
                return sri_fail(ctx, SPECREG_E_NUMERIC,
                                "%s: the entry of outputs %lld and %lld is not a finite number",
                                what, (long long)i + 1, (long long)j + 1);
            char here[32], there[32];
            if (!(fabs(x - y) <= 1e-12 * fmax(fabs(x), fabs(y))))
                return sri_fail(
                    ctx, SPECREG_E_NUMERIC,
                    "%s: the matrix is not symmetric: %s in row %lld and column %lld, %s "
                    "the other way round",
                    what, sri_format_double(x, here), (long long)i + 1, (long long)j + 1,
                    sri_format_double(y, there));
            A[j * T + i] = x;
        }
    return SPECREG_OK;
}

/* The pseudo-inverse of a symmetric matrix, in place.  What is 0 to rounding stays 0. */
static specreg_status invert(specreg_context *ctx, double *A, int64_t T)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    double *V, *s;
    SRI_SCRATCH(ctx, &scratch, V, T, T);
    SRI_SCRATCH(ctx, &scratch, s, T, 1);
    memcpy(V, A, (size_t)(T * T) * sizeof *V);
    SRI_TRY(sri_eigen(ctx, T, V, s, true));
    const double least = 1e-12 * (double)T * fmax(fabs(s[0]), fabs(s[T - 1]));
    memset(A, 0, (size_t)(T * T) * sizeof *A);
    for (int64_t k = 0; k < T; k++)
        for (int64_t i = 0; fabs(s[k]) > least && i < T; i++)
            for (int64_t j = 0; j < T; j++)
                A[i * T + j] += V[k * T + i] * V[k * T + j] / s[k];
done:
    sri_arena_free(&scratch);
    return st;
}

/* L = D - M, D_ii = sum_j M_ij + M_ii: |f|^2 = 1/2 sum M_ij |f_i - f_j|^2 + sum M_ii |f_i|^2. */
static specreg_status graph(specreg_context *ctx, const sri_outputs_grid *grid, sri_coupling *self)
{
    const int64_t T = self->T;
    const double *M = grid->given;
    for (int64_t i = 0; i < T; i++) {
        double degree = M[i * T + i];
        for (int64_t j = 0; j < T; j++) {
            if (M[i * T + j] < 0)
                return sri_fail(ctx, SPECREG_E_NUMERIC,
                                "%s: the weight of outputs %lld and %lld of the graph is negative: "
                                "%g",
                                grid->file, (long long)i + 1, (long long)j + 1, M[i * T + j]);
            degree += M[i * T + j];
            self->A[i * T + j] = -M[i * T + j];
        }
        self->A[i * T + i] += degree;
    }
    const specreg_status st = symmetrize(ctx, grid->file, grid->given, T);
    return st == SPECREG_OK ? invert(ctx, self->A, T) : st;
}

/* G = eps1 I + (eps2 - eps1) M, M_ij = 1/m inside a cluster of m: eps1 weighs what differs from the
 * mean of the cluster, eps2 that mean. */
static specreg_status clusters(specreg_context *ctx, const sri_outputs_grid *grid,
                               sri_coupling *self)
{
    const int64_t T = self->T;
    const double eps1 = self->param[0], eps2 = self->param[1];
    for (int64_t i = 0; i < T; i++) {
        double size = 0;
        for (int64_t j = 0; j < T; j++)
            size += grid->cluster[i] == grid->cluster[j];
        for (int64_t j = 0; j < T; j++)
            if (grid->cluster[i] == grid->cluster[j])
                self->A[i * T + j] = (eps2 - eps1) / size + (i == j ? eps1 : 0);
    }
    return invert(ctx, self->A, T);
}

static specreg_status given(specreg_context *ctx, const sri_outputs_grid *grid, sri_coupling *self)
{
    (void)ctx;
    memcpy(self->A, grid->given, (size_t)(self->T * self->T) * sizeof *self->A);
    return SPECREG_OK;
}

static specreg_status copy_numbers(specreg_context *ctx, const double *from, int64_t count,
                                   double **out)
{
    if (!from)
        return SPECREG_OK;
    SRI_NEW(ctx, *out, count, 1);
    memcpy(*out, from, (size_t)count * sizeof *from);
    return SPECREG_OK;
}

static void fill_ones(sri_coupling *self)
{
    for (int64_t k = 0; k < self->T * self->T; k++)
        self->A[k] = 1;
}

/* k(x + shift_s, z + shift_t): the same function for all outputs, each at places of its own. */
static specreg_status delays(specreg_context *ctx, const sri_outputs_grid *grid, sri_coupling *self)
{
    fill_ones(self);
    self->p = grid->p;
    return copy_numbers(ctx, grid->given, self->T * self->p, &self->shift);
}

/* k(T_s(x), T_t(z)) with a map of the user's. */
static specreg_status transform(specreg_context *ctx, const sri_outputs_grid *grid,
                                sri_coupling *self)
{
    self->map = sri_registered(ctx->maps, grid->file);
    fill_ones(self);
    return self->map
               ? SPECREG_OK
               : sri_fail(ctx, SPECREG_E_ARG,
                          "outputs transform: there is no map '%s': register it through the C "
                          "API first",
                          grid->file);
}

specreg_status specreg_register_map(specreg_context *ctx, const specreg_map_def *def)
{
    SRI_ARGS(ctx, def);
    const size_t least = offsetof(specreg_map_def, columns); /* of earlier versions */
    if (!def || def->struct_size < least || !def->apply)
        return sri_fail(ctx, SPECREG_E_ARG, "map definition without struct_size or apply");
    const int64_t columns = def->struct_size >= sizeof *def ? def->columns : 0;
    if (columns < 0 || columns > MOST_COLUMNS)
        return sri_fail(ctx, SPECREG_E_ARG, "a map to %lld columns: there can be 1 to %d",
                        (long long)columns, (int)MOST_COLUMNS);
    return sri_register(ctx, &ctx->maps, "map",
                        &(sri_registration){.name = def->name,
                                            .payload = def->payload,
                                            .columns = columns,
                                            .function = (void (*)(void))def->apply});
}

static const sri_param omega_param[] = {{.name = "omega", .value = NAN, .least = 0}};
static const sri_param learn_params[] = {
    [SRI_LEARN_OMEGA] = {.name = "omega", .value = NAN, .least = 0, .most = 0.999},
    [SRI_LEARN_PENALTY] = {.name = "penalty", .value = NAN, .least = 0, .open = true},
    [SRI_LEARN_LAMBDA] = {.name = "lambda", .value = NAN, .least = 0, .open = true},
    [SRI_LEARN_NORM] = {.name = "norm", .value = NAN, .least = 0},
    [SRI_LEARN_ITERATIONS] = {.name = "iterations", .value = 30, .least = 1, .whole = true},
    [SRI_LEARN_TOLERANCE] = {.name = "tolerance", .value = 1e-4, .least = 0},
};
static const sri_param eps_params[] = {
    {.name = "eps1", .value = 1, .least = 0, .open = true},
    {.name = "eps2", .value = NAN, .least = 0, .open = true},
};

/* To add one: a function above, a line here. */
static const sri_outputs_ops ways[] = {
    {.name = "independent"},
    {.name = "common", .params = omega_param, .n_params = 1, .fill = common},
    {.name = "graph", .file = SRI_OUTPUTS_MATRIX, .fill = graph},
    {.name = "clusters",
     .params = eps_params,
     .n_params = 2,
     .file = SRI_OUTPUTS_LABELS,
     .fill = clusters},
    {.name = "matrix", .file = SRI_OUTPUTS_MATRIX, .fill = given},
    {.name = "delays", .file = SRI_OUTPUTS_SHIFTS, .fill = delays},
    {.name = "transform", .file = SRI_OUTPUTS_MAP, .fill = transform},
    {.name = "learn",
     .params = learn_params,
     .n_params = SRI_OUTPUTS_PARAMS,
     .file = SRI_OUTPUTS_LEARNED,
     .fill = base},
};
enum { N_WAYS = sizeof ways / sizeof *ways };

const sri_outputs_ops *sri_outputs_named(const char *name)
{
    for (int i = 0; i < N_WAYS; i++)
        if (strcmp(ways[i].name, name) == 0)
            return &ways[i];
    return NULL;
}

static specreg_status check_param(specreg_context *ctx, const sri_outputs_ops *ops, int i, double v)
{
    char what[64];
    snprintf(what, sizeof what, "outputs %s", ops->name);
    if (ops->params == omega_param && v > 1)
        return sri_fail(ctx, SPECREG_E_ARG, "outputs common: omega must be from 0 to 1, not %g", v);
    return sri_param_check(ctx, what, &ops->params[i], v);
}

/* Whether the name of a file or of a map belongs to it. */
static bool takes_name(const sri_outputs_ops *ops)
{
    return ops->file != SRI_OUTPUTS_NO_FILE && ops->file != SRI_OUTPUTS_LEARNED;
}

bool sri_outputs_has_file(const sri_outputs_ops *ops)
{
    return takes_name(ops) && ops->file != SRI_OUTPUTS_MAP;
}

/* What the name of the file, or of the map, is given as. */
static const char *file_key(const sri_outputs_ops *ops)
{
    return ops->file == SRI_OUTPUTS_MAP ? "map" : "file";
}

static specreg_status parse_arg(specreg_context *ctx, sri_outputs_grid *grid,
                                const sri_spec_arg *arg)
{
    const sri_outputs_ops *ops = grid->ops;
    const char *known[SRI_OUTPUTS_PARAMS + 1];
    int count = 0;
    char what[64];
    snprintf(what, sizeof what, "outputs %s", ops->name);
    SRI_CHECK(ctx, arg->key, SPECREG_E_ARG, "%s: write '%s' as key=value", what, arg->value);
    if (takes_name(ops) && strcmp(arg->key, file_key(ops)) == 0) {
        SRI_CHECK(ctx, !grid->file, SPECREG_E_ARG, "%s: %s is given twice", what, arg->key);
        SRI_NEW_TEXT(ctx, grid->file, arg->value);
        return SPECREG_OK;
    }
    for (int i = 0; i < ops->n_params; i++) {
        known[count++] = ops->params[i].name;
        if (strcmp(ops->params[i].name, arg->key) != 0)
            continue;
        SRI_CHECK(ctx, !grid->list[i].v, SPECREG_E_ARG, "%s: %s is given twice", what, arg->key);
        SRI_CALL(sri_values_parse(ctx, what, arg->value, &grid->list[i]));
        SRI_CHECK(ctx, grid->list[i].count > 0 || isnan(ops->params[i].value), SPECREG_E_ARG,
                  "%s: %s cannot be auto", what, arg->key);
        for (int64_t k = 0; k < grid->list[i].count; k++)
            SRI_CALL(check_param(ctx, ops, i, grid->list[i].v[k]));
        return SPECREG_OK;
    }
    if (takes_name(ops))
        known[count++] = file_key(ops);
    snprintf(what, sizeof what, "parameter of outputs %s", ops->name);
    return sri_fail_unknown(ctx, what, arg->key, known, count);
    return SPECREG_OK;
}

/* Lists for parameters without a default, strongly coupled first. */
static const struct {
    const sri_param *param;
    int count;
    double value[11];
} automatic[] = {
    {omega_param, 11, {1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0}},
    {&eps_params[1], 4, {0.01, 0.1, 1, 10}},
    {&learn_params[SRI_LEARN_OMEGA], 3, {0.6, 0.3, 0}},
    {&learn_params[SRI_LEARN_PENALTY], 4, {30, 3, 0.3, 0.03}},
    {&learn_params[SRI_LEARN_LAMBDA], 2, {1e-2, 1e-3}},
    {&learn_params[SRI_LEARN_NORM], 2, {1, 0}},
};

/* Parameters that were not given: their default, or the automatic list. */
static specreg_status fill_auto(specreg_context *ctx, sri_outputs_grid *grid)
{
    enum { LISTS = sizeof automatic / sizeof *automatic };
    for (int i = 0; i < grid->ops->n_params; i++) {
        const sri_param *param = &grid->ops->params[i];
        const double *value = &param->value;
        int64_t count = 1;
        if (grid->list[i].count)
            continue;
        for (int k = 0; k < LISTS; k++)
            if (automatic[k].param == param) {
                value = automatic[k].value;
                count = automatic[k].count;
            }
        SRI_NEW(ctx, grid->list[i].v, count, 1);
        memcpy(grid->list[i].v, value, (size_t)count * sizeof *value);
        grid->list[i].count = count;
    }
    return SPECREG_OK;
}

specreg_status sri_outputs_parse(specreg_context *ctx, const char *text, sri_outputs_grid *out)
{
    specreg_status st = SPECREG_OK;
    sri_spec spec = {0};
    const char *known[N_WAYS];
    *out = (sri_outputs_grid){0};
    SRI_TRY(sri_spec_parse(ctx, "outputs", text, &spec));
    for (int i = 0; i < N_WAYS; i++)
        known[i] = ways[i].name;
    out->ops = sri_outputs_named(spec.name);
    if (!out->ops)
        SRI_TRY(sri_fail_unknown(ctx, "outputs", spec.name, known, N_WAYS));
    for (int i = 0; i < spec.count; i++)
        SRI_TRY(parse_arg(ctx, out, &spec.arg[i]));
    SRI_REQUIRE(ctx, !takes_name(out->ops) || out->file, SPECREG_E_ARG,
                "outputs %s: give the %s: %s:%s=NAME", out->ops->name, file_key(out->ops),
                out->ops->name, file_key(out->ops));
    SRI_TRY(fill_auto(ctx, out));
done:
    sri_spec_free(&spec);
    if (st != SPECREG_OK)
        sri_outputs_free(out);
    return st;
}

specreg_status sri_outputs_copy(specreg_context *ctx, const sri_outputs_grid *grid,
                                sri_outputs_grid *out)
{
    specreg_status st = SPECREG_OK;
    *out = (sri_outputs_grid){.ops = grid->ops};
    if (grid->file)
        SRI_STRDUP(ctx, out->file, grid->file);
    for (int i = 0; i < SRI_OUTPUTS_PARAMS; i++)
        SRI_TRY(sri_values_copy(ctx, &grid->list[i], &out->list[i]));
done:
    if (st != SPECREG_OK)
        sri_outputs_free(out);
    return st;
}

bool sri_outputs_couple(const sri_outputs_grid *grid)
{
    return grid->ops && grid->ops->fill;
}

bool sri_coupling_is_identity(const sri_coupling *c)
{
    return !c->ops->fill;
}

bool sri_outputs_mean_is_zero(const sri_outputs_grid *grid)
{
    if (!grid->ops || grid->ops->fill != graph || !grid->given)
        return false;
    for (int64_t i = 0; i < grid->T; i++)
        if (grid->given[i * grid->T + i] != 0)
            return false;
    return true;
}

/* Decomposes A, which must be positive semi-definite; rounding below 0 is made 0. */
static specreg_status decompose(specreg_context *ctx, const char *what, sri_coupling *c)
{
    const int64_t T = c->T;
    SRI_CALL(symmetrize(ctx, what, c->A, T));
    SRI_CALL(copy_numbers(ctx, c->A, T * T, &c->U));
    SRI_NEW(ctx, c->a, T, 1);
    SRI_CALL(sri_eigen(ctx, T, c->U, c->a, true));
    const double top = fabs(c->a[T - 1]);
    SRI_CHECK(ctx, c->a[0] < 0 || c->a[T - 1] > 0, SPECREG_E_NUMERIC,
              "%s: the matrix is zero: there is nothing to learn with", what);
    SRI_CHECK(ctx, c->a[0] >= -1e-10 * top && c->a[T - 1] > 0, SPECREG_E_NUMERIC,
              "%s: the matrix is not positive semi-definite: its eigenvalues go from %g to %g",
              what, c->a[0], c->a[T - 1]);
    const double rounding = 1e-14 * (double)T * top;
    for (int64_t k = 0, first = 0; k < T; k++) { /* equal ones are: they share a run of an engine */
        first = c->a[k] - c->a[first] > rounding ? k : first;
        c->a[k] = c->a[first] > rounding ? c->a[first] : 0;
    }
    return SPECREG_OK;
}

/* `count` couplings: A and U of each, and the decomposition of one. */
static specreg_status check_memory(specreg_context *ctx, const sri_coupling *c, int64_t count)
{
    const double bytes = 8 * (2 * (double)count + 2) * (double)c->T * (double)c->T;
    const double left = (double)sri_memory_left(ctx);
    char need[32], have[32];
    SRI_CHECK(ctx, !c->ops->fill || bytes <= left, SPECREG_E_NOMEM,
              "outputs %s: %lld couplings of %lld outputs or tasks need %s of memory, the budget "
              "leaves %s",
              c->ops->name, (long long)count, (long long)c->T, sri_bytes_text(bytes, need),
              sri_bytes_text(fmax(0, left), have));
    return SPECREG_OK;
}

static specreg_status make_one(specreg_context *ctx, const sri_outputs_grid *grid, sri_coupling *c)
{
    char what[64];
    if (!c->ops->fill) {
        SRI_NEW(ctx, c->a, c->T, 1);
        for (int64_t k = 0; k < c->T; k++)
            c->a[k] = 1;
        return SPECREG_OK;
    }
    snprintf(what, sizeof what, "outputs %s", c->ops->name);
    SRI_NEW_ZERO(ctx, c->A, c->T, c->T);
    SRI_CALL(c->ops->fill(ctx, grid, c));
    return decompose(ctx, grid && grid->file ? grid->file : what, c);
}

specreg_status sri_outputs_make(specreg_context *ctx, sri_outputs_grid *grid)
{
    int64_t count = 1;
    for (int i = 0; i < grid->ops->n_params; i++)
        count *= grid->list[i].count;
    SRI_CALL(check_memory(ctx, &(sri_coupling){.ops = grid->ops, .T = grid->T}, count));
    SRI_NEW_ZERO(ctx, grid->coupling, count, 1);
    for (grid->count = 0; grid->count < count;) {
        sri_coupling *c = &grid->coupling[grid->count];
        int64_t index = grid->count++;
        *c = (sri_coupling){.ops = grid->ops, .T = grid->T, .unseen = NAN};
        for (int i = 0; i < grid->ops->n_params; i++) {
            c->param[i] = grid->list[i].v[index % grid->list[i].count];
            index /= grid->list[i].count;
        }
        SRI_CALL(make_one(ctx, grid, c));
    }
    return SPECREG_OK;
}

static void coupling_clear(sri_coupling *c)
{
    sri_free(c->shift);
    sri_free(c->a);
    sri_free(c->U);
    sri_free(c->A);
    c->A = c->U = c->a = c->shift = NULL;
}

void sri_outputs_forget(sri_outputs_grid *grid)
{
    for (int64_t i = 0; grid->coupling && i < grid->count; i++)
        coupling_clear(&grid->coupling[i]);
}

void sri_coupling_free(sri_coupling *coupling)
{
    if (coupling)
        coupling_clear(coupling);
    sri_free(coupling);
}

specreg_status sri_coupling_copy(specreg_context *ctx, const sri_coupling *from, sri_coupling **out)
{
    const int64_t T = from->T;
    SRI_NEW_ZERO(ctx, *out, 1, 1);
    sri_coupling *c = *out;
    *c = *from;
    c->A = c->U = c->a = c->shift = NULL;
    SRI_CALL(copy_numbers(ctx, from->A, T * T, &c->A));
    SRI_CALL(copy_numbers(ctx, from->U, T * T, &c->U));
    SRI_CALL(copy_numbers(ctx, from->a, T, &c->a));
    return copy_numbers(ctx, from->shift, T * from->p, &c->shift);
}

bool sri_coupling_is_learned(const sri_coupling *c)
{
    return c && c->ops->file == SRI_OUTPUTS_LEARNED;
}

specreg_status sri_coupling_with(specreg_context *ctx, const sri_coupling *like, const double *A,
                                 sri_coupling **out)
{
    SRI_NEW_ZERO(ctx, *out, 1, 1);
    sri_coupling *c = *out;
    *c = (sri_coupling){.ops = like->ops, .T = like->T, .unseen = like->unseen};
    memcpy(c->param, like->param, sizeof c->param);
    SRI_CALL(copy_numbers(ctx, A, c->T * c->T, &c->A));
    return decompose(ctx, c->ops->name, c);
}

void sri_outputs_free(sri_outputs_grid *grid)
{
    sri_outputs_forget(grid);
    sri_free(grid->coupling);
    sri_free(grid->cluster);
    sri_free(grid->given);
    for (int i = 0; i < SRI_OUTPUTS_PARAMS; i++)
        sri_values_free(&grid->list[i]);
    sri_free(grid->file);
    *grid = (sri_outputs_grid){0};
}

bool sri_coupling_sees(const sri_coupling *c)
{
    return c && (c->shift || c->map);
}

int64_t sri_coupling_width(const sri_coupling *c, int64_t p)
{
    return c && c->map && c->map->columns ? c->map->columns : p;
}

void sri_coupling_see(const sri_coupling *c, const double *x, int64_t p, int64_t t, double *z)
{
    typedef void map_fn(const double *, int64_t, int64_t, double *, void *);
    if (c && c->map) {
        ((map_fn *)c->map->function)(x, p, t, z, c->map->payload);
        return;
    }
    for (int64_t k = 0; k < p; k++)
        z[k] = x[k] + (c && c->shift ? c->shift[t * p + k] : 0);
}

specreg_status sri_outputs_times(specreg_context *ctx, const double *M, bool transposed,
                                 int64_t rows, int64_t T, double *V)
{
    enum { BLOCK = 1024 };
    specreg_status st = SPECREG_OK;
    double *in = NULL;
    SRI_ALLOC(ctx, in, rows < BLOCK ? rows : BLOCK, T);
    for (int64_t i = 0; i < rows; i += BLOCK) {
        const int64_t some = rows - i < BLOCK ? rows - i : BLOCK;
        memcpy(in, V + i * T, (size_t)(some * T) * sizeof *in);
        sri_gemm(false, transposed, some, T, T, 1, in, T, M, T, 0, V + i * T, T);
    }
done:
    sri_free(in);
    return st;
}

specreg_status sri_coupling_mix(specreg_context *ctx, const sri_coupling *c, int64_t rows,
                                double *V)
{
    return c && c->A ? sri_outputs_times(ctx, c->A, false, rows, c->T, V) : SPECREG_OK;
}

specreg_status sri_coupling_restore(specreg_context *ctx, sri_coupling *c)
{
    for (int i = 0; i < c->ops->n_params; i++)
        if (check_param(ctx, c->ops, i, c->param[i]) != SPECREG_OK)
            return SPECREG_E_FORMAT; /* the text says what is wrong, and it is a file's */
    SRI_CALL(check_memory(ctx, c, 1));
    if (c->ops->file == SRI_OUTPUTS_NO_FILE)
        return make_one(ctx, NULL, c);
    if (c->map || c->shift) {
        SRI_NEW(ctx, c->A, c->T, c->T);
        fill_ones(c);
    }
    return decompose(ctx, "the model", c);
}
