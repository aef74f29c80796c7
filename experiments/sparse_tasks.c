/* experiment sparse-tasks: the field of waves by a kernel for fields, by its components, and by
 * sparse linear functions of two dictionaries, with the time that each takes (Figures 11 and 12 of
 * Baldassarre, Rosasco, Barla and Verri). */
#include <math.h>
#include <stdlib.h>

#include "field.h"
#include "group_lasso.h"

enum { LINES = 17, NODES = LINES * LINES, WIDTHS = 4, PENALTIES = 30, MOST_REPEATS = 100 };
enum { FIELD, COMPONENTS, BASES, GAUSSIANS, METHODS };
static const char *const method[METHODS] = {"field", "components", "bases", "gaussians"};

/* ------------------------------------------------------------------- the dictionaries */

static void node_of(int k, double *z)
{
    z[0] = -2.0 + 0.25 * (k % LINES);
    z[1] = -2.0 + 0.25 * (k / LINES);
}

/* Gradients of Gaussians, and the same turned by pi/2: component t of each (Mussa-Ivaldi). */
static void bases_at(const double *x, int t, double *features)
{
    const double square = 2.0 * 0.25; /* sigma^2 = 2 Delta */
    for (int k = 0; k < NODES; k++) {
        double z[2];
        node_of(k, z);
        const double a = x[0] - z[0], b = x[1] - z[1];
        const double e = -2.0 * exp(-(a * a + b * b) / square) / square;
        features[k] = t == 0 ? a * e : b * e;
        features[NODES + k] = t == 0 ? -b * e : a * e;
    }
}

/* Gaussians of four widths, the same for both components (Haufe et al.). */
static void gaussians_at(const double *x, int t, double *features)
{
    (void)t;
    for (int k = 0; k < NODES; k++) {
        double z[2];
        node_of(k, z);
        const double r = (x[0] - z[0]) * (x[0] - z[0]) + (x[1] - z[1]) * (x[1] - z[1]);
        for (int s = 0; s < WIDTHS; s++) {
            const double sigma = 0.2 * (1 << s);
            features[k * WIDTHS + s] = exp(-0.5 * r / (sigma * sigma));
        }
    }
}

static const struct {
    int64_t size;
    void (*at)(const double *x, int t, double *features);
} dictionary[METHODS] =
    {[BASES] = {2 * NODES, bases_at}, [GAUSSIANS] = {WIDTHS * NODES, gaussians_at}};

/* Features and targets of a sample; free what it points to with free_rows. */
static lasso_data rows_of(const field_sample *s, int which)
{
    lasso_data d = {.n = s->n, .p = dictionary[which].size};
    for (int t = 0; t < LASSO_TASKS; t++) {
        double *x = exp_zeros(d.n * d.p), *y = exp_zeros(d.n);
        for (int64_t i = 0; i < d.n; i++) {
            dictionary[which].at(s->x + 2 * i, t, x + i * d.p);
            y[i] = s->v[2 * i + t];
        }
        d.x[t] = x;
        d.y[t] = y;
    }
    return d;
}

static void free_rows(lasso_data *d)
{
    for (int t = 0; t < LASSO_TASKS; t++) {
        free((double *)d->x[t]);
        free((double *)d->y[t]);
    }
}

/* -------------------------------------------------------------------------- one sample */

typedef struct results {
    double angle[METHODS][MOST_REPEATS], seconds[METHODS][MOST_REPEATS];
    double features[METHODS][MOST_REPEATS]; /* of the dictionaries: how many, and the penalties */
    double tau[METHODS][MOST_REPEATS], lambda[METHODS][MOST_REPEATS];
} results;

static int run_sparse(const field_sample *s, int which, double *v, int r, results *out)
{
    double penalty[PENALTIES], *w[LASSO_TASKS];
    const int64_t p = dictionary[which].size;
    lasso_data train = rows_of(&s[EXP_TRAIN], which), validate = rows_of(&s[EXP_VALIDATE], which);
    lasso_choice choice;
    for (int k = 0; k < PENALTIES; k++)
        penalty[k] = pow(10.0, -8.0 * k / (PENALTIES - 1));
    for (int t = 0; t < LASSO_TASKS; t++)
        w[t] = exp_zeros(p);
    const int rc = lasso_fit(&train, &validate, penalty, PENALTIES, w, &choice);
    double *features = exp_zeros(p);
    for (int64_t i = 0; i < s[EXP_TEST].n; i++)
        for (int t = 0; t < LASSO_TASKS; t++) {
            double sum = 0.0;
            dictionary[which].at(s[EXP_TEST].x + 2 * i, t, features);
            for (int64_t j = 0; j < p; j++)
                sum += w[t][j] * features[j];
            v[2 * i + t] = sum;
        }
    out->features[which][r] = (double)choice.features;
    out->tau[which][r] = choice.tau;
    out->lambda[which][r] = choice.lambda;
    for (int t = 0; t < LASSO_TASKS; t++)
        free(w[t]);
    free(features);
    free_rows(&train);
    free_rows(&validate);
    return rc;
}

static int run_components(cli *c, double width, const field_sample *s, double *v)
{
    const int64_t n = s[EXP_TEST].n;
    double *one = exp_zeros(n);
    int rc = CLI_OK;
    for (int t = 0; !rc && t < 2; t++) {
        rc = field_learn(c, width, s, t, one, NULL);
        for (int64_t i = 0; i < n; i++)
            v[2 * i + t] = one[i];
    }
    free(one);
    return rc;
}

/* Every method, with the processor seconds of its search and its predictions. */
static int run_sample(cli *c, double width, const field_sample *s, int r, results *out)
{
    double *v = exp_zeros(2 * s[EXP_TEST].n);
    int rc = CLI_OK;
    for (int m = 0; !rc && m < METHODS; m++) {
        const double begun = exp_processor();
        if (m == FIELD)
            rc = field_learn(c, width, s, FIELD_BOTH, v, NULL);
        else if (m == COMPONENTS)
            rc = run_components(c, width, s, v);
        else
            rc = run_sparse(s, m, v, r, out);
        out->seconds[m][r] = exp_processor() - begun;
        out->angle[m][r] = exp_angle(v, s[EXP_TEST].v, s[EXP_TEST].n);
    }
    free(v);
    return rc;
}

/* ---------------------------------------------------------------------------- results */

typedef struct cell { /* a noise and a size */
    double noise;
    int64_t n;
    results of;
} cell;

static void print_row(const cell *k, int repeats)
{
    printf("%4.0f %%  %5d", 100.0 * k->noise, (int)k->n);
    for (int m = 0; m < METHODS; m++)
        printf("  %7.3f +- %6.3f", exp_mean(k->of.angle[m], repeats),
               exp_stddev(k->of.angle[m], repeats));
    for (int m = 0; m < METHODS; m++)
        printf(" %8.3g", exp_mean(k->of.seconds[m], repeats));
    printf("  %5.0f %5.0f\n", exp_median(k->of.features[BASES], repeats),
           exp_median(k->of.features[GAUSSIANS], repeats));
    fflush(stdout);
}

/* The mean over the cells of log(a / b). */
static double log_ratio(const cell *cells, int count, int repeats, int a, int b, bool seconds)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        const results *r = &cells[i].of;
        sum += log(exp_mean(seconds ? r->seconds[a] : r->angle[a], repeats) /
                   exp_mean(seconds ? r->seconds[b] : r->angle[b], repeats));
    }
    return sum / count;
}

static exp_claims judge(const cli *c, const cell *cells, int count, int repeats)
{
    exp_claims claims = exp_claims_new(c);
    const double same = exp(log_ratio(cells, count, repeats, BASES, FIELD, false));
    const double worse = exp(log_ratio(cells, count, repeats, GAUSSIANS, FIELD, false));
    const double slower = exp(log_ratio(cells, count, repeats, BASES, FIELD, true));
    const double near = exp(log_ratio(cells, count, repeats, FIELD, COMPONENTS, true));
    exp_claim(&claims, fabs(log(same)) < log(1.25),
              "the dictionary of curl-free and divergence-free bases gives similar results",
              "%.2f times the angle of the field kernel (geometric mean)", same);
    exp_claim(&claims, worse > 1.0 && worse > same,
              "the general dictionary gives slightly worse ones", "%.2f times the angle", worse);
    exp_claim(&claims, slower > 3.0,
              "the field kernel is significantly faster than the sparse method",
              "bases take %.2f times its processor seconds, Gaussians %.2f times", slower,
              exp(log_ratio(cells, count, repeats, GAUSSIANS, FIELD, true)));
    exp_claim(&claims, near < 5.0, "and comparable to the components one by one",
              "%.2f times their processor seconds", near);
    return claims;
}

static void enter_choices(json_t *one, const results *r, int m, int repeats)
{
    json_object_set_new(one, "features", exp_numbers(r->features[m], repeats));
    json_object_set_new(one, "tau", exp_numbers(r->tau[m], repeats));
    json_object_set_new(one, "lambda", exp_numbers(r->lambda[m], repeats));
}

static json_t *body_of(const cell *cells, int count, int repeats)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        for (int m = 0; m < METHODS; m++) {
            json_t *one = json_pack("{s:f, s:I, s:s, s:o, s:o}", "noise", cells[i].noise, "n",
                                    (json_int_t)cells[i].n, "method", method[m], "angle",
                                    exp_numbers(cells[i].of.angle[m], repeats), "processor_seconds",
                                    exp_numbers(cells[i].of.seconds[m], repeats));
            if (m >= BASES)
                enter_choices(one, &cells[i].of, m, repeats);
            json_array_append_new(list, one);
        }
    return json_pack("{s:o}", "results", list);
}

static cli_columns *columns_of(const cell *cells, int count, int repeats)
{
    cli_columns *t = cli_columns_new(count);
    for (int i = 0; i < count; i++) {
        cli_columns_set(t, i, "noise", cells[i].noise);
        cli_columns_set(t, i, "n", (double)cells[i].n);
        for (int m = 0; m < METHODS; m++) {
            char *name = cli_format("%s.seconds", method[m]);
            cli_columns_set(t, i, method[m], exp_mean(cells[i].of.angle[m], repeats));
            cli_columns_set(t, i, name, exp_mean(cells[i].of.seconds[m], repeats));
            free(name);
        }
    }
    return t;
}

static int run_cell(cli *c, const exp_request *request, cell *k)
{
    const field_case which = {.gamma = NAN, .noise = k->noise};
    int rc = CLI_OK;
    for (int r = 0; !rc && r < request->repeats; r++) {
        field_sample s[EXP_ROLES];
        cli_progress_label("noise %g, n = %d, %d/%d", k->noise, (int)k->n, r + 1, request->repeats);
        field_draw(request->seed, &which, k->n, r, s);
        rc = run_sample(c, request->width, s, r, &k->of);
        field_free(s);
    }
    cli_progress_no_label();
    cli_progress_clear();
    return rc;
}

static int run(cli *c)
{
    exp_request request = {.repeats = 10,
                           .n_sizes = 5,
                           .size = {10, 20, 50, 100, 200},
                           .width = 0.8};
    int rc = exp_request_read(c, &request);
    if (rc)
        return rc;
    const int count = 2 * request.n_sizes;
    cell *cells = cli_alloc((size_t)count, sizeof *cells);
    if (c->show)
        printf("%6s  %5s  %17s  %17s  %17s  %17s  processor seconds of each, and features\n",
               "noise", "n", "angle, field", "components", "bases", "Gaussians");
    for (int i = 0; !rc && i < count; i++) {
        cells[i].noise = i < request.n_sizes ? 0.0 : 0.2;
        cells[i].n = request.size[i % request.n_sizes];
        rc = run_cell(c, &request, &cells[i]);
        if (!rc && c->show)
            print_row(&cells[i], request.repeats);
    }
    if (!rc) {
        cli_columns *columns = columns_of(cells, count, request.repeats);
        exp_claims claims = judge(c, cells, count, request.repeats);
        rc = exp_finish(c, "sparse-tasks", &request, &claims,
                        body_of(cells, count, request.repeats), columns);
        cli_columns_free(columns);
    }
    free(cells);
    return rc;
}

const experiment exp_sparse_tasks = {
    .name = "sparse-tasks",
    .time = "20 min",
    .paper = "Baldassarre, Rosasco, Barla and Verri, Figures 11 and 12",
    .subject = "the field of waves beside sparse functions of two dictionaries",
    .about =
        "The samples of field2: the kernel helmholtz and the components one by one, beside linear "
        "functions of 578 curl-free and divergence-free bases, or of 1,156 Gaussians, on a grid of "
        "17 x 17 nodes. Group lasso over both components chooses features, least squares with a "
        "penalty fits them; 30 values of each penalty from 1e-8 to 1 by the validation rows. The "
        "method has no library; this one is ours.",
    .commands =
        "specreg fit TRAIN --target v1,v2 --features none --search grid --kernel "
        "helmholtz:sigma=0.8,gamma=lin:0:1:11 --filter nu --param t=1:700 --scale none "
        "--select file:VALIDATION\n"
        "specreg fit TRAIN --target v1 --features none --search grid --kernel rbf:sigma=0.8 "
        "--filter nu --param t=1:700 --scale none --select file:VALIDATION",
    .options = {EXP_REPEATS, EXP_SIZES, EXP_WIDTH, CLI_OUTPUT, -1},
    .run = run,
};
