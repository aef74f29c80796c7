/* Which words count, and how a document becomes numbers: learned from documents, applied to others.
 *
 * Word j of a document in which it comes c times has the value
 *
 *     tf(c) idf_j,    tf = c, 1 or 1 + log c,    idf_j = log((1 + N) / (1 + N_j)) + 1,
 *
 * N the documents learned from, N_j those with the word (idf_j = 1 without tfidf); the row is then
 * divided by its 2-norm or 1-norm. */
#ifndef SRI_DATA_TEXT_VOCABULARY_H
#define SRI_DATA_TEXT_VOCABULARY_H

#include "core/options.h"
#include "core/text.h"
#include "data/table.h"

typedef enum sri_choose { SRI_CHOOSE_AUTO, SRI_CHOOSE_MI, SRI_CHOOSE_FREQUENCY } sri_choose;
typedef enum sri_tf { SRI_TF_COUNT, SRI_TF_BINARY, SRI_TF_LOG } sri_tf;
typedef enum sri_answer { SRI_NO, SRI_YES } sri_answer;
typedef enum sri_text_norm { SRI_NORM_L2, SRI_NORM_L1, SRI_NORM_NONE } sri_text_norm;

typedef struct sri_text_how {
    int64_t words;    /* at most                            */
    int64_t min_docs; /* documents a word must be in        */
    sri_choose choose;
    sri_tf tf;
    sri_answer tfidf;
    sri_text_norm norm;
    int64_t shortest, longest; /* words, in characters      */
} sri_text_how;

/* "words=2000,norm=l1"; "auto" for all defaults.  An unknown key or value is SPECREG_E_ARG. */
specreg_status sri_text_how_parse(specreg_context *ctx, const char *spec, sri_text_how *out);
/* The same as a text, every key. */
specreg_status sri_text_how_print(specreg_context *ctx, const sri_text_how *how, sri_buffer *out);

struct specreg_vocabulary {
    sri_text_how how;  /* choose: as it was done, never AUTO          */
    int64_t documents; /* learned from                                */
    int64_t seen;      /* different words in them                     */
    double seconds;    /* that took; 0: it comes from a file          */
    char *column;      /* which held the documents: its name,         */
    int64_t position;  /* its number from 0,                          */
    int64_t columns;   /* of how many,                                */
    bool has_names;    /* and whether the file named them             */
    int64_t n_classes; /* of the documents learned from; 0: unknown   */
    char **label;
    sri_texts words; /* in the order of their bytes; the code is the column */
    double *count;   /* documents with the word                     */
    double *idf;
    double *mi; /* NULL: not chosen by mutual information      */
};

typedef struct sri_document_classes {
    const int32_t *of; /* the class of each document */
    int64_t count;
    char *const *label;
} sri_document_classes;

/* From some rows of a text column; `classes` are those of these documents, NULL: unknown.  Fails
 * when no word is in enough documents, and when mutual information is asked for without
 * classes. */
specreg_status sri_vocabulary_learn(specreg_context *ctx, const sri_rows *rows, int64_t column,
                                    const sri_document_classes *classes, const sri_text_how *how,
                                    specreg_vocabulary **out);

typedef struct sri_text_counts {
    int64_t documents, nonzeros;
    int64_t empty;   /* documents without any word             */
    int64_t unknown; /* with words, but none of the vocabulary */
} sri_text_counts;

/* A row for each row of the column; words that are not known are ignored. */
specreg_status sri_vocabulary_apply(specreg_context *ctx, const specreg_vocabulary *v,
                                    const specreg_table *t, int64_t column, sri_matrix **out,
                                    sri_text_counts *counts);

/* The column of documents of a training table: the one that `options` name as text-column, else the
 * one named `text`, else the only text column that is neither target nor group and has none of the
 * usual names of targets. */
specreg_status sri_text_column(specreg_context *ctx, const specreg_table *t,
                               const specreg_options *options, int64_t *out);
/* That of a later table. */
specreg_status sri_vocabulary_column(specreg_context *ctx, const specreg_vocabulary *v,
                                     const specreg_table *t, int64_t *out);

/* Features of a later table that holds documents: its other columns, and a sparse column for each
 * word; where `raw`, the counts as they are, too.  Says how many rows are zero. */
specreg_status sri_text_features(specreg_context *ctx, const specreg_vocabulary *v,
                                 const specreg_table *t, bool raw, specreg_table **out,
                                 sri_text_counts *counts);
/* Gives the table `to` the counts of the words in a column of documents of t. */
specreg_status sri_text_count(specreg_context *ctx, const specreg_vocabulary *v,
                              const specreg_table *t, int64_t column, specreg_table *to);
/* Makes a vocabulary give counts as they are, however words were to be weighed. */
void sri_topics_raw(specreg_vocabulary *v);
/* All columns but one. */
specreg_status sri_text_without(specreg_context *ctx, const specreg_table *t, int64_t column,
                                specreg_table **out);
/* Puts the features, which the table owns from here on, in place of those it has. */
specreg_status sri_text_attach(specreg_context *ctx, specreg_table *t, sri_matrix *features);
/* One column of zeros, where features are still to come. */
specreg_status sri_text_placeholder(specreg_context *ctx, specreg_table *t);

/* As lines of text, for files and models (docs/TEXT.md), and back; `name` is for messages. */
specreg_status sri_vocabulary_print(specreg_context *ctx, const specreg_vocabulary *v,
                                    sri_buffer *out);
specreg_status sri_vocabulary_parse(specreg_context *ctx, const char *name, const char *text,
                                    size_t length, specreg_vocabulary **out);

#endif
