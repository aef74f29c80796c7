/* Topics: what documents are about, found without labels.  Six texts of two kinds have two topics;
 * the words of each topic, and the topics of new texts, also of one that is about both.
 *
 * It writes its files into the current folder and removes them. */
#include <stdio.h>

#include <specreg/specreg.h>

static const char *const TRAIN = "example_topics.txt", *const NEW = "example_topics_new.txt",
                         *const LEARNED = "example_topics_learned.txt";

static int write_texts(void)
{
    FILE *f = fopen(TRAIN, "w"); /* one document a line, no labels */
    if (!f)
        return 0;
    fputs("Roses want soil, water and sun.\nSoil and water for seeds, sun for roses.\n"
          "Seeds in wet soil; roses in the sun.\nBoats in the harbour wait for wind and tide.\n"
          "The tide and the wind carry boats from the harbour.\n"
          "Sails, wind, boats, tide, harbour.\n",
          f);
    if (fclose(f) != 0 || !(f = fopen(NEW, "w")))
        return 0;
    fputs("Water the seeds.\nWind fills the sails of boats.\nRoses and boats\n", f);
    return fclose(f) == 0;
}

static specreg_status learn(specreg_context *ctx, const specreg_options *options)
{
    specreg_table *documents = NULL;
    specreg_topics *topics = NULL;
    specreg_status st = specreg_table_read(ctx, TRAIN, options, &documents);
    if (st == SPECREG_OK)
        st = specreg_topics_learn(ctx, documents, options, &topics);
    for (int64_t z = 0; st == SPECREG_OK && z < specreg_topics_count(topics); z++) {
        const char *word;
        printf("topic %d, %2.0f %%:", (int)z + 1, 100 * specreg_topics_share(topics, z));
        for (int rank = 0; rank < 4; rank++)
            if (specreg_topics_word(topics, z, rank, &word, NULL) >= 0)
                printf(" %s", word);
        printf("\n");
    }
    if (st == SPECREG_OK)
        st = specreg_topics_save(ctx, topics, LEARNED);
    specreg_topics_free(topics);
    specreg_table_free(documents);
    return st;
}

/* The first two new texts are about one topic each, and not the same. */
static specreg_status apply(specreg_context *ctx, const specreg_options *options, int *right)
{
    specreg_table *documents = NULL, *shares = NULL;
    specreg_topics *topics = NULL;
    specreg_status st = specreg_topics_load(ctx, LEARNED, &topics);
    if (st == SPECREG_OK)
        st = specreg_table_read(ctx, NEW, options, &documents);
    if (st == SPECREG_OK)
        st = specreg_topics_apply(ctx, topics, documents, options, &shares, NULL);
    if (st == SPECREG_OK) {
        const double garden = specreg_table_number(shares, 0, 0);
        const double harbour = specreg_table_number(shares, 1, 0);
        for (int i = 0; i < 3; i++)
            printf("%-32s %.2f %.2f\n", specreg_table_text(documents, i, 0),
                   specreg_table_number(shares, i, 0), specreg_table_number(shares, i, 1));
        *right = (garden > 0.9 && harbour < 0.1) || (garden < 0.1 && harbour > 0.9);
    }
    specreg_table_free(shares);
    specreg_table_free(documents);
    specreg_topics_free(topics);
    return st;
}

int main(void)
{
    specreg_context *ctx = NULL;
    specreg_options *options = NULL;
    int right = 0;
    specreg_status st = SPECREG_E_IO;
    if (specreg_context_new(&ctx) != SPECREG_OK)
        return 1;
    if (write_texts())
        st = specreg_options_new(ctx, &options);
    if (st == SPECREG_OK) /* words of four letters and more, in two texts and more */
        st = specreg_options_set(ctx, options, "text", "min-docs=2,min-length=4");
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, options, "plsa", "topics=2,sweeps=200");
    if (st == SPECREG_OK)
        st = learn(ctx, options);
    if (st == SPECREG_OK)
        st = apply(ctx, options, &right);
    if (st != SPECREG_OK)
        fprintf(stderr, "%s\n", specreg_last_error(ctx));
    specreg_options_free(options);
    specreg_context_free(ctx);
    remove(LEARNED);
    remove(NEW);
    remove(TRAIN);
    return st != SPECREG_OK || !right;
}
