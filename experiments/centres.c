/* experiment usps4 and faces-approx: RLSC, support vector machines and RLSC with fewer centres than
 * rows, by their ROC (Figures 7.1 to 7.7 of Rifkin, Yeo and Poggio, "Regularized Least-Squares
 * Classification"). */
#include <math.h>
#include <stdlib.h>

#include "roc.h"
#include "svm.h"

typedef struct task {
    const char *name, *train, *test;
    double positive, unit; /* the label of positives; inputs are divided by the unit */
    double sigma, sigma_svm;
} task;

static const task tasks[] = {
    {"usps4", "usps/train.csv.gz", "usps/test.csv.gz", 4, 1, 5, 5},
    {"faces-approx", "cbcl/train.csv.gz", "cbcl/test.csv.gz", 1, 255, 2, 5},
};

/* Pivoted Cholesky's centres are those of "rectangle" as well. */
enum { SUBSET, RECTANGLE, NYSTROM, PIVOTED, WAYS };
static const char *const way[WAYS] = {"subset", "rectangle", "nystrom", "ic"};
static const char *const approx[WAYS] = {"subset:m=%d,centers=uniform",
                                         "rectangle:m=%d,centers=uniform",
                                         "nystrom:m=%d,centers=uniform",
                                         "rectangle:m=%d,centers=pivoted"};
static const char *const lambdas = "lambda=log:1e-8:1e-2:13";

typedef struct results {
    int n_sizes, repeats;
    exp_roc rlsc, svm;
    double lambda, C;
    exp_roc mean[WAYS][EXP_MOST_SIZES];
    double area[WAYS][EXP_MOST_SIZES][100]; /* of each draw */
    double captured[2][EXP_MOST_SIZES];     /* of the trace: uniform, pivoted */
} results;

typedef struct data {
    exp_rows train, test;
} data;

/* ------------------------------------------------------------------------------ data */

static int read_rows(cli *c, const task *t, const char *file, int64_t most, exp_rows *out)
{
    specreg_table *table = NULL;
    int rc = rows_read(c, file, &table);
    if (!rc)
        rc = rows_of_table(c, table, t->positive, out);
    specreg_table_free(table);
    for (int64_t i = 0; !rc && i < out->n * out->d; i++)
        out->x[i] /= t->unit;
    if (rc || out->n <= most)
        return rc;
    int64_t *list = cli_alloc((size_t)most, sizeof *list); /* --quick: some, at equal steps */
    for (int64_t i = 0; i < most; i++)
        list[i] = i * out->n / most;
    const exp_rows some = rows_select(out, list, most);
    rows_free(out);
    *out = some;
    free(list);
    return rc;
}

/* ------------------------------------------------------------------------------ fits */

/* RLSC with a list of lambdas, of which the rule takes one by its squared error. */
static int run_rlsc(cli *c, const task *t, const data *d, const char *how, const char *select,
                    const char *seed, exp_roc *roc, json_t **record)
{
    char kernel[64];
    snprintf(kernel, sizeof kernel, "rbf:sigma=%g", t->sigma);
    const exp_setting settings[] =
        {{"kernel", kernel}, {"scale", "none"},  {"problem", "regression"},
         {"param", lambdas}, {"select", select}, {"criterion", "mse"},
         {"approx", how},    {"seed", seed},     {NULL, NULL}};
    specreg_table *tables[EXP_ROLES] = {NULL};
    double *f = exp_zeros(d->test.n);
    int rc = rows_to_table(c, &d->train, &tables[EXP_TRAIN]);
    if (!rc)
        rc = rows_to_table(c, &d->test, &tables[EXP_TEST]);
    if (!rc)
        rc = exp_fit_predict(c, tables, settings, f, record);
    if (!rc)
        *roc = roc_of(d->test.y, f, d->test.n);
    exp_free_tables(tables);
    free(f);
    return rc;
}

/* C by the error on a third of the training rows, of 1, 10 and 100. */
static int choose_cost(const exp_rows *train, double sigma, exp_random random, double *C)
{
    int64_t *list = cli_alloc((size_t)train->n, sizeof *list), n = 2 * train->n / 3;
    double least = INFINITY;
    int rc = CLI_OK;
    for (int64_t i = 0; i < train->n; i++)
        list[i] = i;
    exp_shuffle(&random, list, train->n);
    exp_rows fit = rows_select(train, list, n), other = rows_select(train, list + n, train->n - n);
    double *f = exp_zeros(other.n);
    for (double cost = 1.0; !rc && cost < 101.0; cost *= 10.0) {
        rc = svm_rbf_scores(&fit, (svm_setting){sigma, cost}, &other, f);
        const double error = rows_error(other.y, f, other.n);
        if (error < least) {
            least = error;
            *C = cost;
        }
    }
    free(f);
    rows_free(&other);
    rows_free(&fit);
    free(list);
    return rc;
}

static int run_full(cli *c, const exp_request *request, const task *t, const data *d, results *r)
{
    json_t *record = NULL;
    cli_progress_label("all rows");
    int rc = run_rlsc(c, t, d, "exact", "loo", "0", &r->rlsc, &record);
    r->lambda = exp_number(record, "filter.lambda");
    json_decref(record);
    if (!rc && svm_rbf_is_here()) {
        double *f = exp_zeros(d->test.n);
        cli_progress_label("SVM");
        rc =
            choose_cost(&d->train, t->sigma_svm, exp_random_for(request->seed, 74, 0, 0, 0), &r->C);
        if (!rc)
            rc = svm_rbf_scores(&d->train, (svm_setting){t->sigma_svm, r->C}, &d->test, f);
        r->svm = roc_of(d->test.y, f, d->test.n);
        free(f);
    }
    return rc;
}

/* Every way with the draw's seed; the pivots are the same in each draw. */
static int run_draw(cli *c, const exp_request *request, const task *t, const data *d, int size,
                    int repeat, results *r)
{
    char seed[32], how[64];
    int rc = CLI_OK;
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)request->seed + (unsigned)repeat);
    for (int w = 0; !rc && w < WAYS; w++) {
        if (w == PIVOTED && repeat > 0)
            break;
        json_t *record = NULL;
        exp_roc roc;
        cli_progress_label("%s, %d centres, draw %d/%d", way[w], (int)request->size[size],
                           repeat + 1, r->repeats);
        snprintf(how, sizeof how, approx[w], (int)request->size[size]);
        rc = run_rlsc(c, t, d, how, "kfold:k=5", seed, &roc, &record);
        const double share = w == PIVOTED ? 1.0 : 1.0 / r->repeats;
        if (!rc) {
            roc_add(&r->mean[w][size], &roc, share);
            r->area[w][size][repeat] = roc.area;
            if (w == RECTANGLE || w == PIVOTED)
                r->captured[w == PIVOTED][size] += share * exp_number(record, "approx.captured");
        }
        json_decref(record);
    }
    return rc;
}

/* ---------------------------------------------------------------------------- results */

static void print_row(const char *name, const char *centres, const exp_roc *roc, double captured)
{
    printf("%-10s %8s  %9.5f  %9.3f %9.3f %9.3f", name, centres, roc->area, roc->found[ROC_MILLE],
           roc->found[ROC_PERCENT], roc->found[ROC_TENTH]);
    if (captured > 0)
        printf("  %10.4f", captured);
    putchar('\n');
}

static void print_table(const exp_request *request, const results *r)
{
    printf("%-10s %8s  %9s  %-29s  %10s\n", "", "", "", "found, with false positives of", "trace");
    printf("%-10s %8s  %9s  %9s %9s %9s  %10s\n", "method", "centres", "area", "0.1 %", "1 %",
           "10 %", "captured");
    print_row("RLSC", "all", &r->rlsc, 0);
    if (svm_rbf_is_here())
        print_row("SVM", "all", &r->svm, 0);
    else
        puts("built without LIBSVM: no SVM");
    for (int s = 0; s < r->n_sizes; s++)
        for (int w = 0; w < WAYS; w++) {
            char centres[16];
            snprintf(centres, sizeof centres, "%d", (int)request->size[s]);
            print_row(way[w], centres, &r->mean[w][s],
                      w == RECTANGLE || w == PIVOTED ? r->captured[w == PIVOTED][s] : 0.0);
        }
    printf("RLSC: lambda %.3g; SVM: C %g\n", r->lambda, r->C);
}

/* At how many of the three rates printed above `a` finds as many as `b`, to half a per cent. */
static int as_good(const exp_roc *a, const exp_roc *b)
{
    static const int at[] = {ROC_MILLE, ROC_PERCENT, ROC_TENTH};
    int good = 0;
    for (int i = 0; i < 3; i++)
        good += a->found[at[i]] >= b->found[at[i]] - 0.005;
    return good;
}

static exp_claims judge(const cli *c, const results *r)
{
    exp_claims claims = exp_claims_new(c);
    int ordered = 0, less = 0, no_better = 0;
    for (int s = 0; s < r->n_sizes; s++) {
        const double a = r->mean[RECTANGLE][s].area, b = r->mean[SUBSET][s].area;
        ordered += a >= b && b >= r->mean[NYSTROM][s].area;
        less += r->captured[1][s] < r->captured[0][s];
        no_better += r->mean[PIVOTED][s].area <= a + 0.001;
    }
    if (svm_rbf_is_here())
        exp_claim(&claims, as_good(&r->rlsc, &r->svm) == 3,
                  "RLSC of all rows is as good as the SVM along the ROC or better",
                  "at %d of 3 rates; areas %.5f and %.5f", as_good(&r->rlsc, &r->svm), r->rlsc.area,
                  r->svm.area);
    exp_claim(&claims, ordered == r->n_sizes, "rectangle is best, then subset, then nystrom",
              "so at %d of %d sizes, by the area", ordered, r->n_sizes);
    exp_claim(&claims, less == r->n_sizes,
              "pivoted Cholesky captures less of the trace than rows at random",
              "at %d of %d sizes", less, r->n_sizes);
    exp_claim(&claims, no_better == r->n_sizes, "and does not improve rectangle",
              "no better at %d of %d sizes", no_better, r->n_sizes);
    return claims;
}

static json_t *roc_record(const exp_roc *roc)
{
    return json_pack("{s:f, s:o}", "area", roc->area, "found", exp_numbers(roc->found, ROC_POINTS));
}

static json_t *body_of(const exp_request *request, const results *r)
{
    json_t *list = json_array(), *rates = json_array();
    for (int k = 0; k < ROC_POINTS; k++)
        json_array_append_new(rates, json_real(roc_rate(k)));
    for (int s = 0; s < r->n_sizes; s++)
        for (int w = 0; w < WAYS; w++) {
            json_t *one = roc_record(&r->mean[w][s]);
            json_object_set_new(one, "method", json_string(way[w]));
            json_object_set_new(one, "centres", json_integer(request->size[s]));
            json_object_set_new(one, "areas",
                                exp_numbers(r->area[w][s], w == PIVOTED ? 1 : r->repeats));
            if (w == RECTANGLE || w == PIVOTED)
                json_object_set_new(one, "captured", json_real(r->captured[w == PIVOTED][s]));
            json_array_append_new(list, one);
        }
    json_t *body = json_pack("{s:o, s:o, s:o, s:f}", "false_positives", rates, "results", list,
                             "rlsc", roc_record(&r->rlsc), "lambda", r->lambda);
    if (svm_rbf_is_here()) {
        json_object_set_new(body, "svm", roc_record(&r->svm));
        json_object_set_new(body, "C", json_real(r->C));
    }
    return body;
}

static cli_columns *columns_of(const exp_request *request, const results *r)
{
    cli_columns *t = cli_columns_new(ROC_POINTS);
    for (int k = 0; k < ROC_POINTS; k++) {
        cli_columns_set(t, k, "false_positives", roc_rate(k));
        cli_columns_set(t, k, "rlsc", r->rlsc.found[k]);
        if (svm_rbf_is_here())
            cli_columns_set(t, k, "svm", r->svm.found[k]);
        for (int s = 0; s < r->n_sizes; s++)
            for (int w = 0; w < WAYS; w++) {
                char *name = cli_format("%s.%d", way[w], (int)request->size[s]);
                cli_columns_set(t, k, name, r->mean[w][s].found[k]);
                free(name);
            }
    }
    return t;
}

static int report(cli *c, const task *t, const exp_request *request, const results *r)
{
    if (c->show)
        print_table(request, r);
    cli_columns *columns = columns_of(request, r);
    exp_claims claims = judge(c, r);
    const int rc = exp_finish(c, t->name, request, &claims, body_of(request, r), columns);
    cli_columns_free(columns);
    return rc;
}

static int run(cli *c, const task *t, exp_request request)
{
    const bool quick = c->value[EXP_QUICK] != NULL;
    data d = {{0}, {0}};
    if (quick)
        request = (exp_request){.n_sizes = 2, .size = {128, 32}};
    int rc = exp_request_read(c, &request);
    if (!rc)
        rc = read_rows(c, t, t->train, quick ? 600 : INT64_MAX, &d.train);
    if (!rc)
        rc = read_rows(c, t, t->test, quick ? 2000 : INT64_MAX, &d.test);
    results *r = cli_alloc(1, sizeof *r);
    r->n_sizes = request.n_sizes;
    r->repeats = request.repeats;
    for (int s = 0; !rc && s < r->n_sizes; s++)
        for (int i = 0; !rc && i < r->repeats; i++)
            rc = run_draw(c, &request, t, &d, s, i, r);
    if (!rc)
        rc = run_full(c, &request, t, &d, r);
    cli_progress_no_label();
    cli_progress_clear();
    if (!rc)
        rc = report(c, t, &request, r);
    rows_free(&d.train);
    rows_free(&d.test);
    free(r);
    return rc;
}

static int run_usps4(cli *c)
{
    return run(c, &tasks[0],
               (exp_request){.repeats = 10, .n_sizes = 4, .size = {1024, 512, 256, 128}});
}

static int run_faces(cli *c)
{
    return run(c, &tasks[1],
               (exp_request){.repeats = 10, .n_sizes = 4, .size = {1000, 500, 250, 125}});
}

const experiment exp_usps4 = {
    .name = "usps4",
    .time = "10 min",
    .data = "usps",
    .paper = "Rifkin, Yeo and Poggio, Figures 7.1, 7.2, 7.4 and 7.6",
    .subject = "the digit 4 against the others: SVM, RLSC of all rows and with few centres",
    .about =
        "USPS's training and test rows, the digit 4 against the others, a Gaussian kernel with "
        "sigma 5: RLSC with lambda by leave-one-out, LIBSVM with C of 1, 10, 100 by a third "
        "of the training rows; subset, rectangle and nystrom with 1024, 512, 256 and 128 "
        "random centres, ten draws, and rectangle with the pivots of a Cholesky decomposition "
        "(ic), each with lambda by five folds.",
    .commands = "specreg fit TRAIN --kernel rbf:sigma=5 --scale none --features none --search grid "
                "--problem regression --param lambda=log:1e-8:1e-2:13 --select loo --approx exact\n"
                "specreg fit TRAIN --kernel rbf:sigma=5 --scale none --features none --search grid "
                "--problem regression --param lambda=log:1e-8:1e-2:13 --select kfold:k=5 --approx "
                "rectangle:m=1024,centers=uniform --seed 0",
    .options = {EXP_DATA, EXP_REPEATS, EXP_SIZES, CLI_OUTPUT, -1},
    .run = run_usps4,
};

const experiment exp_faces_approx = {
    .name = "faces-approx",
    .time = "15 min",
    .data = "cbcl",
    .paper = "Rifkin, Yeo and Poggio, Figures 7.3, 7.5 and 7.7",
    .subject = "faces: SVM, RLSC of all rows and with few centres",
    .about = "The same on CBCL's training and test images, grey levels divided by 255, with sigma "
             "2 for RLSC and 5 for SVM, and 1000, 500, 250 and 125 centres.",
    .commands = "specreg fit TRAIN --kernel rbf:sigma=2 --scale none --features none --search grid "
                "--problem regression --param lambda=log:1e-8:1e-2:13 --select loo --approx exact\n"
                "specreg fit TRAIN --kernel rbf:sigma=2 --scale none --features none --search grid "
                "--problem regression --param lambda=log:1e-8:1e-2:13 --select kfold:k=5 --approx "
                "rectangle:m=1000,centers=uniform --seed 0",
    .options = {EXP_DATA, EXP_REPEATS, EXP_SIZES, CLI_OUTPUT, -1},
    .run = run_faces,
};
