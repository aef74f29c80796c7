/* Topics of documents, or of a table of counts, as features. */
#include <stdlib.h>
#include <string.h>

#include "features.h"

static bool knows(cli *c, const char *path)
{
    const char *kind = "";
    return strcmp(path, "-") != 0 && specreg_features_kind(c->ctx, path, &kind) == SPECREG_OK &&
           strcmp(kind, "plsa") == 0;
}

static int make(cli *c, const char *path, specreg_table **features, char **record, void **learned)
{
    const char *apply = c->value[CLI_APPLY];
    specreg_table *documents = NULL;
    specreg_topics *topics = NULL;
    int rc = CLI_OK;
    if (apply)
        rc = cli_check(c, specreg_topics_load(c->ctx, apply, &topics));
    if (!rc && apply && specreg_topics_vocabulary(topics)) /* a file of any name is documents */
        rc = cli_check(c, specreg_options_set(c->ctx, c->options, "text", "auto"));
    if (!rc)
        rc = cli_check(c, specreg_table_read(c->ctx, path, c->options, &documents));
    if (!rc && !apply)
        rc = cli_check(c, specreg_topics_learn(c->ctx, documents, c->options, &topics));
    if (!rc)
        rc = cli_check(c, specreg_topics_apply(c->ctx, topics, documents, c->options, features,
                                               record));
    specreg_table_free(documents);
    *learned = topics;
    return rc;
}

static int save(cli *c, const void *learned, const char *path)
{
    int rc = cli_write_begin(path);
    if (rc)
        return rc;
    rc = cli_check(c, specreg_topics_save(c->ctx, learned, path));
    cli_write_end();
    return rc;
}

static void release(void *learned)
{
    specreg_topics_free(learned);
}

/* "1234 -> 1016" of a list of perplexities. */
static void show_course(const json_t *record, const char *key, const char *what)
{
    const json_t *list = cli_get(record, key);
    const size_t n = json_array_size(list);
    double kept = 0;
    cli_get_number(record, "kept_sweep", &kept);
    if (n == 0 || kept < 1 || kept > (double)n)
        return;
    char *first = cli_approx(json_number_value(json_array_get(list, 0)));
    char *last = cli_approx(json_number_value(json_array_get(list, (size_t)kept - 1)));
    printf("%s %s -> %s", what, first, last);
    free(last);
    free(first);
}

static void show_topic(const json_t *topic)
{
    double number = 0, share = 0;
    size_t i;
    json_t *word;
    cli_get_number(topic, "topic", &number);
    cli_get_number(topic, "share", &share);
    char *percent = cli_percent(share), *name = cli_format("topic%.0f", number);
    cli_label(name);
    printf("%7s ", percent);
    json_array_foreach (cli_get(topic, "words"), i, word)
        printf(" %s", cli_get_text(word, "word"));
    printf("\n");
    free(name);
    free(percent);
}

static void show(const json_t *record)
{
    const char *how = cli_get_text(record, "plsa");
    double documents = 0, words = 0, unknown = 0, sweeps = 0, kept = 0;
    size_t i;
    json_t *topic;
    cli_get_number(record, "documents", &documents);
    cli_get_number(record, "words", &words);
    cli_get_number(record, "unknown_documents", &unknown);
    cli_get_number(record, "sweeps", &sweeps);
    cli_get_number(record, "kept_sweep", &kept);
    cli_label("topics");
    printf("of %.0f documents and %.0f words; %s\n", documents, words, how ? how : "?");
    cli_label("sweeps");
    printf("%.0f", sweeps);
    if (kept < sweeps)
        printf(" (the best: %.0f)", kept);
    show_course(record, "perplexity", "; perplexity");
    show_course(record, "held_perplexity", "; held out");
    printf("\n");
    json_array_foreach (cli_get(record, "topics"), i, topic)
        show_topic(topic);
    if (unknown > 0) {
        cli_label("note");
        printf("%.0f documents without a known word get the shares of all together\n", unknown);
    }
}

static const char *const without[] = {"kernel", "scale", "missing", NULL};

const cli_features_kind cli_features_plsa = {
    .option = "plsa",
    .knows = knows,
    .file = CLI_TOPICS,
    .file_name = "topics",
    .of_words = true,
    .without = without,
    .make = make,
    .save = save,
    .release = release,
    .show = show,
};
