/* Topics of documents and of tables of counts, and their file. */
#include <math.h>
#include <stdio.h>

#include "unit/small_table.h"

#include "kit/kit.h"

#include "data/text/topics.h"

static specreg_options *options_of(specreg_context *ctx, const char *plsa, const char *text)
{
    specreg_options *o;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "plsa", plsa));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "text", text));
    return o;
}

static specreg_table *csv(specreg_context *ctx, const char *source, bool header, int64_t rows,
                          int64_t cols, const char *const *cells)
{
    specreg_table *t = small_table(ctx, source, header, rows, cols, cells);
    t->format = "csv";
    return t;
}

/* Two kinds of documents with words of their own: cats and dogs, ships and seas. */
static specreg_table *documents(specreg_context *ctx)
{
    return csv(ctx, "docs", true, 6, 2,
               CELLS("label", "text", "pet", "cat dog cat", "pet", "dog cat dog dog", "pet",
                     "cat cat dog", "sea", "ship sea", "sea", "sea ship ship", "sea", "!"));
}

static specreg_table *counts(specreg_context *ctx)
{
    return csv(ctx, "counts.csv", true, 5, 5,
               CELLS("cat", "dog", "ship", "sea", "y", "2", "1", "0", "0", "1", "1", "3", "0", "0",
                     "1", "2", "1", "0", "0", "1", "0", "0", "1", "1", "2", "0", "0", "2", "1",
                     ""));
}

TEST(topics, of_documents_have_their_words)
{
    specreg_table *t = documents(ctx), *out;
    specreg_options *o = options_of(ctx, "topics=2,sweeps=200", "min-docs=1,norm=l2,tf=log");
    specreg_topics *topics;
    const char *first, *second;
    double p, q;
    char *json;
    CHECK_OK(ctx, specreg_topics_learn(ctx, t, o, &topics));
    CHECK_EQ(specreg_topics_count(topics), 2);
    CHECK_NEAR(specreg_topics_share(topics, 0), 10.0 / 15, 1e-4); /* raw counts: 10 of pets, 5 */
    CHECK(isnan(specreg_topics_share(topics, 2)));
    CHECK(specreg_topics_word(topics, 0, 0, &first, &p) >= 0);
    CHECK(specreg_topics_word(topics, 0, 1, &second, &q) >= 0);
    CHECK_NEAR(p, 0.5, 1e-4); /* five of each */
    CHECK_NEAR(q, 0.5, 1e-4);
    CHECK(strcmp(first, "cat") == 0 || strcmp(first, "dog") == 0);
    CHECK(strcmp(second, "cat") == 0 || strcmp(second, "dog") == 0);
    CHECK_EQ(specreg_topics_word(topics, 0, 4, &first, &p), -1);
    CHECK(first == NULL && isnan(p));
    CHECK_EQ(specreg_topics_word(topics, -1, 0, NULL, NULL), -1);
    CHECK_EQ(specreg_vocabulary_size(specreg_topics_vocabulary(topics)), 4);
    CHECK_OK(ctx, specreg_topics_apply(ctx, topics, t, o, &out, &json));
    CHECK_EQ(specreg_table_cols(out), 3);
    CHECK_STR(specreg_table_name(out, 0), "label");
    CHECK_STR(specreg_table_name(out, 2), "topic2");
    CHECK_STR(specreg_table_text(out, 3, 0), "sea");
    CHECK_NEAR(specreg_table_number(out, 0, 1), 1, 1e-3);
    CHECK_NEAR(specreg_table_number(out, 3, 2), 1, 1e-3);
    CHECK_SAME(specreg_table_number(out, 5, 1), specreg_topics_share(topics, 0)); /* no words */
    CHECK_HAS(json, "\"unknown_documents\": 1");
    specreg_string_free(json);
    specreg_table_free(out);
    specreg_topics_free(topics);
    specreg_options_free(o);
    specreg_table_free(t);
}

TEST(topics, of_counts_keep_names_and_numbers_for_labels)
{
    specreg_table *t = counts(ctx), *out, *again;
    specreg_options *o = options_of(ctx, "topics=2,sweeps=200", NULL);
    specreg_topics *topics;
    const char *name;
    CHECK_OK(ctx, specreg_topics_learn(ctx, t, o, &topics));
    CHECK(specreg_topics_vocabulary(topics) == NULL);
    CHECK_EQ(specreg_topics_word(topics, 0, 3, &name, NULL) >= 2, 1); /* a word of the sea */
    CHECK(strcmp(name, "ship") == 0 || strcmp(name, "sea") == 0);
    CHECK_OK(ctx, specreg_topics_apply(ctx, topics, t, o, &out, NULL));
    CHECK_EQ(specreg_table_cols(out), 3);
    CHECK_STR(specreg_table_name(out, 0), "y");
    CHECK_SAME(specreg_table_number(out, 3, 0), 2);
    CHECK(isnan(specreg_table_number(out, 4, 0)));
    /* other columns first, and no labels: found by their names */
    specreg_table *later = csv(ctx, "later.csv", true, 2, 5,
                               CELLS("sea", "x", "cat", "ship", "dog", "0", "9", "2", "0", "1", "1",
                                     "9", "0", "1", "0"));
    CHECK_OK(ctx, specreg_topics_apply(ctx, topics, later, o, &again, NULL));
    CHECK_EQ(specreg_table_cols(again), 2);
    for (int z = 0; z < 2; z++) {
        CHECK_SAME(specreg_table_number(again, 0, z), specreg_table_number(out, 0, z + 1));
        CHECK_SAME(specreg_table_number(again, 1, z), specreg_table_number(out, 3, z + 1));
    }
    specreg_table_free(again);
    specreg_table_free(later);
    later = csv(ctx, "later.csv", true, 1, 3, CELLS("sea", "cat", "ship", "0", "2", "0"));
    CHECK_FAILS(ctx, specreg_topics_apply(ctx, topics, later, o, &again, NULL), SPECREG_E_SHAPE,
                "later.csv: column 'dog', which was there in training, is missing");
    CHECK(again == NULL);
    specreg_table_free(later);
    specreg_table_free(out);
    specreg_topics_free(topics);
    specreg_options_free(o);
    specreg_table_free(t);
}

TEST(topics, tables_that_hold_no_counts_are_refused)
{
    specreg_options *o = options_of(ctx, "topics=1", NULL);
    static const struct {
        const char *cell, *text;
        specreg_status status;
    } bad[] = {{"-1", "t.csv:3: column 'b': a count is negative", SPECREG_E_NUMERIC},
               {"", "t.csv:3: column 'b': a count is missing", SPECREG_E_NUMERIC},
               {"1e16", "t.csv: row 2, column 2: 1e+16 is no count", SPECREG_E_NUMERIC},
               {"two", "column 'b' holds texts, not counts", SPECREG_E_SHAPE}};
    specreg_topics *topics;
    for (int i = 0; i < 4; i++) {
        specreg_table *t =
            csv(ctx, "t.csv", true, 2, 2, CELLS("a", "b", "1", "2", "3", bad[i].cell));
        CHECK_FAILS(ctx, specreg_topics_learn(ctx, t, o, &topics), bad[i].status, bad[i].text);
        CHECK(topics == NULL);
        specreg_table_free(t);
    }
    specreg_options_free(o);
}

/* -------------------------------------------------------------------------------- the file */

static specreg_topics *parsed(specreg_context *ctx, const char *text)
{
    specreg_topics *back;
    CHECK_OK(ctx, sri_topics_parse(ctx, "t.txt", text, strlen(text), &back));
    return back;
}

static void check_round_trip(specreg_context *ctx, specreg_table *t, const char *plsa,
                             const char *text)
{
    specreg_options *o = options_of(ctx, plsa, text);
    specreg_topics *topics, *back;
    specreg_table *a, *b;
    sri_buffer one = {0}, two = {0};
    CHECK_OK(ctx, specreg_topics_learn(ctx, t, o, &topics));
    CHECK_OK(ctx, sri_topics_print(ctx, topics, &one));
    back = parsed(ctx, one.data);
    CHECK_OK(ctx, sri_topics_print(ctx, back, &two));
    CHECK_STR(two.data, one.data);
    CHECK_OK(ctx, specreg_topics_apply(ctx, topics, t, o, &a, NULL));
    CHECK_OK(ctx, specreg_topics_apply(ctx, back, t, o, &b, NULL));
    for (int64_t i = 0; i < specreg_table_rows(a); i++)
        for (int64_t c = 0; c < specreg_table_cols(a); c++)
            CHECK_SAME(specreg_table_number(b, i, c), specreg_table_number(a, i, c));
    specreg_table_free(b);
    specreg_table_free(a);
    sri_buffer_free(&two);
    sri_buffer_free(&one);
    specreg_topics_free(back);
    specreg_topics_free(topics);
    specreg_options_free(o);
    specreg_table_free(t);
}

TEST(topics, the_file_reads_back_the_same)
{
    check_round_trip(ctx, documents(ctx), "topics=2,sweeps=30", "min-docs=1");
    check_round_trip(ctx, documents(ctx), "topics=2,sweeps=30,held-out=0.3", "min-docs=1");
    check_round_trip(ctx, counts(ctx), "topics=3,sweeps=9", NULL);
    specreg_table *unnamed = csv(ctx, "n.csv", false, 3, 2, CELLS("1", "0", "2", "3", "0", "1"));
    check_round_trip(ctx, unnamed, "topics=2", NULL);
}

#define HEAD                                                                             \
    "# specreg topics 1\n# plsa topics=2,sweeps=3\n# seed 0\n# documents 4\n# empty 0\n" \
    "# counts 9\n# beta 1\n# kept 3\n# perplexity 3 2 1\n"

TEST(topics, files_that_are_none_are_refused_with_the_line)
{
    static const char *const bad[][2] = {
        {"", "t.txt: is not a file of topics"},
        {"# specreg vocabulary 1\n", "t.txt: is not a file of topics"},
        {"# specreg topics 1\n", "t.txt:1: is not as a file of topics has it"},
        {"# specreg topics 1\n# plsa topics=0\n", "t.txt:2: plsa: topics must be"},
        {"# specreg topics 1\n# plsa topics=2\n# seed -1\n", "t.txt:3: is not as"},
        {HEAD "# share 0.5 0.5 0\n# words 1 numbered\n", "t.txt:11: the head does not agree"},
        {HEAD "# share 0.5 nan\n", "t.txt:10: is not as"},
        {HEAD "# share 0.5 \n", "t.txt:10: is not as"},
        {HEAD "# share 0.5 0.5\n# words 2 many\n", "t.txt:11: '# words', their number"},
        {HEAD "# share 0.5 0.5\n# words 1e12 numbered\n", "t.txt:11: '# words', their number"},
        {HEAD "# share 0.5 0.5\n# words 2000000 numbered\n1\t1\t1\n", "t.txt:12: a word and its"},
        {HEAD "# share 0.5 0.5\n# words 1 numbered\n2\t1\t1\n", "t.txt:12: the number of the next"},
        {HEAD "# share 0.5 0.5\n# words 1 numbered\n1\t1\n", "t.txt:12: a number from 0 to 1"},
        {HEAD "# share 0.5 0.5\n# words 1 numbered\n1\t1\t1\t1\n",
         "t.txt:12: a number from 0 to 1"},
        {HEAD "# share 0.5 0.5\n# words 1 numbered\n1\t1\t1.5\n", "t.txt:12: a number from 0 to 1"},
        {HEAD "# share 0.5 0.5\n# words 1 numbered\n1\t1\t0.5\n", "of topic 2 sum to 0.5"},
        {HEAD "# share 0.5 0.4\n# words 1 numbered\n1\t1\t1\n", "shares of the topics sum to 0.9"},
        {HEAD "# share 0.5 0.5\n# words 1 named\na\t1\t1\n", "t.txt:12: a name in double quotes"},
        {HEAD "# share 0.5 0.5\n# words 1 numbered\n1\t1\t1\nx\n", "t.txt:13: one line too many"},
        {HEAD "# share 0.5 0.5\n# words 1 vocabulary\na\t1\t1\n", "is not a vocabulary file"},
        {HEAD "# share 0.5 0.5\n# words 1 vocabulary\na\t1\t1\n# specreg vocabulary 1\n"
              "# text choose=frequency\n# documents 1\n# seen 1\n# column 0 1 no \"t\"\nb\t1\t1\n",
         "word 1 of the vocabulary, 'b', is another"},
    };
    specreg_topics *t;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_FAILS(ctx, sri_topics_parse(ctx, "t.txt", bad[i][0], strlen(bad[i][0]), &t),
                    SPECREG_E_FORMAT, bad[i][1]);
        CHECK(t == NULL);
    }
    t = parsed(ctx, HEAD "# share 0.5 0.5\n# words 1 named\n\"a\\tb\"\t1\t1\n");
    CHECK_STR(t->column[0], "a\tb");
    specreg_topics_free(t);
}

TEST(topics, files_are_told_apart_by_their_first_line)
{
    static const char *const text[][2] = {{"# specreg vocabulary 1\n", "text"},
                                          {"# specreg topics 1\n", "plsa"},
                                          {"# specreg", ""},
                                          {"", ""}};
    const char *kind;
    for (int i = 0; i < 4; i++) {
        CHECK_OK(ctx, specreg_features_kind(ctx, kit_temp_file("kind", text[i][0]), &kind));
        CHECK_STR(kind, text[i][1]);
    }
    CHECK_EQ(specreg_features_kind(ctx, kit_temp("nowhere"), &kind), SPECREG_E_IO);
}
