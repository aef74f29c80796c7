/* experiment scale: error and time of RLSC with few centres as rows and centres grow, on data of
 * the shape of UCI's HIGGS and on MNIST, beside what was published of Falkon and EigenPro. */
#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiment.h"

extern char **environ;

enum { TESTS = 50000, MOST_CELLS = 16 };

typedef struct cell {
    const char *data;
    int64_t n, m;
    double error, auc, seconds; /* per cent; area; processor seconds of the fit */
} cell;

typedef struct results {
    int count;
    cell cell[MOST_CELLS];
} results;

/* ------------------------------------------------------------------------- made data */

/* The generator that is built beside this program. */
static char *generator(void)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    char *end = strrchr(path, '/');
    return cli_format("%.*s/synthetic", end ? (int)(end - path) : 0, path);
}

static int generate(const char *file, int64_t rows)
{
    char *program = generator(), *count = cli_format("%lld", (long long)rows);
    char *const arguments[] = {program,      (char[]){"higgs"},   count,
                               (char *)file, (char[]){"float32"}, NULL};
    pid_t child;
    int status = 1;
    int error = posix_spawn(&child, program, NULL, NULL, arguments, environ);
    if (!error && waitpid(child, &status, 0) < 0)
        error = errno;
    const int rc = error         ? cli_fail(CLI_FAILED, "%s: %s", program, strerror(error))
                   : status != 0 ? cli_fail(CLI_FAILED, "%s: could not write %s", program, file)
                                 : CLI_OK;
    free(count);
    free(program);
    return rc;
}

/* Rows first .. first + count - 1. */
static int part(cli *c, const specreg_table *table, int64_t first, int64_t count,
                specreg_table **out)
{
    int64_t *rows = cli_alloc((size_t)count, sizeof *rows);
    for (int64_t i = 0; i < count; i++)
        rows[i] = first + i;
    const int rc = cli_check(c, specreg_table_select(c->ctx, table, rows, count, out));
    free(rows);
    return rc;
}

/* --------------------------------------------------------------------------- one fit */

static int run_cell(cli *c, const specreg_table *train, const specreg_table *test,
                    const char *kernel, const char *scale, cell *k)
{
    char *approx = cli_format("rectangle:m=%d", (int)k->m);
    const exp_setting settings[] = {{"kernel", kernel},
                                    {"scale", scale},
                                    {"problem", "classification"},
                                    {"criterion", "mse"},
                                    {"param", "lambda=log:1e-8:1e-3:11"},
                                    {"select", "kfold:k=5"},
                                    {"approx", approx},
                                    {NULL, NULL}};
    specreg_model *model = NULL;
    char *text = NULL;
    cli_progress_label("%s, n = %d, m = %d", k->data, (int)k->n, (int)k->m);
    const double begun = exp_processor();
    int rc = exp_fit(c, train, NULL, settings, &model, NULL);
    k->seconds = exp_processor() - begun;
    if (!rc)
        rc = cli_check(c, specreg_evaluate(c->ctx, model, test, NULL, &text));
    if (!rc) {
        json_t *record = cli_load(text);
        k->error = 100.0 * exp_number(record, "test.error_rate");
        k->auc = exp_number(record, "test.auc");
        json_decref(record);
    }
    specreg_string_free(text);
    specreg_model_free(model);
    free(approx);
    cli_progress_no_label();
    cli_progress_clear();
    if (!rc && c->show) {
        printf("%-6s %8d %6d  %8.2f  ", k->data, (int)k->n, (int)k->m, k->error);
        if (isnan(k->auc))
            printf("%8s", "-");
        else
            printf("%8.4f", k->auc);
        printf("  %10.3g\n", k->seconds);
        fflush(stdout);
    }
    return rc;
}

static int run_higgs(cli *c, bool quick, results *r)
{
    static const struct {
        int64_t n, m;
    } grid[] = {{10000, 250},   {10000, 1000},  {100000, 250},
                {100000, 1000}, {1000000, 250}, {1000000, 1000}};
    const int count = quick ? 1 : 6;
    const int64_t most = grid[count - 1].n, tests = quick ? 2000 : TESTS;
    specreg_table *all = NULL, *test = NULL;
    char *folder = NULL, *file = NULL;
    int rc = exp_temporary_new(&folder, &file);
    if (!rc) {
        memcpy(file + strlen(file) - 3, "npy", 3);
        rc = generate(file, most + tests);
    }
    if (!rc)
        rc = cli_check(c, specreg_table_read(c->ctx, file, NULL, &all));
    exp_temporary_remove(folder, file);
    if (!rc)
        rc = part(c, all, most, tests, &test);
    for (int i = 0; !rc && i < count; i++) {
        specreg_table *train = NULL;
        cell *k = &r->cell[r->count++];
        *k = (cell){.data = "higgs", .n = grid[i].n, .m = grid[i].m};
        rc = part(c, all, 0, grid[i].n, &train);
        if (!rc)
            rc = run_cell(c, train, test, "rbf:sigma=5", "standard", k);
        specreg_table_free(train);
    }
    specreg_table_free(test);
    specreg_table_free(all);
    return rc;
}

static int read_idx(cli *c, const char *name, specreg_table **out)
{
    char *path = cli_format("%s/mnist/%s-ubyte.gz", exp_data_folder(c), name);
    int rc = exp_check_file(path, "that holds mnist/");
    if (!rc)
        rc = cli_check(c, specreg_table_read(c->ctx, path, NULL, out));
    free(path);
    return rc;
}

/* Images with a column y of digits as texts. */
static int read_mnist(cli *c, const char *images, const char *labels, specreg_table **out)
{
    static const char *const digit[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    specreg_table *of = NULL;
    int rc = read_idx(c, images, out);
    if (!rc)
        rc = read_idx(c, labels, &of);
    if (!rc && specreg_table_rows(of) != specreg_table_rows(*out))
        rc = cli_fail(CLI_FAILED, "mnist: %s and %s differ in length", images, labels);
    const int64_t n = rc ? 0 : specreg_table_rows(of);
    const char **text = cli_alloc((size_t)n + 1, sizeof *text);
    for (int64_t i = 0; i < n; i++) {
        const double label = specreg_table_number(of, i, 0);
        text[i] = label >= 0 && label <= 9 ? digit[(int)label] : NULL;
    }
    if (!rc)
        rc = cli_check(c, specreg_table_insert_text(c->ctx, *out, 0, "y", text));
    free(text);
    specreg_table_free(of);
    return rc;
}

static int run_mnist(cli *c, results *r)
{
    static const int64_t centres[] = {250, 500, 1000, 2000};
    specreg_table *train = NULL, *test = NULL;
    int rc = read_mnist(c, "train-images-idx3", "train-labels-idx1", &train);
    if (!rc)
        rc = read_mnist(c, "t10k-images-idx3", "t10k-labels-idx1", &test);
    for (int i = 0; !rc && i < 4; i++) {
        cell *k = &r->cell[r->count++];
        *k = (cell){.data = "mnist", .n = specreg_table_rows(train), .m = centres[i]};
        rc =
            run_cell(c, train, test, "rbf:sigma=1275", "none", k); /* 5 for grey levels in [0, 1] */
    }
    specreg_table_free(test);
    specreg_table_free(train);
    return rc;
}

/* ---------------------------------------------------------------------------- results */

/* The cell of that size, or NULL. */
static const cell *find(const results *r, const char *data, int64_t n, int64_t m)
{
    for (int i = 0; i < r->count; i++)
        if (strcmp(r->cell[i].data, data) == 0 && r->cell[i].n == n && r->cell[i].m == m)
            return &r->cell[i];
    return NULL;
}

static exp_claims judge(const cli *c, const results *r)
{
    exp_claims claims = exp_claims_new(c);
    const cell *few = find(r, "higgs", 100000, 250), *rows = find(r, "higgs", 1000000, 250);
    const cell *both = find(r, "higgs", 1000000, 1000), *mnist = find(r, "mnist", 60000, 2000);
    if (few && rows && both) {
        exp_claim(&claims, rows->seconds < 15.0 * few->seconds, "time grows in proportion to n",
                  "ten times the rows take %.1f times the processor seconds",
                  rows->seconds / few->seconds);
        exp_claim(&claims, both->error < rows->error, "more centres lower the error",
                  "%.2f %% with 250 centres, %.2f %% with 1000, of a million rows", rows->error,
                  both->error);
    }
    if (mnist)
        exp_claim(&claims, mnist->error < 1.3,
                  "EigenPro 2.0, all 60,000 rows as centres: 1.23 % on MNIST",
                  "%.2f %% with 2,000 centres", mnist->error);
    return claims;
}

static int finish(cli *c, const exp_request *request, const results *r)
{
    json_t *list = json_array();
    cli_columns *columns = cli_columns_new(r->count);
    for (int i = 0; i < r->count; i++) {
        const cell *k = &r->cell[i];
        json_t *one = json_pack("{s:s, s:I, s:I, s:f, s:f}", "data", k->data, "n", (json_int_t)k->n,
                                "centres", (json_int_t)k->m, "error", k->error, "processor_seconds",
                                k->seconds);
        if (!isnan(k->auc))
            json_object_set_new(one, "auc", json_real(k->auc));
        json_array_append_new(list, one);
        cli_columns_set_text(columns, i, "data", k->data);
        cli_columns_set(columns, i, "n", (double)k->n);
        cli_columns_set(columns, i, "centres", (double)k->m);
        cli_columns_set(columns, i, "error", k->error);
        cli_columns_set(columns, i, "processor_seconds", k->seconds);
    }
    exp_claims claims = judge(c, r);
    const int rc =
        exp_finish(c, "scale", request, &claims, json_pack("{s:o}", "results", list), columns);
    cli_columns_free(columns);
    return rc;
}

static int run(cli *c)
{
    const bool quick = c->value[EXP_QUICK] != NULL;
    exp_request request = {.repeats = 1};
    results r = {0};
    int rc = exp_request_read(c, &request);
    request.repeats = 1;
    if (!rc && !quick)
        rc = exp_check_data_folder(c);
    if (!rc && c->show)
        printf("%-6s %8s %6s  %8s  %8s  %10s\n", "data", "rows", "centres", "error %", "auc",
               "processor s");
    if (!rc)
        rc = run_higgs(c, quick, &r);
    if (!rc && !quick)
        rc = run_mnist(c, &r);
    return rc ? rc : finish(c, &request, &r);
}

const experiment exp_scale = {
    .name = "scale",
    .time = "15 min",
    .data = "mnist",
    .paper = "Rudi, Carratino and Rosasco, Falkon (2017), and Ma and Belkin, EigenPro 2.0 (2019)",
    .subject = "error and time of few centres as rows and centres grow",
    .about =
        "Gaussian kernels and few random centres, lambda by five folds: rows of the shape of UCI's "
        "HIGGS, made by the program synthetic (the real ones are not here, so that errors do not "
        "compare with the papers'), 10,000 to a million of them, 250 and 1,000 centres; and MNIST "
        "with 250 to 2,000 centres.",
    .commands = "specreg fit TRAIN --approx rectangle:m=1000 --kernel rbf:sigma=5 --scale standard "
                "--features none --search grid --problem classification --criterion mse --param "
                "lambda=log:1e-8:1e-3:11 --select kfold:k=5",
    .options = {EXP_DATA, CLI_OUTPUT, -1},
    .run = run,
};
