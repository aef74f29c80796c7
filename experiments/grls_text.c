/* experiment grls-text: topics beside the words, as terms that are not penalised (Figure 2 of Li,
 * Lee and Leung, "Generalized Regularized Least-Squares Learning with Predefined Features"), on
 * four subsets of 20 Newsgroups. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "svm.h"

enum { WORDS = 2000, TOPICS = 10, SUBSETS = 4, MOST_REPEATS = 100 };
static const struct {
    const char *name;
    int first, last; /* classes: the groups in alphabetical order */
} subset[SUBSETS] = {{"comp", 2, 6}, {"rec", 8, 11}, {"sci", 12, 15}, {"talk", 17, 20}};

enum { RLSC, GRLSC, GRLSC_ALL, RLSC_TOPICS, SVM, SVM_TOPICS, METHODS };
static const char *const method[METHODS] = {"RLSC",        "G-RLSC", "G-RLSC all",
                                            "RLSC topics", "SVM",    "SVM topics"};

/* ---------------------------------------------------------------------------- words */

static double part(double joint, double word, double class, double n)
{
    return joint > 0 ? joint / n * log(joint * n / (word * class)) : 0.0;
}

/* The mutual information of each word being in a document and the document's class. */
static double *information(const exp_sparse *x)
{
    double *total = exp_zeros(x->cols), *with = exp_zeros(x->cols * (NEWS_CLASSES + 1));
    double size[NEWS_CLASSES + 1] = {0};
    for (int64_t i = 0; i < x->rows; i++) {
        size[x->label[i]] += 1.0;
        for (int64_t k = x->start[i]; k < x->start[i + 1]; k++) {
            with[x->index[k]] += 1.0; /* class 0: of all classes */
            with[x->label[i] * x->cols + x->index[k]] += 1.0;
        }
    }
    const double n = (double)x->rows;
    for (int64_t j = 0; j < x->cols; j++)
        for (int class = 1; class <= NEWS_CLASSES; class ++) {
            const double both = with[class * x->cols + j];
            total[j] += part(both, with[j], size[class], n) +
                        part(size[class] - both, n - with[j], size[class], n);
        }
    free(with);
    return total;
}

/* Keeps the words with the highest mutual information, numbered anew in their old order. */
static void keep_words(exp_sparse *x)
{
    double *total = information(x), *sorted = exp_zeros(x->cols);
    int32_t *number = cli_alloc((size_t)x->cols, sizeof *number), count = 0;
    memcpy(sorted, total, (size_t)x->cols * sizeof *sorted);
    exp_sort(sorted, x->cols);
    const double least = x->cols > WORDS ? sorted[x->cols - WORDS] : -INFINITY;
    for (int64_t j = 0; j < x->cols; j++)
        number[j] = total[j] >= least && count < WORDS ? count++ : -1;
    int64_t kept = 0, first = 0;
    for (int64_t i = 0; i < x->rows; i++) {
        const int64_t end = x->start[i + 1];
        for (int64_t k = first; k < end; k++)
            if (number[x->index[k]] >= 0) {
                x->index[kept] = number[x->index[k]];
                x->value[kept++] = x->value[k];
            }
        first = end;
        x->start[i + 1] = kept;
    }
    x->cols = count;
    free(number);
    free(sorted);
    free(total);
}

/* Each document divided by its largest count. */
static void scale(exp_sparse *x)
{
    for (int64_t i = 0; i < x->rows; i++) {
        double largest = 1.0;
        for (int64_t k = x->start[i]; k < x->start[i + 1]; k++)
            largest = fmax(largest, x->value[k]);
        for (int64_t k = x->start[i]; k < x->start[i + 1]; k++)
            x->value[k] /= largest;
    }
}

static exp_sparse documents_of(const exp_sparse *all, int which)
{
    int64_t *list = cli_alloc((size_t)all->rows, sizeof *list), count = 0;
    for (int64_t i = 0; i < all->rows; i++)
        if (all->label[i] >= subset[which].first && all->label[i] <= subset[which].last)
            list[count++] = i;
    exp_sparse some = sparse_select(all, list, count);
    keep_words(&some);
    free(list);
    return some;
}

/* --------------------------------------------------------------------------- splits */

typedef struct place {
    double at;
    int64_t row;
} place;

static int earlier(const void *a, const void *b)
{
    const double x = ((const place *)a)->at, y = ((const place *)b)->at;
    return (x > y) - (x < y);
}

/* All documents at random, so that each beginning has the classes in their shares. */
static int64_t *order_of(const exp_sparse *x, exp_random random)
{
    place *places = cli_alloc((size_t)x->rows, sizeof *places);
    int64_t *list = cli_alloc((size_t)x->rows, sizeof *list), filled = 0;
    for (int class = 1; class <= NEWS_CLASSES; class ++) {
        int64_t count = 0;
        for (int64_t i = 0; i < x->rows; i++)
            if (x->label[i] == class)
                list[count++] = i;
        exp_shuffle(&random, list, count);
        for (int64_t i = 0; i < count; i++)
            places[filled++] = (place){((double)i + exp_uniform(&random)) / (double)count, list[i]};
    }
    qsort(places, (size_t)x->rows, sizeof *places, earlier);
    for (int64_t i = 0; i < x->rows; i++)
        list[i] = places[i].row;
    free(places);
    return list;
}

/* ---------------------------------------------------------------------------- topics */

typedef struct shares { /* of the topics in the training and the test documents, as files */
    char *folder[2], *file[2];
    specreg_table *table[2];
} shares;

static void free_shares(shares *s)
{
    for (int i = 0; i < 2; i++) {
        exp_temporary_remove(s->folder[i], s->file[i]);
        specreg_table_free(s->table[i]);
    }
}

/* Learns topics from the counts of `learn` and applies them to both parts. */
static int share_topics(cli *c, const exp_sparse *learn, const exp_sparse *const *parts,
                        const char *seed, shares *out)
{
    specreg_options *options = NULL;
    specreg_topics *topics = NULL;
    specreg_table *table = NULL;
    char how[32];
    *out = (shares){{0}, {0}, {0}};
    snprintf(how, sizeof how, "topics=%d", TOPICS);
    int rc = exp_options_new(c, &options);
    if (!rc)
        rc = cli_check(c, specreg_options_set(c->ctx, options, "plsa", how));
    if (!rc)
        rc = cli_check(c, specreg_options_set(c->ctx, options, "seed", seed));
    if (!rc)
        rc = sparse_table(c, learn, false, &table);
    if (!rc)
        rc = cli_check(c, specreg_topics_learn(c->ctx, table, options, &topics));
    for (int i = 0; !rc && i < 2; i++) {
        specreg_table_free(table);
        table = NULL;
        rc = sparse_table(c, parts[i], false, &table);
        if (!rc)
            rc = cli_check(c,
                           specreg_topics_apply(c->ctx, topics, table, NULL, &out->table[i], NULL));
        if (!rc)
            rc = exp_temporary_write(c, out->table[i], &out->folder[i], &out->file[i]);
    }
    specreg_table_free(table);
    specreg_topics_free(topics);
    specreg_options_free(options);
    return rc;
}

/* The shares as rows with the labels of the documents. */
static exp_sparse rows_of_shares(const specreg_table *table, const exp_sparse *documents)
{
    const int64_t n = documents->rows;
    exp_sparse x = {.rows = n, .cols = specreg_table_cols(table)};
    x.start = cli_alloc((size_t)n + 1, sizeof *x.start);
    x.label = cli_alloc((size_t)n, sizeof *x.label);
    x.index = cli_alloc((size_t)(n * x.cols), sizeof *x.index);
    x.value = cli_alloc((size_t)(n * x.cols), sizeof *x.value);
    memcpy(x.label, documents->label, (size_t)n * sizeof *x.label);
    for (int64_t i = 0; i < n; i++) {
        x.start[i + 1] = (i + 1) * x.cols;
        for (int64_t j = 0; j < x.cols; j++) {
            x.index[i * x.cols + j] = (int32_t)j;
            x.value[i * x.cols + j] = specreg_table_number(table, i, j);
        }
    }
    return x;
}

/* ----------------------------------------------------------------------------- fits */

/* RLSC, with the terms that `with` holds or without. */
static int run_rlsc(cli *c, const exp_sparse *train, const exp_sparse *test, const shares *with,
                    double *accuracy)
{
    char *features = with ? cli_format("file:%s,dependent=drop", with->file[0]) : NULL;
    const exp_setting settings[] = {{"kernel", "linear"},
                                    {"scale", "none"},
                                    {"select", "kfold"},
                                    {"problem", "classification"},
                                    {with ? "features" : NULL, features},
                                    {NULL, NULL}};
    specreg_table *tables[EXP_ROLES] = {NULL};
    specreg_model *model = NULL;
    specreg_options *later = NULL;
    char *text = NULL;
    int rc = sparse_table(c, train, true, &tables[EXP_TRAIN]);
    if (!rc)
        rc = sparse_table(c, test, true, &tables[EXP_TEST]);
    if (!rc)
        rc = exp_fit(c, tables[EXP_TRAIN], NULL, settings, &model, NULL);
    *accuracy = NAN;
    if (!rc)
        rc = cli_check(c, specreg_options_new(c->ctx, &later));
    if (!rc && with)
        rc = cli_check(c, specreg_options_set(c->ctx, later, "features-file", with->file[1]));
    if (!rc)
        rc = cli_check(c, specreg_evaluate(c->ctx, model, tables[EXP_TEST], later, &text));
    if (!rc) {
        json_t *record = cli_load(text);
        *accuracy = 1.0 - exp_number(record, "test.error_rate");
        json_decref(record);
    }
    specreg_string_free(text);
    specreg_options_free(later);
    specreg_model_free(model);
    exp_free_tables(tables);
    free(features);
    return rc;
}

static int run_svm(const exp_sparse *train, const exp_sparse *test, bool topics, exp_random random,
                   double *accuracy)
{
    static const double of_words[] = {0.01, 0.1, 1.0, 10.0}, of_topics[] = {0.1, 1.0, 10.0, 100.0};
    double error = NAN;
    const int rc = svm_rbf_is_here() ? svm_pairs_error(train, test, topics ? of_topics : of_words,
                                                       4, random, &error)
                                     : CLI_OK;
    *accuracy = 1.0 - error;
    return rc;
}

/* All methods on one division of a subset's documents. */
static int run_methods(cli *c, const exp_sparse *x, const int64_t *order, int64_t n, int repeat,
                       uint64_t seed, double *accuracy)
{
    exp_sparse counts[2] = {sparse_select(x, order, n), sparse_select(x, order + n, x->rows - n)};
    exp_sparse words[2] = {sparse_select(x, order, n), sparse_select(x, order + n, x->rows - n)};
    exp_sparse topics[2] = {{0}, {0}};
    const exp_sparse *const parts[2] = {&counts[0], &counts[1]};
    const exp_random folds = exp_random_for(seed, 76, n, repeat, 0);
    shares own, all;
    char text[32];
    snprintf(text, sizeof text, "%d", repeat);
    scale(&words[0]);
    scale(&words[1]);
    int rc = share_topics(c, &counts[0], parts, text, &own);
    int rc_all = share_topics(c, x, parts, text, &all);
    rc = rc ? rc : rc_all;
    for (int i = 0; !rc && i < 2; i++)
        topics[i] = rows_of_shares(own.table[i], &counts[i]);
    if (!rc)
        rc = run_rlsc(c, &words[0], &words[1], NULL, &accuracy[RLSC]);
    if (!rc)
        rc = run_rlsc(c, &words[0], &words[1], &own, &accuracy[GRLSC]);
    if (!rc)
        rc = run_rlsc(c, &words[0], &words[1], &all, &accuracy[GRLSC_ALL]);
    if (!rc)
        rc = run_rlsc(c, &topics[0], &topics[1], NULL, &accuracy[RLSC_TOPICS]);
    if (!rc)
        rc = run_svm(&words[0], &words[1], false, folds, &accuracy[SVM]);
    if (!rc)
        rc = run_svm(&topics[0], &topics[1], true, folds, &accuracy[SVM_TOPICS]);
    for (int i = 0; i < 2; i++) {
        sparse_free(&counts[i]);
        sparse_free(&words[i]);
        sparse_free(&topics[i]);
    }
    free_shares(&own);
    free_shares(&all);
    return rc;
}

/* --------------------------------------------------------------------------- results */

typedef struct cell { /* a subset and a size */
    int which;
    int64_t n;
    double accuracy[METHODS][MOST_REPEATS]; /* per cent */
} cell;

static int run_cell(cli *c, const exp_request *request, const exp_sparse *x, cell *k)
{
    int rc = CLI_OK;
    for (int r = 0; !rc && r < request->repeats; r++) {
        double accuracy[METHODS];
        cli_progress_label("%s, %d documents, %d/%d", subset[k->which].name, (int)k->n, r + 1,
                           request->repeats);
        int64_t *order = order_of(x, exp_random_for(request->seed, 75, k->which, r, 0));
        rc = run_methods(c, x, order, k->n, r, request->seed, accuracy);
        for (int m = 0; !rc && m < METHODS; m++)
            k->accuracy[m][r] = 100.0 * accuracy[m];
        free(order);
    }
    cli_progress_no_label();
    cli_progress_clear();
    return rc;
}

static void print_row(const cell *k, int repeats)
{
    printf("%-6s %9d", subset[k->which].name, (int)k->n);
    for (int m = 0; m < METHODS; m++)
        if (isnan(exp_mean(k->accuracy[m], repeats))) /* there is a division without a fit */
            printf("  %12s", "-");
        else
            printf("  %5.1f +- %3.1f", exp_mean(k->accuracy[m], repeats),
                   exp_stddev(k->accuracy[m], repeats));
    putchar('\n');
    fflush(stdout);
}

/* Of how many subsets the mean over the sizes is larger. */
static int better_on(const cell *cells, int count, int repeats, int a, int b, double *gain)
{
    double apart[SUBSETS] = {0};
    int better = 0;
    *gain = 0.0;
    for (int i = 0; i < count; i++) {
        const double here =
            exp_mean(cells[i].accuracy[a], repeats) - exp_mean(cells[i].accuracy[b], repeats);
        if (isnan(here)) /* a method without a fit there */
            continue;
        apart[cells[i].which] += here;
        *gain += here / count;
    }
    for (int s = 0; s < SUBSETS; s++)
        better += apart[s] > 0;
    return better;
}

static exp_claims judge(const cli *c, const cell *cells, int count, int subsets, int repeats)
{
    exp_claims claims = exp_claims_new(c);
    double gain;
    int better = better_on(cells, count, repeats, GRLSC, RLSC, &gain);
    exp_claim(
        &claims, 2 * better > subsets,
        "G-RLSC improves on RLSC on most of the data sets, with topics of the training documents",
        "on %d of %d subsets, %+.1f points on average", better, subsets, gain);
    better = better_on(cells, count, repeats, GRLSC_ALL, RLSC, &gain);
    exp_claim(&claims, 2 * better > subsets, "and with topics of all documents, without labels",
              "on %d of %d subsets, %+.1f points on average", better, subsets, gain);
    if (svm_rbf_is_here()) {
        better = better_on(cells, count, repeats, GRLSC_ALL, SVM, &gain);
        exp_claim(&claims, 2 * better > subsets, "and it is better than the SVM",
                  "on %d of %d subsets, %+.1f points on average", better, subsets, gain);
    }
    return claims;
}

static json_t *body_of(const cell *cells, int count, int repeats)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        for (int m = 0; m < (svm_rbf_is_here() ? METHODS : SVM); m++)
            json_array_append_new(list,
                                  json_pack("{s:s, s:I, s:s, s:o}", "subset",
                                            subset[cells[i].which].name, "n",
                                            (json_int_t)cells[i].n, "method", method[m], "accuracy",
                                            exp_numbers(cells[i].accuracy[m], repeats)));
    return json_pack("{s:o}", "results", list);
}

static cli_columns *columns_of(const cell *cells, int count, int repeats)
{
    cli_columns *t = cli_columns_new(count);
    for (int i = 0; i < count; i++) {
        cli_columns_set_text(t, i, "subset", subset[cells[i].which].name);
        cli_columns_set(t, i, "n", (double)cells[i].n);
        for (int m = 0; m < METHODS; m++)
            cli_columns_set(t, i, method[m], exp_mean(cells[i].accuracy[m], repeats));
    }
    return t;
}

static int run_all(cli *c, const exp_request *request, const exp_sets *sets, const exp_sparse *news,
                   cell *cells, int *count)
{
    int rc = CLI_OK;
    if (c->show) {
        printf("%-6s %9s", "subset", "documents");
        for (int m = 0; m < METHODS; m++)
            printf("  %12s", method[m]);
        puts("   accuracy, %");
    }
    for (int i = 0; !rc && i < sets->count; i++) {
        exp_sparse x = documents_of(news, sets->index[i]);
        for (int s = 0; !rc && s < request->n_sizes; s++)
            if (request->size[s] < x.rows) {
                cell *k = &cells[(*count)++];
                *k = (cell){.which = sets->index[i], .n = request->size[s]};
                rc = run_cell(c, request, &x, k);
                if (!rc && c->show)
                    print_row(k, request->repeats);
            }
        sparse_free(&x);
    }
    return rc;
}

static int run(cli *c)
{
    static const char *const names[] = {"comp", "rec", "sci", "talk", NULL};
    exp_request request = {.repeats = 10,
                           .n_sizes = 6,
                           .size = {100, 200, 400, 800, 1600, 3200},
                           .largest = 5000};
    exp_sparse news = {0};
    exp_sets sets;
    int count = 0, rc = exp_request_read(c, &request);
    if (!rc)
        rc = exp_sets_read(c, c->value[EXP_QUICK] ? "rec" : "all", names, &sets);
    if (!rc)
        rc = sparse_read_news(c, &news);
    cell *cells = cli_alloc(SUBSETS * EXP_MOST_SIZES, sizeof *cells);
    if (!rc)
        rc = run_all(c, &request, &sets, &news, cells, &count);
    if (!rc) {
        cli_columns *columns = columns_of(cells, count, request.repeats);
        exp_claims claims = judge(c, cells, count, sets.count, request.repeats);
        rc = exp_finish(c, "grls-text", &request, &claims, body_of(cells, count, request.repeats),
                        columns);
        cli_columns_free(columns);
    }
    free(cells);
    sparse_free(&news);
    return rc;
}

const experiment exp_grls_text = {
    .name = "grls-text",
    .time = "40 min",
    .data = "20news",
    .paper = "Li, Lee and Leung, Figure 2",
    .subject = "topics as terms that are not penalised, on newsgroups",
    .about =
        "Four subsets of 20 Newsgroups by the 2,000 words with the highest mutual information with "
        "the class, divided by the document's largest count: RLSC with a linear kernel, with ten "
        "pLSA topics that are not penalised (G-RLSC; topics of the training documents, or of all "
        "without their labels), on topics alone, and LIBSVM's linear machines, one against one. "
        "Parameters by folds.",
    .commands =
        "specreg features COUNTS --plsa topics=10 --topics TOPICS -o SHARES\n"
        "specreg fit TRAIN --kernel linear --scale none --search grid --problem classification "
        "--select kfold --features file:SHARES,dependent=drop\n"
        "specreg fit TRAIN --kernel linear --scale none --search grid --problem classification "
        "--select kfold --features none",
    .options = {EXP_DATA, EXP_SETS, EXP_REPEATS, EXP_SIZES, CLI_OUTPUT, -1},
    .run = run,
};
