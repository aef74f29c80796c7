/* Choosing and weighing words: tiny corpora, with answers worked out by hand. */
#include "unit/small_table.h"

#include "kit/kit.h"

#include "data/text/vocabulary.h"

static sri_text_how how_of(specreg_context *ctx, const char *spec)
{
    sri_text_how how;
    CHECK_OK(ctx, sri_text_how_parse(ctx, spec, &how));
    return how;
}

/* One column of documents. */
static specreg_table *documents(specreg_context *ctx, int64_t n, const char *const *text)
{
    return small_table_text(ctx, "docs", false, n, 1, text, "0");
}

static const char *const LABEL[] = {"a", "b", "c"};

static specreg_vocabulary *learned(specreg_context *ctx, const specreg_table *t,
                                   const int32_t *classes, int64_t n_classes, const char *spec)
{
    const sri_text_how how = how_of(ctx, spec);
    specreg_vocabulary *v;
    const sri_document_classes known = {classes, n_classes, (char *const *)LABEL};
    CHECK_OK(ctx, sri_vocabulary_learn(ctx, &(sri_rows){t, ALL, t->rows}, 0,
                                       classes ? &known : NULL, &how, &v));
    return v;
}

/* The words, each followed by a blank. */
static const char *listed(const specreg_vocabulary *v)
{
    static char out[1024];
    out[0] = '\0';
    for (int64_t j = 0; j < specreg_vocabulary_size(v); j++) {
        strcat(out, specreg_vocabulary_word(v, j));
        strcat(out, " ");
    }
    return out;
}

/* ------------------------------------------------------------------------------- choosing */

TEST(vocabulary, keeps_the_most_frequent_words_ties_in_the_order_of_words)
{
    specreg_table *t = documents(ctx, 4, CELLS("dd aa bb aa aa", "dd cc bb", "dd cc", "dd ee"));
    specreg_vocabulary *v = learned(ctx, t, NULL, 0, "words=2,min-docs=1");
    CHECK_STR(listed(v), "bb dd "); /* dd in 4; bb and cc in 2 documents; aa often, but in one */
    CHECK_EQ(v->seen, 5);
    CHECK_EQ(v->documents, 4);
    CHECK(v->mi == NULL);
    CHECK(specreg_vocabulary_word(v, 2) == NULL);
    specreg_vocabulary_free(v);
    v = learned(ctx, t, NULL, 0, "min-docs=2");
    CHECK_STR(listed(v), "bb cc dd ");
    CHECK_SAME(v->count[0], 2);
    CHECK_SAME(v->count[2], 4);
    specreg_vocabulary_free(v);
    specreg_table_free(t);
}

/* Of four documents, two in each of two classes:
 *   xx in both of class a and none of b: tells the class, I = log 2;
 *   yy in one of each: I = 0;
 *   zz in one of a: p(1,a) = 1/4, p(0,a) = 1/4, p(0,b) = 1/2, p(1) = 1/4:
 *      I = 1/4 log 2 + 1/4 log(2/3) + 1/2 log(4/3). */
TEST(vocabulary, mutual_information_is_that_of_the_formula)
{
    specreg_table *t = documents(ctx, 4, CELLS("xx yy", "xx zz zz", "yy", "ww"));
    const int32_t classes[] = {0, 0, 1, 1};
    specreg_vocabulary *v = learned(ctx, t, classes, 2, "min-docs=1");
    const double tol = 8 * 2.3e-16;
    const double one = log(2) / 4 + log(2.0 / 3) / 4 + log(4.0 / 3) / 2;
    CHECK_STR(listed(v), "ww xx yy zz ");
    CHECK_NEAR(v->mi[0], one, tol);
    CHECK_NEAR(v->mi[1], log(2), tol);
    CHECK_NEAR(v->mi[2], 0, tol);
    CHECK_NEAR(v->mi[3], one, tol);
    CHECK_EQ(v->n_classes, 2);
    CHECK_STR(v->label[1], "b");
    specreg_vocabulary_free(v);
    v = learned(ctx, t, classes, 2, "min-docs=1,words=1");
    CHECK_STR(listed(v), "xx ");
    specreg_vocabulary_free(v);
    v = learned(ctx, t, classes, 2, "min-docs=1,words=1,choose=frequency");
    CHECK_STR(listed(v), "xx "); /* xx and yy in two each */
    CHECK(v->mi == NULL);
    specreg_vocabulary_free(v);
    specreg_table_free(t);
}

/* Three classes of one, two and three documents; the word is in one document of each.
 * H(C) - H(C|W) from the definition of entropy, which is another way to sum it. */
TEST(vocabulary, mutual_information_of_uneven_classes)
{
    specreg_table *t = documents(ctx, 6, CELLS("word", "word", "none", "word", "none", "none"));
    const int32_t classes[] = {0, 1, 1, 2, 2, 2};
    specreg_vocabulary *v = learned(ctx, t, classes, 3, "min-docs=3");
    const double H = -(log(1 / 6.0) / 6 + log(2 / 6.0) * 2 / 6 + log(3 / 6.0) * 3 / 6);
    const double with = log(3), without = -(log(1 / 3.0) / 3 + log(2 / 3.0) * 2 / 3);
    CHECK_STR(listed(v), "none word ");
    CHECK_NEAR(v->mi[1], H - with / 2 - without / 2, 16 * 2.3e-16);
    CHECK_NEAR(v->mi[0], v->mi[1], 16 * 2.3e-16); /* the other's absence */
    specreg_vocabulary_free(v);
    specreg_table_free(t);
}

TEST(vocabulary, learns_from_the_given_rows_only)
{
    specreg_table *t = documents(ctx, 4, CELLS("aa", "bb", "aa bb", "cc"));
    const sri_text_how how = how_of(ctx, "min-docs=1");
    int64_t rows[] = {0, 2};
    specreg_vocabulary *v;
    CHECK_OK(ctx, sri_vocabulary_learn(ctx, &(sri_rows){t, rows, 2}, 0, NULL, &how, &v));
    CHECK_STR(listed(v), "aa bb ");
    CHECK_SAME(v->count[0], 2);
    CHECK_EQ(v->documents, 2);
    specreg_vocabulary_free(v);
    specreg_table_free(t);
}

TEST(vocabulary, says_what_cannot_be_learned)
{
    specreg_table *t = documents(ctx, 2, CELLS("aa bb", "cc"));
    sri_text_how how = how_of(ctx, "auto");
    specreg_vocabulary *v;
    CHECK_FAILS(ctx, sri_vocabulary_learn(ctx, &(sri_rows){t, ALL, 2}, 0, NULL, &how, &v),
                SPECREG_E_NUMERIC,
                "docs: none of the 3 different words is in at least 3 of the 2 documents");
    how = how_of(ctx, "choose=mi");
    CHECK_FAILS(ctx, sri_vocabulary_learn(ctx, &(sri_rows){t, ALL, 2}, 0, NULL, &how, &v),
                SPECREG_E_SHAPE, "docs: choose=mi needs classes");
    CHECK(v == NULL);
    specreg_table_free(t);
}

/* ------------------------------------------------------------------------------- weighing */

/* What a spec makes of the documents, dense, rows x words. */
static void check_features(specreg_context *ctx, const specreg_table *t, const char *spec,
                           int64_t cols, const double *expected)
{
    specreg_vocabulary *v = learned(ctx, t, NULL, 0, spec);
    sri_matrix *s;
    sri_text_counts counts;
    CHECK_EQ(specreg_vocabulary_size(v), cols);
    CHECK_OK(ctx, sri_vocabulary_apply(ctx, v, t, 0, &s, &counts));
    double *dense = calloc((size_t)(t->rows * cols), sizeof *dense);
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t k = s->start[i]; k < s->start[i + 1]; k++) {
            CHECK(k == s->start[i] || s->index[k] > s->index[k - 1]);
            dense[i * cols + s->index[k]] = s->value[k];
        }
    CHECK_ARRAY_NEAR(dense, expected, t->rows * cols, 8 * 2.3e-16);
    free(dense);
    sri_matrix_delete(s);
    specreg_vocabulary_free(v);
}

TEST(vocabulary, values_are_those_of_the_formulas)
{
    /* Words aa, bb, cc, dd in 2, 1, 2 and 1 of the 3 documents. */
    specreg_table *t = documents(ctx, 3, CELLS("cc aa aa AA", "", "bb cc. cc! aa? dd"));
    const double two = log(4.0 / 3) + 1, one = log(4.0 / 2) + 1;
    const double tl = 1 + log(3), cl = 1 + log(2);
    check_features(ctx, t, "min-docs=1,tfidf=no,norm=none", 4,
                   (const double[]){3, 0, 1, 0, 0, 0, 0, 0, 1, 1, 2, 1});
    check_features(ctx, t, "min-docs=1,tfidf=no,norm=none,tf=binary", 4,
                   (const double[]){1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1});
    check_features(ctx, t, "min-docs=1,tfidf=no,norm=none,tf=log", 4,
                   (const double[]){tl, 0, 1, 0, 0, 0, 0, 0, 1, 1, cl, 1});
    check_features(ctx, t, "min-docs=1,norm=none", 4,
                   (const double[]){3 * two, 0, two, 0, 0, 0, 0, 0, two, one, 2 * two, one});
    check_features(ctx, t, "min-docs=1,tfidf=no,norm=l1", 4,
                   (const double[]){.75, 0, .25, 0, 0, 0, 0, 0, .2, .2, .4, .2});
    const double l0 = sqrt(10) * two, l2 = sqrt(5 * two * two + 2 * one * one);
    check_features(ctx, t, "min-docs=1", 4,
                   (const double[]){3 * two / l0, 0, two / l0, 0, 0, 0, 0, 0, two / l2, one / l2,
                                    2 * two / l2, one / l2});
    specreg_table_free(t);
}

TEST(vocabulary, counts_documents_without_words_and_without_known_words)
{
    specreg_table *t = documents(ctx, 3, CELLS("aa", "aa bb", "aa")),
                  *other = documents(ctx, 5, CELLS("xx yy", "", "aa xx", "1 2 3", "bb")), *made;
    specreg_vocabulary *v = learned(ctx, t, NULL, 0, "min-docs=2,norm=none,tfidf=no");
    sri_text_counts counts;
    CHECK_OK(ctx, sri_text_features(ctx, v, other, false, &made, &counts));
    CHECK_EQ(counts.documents, 5);
    CHECK_EQ(counts.empty, 2);
    CHECK_EQ(counts.unknown, 2);
    CHECK_EQ(counts.nonzeros, 1);
    CHECK_EQ(specreg_table_cols(made), 1);
    CHECK_SAME(specreg_table_number(made, 2, 0), 1);
    CHECK_SAME(specreg_table_number(made, 0, 0), 0);
    specreg_table_free(made);
    specreg_vocabulary_free(v);
    specreg_table_free(other);
    specreg_table_free(t);
}

/* -------------------------------------------------------------------------------- options */

TEST(vocabulary, options_are_checked)
{
    sri_text_how how;
    CHECK_OK(ctx, sri_text_how_parse(ctx, "words=all,tf=log,min-length=3", &how));
    sri_buffer text = {0};
    CHECK_OK(ctx, sri_text_how_print(ctx, &how, &text));
    CHECK_STR(text.data, "words=all,min-docs=3,choose=auto,tf=log,tfidf=yes,norm=l2,min-length=3,"
                         "max-length=25");
    sri_buffer_free(&text);
    static const char *const bad[][2] = {{"words=0", "words must be a whole number from 1"},
                                         {"words=1.5", "words must be a whole number"},
                                         {"words=-3", "words must be a whole number"},
                                         {"min-docs=0", "min-docs must be a whole number"},
                                         {"max-length=201", "from 1 to 200, not '201'"},
                                         {"min-length=9,max-length=3", "min-length=9 is more"},
                                         {"norm=l3", "unknown norm 'l3'"},
                                         {"tfidf=maybe", "unknown tfidf 'maybe'"},
                                         {"tf=often", "unknown tf 'often'"},
                                         {"choose=best", "unknown choose 'best'"},
                                         {"wrds=3", "did you mean 'words'"},
                                         {"words", "write key=value"},
                                         {"words=3,l2", "'l2' is not key=value"},
                                         {"text:words=3", "write key=value"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(ctx, sri_text_how_parse(ctx, bad[i][0], &how), SPECREG_E_ARG, bad[i][1]);
}

/* ----------------------------------------------------------------------------------- files */

TEST(vocabulary, comes_back_from_its_file_the_same)
{
    specreg_table *t = documents(ctx, 4, CELLS("caf\xc3\xa9 yy", "caf\xc3\xa9 zz", "yy", "ww"));
    const int32_t classes[] = {0, 0, 1, 1};
    for (int mi = 0; mi < 2; mi++) {
        specreg_vocabulary *v = learned(ctx, t, mi ? classes : NULL, 2 * mi, "min-docs=1"), *back;
        const char *path = kit_temp("words.txt");
        CHECK_OK(ctx, specreg_vocabulary_save(ctx, v, path));
        CHECK_OK(ctx, specreg_vocabulary_load(ctx, path, &back));
        sri_buffer a = {0}, b = {0};
        CHECK_OK(ctx, sri_vocabulary_print(ctx, v, &a));
        CHECK_OK(ctx, sri_vocabulary_print(ctx, back, &b));
        CHECK_STR(b.data, a.data);
        CHECK_STR(listed(back), "caf\xc3\xa9 ww yy zz ");
        for (int64_t j = 0; j < 4; j++) {
            CHECK_SAME(back->idf[j], v->idf[j]);
            if (mi)
                CHECK_SAME(back->mi[j], v->mi[j]);
        }
        CHECK_EQ(back->n_classes, 2 * mi);
        sri_buffer_free(&b);
        sri_buffer_free(&a);
        specreg_vocabulary_free(back);
        specreg_vocabulary_free(v);
    }
    specreg_table_free(t);
}

#define HEAD "# specreg vocabulary 1\n# text words=5,choose=frequency\n# documents 9\n# seen 4\n"
#define COLUMN "# column 0 2 yes \"text\"\n"

static void bad_file(specreg_context *ctx, const char *text, const char *part)
{
    specreg_vocabulary *v = (specreg_vocabulary *)ctx;
    CHECK_FAILS(ctx, sri_vocabulary_parse(ctx, "w.txt", text, strlen(text), &v), SPECREG_E_FORMAT,
                part);
    CHECK(v == NULL);
}

TEST(vocabulary, files_that_are_none_are_refused_with_the_place)
{
    specreg_vocabulary *v;
    const char *good = HEAD COLUMN "aa\t3\t1.5\nbb\t2\t2\n";
    CHECK_OK(ctx, sri_vocabulary_parse(ctx, "w.txt", good, strlen(good), &v));
    CHECK_EQ(specreg_vocabulary_size(v), 2);
    specreg_vocabulary_free(v);
    bad_file(ctx, "", "w.txt: is not a vocabulary file of version 1");
    bad_file(ctx, "# specreg vocabulary 2\n", "w.txt: is not a vocabulary file of version 1");
    bad_file(ctx, "# specreg vocabulary 1\n# text words=0\n", "w.txt:2: text: words must be");
    bad_file(ctx, "# specreg vocabulary 1\n# text words=5\n# documents x\n", "w.txt:3: ");
    bad_file(ctx, HEAD "# column 2 2 yes \"text\"\n", "w.txt:5: ");
    bad_file(ctx, HEAD "# column 0 2 yes text\n", "w.txt:5: a name in double quotes");
    bad_file(ctx, HEAD "# column 0 2 perhaps \"text\"\n", "w.txt:5: yes or no");
    bad_file(ctx, HEAD COLUMN, "w.txt: has no words");
    bad_file(ctx, HEAD COLUMN "aa\n", "w.txt:6: a word, a tab");
    bad_file(ctx, HEAD COLUMN "aa\tx\t1\n", "w.txt:6: the number of documents");
    bad_file(ctx, HEAD COLUMN "aa\t1\tnan\n", "w.txt:6: a weight is not a number");
    bad_file(ctx, HEAD COLUMN "aa\t1\t-1\n", "w.txt:6: a weight is not a number");
    bad_file(ctx, HEAD COLUMN "aa\t1\t1\t0.5\n", "w.txt:6: one number too many");
    bad_file(ctx, HEAD COLUMN "aa\t1\t1\naa\t1\t1\n", "w.txt:7: this word has been there before");
    bad_file(ctx, HEAD COLUMN "\xff\t1\t1\n", "w.txt:6: ");
    bad_file(ctx,
             "# specreg vocabulary 1\n# text words=5\n# documents 9\n# seen 4\n" COLUMN
             "aa\t1\t1\n",
             "choose must be mi or frequency");
    bad_file(ctx,
             "# specreg vocabulary 1\n# text choose=mi\n# documents 9\n# seen 4\n" COLUMN
             "aa\t1\t1\n",
             "w.txt:6: the mutual information is missing");
}

TEST(vocabulary, a_hundred_thousand_words_and_documents_are_no_trouble)
{
    enum { N = 100000 };
    char **text = calloc(N, sizeof *text);
    for (int i = 0; i < N; i++) { /* word i in documents i, i+1 and i+2, in letters a to j */
        text[i] = malloc(64);
        char *s = text[i];
        for (int k = 0; k < 3; k++) {
            for (int d = 0, w = (i + N - k) % N; d < 6; d++, w /= 10)
                *s++ = (char)('a' + w % 10);
            *s++ = ' ';
        }
        *s = '\0';
    }
    specreg_table *t = documents(ctx, N, (const char *const *)text);
    int64_t *rows = calloc(N, sizeof *rows);
    for (int i = 0; i < N; i++)
        rows[i] = i;
    const sri_text_how how = how_of(ctx, "words=all");
    specreg_vocabulary *v;
    sri_matrix *s;
    sri_text_counts counts;
    CHECK_OK(ctx, sri_vocabulary_learn(ctx, &(sri_rows){t, rows, N}, 0, NULL, &how, &v));
    CHECK_EQ(specreg_vocabulary_size(v), N);
    CHECK_OK(ctx, sri_vocabulary_apply(ctx, v, t, 0, &s, &counts));
    CHECK_EQ(counts.nonzeros, 3 * N);
    CHECK_EQ(s->p, N);
    sri_matrix_delete(s);
    specreg_vocabulary_free(v);
    free(rows);
    specreg_table_free(t);
    for (int i = 0; i < N; i++)
        free(text[i]);
    free(text);
}
