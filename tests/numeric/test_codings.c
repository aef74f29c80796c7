/* Many classes under every coding: errors of the search are those of refits that are decoded here,
 * labels and scores of predictions agree, models come back from their files. */
#include "numeric/models.h"

#include "coding/coding.h"
#include "data/split.h"
#include "record/container.h"

enum { ROWS = 48, MOST = 5 };
static const double SIGMA = 0.8, LAMBDAS[] = {0.3, 1e-2, 1e-3};
#define KERNEL "kernel", "rbf:sigma=0.8", "scale", "none"
#define PATH "param", "lambda={0.3,1e-2,1e-3}"
enum { N_LAMBDAS = 3 };

typedef struct problem {
    int64_t classes, T;
    double *X, *K, *Y, *word; /* word: classes x T */
    bool leaves_out;          /* 0 in a word: rows of the class do not train that column */
    int32_t class[ROWS];
    specreg_table *table;
} problem;

/* Words of this test's own: a regular simplex lies in one dimension more here, about 0; those of
 * error-correcting codes are the library's, which other tests compare with the textbook. */
static void make_words(specreg_context *ctx, const char *coding, problem *d)
{
    const int64_t k = d->classes;
    double a = 1, b = strcmp(coding, "ova") == 0 ? -1 : 0;
    if (strncmp(coding, "ovo", 3) == 0) {
        d->leaves_out = true;
        d->T = k * (k - 1) / 2;
        d->word = calloc((size_t)(k * d->T), sizeof *d->word);
        for (int64_t i = 0, t = 0; i < k; i++)
            for (int64_t j = i + 1; j < k; j++, t++) {
                d->word[i * d->T + t] = 1;
                d->word[j * d->T + t] = -1;
            }
        return;
    }
    if (strncmp(coding, "bch", 3) == 0 || strncmp(coding, "random", 6) == 0) {
        sri_coding_spec spec;
        sri_coding *c;
        CHECK_OK(ctx, sri_coding_parse(ctx, coding, &spec));
        CHECK_OK(ctx, sri_coding_new(ctx, &spec, k, &c));
        d->T = c->width;
        d->word = c->word;
        d->leaves_out = strstr(coding, "zeros") != NULL;
        c->word = NULL;
        sri_coding_free(c);
        return;
    }
    if (strcmp(coding, "simplex") == 0) {
        const double stretch = sqrt((double)k / (double)(k - 1));
        b = -stretch / (double)k;
        a = stretch + b;
    }
    d->T = k;
    d->word = malloc((size_t)(k * k) * sizeof *d->word);
    for (int64_t i = 0; i < k * k; i++)
        d->word[i] = i / k == i % k ? a : b;
}

/* Overlapping heaps on a circle. */
static problem heaps(specreg_context *ctx, int64_t classes, const char *coding)
{
    problem d = {.classes = classes};
    double label[ROWS];
    d.X = kit_normal(40 + (uint64_t)classes, ROWS, 2);
    make_words(ctx, coding, &d);
    d.Y = malloc((size_t)(ROWS * d.T) * sizeof *d.Y);
    for (int64_t i = 0; i < ROWS; i++) {
        d.class[i] = (int32_t)(i % classes);
        label[i] = 3 + d.class[i];
        d.X[2 * i] += 1.3 * cos(6.283 * d.class[i] / (double)classes);
        d.X[2 * i + 1] += 1.3 * sin(6.283 * d.class[i] / (double)classes);
        memcpy(d.Y + i * d.T, d.word + d.class[i] * d.T, (size_t)d.T * sizeof *d.Y);
    }
    d.table = table_of(ctx, d.X, ROWS, 2, label, 1);
    d.K = gram(k_rbf, &SIGMA, d.X, ROWS, d.X, ROWS, 2);
    return d;
}

static void problem_free(problem *d)
{
    specreg_table_free(d->table);
    free(d->K);
    free(d->Y);
    free(d->word);
    free(d->X);
}

/* The nearest word, by the distance that the coding names, as a mean over its columns; *margin is
 * how far an output is from changing that.  Votes: the most pairs won, then the largest sum. */
static int32_t nearest(const problem *d, const char *coding, const double *f, double *margin)
{
    const bool votes = strstr(coding, "votes") != NULL, loss = strstr(coding, "loss") != NULL;
    const bool hamming = strstr(coding, "hamming") != NULL || votes;
    double far[MOST];
    int32_t best = 0;
    *margin = INFINITY;
    for (int64_t c = 0; c < d->classes; c++) {
        double columns = 0, sum = 0;
        far[c] = 0;
        for (int64_t t = 0; t < d->T; t++) {
            const double w = d->word[c * d->T + t];
            if (d->leaves_out && w == 0)
                continue;
            columns++;
            sum += w * f[t];
            far[c] += hamming         ? w * f[t] < 0
                      : loss          ? pow(fmax(0, 1 - w * f[t]), 2)
                      : d->leaves_out ? -w * f[t]
                                      : pow(w - f[t], 2);
            if (hamming)
                *margin = fmin(*margin, fabs(f[t]));
        }
        far[c] = (far[c] - (votes ? atan(sum) / 10 : 0)) / columns;
        best = far[c] < far[best] ? (int32_t)c : best;
    }
    for (int32_t c = 0; c < d->classes && (!hamming || votes); c++)
        if (c != best)
            *margin = fmin(*margin, far[c] - far[best]);
    return best;
}

/* Outputs (m x T) for the rows `out` when the rows `row` train: all columns together, or each on
 * the rows that its words have; `alone`: the one row `out` was left out, where it would train, with
 * the same mu. */
static double *refit(const problem *d, double lambda, const int64_t *row, int64_t n,
                     const int64_t *out, int64_t m, bool alone)
{
    const int64_t width = d->leaves_out ? 1 : d->T; /* columns that have the same rows */
    double K[ROWS * ROWS], Kout[ROWS];
    double *F = malloc((size_t)(m * d->T) * sizeof *F);
    double *Y = malloc((size_t)(n * width) * sizeof *Y);
    real *alpha = real_new(n * width);
    for (int64_t t = 0; t < d->T; t += width) {
        int64_t own[ROWS], count = 0;
        const bool trains = alone && (!d->leaves_out || d->Y[*out * d->T + t] != 0);
        for (int64_t i = 0; i < n; i++)
            if (!d->leaves_out || d->Y[row[i] * d->T + t] != 0)
                own[count++] = row[i];
        for (int64_t i = 0; i < count; i++) {
            memcpy(Y + i * width, d->Y + own[i] * d->T + t, (size_t)width * sizeof *Y);
            for (int64_t j = 0; j < count; j++)
                K[i * count + j] = d->K[own[i] * ROWS + own[j]];
        }
        const double kept = trains ? (double)(count + 1) / (double)count : 1;
        train_tikhonov(count, width, K, Y, lambda * kept, alpha);
        for (int64_t i = 0; i < m; i++) {
            for (int64_t j = 0; j < count; j++)
                Kout[j] = d->K[out[i] * ROWS + own[j]];
            expand(1, count, width, Kout, alpha, F + i * d->T + t);
        }
    }
    free(alpha);
    free(Y);
    return F;
}

static int64_t wrong(const problem *d, const char *coding, double lambda, const int64_t *row,
                     int64_t n, const int64_t *out, int64_t m, bool alone)
{
    double *F = refit(d, lambda, row, n, out, m, alone), margin;
    int64_t count = 0;
    for (int64_t i = 0; i < m; i++) {
        count += nearest(d, coding, F + i * d->T, &margin) != d->class[out[i]];
        CHECK(margin > kit_tolerance(ROWS, 1 / lambda)); /* else rounding may decide */
    }
    free(F);
    return count;
}

static double loo_error(const problem *d, const char *coding, double lambda)
{
    int64_t rest[ROWS], count = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t j = 0; j < ROWS - 1; j++)
            rest[j] = j + (j >= i);
        count += wrong(d, coding, lambda, rest, ROWS - 1, &i, 1, true);
    }
    return (double)count / ROWS;
}

static double fold_error(specreg_context *ctx, const problem *d, const char *coding, double lambda)
{
    const sri_strata strata = {.n = ROWS, .classes = d->class, .n_classes = d->classes};
    sri_splits s;
    int64_t count = 0;
    CHECK_OK(ctx, sri_splits_kfold(ctx, &strata, 4, 1, &s));
    for (int64_t k = 0; k < s.count; k++)
        count += wrong(d, coding, lambda, s.split[k].train, s.split[k].n_train, s.split[k].validate,
                       s.split[k].n_validate, false);
    sri_splits_free(&s);
    return (double)count / ROWS;
}

static const char *const CODINGS[] = {"ova",
                                      "ab",
                                      "simplex",
                                      "bch:15",
                                      "bch:15,decode=hamming",
                                      "bch:31",
                                      "bch:31,decode=loss",
                                      "bch:15,k=7",
                                      "random:columns=9,seed=3",
                                      "random:zeros=0.3,columns=12",
                                      "ovo",
                                      "ovo:decode=votes",
                                      "ovo:decode=loss"};
enum { N_CODINGS = sizeof CODINGS / sizeof *CODINGS };

static void check_search(specreg_context *ctx, const char *coding, int64_t classes,
                         const char *rule, const char *engine)
{
    problem d = heaps(ctx, classes, coding);
    specreg_options *o = options_of(ctx, KERNEL, PATH, "problem", "classification", "coding",
                                    coding, "select", rule, "engine", engine, NULL);
    specreg_model *m = fitted(ctx, d.table, o);
    json_t *record = record_of(ctx, m);
    for (int j = 0; j < N_LAMBDAS; j++) {
        const double expected = *rule == 'l' ? loo_error(&d, coding, LAMBDAS[j])
                                             : fold_error(ctx, &d, coding, LAMBDAS[j]);
        char key[64];
        snprintf(key, sizeof key, "selection.table.%d.value", j);
        CHECK(expected > 0 && expected < 1 - 1.0 / (double)classes); /* of guesses */
        CHECK_NEAR(number_at(record, key), expected, 1e-15);
    }
    json_decref(record);
    specreg_model_free(m);
    specreg_options_free(o);
    problem_free(&d);
}

TEST(codings, leave_one_out_and_folds_equal_refits_decoded_here)
{
    for (int i = 0; i < N_CODINGS; i++)
        for (int64_t k = 3; k <= MOST; k++) {
            print_message("  %s, %d classes\n", CODINGS[i], (int)k);
            check_search(ctx, CODINGS[i], k, "loo", "eig");
            check_search(ctx, CODINGS[i], k, "loo", "cholesky");
            check_search(ctx, CODINGS[i], k, "kfold:k=4", "auto");
        }
}

/* Two classes in two columns: the area is that of the difference, by which labels are decided. */
TEST(codings, the_area_of_two_classes_is_that_of_the_difference_of_scores)
{
    problem d = heaps(ctx, 2, "ab");
    specreg_options *o = options_of(ctx, KERNEL, PATH, "problem", "classification", "coding", "ab",
                                    "select", "loo", "criterion", "auc", NULL);
    specreg_model *m = fitted(ctx, d.table, o);
    json_t *record = record_of(ctx, m);
    for (int l = 0; l < N_LAMBDAS; l++) {
        double score[ROWS], pairs = 0, right = 0;
        int64_t rest[ROWS];
        char key[64];
        for (int64_t i = 0; i < ROWS; i++) {
            for (int64_t j = 0; j < ROWS - 1; j++)
                rest[j] = j + (j >= i);
            double *f = refit(&d, LAMBDAS[l], rest, ROWS - 1, &i, 1, true);
            score[i] = f[1] - f[0];
            free(f);
        }
        for (int64_t i = 0; i < ROWS; i++)
            for (int64_t j = 0; j < ROWS; j++)
                if (d.class[i] == 1 && d.class[j] == 0) {
                    pairs++;
                    right += score[i] > score[j];
                    CHECK(fabs(score[i] - score[j]) > kit_tolerance(ROWS, 1 / LAMBDAS[l]));
                }
        snprintf(key, sizeof key, "selection.table.%d.value", l);
        CHECK_NEAR(number_at(record, key), right / pairs, 1e-14);
    }
    json_decref(record);
    specreg_model_free(m);
    specreg_options_free(o);
    problem_free(&d);
}

/* -------------------------------------------------------------------- predictions */

/* The label has the first of the largest scores; with probabilities, also the largest of those. */
static void check_labels(const specreg_table *p, int64_t classes)
{
    for (int64_t i = 0; i < specreg_table_rows(p); i++)
        for (int64_t from = 1; from < specreg_table_cols(p); from += classes) {
            int64_t best = 0;
            for (int64_t c = 1; c < classes; c++)
                if (specreg_table_number(p, i, from + c) > specreg_table_number(p, i, from + best))
                    best = c;
            const char *name = strchr(specreg_table_name(p, from + best), ':') + 1;
            CHECK_STR(specreg_table_text(p, i, 0), name);
        }
}

TEST(codings, labels_have_the_largest_score_and_probability_and_models_come_back_from_files)
{
    specreg_options *proba = options_of(ctx, "proba", "yes", NULL);
    for (int i = 0; i < N_CODINGS; i++)
        for (int64_t k = 2; k <= MOST; k++) {
            problem d = heaps(ctx, k, CODINGS[i]);
            specreg_options *o = options_of(ctx, KERNEL, PATH, "problem", "classification",
                                            "coding", CODINGS[i], "select", "loo", NULL);
            specreg_model *m = fitted(ctx, d.table, o), *again;
            specreg_table *one, *two;
            CHECK_OK(ctx, specreg_predict(ctx, m, d.table, proba, &one));
            CHECK_EQ(specreg_table_cols(one), 1 + 2 * k);
            check_labels(one, k);
            CHECK_OK(ctx, specreg_model_save(ctx, m, kit_temp("m.srm")));
            CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("m.srm"), &again));
            CHECK_OK(ctx, specreg_predict(ctx, again, d.table, proba, &two));
            check_same_table(one, two);
            json_t *record = record_of(ctx, again);
            const char *name = text_at(record, "coding.name");
            CHECK(strncmp(name, CODINGS[i], strlen(name)) == 0);
            json_decref(record);
            CHECK_OK(ctx, specreg_model_save(ctx, again, kit_temp("n.srm")));
            check_same_file(kit_temp("m.srm"), kit_temp("n.srm"));
            specreg_table_free(two);
            specreg_table_free(one);
            specreg_model_free(again);
            specreg_model_free(m);
            specreg_options_free(o);
            problem_free(&d);
        }
    specreg_options_free(proba);
}

TEST(codings, ab_with_1_and_minus_1_gives_the_labels_of_ova)
{
    for (int64_t k = 2; k <= MOST; k++) {
        problem d = heaps(ctx, k, "ova");
        specreg_options *o = options_of(ctx, KERNEL, PATH, "problem", "classification", NULL);
        specreg_model *ova = fitted(ctx, d.table, o);
        CHECK_OK(ctx, specreg_options_set(ctx, o, "coding", "ab:a=1,b=-1"));
        specreg_model *ab = fitted(ctx, d.table, o);
        specreg_table *one = predicted(ctx, ova, d.table), *two = predicted(ctx, ab, d.table);
        for (int64_t i = 0; i < ROWS; i++)
            CHECK_STR(specreg_table_text(one, i, 0), specreg_table_text(two, i, 0));
        specreg_table_free(two);
        specreg_table_free(one);
        specreg_model_free(ab);
        specreg_model_free(ova);
        specreg_options_free(o);
        problem_free(&d);
    }
}

/* Filters that are linear in Y: outputs are F W, with F those of columns of 0 and 1 and W the
 * words, and the largest entry of W W' F is that of F where all words have the same distance. */
TEST(codings, words_of_one_distance_give_the_same_labels_at_the_same_parameters)
{
    static const char *const same[] = {"ova", "ab", "ab:a=3,b=2.5", "simplex"};
    static const char *const how[][2] = {{"tikhonov", "lambda=0.01"},
                                         {"nu", "t=9"},
                                         {"tsvd", "components=7"}};
    for (int h = 0; h < 3; h++)
        for (int64_t k = 3; k <= MOST; k++) {
            problem d = heaps(ctx, k, "ova");
            specreg_table *first = NULL;
            double value = NAN;
            for (int i = 0; i < 4; i++) {
                specreg_options *o = options_of(ctx, KERNEL, "problem", "classification", "coding",
                                                same[i], "filter", how[h][0], "param", how[h][1],
                                                "select", "kfold:k=3", NULL);
                specreg_model *m = fitted(ctx, d.table, o);
                specreg_table *p = predicted(ctx, m, d.table);
                json_t *record = record_of(ctx, m);
                for (int64_t r = 0; r < ROWS && first; r++)
                    CHECK_STR(specreg_table_text(p, r, 0), specreg_table_text(first, r, 0));
                if (first)
                    CHECK_SAME(number_at(record, "selection.value"), value);
                value = number_at(record, "selection.value");
                CHECK(value > 0);
                json_decref(record);
                specreg_model_free(m);
                specreg_options_free(o);
                if (first)
                    specreg_table_free(p);
                else
                    first = p;
            }
            specreg_table_free(first);
            problem_free(&d);
        }
}

/* Two classes: every coding is the same two points, but for the size of Y, which no label sees. */
TEST(codings, two_classes_get_the_same_labels_under_every_symmetric_coding)
{
    static const char *const same[] = {"simplex", "bch:15", "bch:15,decode=hamming",
                                       "bch:15,decode=loss"};
    problem d = heaps(ctx, 2, "ova");
    specreg_options *o = options_of(ctx, KERNEL, PATH, "problem", "classification", NULL);
    specreg_model *ova = fitted(ctx, d.table, o);
    specreg_table *one = predicted(ctx, ova, d.table);
    for (int i = 0; i < 4; i++) {
        CHECK_OK(ctx, specreg_options_set(ctx, o, "coding", same[i]));
        specreg_model *m = fitted(ctx, d.table, o);
        specreg_table *two = predicted(ctx, m, d.table);
        for (int64_t r = 0; r < ROWS; r++)
            CHECK_STR(specreg_table_text(one, r, 0), specreg_table_text(two, r, 0));
        specreg_table_free(two);
        specreg_model_free(m);
    }
    specreg_table_free(one);
    specreg_model_free(ova);
    specreg_options_free(o);
    problem_free(&d);
}

/* A file with the words of one against one, or of an error-correcting code, is that coding. */
TEST(codings, words_from_a_file_are_those_of_the_coding_that_made_them)
{
    static const char *const same[] = {"ovo", "bch:15,k=7"};
    for (int i = 0; i < 2; i++) {
        problem d = heaps(ctx, 4, same[i]);
        FILE *f = fopen(kit_temp("words.csv"), "w");
        char text[512];
        for (int64_t k = 0; k < 4 * d.T; k++)
            fprintf(f, "%g%s", d.word[k], k % d.T == d.T - 1 ? "\n" : ",");
        fclose(f);
        snprintf(text, sizeof text, "code:file=%s", kit_temp("words.csv"));
        specreg_options *o = options_of(ctx, KERNEL, PATH, "problem", "classification", "coding",
                                        same[i], "select", "loo", NULL);
        specreg_model *one = fitted(ctx, d.table, o), *again;
        CHECK_OK(ctx, specreg_options_set(ctx, o, "coding", text));
        specreg_model *two = fitted(ctx, d.table, o);
        CHECK_OK(ctx, specreg_model_save(ctx, two, kit_temp("m.srm")));
        CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("m.srm"), &again));
        specreg_table *a = predicted(ctx, one, d.table), *b = predicted(ctx, again, d.table);
        check_same_table(a, b);
        specreg_table_free(b);
        specreg_table_free(a);
        specreg_model_free(again);
        specreg_model_free(two);
        specreg_model_free(one);
        specreg_options_free(o);
        problem_free(&d);
    }
}

TEST(codings, what_does_not_go_together_is_refused)
{
    specreg_model *m;
    problem d = heaps(ctx, 4, "ova");
    specreg_options *o = options_of(ctx, KERNEL, PATH, "problem", "classification", "select",
                                    "bound", "coding", "bch:15,decode=hamming", NULL);
    CHECK_FAILS(ctx, specreg_fit(ctx, d.table, o, &m), SPECREG_E_ARG, "select: bound needs labels");
    CHECK_OK(ctx, specreg_options_set(ctx, o, "coding", "bch:15"));
    m = fitted(ctx, d.table, o);
    specreg_model_free(m);
    CHECK_OK(ctx, specreg_options_set(ctx, o, "select", "loo"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "problem", "regression"));
    CHECK_FAILS(ctx, specreg_fit(ctx, d.table, o, &m), SPECREG_E_ARG,
                "coding: bch is for classes, this is a regression");
    specreg_options_free(o);
    problem_free(&d);
}

/* The file m.srm with another coding (NULL: none), and words of another shape (rows 0: none; value:
 * of all entries; NaN: those of the file), under a checksum that is right. */
static void rewrite(specreg_context *ctx, const char *coding, int64_t rows, int64_t cols,
                    double value)
{
    static const char *const known[] = {"alpha", "centres", "scaling", "words"};
    sri_container c;
    sri_tensor t[4];
    double *data[4], words[64];
    CHECK_OK(ctx, sri_container_read(ctx, kit_temp("m.srm"), &c));
    for (int i = 0; i < 4; i++) {
        t[i].name = known[i];
        CHECK_OK(ctx, sri_container_tensor(ctx, &c, known[i], &data[i], &t[i].rows, &t[i].cols));
        t[i].data = data[i];
    }
    if (rows && !isnan(value)) {
        for (int64_t i = 0; i < rows * cols; i++)
            words[i] = value;
        t[3] = (sri_tensor){"words", words, rows, cols};
    }
    if (coding)
        CHECK_OK(ctx, sri_metadata_set(ctx, &c.metadata, "coding", coding));
    else
        CHECK_OK(ctx, sri_metadata_set(ctx, &c.metadata, "coding", NULL));
    CHECK_OK(ctx, sri_container_write(ctx, kit_temp("bad.srm"), &c.metadata, t, rows ? 4 : 3));
    for (int i = 0; i < 4; i++)
        free(data[i]);
    sri_container_free(&c);
}

TEST(codings, files_with_a_broken_coding_are_refused_by_name)
{
#define GOOD "{\"name\": \"bch\", \"length\": 15, \"decode\": \"squared\"}"
    static const struct {
        const char *coding;
        int64_t rows, cols;
        double value;
        const char *message; /* NULL: it is a good file */
    } cases[] = {
        {GOOD, 4, 15, NAN, NULL},
        {GOOD, 4, 15, 1, NULL},
        {GOOD, 0, 0, 0, "words"},
        {GOOD, 4, 14, 1, "words"},
        {GOOD, 3, 15, 1, "words"},
        {GOOD, 4, 15, INFINITY, "words"},
        {GOOD, 4, 15, 0, "words"},
        {GOOD, 4, 15, 0.5, "words"},
        {NULL, 4, 15, NAN, "shape"}, /* no coding is ova, of four columns */
        {"{\"name\": \"ova\"}", 4, 15, NAN, "shape"},
        {"{\"name\": \"simplex\"}", 4, 15, NAN, "words"},
        {"{\"name\": \"later\"}", 4, 15, NAN, "coding"},
        {"{\"name\": \"bch\", \"length\": 1e300, \"decode\": \"loss\"}", 4, 15, NAN, "coding"},
        {"{\"name\": \"bch\", \"length\": 15, \"decode\": \"x\"}", 4, 15, NAN, "coding"},
        {"[]", 4, 15, NAN, "coding"},
        {"{", 4, 15, NAN, "coding"},
    };
    problem d = heaps(ctx, 4, "ova");
    specreg_options *o =
        options_of(ctx, KERNEL, PATH, "problem", "classification", "coding", "bch:15", NULL);
    specreg_model *m = fitted(ctx, d.table, o), *back;
    CHECK_OK(ctx, specreg_model_save(ctx, m, kit_temp("m.srm")));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rewrite(ctx, cases[i].coding, cases[i].rows, cases[i].cols, cases[i].value);
        if (cases[i].message)
            CHECK_FAILS(ctx, specreg_model_load(ctx, kit_temp("bad.srm"), &back), SPECREG_E_FORMAT,
                        cases[i].message);
        else
            CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("bad.srm"), &back));
        specreg_model_free(back);
    }
    specreg_model_free(m);
    specreg_options_free(o);
    problem_free(&d);
}
