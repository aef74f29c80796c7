/* Documents: three kinds of short texts, one a line, to a model that keeps its words, and new texts
 * told apart by it; then the words themselves as features.
 *
 * It writes its files into the current folder and removes them. */
#include <stdio.h>
#include <string.h>

#include <specreg/specreg.h>

static const char *const TRAIN = "example_texts.txt", *const NEW = "example_texts_new.txt",
                         *const MODEL = "example_texts.srm";

static int write_texts(void)
{
    FILE *f = fopen(TRAIN, "w"); /* label, tab, text */
    if (!f)
        return 0;
    fputs("garden\tWater the roses and loosen the soil.\n"
          "garden\tPlant seeds in warm soil, and water them.\n"
          "garden\tThe roses want compost and little water.\n"
          "harbour\tThe boats wait for the wind in the harbour.\n"
          "harbour\tThe wind is light and the sea calm.\n"
          "harbour\tShips from the sea enter the harbour.\n"
          "kitchen\tStir the soup, add salt, and heat the oven.\n"
          "kitchen\tBake the bread in a hot oven; stir the butter.\n"
          "kitchen\tSalt the butter for the bread.\n",
          f);
    if (fclose(f) != 0 || !(f = fopen(NEW, "w")))
        return 0;
    fputs("No wind at sea\nAn oven for bread\nRoses, roses!\n", f);
    return fclose(f) == 0;
}

static specreg_status train(specreg_context *ctx, const specreg_options *options)
{
    specreg_table *documents = NULL;
    specreg_model *model = NULL;
    specreg_status st = specreg_table_read(ctx, TRAIN, options, &documents);
    if (st == SPECREG_OK)
        st = specreg_fit(ctx, documents, options, &model);
    if (st == SPECREG_OK)
        st = specreg_model_save(ctx, model, MODEL);
    specreg_model_free(model);
    specreg_table_free(documents);
    return st;
}

/* The model knows that it wants documents. */
static specreg_status predict(specreg_context *ctx, int *right)
{
    static const char *const expected[] = {"harbour", "kitchen", "garden"};
    specreg_model *model = NULL;
    specreg_table *documents = NULL, *predicted = NULL;
    specreg_status st = specreg_model_load(ctx, MODEL, &model);
    if (st == SPECREG_OK)
        st = specreg_table_read_for(ctx, model, NEW, NULL, &documents);
    if (st == SPECREG_OK)
        st = specreg_predict(ctx, model, documents, NULL, &predicted);
    for (int i = 0; st == SPECREG_OK && i < 3; i++) {
        const char *label = specreg_table_text(predicted, i, 0);
        printf("%-20s %s\n", specreg_table_text(documents, i, 0), label);
        *right += strcmp(label, expected[i]) == 0;
    }
    specreg_table_free(predicted);
    specreg_table_free(documents);
    specreg_model_free(model);
    return st;
}

/* Without a model: which words tell the classes apart, and the documents as numbers. */
static specreg_status features(specreg_context *ctx, const specreg_options *options)
{
    specreg_table *documents = NULL, *table = NULL;
    specreg_vocabulary *words = NULL;
    specreg_status st = specreg_table_read(ctx, TRAIN, options, &documents);
    if (st == SPECREG_OK)
        st = specreg_vocabulary_learn(ctx, documents, options, &words);
    if (st == SPECREG_OK)
        st = specreg_vocabulary_apply(ctx, words, documents, options, &table, NULL);
    for (int64_t j = 0; st == SPECREG_OK && j < specreg_vocabulary_size(words); j++)
        printf("%-10s %.3f\n", specreg_vocabulary_word(words, j),
               specreg_table_number(table, 0, j + 1)); /* of the first document, after its label */
    specreg_table_free(table);
    specreg_vocabulary_free(words);
    specreg_table_free(documents);
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
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, options, "text", "words=12,min-docs=2");
    if (st == SPECREG_OK)
        st = train(ctx, options);
    if (st == SPECREG_OK)
        st = predict(ctx, &right);
    if (st == SPECREG_OK)
        st = features(ctx, options);
    if (st != SPECREG_OK)
        fprintf(stderr, "%s\n", specreg_last_error(ctx));
    specreg_options_free(options);
    specreg_context_free(ctx);
    remove(MODEL);
    remove(NEW);
    remove(TRAIN);
    return st != SPECREG_OK || right != 3;
}
