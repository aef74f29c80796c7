/* Documents as a table: a text column `text` and, where there are labels, a text column `label`. */
#ifndef SRI_DATA_TEXT_DOCUMENTS_H
#define SRI_DATA_TEXT_DOCUMENTS_H

#include "data/table.h"

/* A folder: each sub-folder is a class, each file in it a document; without sub-folders the files
 * are documents without labels.  Classes and files come in the order of their names' bytes. */
specreg_status sri_documents_folder(specreg_context *ctx, const char *path, specreg_table **out);
/* Whether a path names a folder. */
bool sri_is_folder(const char *path);

/* Collecting documents, for the readers. */
typedef struct sri_documents {
    specreg_table *t;
    bool labelled;
    int64_t text_capacity, label_capacity;
    char *clean; /* a text as UTF-8 */
    int64_t clean_capacity;
} sri_documents;

specreg_status sri_documents_start(specreg_context *ctx, const char *source, bool labelled,
                                   sri_documents *out);
/* Bytes that are no UTF-8 are read as Latin-1.  `place` names the document in messages.  An empty
 * label is a missing one. */
specreg_status sri_documents_add(specreg_context *ctx, sri_documents *d, const char *place,
                                 const char *label, size_t label_length, const char *text,
                                 size_t length);
/* Gives up the table. */
specreg_table *sri_documents_finish(sri_documents *d);
void sri_documents_free(sri_documents *d);

#endif
