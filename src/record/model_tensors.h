/* The tensors of a model file that make up f: centres and coefficients, or slopes, or both. */
#ifndef SRI_RECORD_MODEL_TENSORS_H
#define SRI_RECORD_MODEL_TENSORS_H

#include "core/arena.h"
#include "model/model.h"
#include "record/container.h"

enum { SRI_MODEL_TENSORS = 16 };

/* Tensors to write; whole numbers are turned into doubles, which belong to the list. */
typedef struct sri_tensor_list {
    sri_tensor tensor[SRI_MODEL_TENSORS];
    int count;
    sri_arena scratch; /* those doubles */
} sri_tensor_list;

void sri_tensor_list_add(sri_tensor_list *list, const char *name, const double *data, int64_t rows,
                         int64_t cols);
specreg_status sri_model_tensors_list(specreg_context *ctx, const specreg_model *model,
                                      sri_tensor_list *list);
/* Reads them, into a model that has its encoder, and checks all that others rely on.  Dense centres
 * are left as the file has them: with their label, where they have one, as a last column. */
specreg_status sri_model_tensors_read(specreg_context *ctx, const sri_container *c,
                                      specreg_model *model, sri_matrix *centres);
/* Makes the model's points of such centres, which were found to fit the model; `indexed`: they are
 * row numbers. */
specreg_status sri_model_take_centres(specreg_context *ctx, specreg_model *model, bool indexed,
                                      sri_matrix *centres);

/* A tensor that need not be there; its shape is known. */
specreg_status sri_optional_tensor(specreg_context *ctx, const sri_container *c, const char *name,
                                   int64_t rows, int64_t cols, double **out);

/* "the model's ... is not as it should be" */
specreg_status sri_model_broken(specreg_context *ctx, const char *what);

#endif
