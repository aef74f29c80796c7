/* experiment field1, field2: vector fields in the plane by a kernel for fields, and component by
 * component (Figures 6 to 8 and 10 of Baldassarre, Rosasco, Barla and Verri). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "field.h"

typedef struct outcome { /* of a case and a size, for each repetition */
    double *field, *components, *gamma;
} outcome;

static int run_once(cli *c, double width, const field_sample *s, int r, outcome *o)
{
    const int64_t n = s[EXP_TEST].n;
    double *v = exp_zeros(2 * n), *one = exp_zeros(n);
    json_t *record = NULL;
    int rc = field_learn(c, width, s, FIELD_BOTH, v, &record);
    o->gamma[r] = exp_number(record, "kernel.gamma");
    o->field[r] = exp_angle(v, s[EXP_TEST].v, n);
    for (int component = 0; !rc && component < 2; component++) {
        rc = field_learn(c, width, s, component, one, NULL);
        for (int64_t i = 0; i < n; i++)
            v[2 * i + component] = one[i];
    }
    o->components[r] = exp_angle(v, s[EXP_TEST].v, n);
    json_decref(record);
    free(one);
    free(v);
    return rc;
}

static int repeat(cli *c, const exp_request *request, const field_case *which, int64_t n,
                  outcome *o)
{
    int rc = CLI_OK;
    for (int r = 0; !rc && r < request->repeats; r++) {
        field_sample s[EXP_ROLES];
        field_draw(request->seed, which, n, r, s);
        rc = run_once(c, request->width, s, r, o);
        field_free(s);
    }
    return rc;
}

/* ----------------------------------------------------------------------- reporting */

typedef struct tally { /* of a case: how often the field kernel has the smaller angle */
    int sizes, sizes_won, runs, runs_won;
    double log_ratio;               /* sum over the sizes of log(angle / angle of components) */
    double gamma_first, gamma_last; /* |mean estimated gamma - true|, first and last size    */
} tally;

static void count(tally *t, const field_case *which, const outcome *o, int repeats)
{
    const double ours = exp_mean(o->field, repeats), theirs = exp_mean(o->components, repeats);
    t->sizes++;
    t->sizes_won += ours < theirs;
    t->log_ratio += log(ours / theirs);
    t->gamma_last = fabs(exp_mean(o->gamma, repeats) - which->gamma);
    for (int r = 0; r < repeats; r++) {
        t->runs++;
        t->runs_won += o->field[r] < o->components[r];
    }
    if (t->sizes == 1)
        t->gamma_first = t->gamma_last;
}

static void print_row(const field_case *which, int64_t n, const outcome *o, int repeats)
{
    const double ours = exp_mean(o->field, repeats), theirs = exp_mean(o->components, repeats);
    if (isnan(which->gamma))
        printf("%5.0f %%", 100.0 * which->noise);
    else
        printf("%6.1f %5.1f", which->noise, which->gamma);
    printf("  %5d  %7.4f +- %6.4f  %7.4f +- %6.4f  %6.3f  %5.2f +- %4.2f\n", (int)n, ours,
           exp_stddev(o->field, repeats), theirs, exp_stddev(o->components, repeats), ours / theirs,
           exp_mean(o->gamma, repeats), exp_stddev(o->gamma, repeats));
    fflush(stdout);
}

typedef struct report {
    cli_columns *columns;
    json_t *results;
    int row;
} report;

static void enter(cli_columns *t, int row, const char *name, const double *value, int repeats)
{
    char *deviation = cli_format("%s.stddev", name);
    cli_columns_set(t, row, name, exp_mean(value, repeats));
    cli_columns_set(t, row, deviation, exp_stddev(value, repeats));
    free(deviation);
}

/* Adds a row to the table and an entry to the record. */
static void note(report *out, const field_case *which, int64_t n, const outcome *o, int repeats)
{
    cli_columns *t = out->columns;
    const int row = out->row++;
    cli_columns_set(t, row, "noise", which->noise);
    if (!isnan(which->gamma))
        cli_columns_set(t, row, "gamma", which->gamma);
    cli_columns_set(t, row, "n", (double)n);
    enter(t, row, "field", o->field, repeats);
    enter(t, row, "components", o->components, repeats);
    enter(t, row, "estimated", o->gamma, repeats);
    json_t *entry =
        json_pack("{s:f, s:I, s:o, s:o, s:o}", "noise", which->noise, "n", (json_int_t)n, "field",
                  exp_numbers(o->field, repeats), "components", exp_numbers(o->components, repeats),
                  "estimated", exp_numbers(o->gamma, repeats));
    if (!isnan(which->gamma))
        json_object_set_new(entry, "gamma", json_real(which->gamma));
    json_array_append_new(out->results, entry);
}

/* ------------------------------------------------------------------- the experiments */

static int run_case(cli *c, const exp_request *request, const field_case *which, tally *t,
                    report *out)
{
    outcome o = {exp_zeros(request->repeats), exp_zeros(request->repeats),
                 exp_zeros(request->repeats)};
    int rc = CLI_OK;
    for (int i = 0; !rc && i < request->n_sizes; i++) {
        cli_progress_label("noise %g, n = %d", which->noise, (int)request->size[i]);
        rc = repeat(c, request, which, request->size[i], &o);
        cli_progress_no_label();
        cli_progress_clear();
        if (rc)
            break;
        count(t, which, &o, request->repeats);
        note(out, which, request->size[i], &o, request->repeats);
        if (c->show)
            print_row(which, request->size[i], &o, request->repeats);
    }
    free(o.gamma);
    free(o.components);
    free(o.field);
    return rc;
}

static void print_heading(bool with_gamma, double width)
{
    printf("kernels of width %.4g\n", width);
    printf("%6s%s  %5s  %17s  %17s  %6s  %13s\n", "noise", with_gamma ? " gamma" : "", "n",
           "angle, field", "components", "ratio", "gamma found");
}

static void claim_better(exp_claims *claims, const char *paper, const tally *t)
{
    exp_claim(claims, t->sizes_won == t->sizes, paper,
              "at %d of %d sizes and in %d of %d runs; the angle is %.2f of that of independent "
              "components (geometric mean)",
              t->sizes_won, t->sizes, t->runs_won, t->runs, exp(t->log_ratio / t->sizes));
}

static exp_claims judge1(const cli *c, const field_case *cases, const tally *t, int n_cases,
                         const exp_request *request)
{
    exp_claims claims = exp_claims_new(c);
    double first = 0.0, last = 0.0;
    for (int i = 0; i < n_cases; i++) {
        char *paper = cli_format("noise %.1f, gamma %.1f: the vector-valued approach is better",
                                 cases[i].noise, cases[i].gamma);
        claim_better(&claims, paper, &t[i]);
        free(paper);
        if (cases[i].noise > 0)
            continue;
        first += t[i].gamma_first / (n_cases / 2);
        last += t[i].gamma_last / (n_cases / 2);
    }
    if (request->n_sizes > 1)            /* one size cannot show convergence */
        exp_claim(&claims, last <= 0.05, /* half a step of the gammas tried */
                  "noiseless: the average of the estimated gamma converges to the true one",
                  "its distance is %.3f with %d points, %.3f with %d", first, (int)request->size[0],
                  last, (int)request->size[request->n_sizes - 1]);
    return claims;
}

static exp_claims judge2(const cli *c, const tally *t)
{
    const double clean = exp(t[0].log_ratio / t[0].sizes), noisy = exp(t[1].log_ratio / t[1].sizes);
    exp_claims claims = exp_claims_new(c);
    claim_better(&claims, "noiseless: the vector-valued approach is better", &t[0]);
    claim_better(&claims, "noise 20 %: it still is", &t[1]);
    exp_claim(&claims, noisy > clean, "the gain deteriorates with the noise",
              "ratio of the angles %.2f without noise, %.2f with it", clean, noisy);
    return claims;
}

static int finish(cli *c, const exp_request *request, exp_claims claims, const report *out)
{
    json_t *body = json_pack("{s:f, s:O}", "width", request->width, "results", out->results);
    return exp_finish(c, c->file[0], request, &claims, body, out->columns);
}

static int run(cli *c, field_case *cases, int n_cases)
{
    exp_request request = {.repeats = 10,
                           .n_sizes = 5,
                           .size = {10, 20, 50, 100, 200},
                           .width = 0.8,
                           .spread = sqrt(0.45)};
    int rc = exp_request_read(c, &request);
    if (rc)
        return rc;
    const bool is_field1 = !isnan(cases[0].gamma);
    tally *t = cli_alloc((size_t)n_cases, sizeof *t);
    report out = {.columns = cli_columns_new(n_cases * request.n_sizes), .results = json_array()};
    if (c->show)
        print_heading(is_field1, request.width);
    for (int i = 0; !rc && i < n_cases; i++) {
        cases[i].spread = request.spread;
        rc = run_case(c, &request, &cases[i], &t[i], &out);
    }
    if (!rc)
        rc = finish(c, &request, is_field1 ? judge1(c, cases, t, n_cases, &request) : judge2(c, t),
                    &out);
    json_decref(out.results);
    cli_columns_free(out.columns);
    free(t);
    return rc;
}

static int run1(cli *c)
{
    enum { MOST = 11 };
    field_case cases[2 * MOST];
    const int count = c->value[EXP_ALL] ? MOST : 2, step = c->value[EXP_ALL] ? 1 : 5;
    for (int i = 0; i < 2 * count; i++)
        cases[i] = (field_case){.gamma = 0.1 * (i % count * step), .noise = i < count ? 0.0 : 0.3};
    return run(c, cases, 2 * count);
}

static int run2(cli *c)
{
    field_case cases[] = {{.gamma = NAN, .noise = 0.0}, {.gamma = NAN, .noise = 0.2}};
    return run(c, cases, 2);
}

const experiment exp_field1 = {
    .name = "field1",
    .time = "1 min",
    .paper = "Baldassarre, Rosasco, Barla and Verri, Figures 6 to 8",
    .subject = "a gradient field and its rotation, as a field and by components",
    .about = "A gradient field and its rotation in the plane, by the kernel helmholtz and "
             "component by component, without and with noise; the error is an angle in degrees.",
    .commands =
        "specreg fit TRAIN --target v1,v2 --features none --search grid --kernel "
        "helmholtz:sigma=0.8,gamma=lin:0:1:11 --filter nu --param t=1:700 --scale none "
        "--select kfold:k=5\n"
        "specreg fit TRAIN --target v1 --features none --search grid --kernel rbf:sigma=0.8 "
        "--filter nu --param t=1:700 --scale none --select kfold:k=5",
    .options = {EXP_REPEATS, EXP_SIZES, EXP_ALL, EXP_WIDTH, EXP_SPREAD, CLI_OUTPUT, -1},
    .run = run1,
};

const experiment exp_field2 = {
    .name = "field2",
    .time = "30 s",
    .paper = "Baldassarre, Rosasco, Barla and Verri, Figure 10",
    .subject = "a field of waves, as a field and by components",
    .about = "A field of waves, likewise.",
    .commands =
        "specreg fit TRAIN --target v1,v2 --features none --search grid --kernel "
        "helmholtz:sigma=0.8,gamma=lin:0:1:11 --filter nu --param t=1:700 --scale none "
        "--select file:VALIDATION\n"
        "specreg fit TRAIN --target v1 --features none --search grid --kernel rbf:sigma=0.8 "
        "--filter nu --param t=1:700 --scale none --select file:VALIDATION",
    .options = {EXP_REPEATS, EXP_SIZES, EXP_WIDTH, CLI_OUTPUT, -1},
    .run = run2,
};
