/* A training table as fit takes it: documents become features, everything else stays as it is. */
#ifndef SRI_MODEL_CORPUS_H
#define SRI_MODEL_CORPUS_H

#include <jansson.h>

#include "data/text/vocabulary.h"
#include "model/config.h"

typedef struct sri_corpus {
    const specreg_table *table; /* what to train on: the table given, or `own`      */
    specreg_table *own;         /* of documents: target, groups, weights, features  */
    specreg_options *options;   /* NULL, or the options with columns by their names */
    specreg_vocabulary *words;  /* NULL: not documents                              */
    sri_text_counts counts;
} sri_corpus;

/* Learns the words from the rows that train, where the option `text` is set.  The config's options
 * are then those of the corpus, which must outlive it. */
specreg_status sri_corpus_train(specreg_context *ctx, const specreg_table *table,
                                sri_config *config, sri_corpus *out);
/* The rows alone: no words are learned, the features are a placeholder. */
specreg_status sri_corpus_rows(specreg_context *ctx, const specreg_table *table, sri_config *config,
                               sri_corpus *out);
void sri_corpus_free(sri_corpus *corpus);
/* Adds `text` and its notes; nothing where there are no documents. */
specreg_status sri_corpus_record(specreg_context *ctx, const sri_corpus *corpus, json_t **record);

#endif
