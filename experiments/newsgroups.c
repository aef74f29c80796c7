/* experiment newsgroups: linear RLSC and linear support vector machines on 20 Newsgroups, one
 * against all and other codings (Table 7.1 of Rifkin, Yeo and Poggio, "Regularized Least-Squares
 * Classification"). */
#include <math.h>
#include <stdlib.h>

#include "svm.h"

enum { CODINGS = 9, PRINTED = 2, BCH = 5, METHODS = 2 };
enum { CLASSES = NEWS_CLASSES, MOST_BITS = 63, MOST_REPEATS = 100 };
enum { RLSC, SVM };
/* Those of the paper come first, then the other dimensions of its code: BCH codings in all but the
 * first.  Support vector machines are trained with those of the paper. */
static const char *const coding[CODINGS] = {
    "ova",   "bch:63",           "bch:63,k=10", "bch:63,k=18",      "bch:63,k=30",
    "dense", "random:zeros=0.5", "ovo",         "ovo:decode=votes",
};
/* The share of the documents that an output trains on, where classes are equally large. */
static const double share[CODINGS] = {1, 1, 1, 1, 1, 1, 0.5, 2.0 / CLASSES, 2.0 / CLASSES};
static const char *const method[METHODS] = {"rlsc", "svm"};

static const struct { /* printed in the paper, in per cent */
    int64_t n;
    double of[PRINTED][METHODS]; /* one against all, BCH 63 */
} published[] = {
    {800, {{12.9, 13.1}, {12.9, 12.5}}},
    {250, {{16.5, 16.7}, {16.5, 16.4}}},
    {100, {{21.1, 21.4}, {21.3, 21.3}}},
    {30, {{30.9, 31.1}, {31.6, 31.2}}},
};

static double published_for(int64_t n, int code, int m)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        if (published[i].n == n && code < PRINTED)
            return published[i].of[code][m];
    return NAN;
}

/* ----------------------------------------------------------------------- documents */

/* Of each class, in an order that belongs to the split, the last fifth tests and the first n of the
 * others train: what trains with a small n also does with a larger one. */
static void divide(const exp_sparse *documents, exp_random random, int64_t n, exp_sparse *train,
                   exp_sparse *test)
{
    const size_t room = (size_t)documents->rows;
    int64_t *list = cli_alloc(3 * room, sizeof *list);
    int64_t *trains = list + room, *tests = trains + room, n_train = 0, n_test = 0;
    for (int class = 1; class <= CLASSES; class ++) {
        int64_t count = 0;
        for (int64_t i = 0; i < documents->rows; i++)
            if (documents->label[i] == class)
                list[count++] = i;
        exp_shuffle(&random, list, count);
        const int64_t others = count - count / 5;
        for (int64_t i = 0; i < others && i < n; i++)
            trains[n_train++] = list[i];
        for (int64_t i = others; i < count; i++)
            tests[n_test++] = list[i];
    }
    *train = sparse_select(documents, trains, n_train);
    *test = sparse_select(documents, tests, n_test);
    double *log_share = sparse_log_share(train);
    sparse_weigh(train, log_share);
    sparse_weigh(test, log_share);
    free(log_share);
    free(list);
}

/* ---------------------------------------------------------------------------- fits */

static int run_rlsc(cli *c, const exp_sparse *train, const exp_sparse *test, int code,
                    double *error, double *seconds)
{
    char param[64];
    snprintf(param, sizeof param, "lambda=%.17g", 1.0 / (share[code] * (double)train->rows));
    const exp_setting settings[] = {{"kernel", "linear"},     {"scale", "none"},  {"param", param},
                                    {"coding", coding[code]}, {"select", "none"}, {NULL, NULL}};
    specreg_table *table = NULL;
    specreg_model *model = NULL;
    int rc = sparse_table(c, train, true, &table);
    const double begun = exp_processor();
    if (!rc)
        rc = exp_fit(c, table, NULL, settings, &model, NULL);
    *seconds = exp_processor() - begun;
    if (!rc)
        rc = sparse_error(c, model, test, error);
    specreg_model_free(model);
    specreg_table_free(table);
    return rc;
}

/* The codewords that the library takes for the classes: the fit of a linear kernel to one row for
 * each class, all at right angles, gives slopes in proportion to them. */
static int read_words(cli *c, int code, double words[CLASSES][MOST_BITS], int *bits)
{
    const exp_setting settings[] = {{"kernel", "linear"},     {"scale", "none"},
                                    {"param", "lambda=1"},    {"select", "none"},
                                    {"coding", coding[code]}, {NULL, NULL}};
    double x[CLASSES * CLASSES] = {0};
    char text[CLASSES][16];
    const char *label[CLASSES];
    for (int i = 0; i < CLASSES; i++) {
        snprintf(text[i], sizeof text[i], "%02d", i + 1);
        label[i] = text[i];
        x[i * CLASSES + i] = 1.0;
    }
    const specreg_view X = {x, CLASSES, CLASSES, CLASSES};
    const specreg_data data = {.struct_size = sizeof data, .X = &X, .labels = label};
    specreg_table *table = NULL;
    specreg_model *model = NULL;
    specreg_view slopes;
    int rc = cli_check(c, specreg_table_from_data(c->ctx, &data, &table));
    if (!rc)
        rc = exp_fit(c, table, NULL, settings, &model, NULL);
    if (!rc)
        rc = cli_check(c, specreg_model_array(c->ctx, model, "slopes", &slopes));
    for (int i = 0; !rc && i < CLASSES; i++)
        for (int t = 0; t < slopes.cols; t++)
            words[i][t] = slopes.data[i * slopes.ld + t] > 0 ? 1.0 : -1.0;
    *bits = rc ? 0 : (int)slopes.cols;
    specreg_model_free(model);
    specreg_table_free(table);
    return rc;
}

/* loss[i * CLASSES + k] grows by the hinge loss of one machine's value for row i and class k. */
static void add_losses(const exp_sparse *test, const double *w, const double *word, int stride,
                       double *loss)
{
    for (int64_t i = 0; i < test->rows; i++) {
        double f = w[test->cols];
        for (int64_t k = test->start[i]; k < test->start[i + 1]; k++)
            f += w[test->index[k]] * test->value[k];
        for (int k = 0; k < CLASSES; k++)
            loss[i * CLASSES + k] += stride ? fmax(0.0, 1.0 - word[k * stride] * f) : -word[k] * f;
    }
}

static double error_of(const exp_sparse *test, const double *loss)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < test->rows; i++) {
        int best = 0;
        for (int k = 1; k < CLASSES; k++)
            if (loss[i * CLASSES + k] < loss[i * CLASSES + best])
                best = k;
        wrong += best + 1 != test->label[i];
    }
    return (double)wrong / (double)test->rows;
}

/* A machine for each column; one against all the largest value wins, else the codeword with the
 * least hinge loss. */
static int run_svm(cli *c, const exp_sparse *train, const exp_sparse *test, int code, double *error,
                   double *seconds)
{
    double words[CLASSES][MOST_BITS], own[CLASSES];
    int bits;
    int rc = read_words(c, code, words, &bits);
    double *w = exp_zeros(train->cols + 1), *y = exp_zeros(train->rows);
    double *loss = exp_zeros(test->rows * CLASSES);
    *seconds = 0.0;
    for (int t = 0; !rc && t < bits && !(rc = cli_stop_code()); t++) {
        for (int64_t i = 0; i < train->rows; i++)
            y[i] = words[train->label[i] - 1][t];
        const double begun = exp_processor();
        rc = svm_linear_fit(train, y, 1.0, w);
        *seconds += exp_processor() - begun;
        for (int k = 0; k < CLASSES; k++)
            own[k] = k == t;
        add_losses(test, w, code == 0 ? own : &words[0][t], code == 0 ? 0 : MOST_BITS, loss);
    }
    *error = error_of(test, loss);
    free(loss);
    free(y);
    free(w);
    return rc;
}

/* ------------------------------------------------------------------------- results */

typedef struct results {
    int n_sizes, repeats;
    int64_t rows[EXP_MOST_SIZES], tests[EXP_MOST_SIZES];
    double error[EXP_MOST_SIZES][CODINGS][METHODS][MOST_REPEATS]; /* per cent */
    double seconds[EXP_MOST_SIZES][CODINGS][METHODS][MOST_REPEATS];
} results;

static int run_size(cli *c, const exp_request *request, const exp_sparse *documents, int size,
                    int repeat, results *r)
{
    exp_sparse train, test;
    int rc = CLI_OK;
    divide(documents, exp_random_for(request->seed, 70, repeat, 0, 0), request->size[size], &train,
           &test);
    r->rows[size] = train.rows;
    r->tests[size] = test.rows;
    for (int code = 0; !rc && code < CODINGS; code++) {
        double *error = r->error[size][code][RLSC] + repeat;
        cli_progress_label("split %d, %d a class, %s", repeat + 1, (int)request->size[size],
                           coding[code]);
        rc = run_rlsc(c, &train, &test, code, error, r->seconds[size][code][RLSC] + repeat);
        *error *= 100.0;
        error = r->error[size][code][SVM] + repeat;
        *error = NAN;
        if (!rc && code < PRINTED && svm_linear_is_here())
            rc = run_svm(c, &train, &test, code, error, r->seconds[size][code][SVM] + repeat);
        *error *= 100.0;
    }
    cli_progress_no_label();
    sparse_free(&train);
    sparse_free(&test);
    return rc;
}

/* RLSC's errors with a coding less those of one against all, split by split. */
static const double *minus_ova(const results *r, int size, int code, double *difference)
{
    for (int i = 0; i < r->repeats; i++)
        difference[i] = r->error[size][code][RLSC][i] - r->error[size][0][RLSC][i];
    return difference;
}

static void print_error(const double *error, int count, double paper)
{
    if (isnan(error[0]))
        printf("  %15s", "-");
    else
        printf("  %6.2f +- %5.2f", exp_mean(error, count), exp_stddev(error, count));
    if (isnan(paper))
        printf(" %6s", "-");
    else
        printf(" %6.1f", paper);
}

static void print_table(const exp_request *request, const results *r)
{
    double difference[MOST_REPEATS];
    printf("%-9s %6s %6s  %-16s  %-15s %6s  %-15s  %-15s %6s  %8s %8s\n", "documents", "train",
           "test", "coding", "RLSC, error %", "paper", "minus ova", "SVM, error %", "paper",
           "s, RLSC", "s, SVM");
    for (int s = 0; s < r->n_sizes; s++)
        for (int code = 0; code < CODINGS; code++) {
            const int64_t n = request->size[s];
            minus_ova(r, s, code, difference);
            printf("%9d %6d %6d  %-16s", (int)n, (int)r->rows[s], (int)r->tests[s], coding[code]);
            print_error(r->error[s][code][RLSC], r->repeats, published_for(n, code, RLSC));
            printf("  %+6.2f +- %5.2f", exp_mean(difference, r->repeats),
                   exp_stddev(difference, r->repeats));
            print_error(r->error[s][code][SVM], r->repeats, published_for(n, code, SVM));
            printf("  %8.2f", exp_mean(r->seconds[s][code][RLSC], r->repeats));
            if (code < PRINTED && svm_linear_is_here())
                printf(" %8.2f\n", exp_mean(r->seconds[s][code][SVM], r->repeats));
            else
                printf(" %8s\n", "-");
        }
    if (!svm_linear_is_here())
        puts("built without LIBLINEAR: no SVM");
}

static void judge_svm(exp_claims *claims, const results *r)
{
    double apart[PRINTED] = {0}, seconds[METHODS] = {0};
    for (int s = 0; s < r->n_sizes; s++)
        for (int code = 0; code < PRINTED; code++)
            apart[code] = fmax(apart[code], fabs(exp_mean(r->error[s][code][RLSC], r->repeats) -
                                                 exp_mean(r->error[s][code][SVM], r->repeats)));
    for (int m = 0; m < METHODS; m++)
        seconds[m] = exp_mean(r->seconds[r->n_sizes - 1][0][m], r->repeats);
    exp_claim(claims, apart[0] < 1.0 && apart[1] < 1.0,
              "the accuracy of RLSC is essentially identical to that of the SVM",
              "at most %.2f points apart one against all, %.2f with BCH 63", apart[0], apart[1]);
    exp_claim(claims, seconds[RLSC] < seconds[SVM],
              "RLSC takes less time than the SVM (there an eighth)",
              "%.2f s and %.2f s (LIBLINEAR), one against all, at the largest size", seconds[RLSC],
              seconds[SVM]);
}

/* The least and the largest mean difference of the paper's codes to one against all. */
static void judge_codes(exp_claims *claims, const results *r)
{
    double difference[MOST_REPEATS], low = INFINITY, high = -INFINITY;
    for (int s = 0; s < r->n_sizes; s++)
        for (int code = 1; code < BCH; code++) {
            const double mean = exp_mean(minus_ova(r, s, code, difference), r->repeats);
            low = fmin(low, mean);
            high = fmax(high, mean);
        }
    exp_claim(claims, low > -0.5, "one against all is as good as BCH 63 (0.0 to 0.7 points)",
              "codes of its four dimensions have %+.2f to %+.2f points more", low, high);
}

static exp_claims judge(const cli *c, const results *r)
{
    exp_claims claims = exp_claims_new(c);
    if (svm_linear_is_here())
        judge_svm(&claims, r);
    judge_codes(&claims, r);
    return claims;
}

static json_t *entry_of(const exp_request *request, const results *r, int s, int code, int m)
{
    double difference[MOST_REPEATS];
    json_t *one =
        json_pack("{s:I, s:I, s:s, s:s, s:o, s:o}", "documents", (json_int_t)request->size[s],
                  "train", (json_int_t)r->rows[s], "coding", coding[code], "method", method[m],
                  "error", exp_numbers(r->error[s][code][m], r->repeats), "seconds",
                  exp_numbers(r->seconds[s][code][m], r->repeats));
    const double paper = published_for(request->size[s], code, m);
    if (!isnan(paper))
        json_object_set_new(one, "published", json_real(paper));
    if (m == RLSC)
        json_object_set_new(one, "minus_ova",
                            exp_numbers(minus_ova(r, s, code, difference), r->repeats));
    return one;
}

static json_t *body_of(const exp_request *request, const results *r)
{
    json_t *list = json_array();
    for (int s = 0; s < r->n_sizes; s++)
        for (int code = 0; code < CODINGS; code++)
            for (int m = 0; m < METHODS; m++)
                if (m == RLSC || (code < PRINTED && svm_linear_is_here()))
                    json_array_append_new(list, entry_of(request, r, s, code, m));
    return json_pack("{s:o}", "results", list);
}

static cli_columns *columns_of(const exp_request *request, const results *r)
{
    cli_columns *t = cli_columns_new(r->n_sizes);
    for (int s = 0; s < r->n_sizes; s++) {
        cli_columns_set(t, s, "documents", (double)request->size[s]);
        for (int code = 0; code < CODINGS; code++)
            for (int m = 0; m < (code < PRINTED ? METHODS : SVM); m++) {
                char *name = cli_format("%s.%s", coding[code], method[m]);
                cli_columns_set(t, s, name, exp_mean(r->error[s][code][m], r->repeats));
                free(name);
            }
    }
    return t;
}

static int run(cli *c)
{
    exp_request request = {.repeats = 10, .n_sizes = 4, .size = {30, 100, 250, 800}};
    exp_sparse documents = {0};
    int rc = exp_request_read(c, &request);
    if (!rc)
        rc = sparse_read_news(c, &documents);
    results *r = cli_alloc(1, sizeof *r);
    r->n_sizes = request.n_sizes;
    r->repeats = request.repeats;
    for (int i = 0; !rc && i < r->repeats; i++)
        for (int s = 0; !rc && s < r->n_sizes; s++)
            rc = run_size(c, &request, &documents, s, i, r);
    cli_progress_clear();
    if (!rc) {
        if (c->show)
            print_table(&request, r);
        cli_columns *columns = columns_of(&request, r);
        exp_claims claims = judge(c, r);
        rc = exp_finish(c, "newsgroups", &request, &claims, body_of(&request, r), columns);
        cli_columns_free(columns);
    }
    sparse_free(&documents);
    free(r);
    return rc;
}

const experiment exp_newsgroups = {
    .name = "newsgroups",
    .time = "10 min",
    .data = "20news",
    .paper = "Rifkin, Yeo and Poggio, Table 7.1",
    .subject = "20 Newsgroups by linear RLSC and linear SVM, nine codings",
    .about = "20 classes of documents, 30, 100, 250 or 800 of each (at most four fifths) for "
             "training, a fifth of all for testing: linear RLSC with n lambda = 1, one against "
             "all, with error-correcting codes of length 63 and four dimensions, random codes "
             "and one against one (n: the documents that an output trains on), and LIBLINEAR's "
             "linear support vector machine with C = 1 and the paper's two codings. Words weigh "
             "(1 + log count) log(N / documents with the word), by the training documents; "
             "documents have length 1.",
    .commands = "specreg fit TRAIN --kernel linear --scale none --features none --search grid "
                "--select none --param lambda=1/N --coding ova\n"
                "specreg fit TRAIN --kernel linear --scale none --features none --search grid "
                "--select none --param lambda=1/N --coding bch:63",
    .options = {EXP_DATA, EXP_REPEATS, EXP_SIZES, CLI_OUTPUT, -1},
    .run = run,
};
